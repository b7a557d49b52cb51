//! What a page's move in the results of one word is worth.
//!
//! The chance that searchers look at each result times its score, summed before and after: the page
//! itself is seen at another rank, and those it passes or lets pass move by one (Pandey and Olston 2005,
//! section 5.1.2; both directions in `docs/papers.md` A3.2).
use super::curve::{Curve, Piece};

/// Results are summed one by one over moves up to so many ranks; beyond, by an integral.
const LONGEST_SUM: f64 = 64.0;
/// The first ranks are always summed: there the integral is worst.
const SUMMED_RANKS: f64 = 16.0;

/// A page's place among the results of a word; `None` where it does not hold the word.
pub(super) type Place = Option<f64>;

/// The chance that a searcher looks at a rank, which may be between two.
pub(super) fn chance(rank: f64) -> f64 {
    1.0 / (rank * rank.sqrt())
}

/// What the move of a page with the score `now` is worth, from one rank to another.
pub(super) fn worth(curve: &Curve<'_>, before: Place, after: Place, now: f64) -> f64 {
    let seen = |place: Place| place.map_or(0.0, chance);
    let own = (seen(after) - seen(before)) * now;
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

/// What happens to a result that a page passes, or that passes it.
#[derive(Clone, Copy, PartialEq)]
enum Passed {
    /// From rank r + 1 to r.
    Rises,
    /// From rank r to r + 1.
    Sinks,
}

/// What the results are worth that a page passes between two of its ranks: the sum over ranks r of (I(r) -
/// I(r + 1)) times the score of the result that moves between r and r + 1.
///
/// A page's ranks may be between two; of a rank that is only partly passed, that part. Its score is then
/// taken where the page is: so no page that goes where its score puts it makes answers worse.
fn passed(curve: &Curve<'_>, from: f64, to: f64, what: Passed) -> f64 {
    if from >= to {
        return 0.0;
    }
    let exactly = |from: f64, to: f64| {
        let (mut sum, mut begin) = (0.0, from);
        let mut here = chance(begin);
        let mut piece = curve.piece(curve.piece_at(begin.ln()));
        while begin < to {
            let end = (begin.floor() + 1.0).min(to);
            let next = chance(end);
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
    // Whole ranks in the middle go by the integral, which takes each from half a rank before it.
    let begin = from.ceil().max(SUMMED_RANKS);
    let end = to.floor();
    let (offset, second) = if what == Passed::Rises { (0.5, 1.25) } else { (-0.5, -1.25) };
    let middle = by_pieces(curve, begin + offset, end + offset, |rank, piece| {
        // The difference of two view chances half a rank to either side, to the second order.
        let power = piece.steepness + 1.5;
        1.5 * (integral(piece, 1.0, power, rank) + integral(piece, second, power + 1.0, rank))
    });
    exactly(from, begin) + middle + exactly(end, to)
}

/// What all results together are worth.
pub(super) fn worth_of_all(curve: &Curve<'_>) -> f64 {
    let summed = curve.results.min(LONGEST_SUM as u32);
    let exactly = |rank: u32| chance(f64::from(rank)) * curve.score(f64::from(rank));
    let first: f64 = (1..=summed).map(exactly).sum();
    let rest =
        by_pieces(curve, f64::from(summed) + 0.5, f64::from(curve.results) + 0.5, |rank, piece| {
            integral(piece, 1.0, piece.steepness + 0.5, rank)
        });
    first + rest
}

/// How often the results of a word are looked at, for each time that it is asked for: the sum of the view
/// chances of so many.
pub(super) fn looks(results: u32) -> f64 {
    let summed = results.min(LONGEST_SUM as u32);
    let first: f64 = (1..=summed).map(|rank| chance(f64::from(rank))).sum();
    // The integral of r^-1.5 between the middles of ranks.
    let tail = |rank: u32| 2.0 / (f64::from(rank) + 0.5).sqrt();
    first + tail(summed) - tail(results)
}

/// The integral of `factor` score(r) r^(steepness - power - 1) from `rank` to infinity, as if the piece
/// had no end. A score falls with some power of the rank, so that `power` is above 0.
fn integral(piece: &Piece, factor: f64, power: f64, rank: f64) -> f64 {
    let log_rank = rank.ln();
    // score(r) r^steepness is the same at every rank of the piece.
    let constant = piece.score(log_rank) + piece.steepness * log_rank;
    factor * (constant - power * log_rank).exp() / power
}

/// The sum over the pieces between two ranks of what `tail` says from a rank on.
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
    use crate::relevance::view_chance;

    /// A curve through 10 rank^-0.7, as the golden values of `docs/papers.md` A3.2 have it.
    fn golden(results: u32) -> [f32; 4] {
        let third = f64::from(results).ln() / 3.0;
        std::array::from_fn(|number| (10.0_f64.ln() - 0.7 * third * number as f64) as f32)
    }

    fn moved(before: f64, after: f64, now: f64) -> f64 {
        let knots = golden(200);
        worth(&Curve::new(200, &knots), Some(before), Some(after), now)
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
    fn staying_is_worth_nothing_and_half_a_rank_less_than_one() {
        assert!(moved(7.0, 7.0, 1.0).abs() < f64::MIN_POSITIVE);
        let knots = golden(200);
        let curve = Curve::new(200, &knots);
        assert!(worth(&curve, None, None, 0.0).abs() < f64::MIN_POSITIVE);
        let part = |from, to| passed(&curve, from, to, Passed::Rises);
        assert!(part(7.5, 8.0) < part(7.0, 8.0) && part(7.5, 8.0) > 0.0);
    }

    /// Puts every result into a list, moves one and sums anew.
    fn by_hand(results: u32, before: Option<u32>, after: Option<u32>, now: f64) -> f64 {
        let score = |rank: u32| 10.0 * f64::from(rank).powf(-0.7);
        let sum = |list: &[f64]| {
            (1..).zip(list).map(|(rank, score)| view_chance(rank) * score).sum::<f64>()
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
    fn long_moves_agree_with_ranking_anew() {
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
            let found = worth(&curve, before.map(f64::from), after.map(f64::from), now);
            let expected = by_hand(results, before, after, now);
            let error = (found - expected).abs() / expected.abs();
            assert!(error < 0.005, "{before:?} to {after:?}: {found} for {expected}");
        }
    }

    #[test]
    fn all_results_are_worth_their_sum() {
        for results in [1, 5, 64, 65, 3_000] {
            let third = f64::from(results).ln() / 3.0;
            let knots: [f32; 4] =
                std::array::from_fn(|number| (10.0_f64.ln() - 0.7 * third * number as f64) as f32);
            let found = worth_of_all(&Curve::new(results, &knots));
            let score = |rank: u32| view_chance(rank as usize) * 10.0 * f64::from(rank).powf(-0.7);
            let expected: f64 = (1..=results).map(score).sum();
            assert!((found - expected).abs() < 0.001 * expected, "{results}: {found} {expected}");
        }
    }

    proptest! {
        /// A page that goes where its score puts it makes the list better, never worse.
        #[test]
        fn a_move_to_the_right_place_is_never_worth_less_than_nothing(
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
                prop_assert!(worth(&curve, from, place(after, between), near) > -1e-6);
            }
            let now = after.map_or(0.0, |rank| score(f64::from(rank)));
            let found = worth(&curve, before.map(f64::from), after.map(f64::from), now);
            prop_assert!(found > -1e-6, "{}", found);
            prop_assert!((found - by_hand(200, before, after, now)).abs() < 0.002 * found.abs() + 1e-4);
        }
    }
}
