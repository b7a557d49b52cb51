//! The value of a page's move in the results of one word.
//!
//! The value of a result list is the sum of view probability times score. When a page moves, it is
//! viewed at another rank, and the pages in between move by one rank (Pandey and Olston 2005, section
//! 5.1.2; both directions in `docs/papers.md` A3.2).
use super::curve::{Curve, Piece};

/// Moves over up to this many ranks are summed rank by rank, longer ones by an integral.
const LONGEST_SUM: f64 = 64.0;
/// The first ranks are always summed, because the integral is least precise there.
const SUMMED_RANKS: f64 = 16.0;

/// A page's rank in the results of a word, which may be fractional; `None` where it lacks the word.
pub(super) type Rank = Option<f64>;

/// The probability that a user views a rank, which may be fractional.
pub(super) fn view_probability(rank: f64) -> f64 {
    1.0 / (rank * rank.sqrt())
}

/// The value of the move of a page with the score `now` from one rank to another.
pub(super) fn value(curve: &Curve<'_>, before: Rank, after: Rank, now: f64) -> f64 {
    let viewed = |rank: Rank| rank.map_or(0.0, view_probability);
    let own = (viewed(after) - viewed(before)) * now;
    let last = f64::from(curve.results);
    let others = match (before, after) {
        (Some(before), Some(after)) if before < after => {
            passed(curve, before, after.min(last), Passed::Rises)
        }
        (Some(before), None) => passed(curve, before, last, Passed::Rises),
        (Some(before), Some(after)) => -passed(curve, after, before.min(last + 1.0), Passed::Sinks),
        (None, Some(after)) => -passed(curve, after, last + 1.0, Passed::Sinks),
        (None, None) => 0.0,
    };
    own + others
}

/// How a result moves that the page passes, or that passes the page.
#[derive(Clone, Copy, PartialEq)]
enum Passed {
    /// From rank r + 1 to r.
    Rises,
    /// From rank r to r + 1.
    Sinks,
}

/// The value of the moves of the results that a page passes: the sum over ranks r of (I(r) - I(r + 1))
/// times the score of the result that moves between r and r + 1.
///
/// Ranks may be fractional; a rank that is passed in part counts in part. Its score is then taken where
/// the page is, so that a page that moves to the rank of its score never reduces the value.
fn passed(curve: &Curve<'_>, from: f64, to: f64, what: Passed) -> f64 {
    if from >= to {
        return 0.0;
    }
    let exactly = |from: f64, to: f64| {
        let (mut sum, mut begin) = (0.0, from);
        let mut here = view_probability(begin);
        let mut piece = curve.piece(curve.piece_at(begin.ln()));
        while begin < to {
            let end = (begin.floor() + 1.0).min(to);
            let next = view_probability(end);
            let log_rank = if what == Passed::Rises { end.ln() } else { begin.ln() };
            if log_rank > piece.to_rank {
                piece = curve.piece(curve.piece_at(log_rank));
            }
            sum += (here - next) * piece.score(log_rank).exp();
            (begin, here) = (end, next);
        }
        sum
    };
    if to - from <= LONGEST_SUM {
        return exactly(from, to);
    }
    // The integral covers the whole ranks in the middle, each from half a rank before it.
    let begin = from.ceil().max(SUMMED_RANKS);
    let end = to.floor();
    let (offset, second) = if what == Passed::Rises { (0.5, 1.25) } else { (-0.5, -1.25) };
    let middle = by_pieces(curve, begin + offset, end + offset, |rank, piece| {
        // The difference of the view probabilities half a rank to either side, to the second order.
        let power = piece.steepness + 1.5;
        1.5 * (integral(piece, 1.0, power, rank) + integral(piece, second, power + 1.0, rank))
    });
    exactly(from, begin) + middle + exactly(end, to)
}

/// The value of all results together.
pub(super) fn total_value(curve: &Curve<'_>) -> f64 {
    let summed = curve.results.min(LONGEST_SUM as u32);
    let exactly = |rank: u32| view_probability(f64::from(rank)) * curve.score(f64::from(rank));
    let first: f64 = (1..=summed).map(exactly).sum();
    let rest =
        by_pieces(curve, f64::from(summed) + 0.5, f64::from(curve.results) + 0.5, |rank, piece| {
            integral(piece, 1.0, piece.steepness + 0.5, rank)
        });
    first + rest
}

/// The expected number of views per query of this many results: the sum of their view probabilities.
pub(super) fn total_views(results: u32) -> f64 {
    let summed = results.min(LONGEST_SUM as u32);
    let first: f64 = (1..=summed).map(|rank| view_probability(f64::from(rank))).sum();
    // The integral of r^-1.5 between the middles of ranks.
    let tail = |rank: u32| 2.0 / (f64::from(rank) + 0.5).sqrt();
    first + tail(summed) - tail(results)
}

/// The integral of `factor` score(r) r^(steepness - power - 1) from `rank` to infinity, as if the piece
/// had no end. Scores fall with a power of the rank, so `power` is above 0.
fn integral(piece: &Piece, factor: f64, power: f64, rank: f64) -> f64 {
    let log_rank = rank.ln();
    // score(r) r^steepness is constant within the piece.
    let constant = piece.score(log_rank) + piece.steepness * log_rank;
    factor * (constant - power * log_rank).exp() / power
}

