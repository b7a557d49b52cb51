//! Curves that map scores to ranks and back, for the results of one word.
//!
//! A piecewise linear function on a log-log scale (Pandey and Olston 2005, section 5.1.2). The pieces
//! have equal length in the logarithm of the rank, so that the first ranks, which users view, are the
//! most precise. A curve of three pieces takes 20 bytes.
//!
//! Scores are logarithms, so that the product of a page's part and a word's weight is a sum.

/// The least difference of two knots, so that the function can be inverted.
const LEAST_STEP: f32 = 1e-5;

/// The curve of one word: the number of results, and the logarithms of the scores at the knots, which
/// fall strictly.
#[derive(Clone, Copy, Debug)]
pub(super) struct Curve<'c> {
    pub(super) results: u32,
    knots: &'c [f32],
    /// The length of each piece, in the logarithm of the rank.
    length: f64,
}

/// The piece of a curve between two neighbouring knots, in logarithms of ranks and scores.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) from_rank: f64,
    pub(super) to_rank: f64,
    from_score: f64,
    /// Within the piece, score = C rank^-steepness.
    pub(super) steepness: f64,
}

impl Piece {
    /// The logarithm of the score at a rank, given by its logarithm.
    pub(super) fn score(&self, log_rank: f64) -> f64 {
        self.from_score - (log_rank - self.from_rank) * self.steepness
    }
}

/// Fits a curve to the logarithms of scores, at least one, and reorders them. There is one more knot
/// than pieces.
pub(super) fn fit(scores: &mut [f32], knots: &mut [f32]) {
    let pieces = knots.len() - 1;
    let results = scores.len();
    // Each selection moves lower scores behind it, so the next has less to search.
    let mut sorted_to = 0;
    let mut at = |place: usize, scores: &mut [f32]| {
        if place >= sorted_to {
            let rest = &mut scores[sorted_to..];
            rest.select_nth_unstable_by(place - sorted_to, |a, b| b.total_cmp(a));
            sorted_to = place + 1;
        }
        scores[place]
    };
    for (number, knot) in knots.iter_mut().enumerate() {
        let rank = (results as f64).powf(number as f64 / pieces as f64);
        let below = (rank.floor() as usize).clamp(1, results);
        let above = (below + 1).min(results);
        let (higher, lower) = (at(below - 1, scores), at(above - 1, scores));
        let step = (rank / below as f64).ln() / ((below + 1) as f64 / below as f64).ln();
        *knot = higher + (lower - higher) * step as f32;
    }
    for number in 1..knots.len() {
        knots[number] = knots[number].min(knots[number - 1] - LEAST_STEP);
    }
}

impl<'c> Curve<'c> {
    pub(super) fn new(results: u32, knots: &'c [f32]) -> Self {
        let length = f64::from(results.max(1)).ln() / (knots.len() - 1) as f64;
        Self { results, knots, length }
    }

    /// The rank of a page with this score among the results, which may be fractional: 1 for the best
    /// score or a better one, the number of results plus 1 for a score below the last.
    ///
    /// Not rounded: at the first ranks a whole rank is a lot, and a page whose score hardly changes
    /// should move by a fraction.
    pub(super) fn rank(&self, log_score: f64) -> f64 {
        let score = log_score as f32;
        if self.results == 0 || score >= self.knots[0] {
            return 1.0;
        }
        let Some(number) = self.knots[1..].iter().position(|&knot| score >= knot) else {
            return f64::from(self.results) + 1.0;
        };
        let piece = self.piece(number);
        (piece.from_rank + (piece.from_score - log_score) / piece.steepness).exp()
    }

    /// The score at a rank among the results.
    pub(super) fn score(&self, rank: f64) -> f64 {
        let log_rank = rank.ln();
        self.piece(self.piece_at(log_rank)).score(log_rank).exp()
    }

    /// The number of pieces.
    pub(super) fn pieces(&self) -> usize {
        self.knots.len() - 1
    }

    /// The number of the piece that contains a rank, given by its logarithm.
    pub(super) fn piece_at(&self, log_rank: f64) -> usize {
        let number = if self.length > 0.0 { (log_rank / self.length) as usize } else { 0 };
        number.min(self.pieces() - 1)
    }

    /// The piece with this number, counted from 0.
    pub(super) fn piece(&self, number: usize) -> Piece {
        let length = self.length;
        let [from, to] = [self.knots[number], self.knots[number + 1]].map(f64::from);
        let from_rank = length * number as f64;
        // With one result the length is 0, and the steepness does not matter.
        let steepness = if length > 0.0 { (from - to) / length } else { 1.0 };
        Piece { from_rank, to_rank: from_rank + length, from_score: from, steepness }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fitted(scores: &[f32], pieces: usize) -> Vec<f32> {
        let mut knots = vec![0.0; pieces + 1];
        fit(&mut scores.to_vec(), &mut knots);
        knots
    }

    /// The logarithms of 10 rank^-0.7.
    fn power_law(results: u32) -> Vec<f32> {
        (1..=results).map(|rank| (10.0_f32).ln() - 0.7 * (rank as f32).ln()).collect()
    }

    #[test]
    fn a_power_law_is_fitted_exactly_by_any_number_of_pieces() {
        for pieces in [1, 2, 3, 8] {
            let knots = fitted(&power_law(200), pieces);
            let curve = Curve::new(200, &knots);
            for rank in 1..=200 {
                let score = 10.0_f64.ln() - 0.7 * f64::from(rank).ln();
                assert!(
                    (curve.score(f64::from(rank)).ln() - score).abs() < 2e-3,
                    "{pieces} {rank}"
                );
                assert!((curve.rank(score) - f64::from(rank)).abs() < 0.05, "{pieces}");
            }
        }
    }

    #[test]
    fn scores_beyond_the_curve_are_first_or_after_the_last() {
        let knots = fitted(&power_law(50), 3);
        let curve = Curve::new(50, &knots);
        let ranks = [9.0, -9.0, f64::NEG_INFINITY].map(|score| curve.rank(score).round() as u32);
        assert_eq!(ranks, [1, 51, 51]);
    }

    #[test]
    fn one_result_or_none_have_curves() {
        let knots = fitted(&[0.5], 3);
        let one = Curve::new(1, &knots);
        assert_eq!([0.6, 0.5, 0.4].map(|score| one.rank(score).round() as u32), [1, 1, 2]);
        assert!((one.score(1.0).ln() - 0.5).abs() < 1e-6);
        let none = Curve::new(0, &[0.0; 4]);
        assert_eq!(none.rank(-3.0).round() as u32, 1);
    }

    proptest! {
        #[test]
        fn ranks_are_monotonic_and_invertible(
            scores in prop::collection::vec(-5.0_f32..5.0, 1..300),
            pieces in 1_usize..6,
        ) {
            let knots = fitted(&scores, pieces);
            let results = scores.len() as u32;
            let curve = Curve::new(results, &knots);
            prop_assert!(knots.windows(2).all(|pair| pair[0] > pair[1]));
            let ranks: Vec<f64> = (-60..60).map(|tenth| curve.rank(f64::from(-tenth) / 10.0)).collect();
            prop_assert!(ranks.windows(2).all(|pair| pair[0] <= pair[1]));
            for rank in 1..=results {
                let back = curve.rank(curve.score(f64::from(rank)).ln() + 1e-7);
                prop_assert!((back - f64::from(rank)).abs() < 0.3 + 0.02 * back, "{} for {}", back, rank);
            }
        }
    }
}