/// Sums an integral over the pieces between two ranks; `tail` is the integral from a rank to infinity.
fn by_pieces(curve: &Curve<'_>, mut from: f64, to: f64, tail: impl Fn(f64, &Piece) -> f64) -> f64 {
    let mut sum = 0.0;
    let mut number = curve.piece_at(from.ln());
    while from < to {
        let piece = curve.piece(number);
        let is_last = number + 1 == curve.pieces();
        let stop = if is_last { to } else { piece.to_rank.exp().min(to) };
        sum += tail(from, &piece) - tail(stop, &piece);
        from = stop;
        number += 1;
    }
    sum
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use text::relevance::view_probability;

    /// A curve through 10 rank^-0.7, as the golden values of `docs/papers.md` A3.2 have it.
    fn golden(results: u32) -> [f32; 4] {
        let third = f64::from(results).ln() / 3.0;
        std::array::from_fn(|number| (10.0_f64.ln() - 0.7 * third * number as f64) as f32)
    }

    fn moved(before: f64, after: f64, now: f64) -> f64 {
        let knots = golden(200);
        value(&Curve::new(200, &knots), Some(before), Some(after), now)
    }

    #[test]
    fn moves_have_the_golden_values() {
        for (before, after, now, expected) in [
            (3.0, 10.0, 1.930_875, 0.206_372),
            (10.0, 3.0, 5.395_176, 0.257_481),
            (2.0, 50.0, 0.642_276, 1.079_037),
            (50.0, 2.0, 8.077_861, 1.188_401),
        ] {
            let found = moved(before, after, now);
            assert!((found - expected).abs() < 2e-6, "{before} to {after}: {found}");
        }
    }

    #[test]
    fn staying_has_no_value_and_half_a_rank_less_than_one() {
        assert!(moved(7.0, 7.0, 1.0).abs() < f64::MIN_POSITIVE);
        let knots = golden(200);
        let curve = Curve::new(200, &knots);
        assert!(value(&curve, None, None, 0.0).abs() < f64::MIN_POSITIVE);
        let part = |from, to| passed(&curve, from, to, Passed::Rises);
        assert!(part(7.5, 8.0) < part(7.0, 8.0) && part(7.5, 8.0) > 0.0);
    }

    /// Builds the list of results, moves one and sums both lists.
    fn by_hand(results: u32, before: Option<u32>, after: Option<u32>, now: f64) -> f64 {
        let score = |rank: u32| 10.0 * f64::from(rank).powf(-0.7);
        let sum = |list: &[f64]| {
            (1..).zip(list).map(|(rank, score)| view_probability(rank) * score).sum::<f64>()
        };
        let mut list: Vec<f64> = (1..=results).map(score).collect();
        if let Some(before) = before {
            list[before as usize - 1] = now;
        }
        let then = sum(&list);
        if let Some(before) = before {
            list.remove(before as usize - 1);
        }
        if let Some(after) = after {
            list.insert((after as usize - 1).min(list.len()), now);
        }
        sum(&list) - then
    }

    #[test]
    fn long_moves_agree_with_exact_sums() {
        for (results, before, after) in [
            (5_000, None, Some(1)),
            (5_000, None, Some(3_000)),
            (5_000, Some(1), None),
            (5_000, Some(20), Some(4_000)),
            (5_000, Some(4_000), Some(20)),
            (5_000, Some(70), Some(5_000)),
            (100_000, Some(90_000), Some(30)),
        ] {
            let third = f64::from(results).ln() / 3.0;
            let knots: [f32; 4] =
                std::array::from_fn(|number| (10.0_f64.ln() - 0.7 * third * number as f64) as f32);
            let curve = Curve::new(results, &knots);
            let now = after.map_or(0.0, |rank: u32| 10.0 * f64::from(rank).powf(-0.7));
            let found = value(&curve, before.map(f64::from), after.map(f64::from), now);
            let expected = by_hand(results, before, after, now);
            let error = (found - expected).abs() / expected.abs();
            assert!(error < 0.005, "{before:?} to {after:?}: {found} for {expected}");
        }
    }

    #[test]
    fn the_total_value_is_the_sum_over_results() {
        for results in [1, 5, 64, 65, 3_000] {
            let third = f64::from(results).ln() / 3.0;
            let knots: [f32; 4] =
                std::array::from_fn(|number| (10.0_f64.ln() - 0.7 * third * number as f64) as f32);
            let found = total_value(&Curve::new(results, &knots));
            let score =
                |rank: u32| view_probability(rank as usize) * 10.0 * f64::from(rank).powf(-0.7);
            let expected: f64 = (1..=results).map(score).sum();
            assert!((found - expected).abs() < 0.001 * expected, "{results}: {found} {expected}");
        }
    }

    proptest! {
        /// A page that moves to the rank of its score never reduces the value of the list.
        #[test]
        fn a_move_to_the_right_rank_is_never_negative(
            before in prop::option::of(1_u32..=200),
            after in prop::option::of(1_u32..=200),
            between in 0.0_f64..1.0,
        ) {
            let knots = golden(200);
            let curve = Curve::new(200, &knots);
            let score = |rank: f64| 10.0 * rank.powf(-0.7);
            let place = |rank: Option<u32>, by: f64| rank.map(|rank| f64::from(rank) + by);
            let near = place(after, between).map_or(0.0, score);
            for from in [before.map(f64::from), place(before, between)] {
                prop_assert!(value(&curve, from, place(after, between), near) > -1e-6);
            }
            let now = after.map_or(0.0, |rank| score(f64::from(rank)));
            let found = value(&curve, before.map(f64::from), after.map(f64::from), now);
            prop_assert!(found > -1e-6, "{}", found);
            prop_assert!((found - by_hand(200, before, after, now)).abs() < 0.002 * found.abs() + 1e-4);
        }
    }
}
