//! Where two sequences of text runs differ.
//!
//! Patience diff: runs that occur once on each side and in the same order are anchors; between anchors
//! the same is done again. It is not minimal, but the time is bounded by the length times its
//! logarithm, also for pages that were made to be slow.
use std::ops::Range;

/// How often the parts between anchors are divided again. What is left then is one hunk.
const DEEPEST: usize = 6;

/// A place where two sequences differ: the runs of the one were replaced by those of the other. One of
/// the ranges may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hunk {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
}

impl Hunk {
    fn is_empty(&self) -> bool {
        self.old.is_empty() && self.new.is_empty()
    }

    /// The hunk without the runs that both sides begin and end with.
    fn trimmed(mut self, old: &[u32], new: &[u32]) -> Self {
        let pairs = old[self.old.clone()].iter().zip(&new[self.new.clone()]);
        let same = pairs.take_while(|(one, other)| one == other).count();
        self.old.start += same;
        self.new.start += same;
        let pairs = old[self.old.clone()].iter().rev().zip(new[self.new.clone()].iter().rev());
        let same = pairs.take_while(|(one, other)| one == other).count();
        self.old.end -= same;
        self.new.end -= same;
        self
    }
}

/// The places where `old` and `new` differ, in order.
pub(super) fn hunks(old: &[u32], new: &[u32]) -> Vec<Hunk> {
    let mut parts = vec![Hunk { old: 0..old.len(), new: 0..new.len() }];
    for _ in 0..DEEPEST {
        let before = parts.len();
        parts = parts.into_iter().flat_map(|part| divide(part, old, new)).collect();
        if parts.len() == before {
            break;
        }
    }
    parts.into_iter().map(|part| part.trimmed(old, new)).filter(|hunk| !hunk.is_empty()).collect()
}

/// The parts of a part that are between its anchors.
fn divide(part: Hunk, old: &[u32], new: &[u32]) -> Vec<Hunk> {
    let part = part.trimmed(old, new);
    if part.is_empty() {
        return vec![];
    }
    let mut parts = vec![];
    let (mut old_start, mut new_start) = (part.old.start, part.new.start);
    for (in_old, in_new) in anchors(&part, old, new) {
        parts.push(Hunk { old: old_start..in_old, new: new_start..in_new });
        (old_start, new_start) = (in_old + 1, in_new + 1);
    }
    parts.push(Hunk { old: old_start..part.old.end, new: new_start..part.new.end });
    parts.retain(|part| !part.is_empty());
    parts
}

/// The positions of the runs that occur once on each side: the longest chain of them that has the same
/// order on both.
fn anchors(part: &Hunk, old: &[u32], new: &[u32]) -> Vec<(usize, usize)> {
    let in_old = once(old, part.old.clone());
    let in_new = once(new, part.new.clone());
    let mut both = vec![];
    let mut rest = in_new.as_slice();
    for (run, position) in in_old {
        rest = &rest[rest.partition_point(|(other, _)| *other < run)..];
        if let Some((other, place)) = rest.first()
            && *other == run
        {
            both.push((position, *place));
        }
    }
    both.sort_unstable();
    longest_ascending(&both)
}

/// The runs of a range that occur once in it, ascending, with their positions.
fn once(runs: &[u32], range: Range<usize>) -> Vec<(u32, usize)> {
    let mut found: Vec<(u32, usize)> = range.map(|position| (runs[position], position)).collect();
    found.sort_unstable();
    let same = found.chunk_by(|one, other| one.0 == other.0);
    same.filter(|same| same.len() == 1).map(|same| same[0]).collect()
}

/// The longest subsequence whose second numbers ascend.
fn longest_ascending(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // By length, the pair with the smallest end of a subsequence of that length.
    let mut ends: Vec<usize> = vec![];
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (number, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&end| pairs[end].1 < pair.1);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        if length == ends.len() {
            ends.push(number);
        } else {
            ends[length] = number;
        }
    }
    let mut chain = vec![];
    let mut next = ends.last().copied();
    while let Some(number) = next {
        chain.push(pairs[number]);
        next = before[number];
    }
    chain.reverse();
    chain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(old: &[u32], new: &[u32]) -> Vec<(Range<usize>, Range<usize>)> {
        hunks(old, new).into_iter().map(|hunk| (hunk.old, hunk.new)).collect()
    }

    #[test]
    fn equal_sequences_do_not_differ() {
        assert_eq!(found(&[], &[]), []);
        assert_eq!(found(&[1, 1, 2], &[1, 1, 2]), []);
    }

    #[test]
    fn each_difference_is_a_hunk_of_its_own() {
        assert_eq!(found(&[1, 2, 3, 4], &[1, 9, 3, 4, 5]), [(1..2, 1..2), (4..4, 4..5)]);
        assert_eq!(found(&[1, 2, 3], &[3]), [(0..2, 0..0)]);
    }

    #[test]
    fn repeated_runs_between_anchors_are_matched_at_the_ends() {
        // 0 separates, 5 and 6 are anchors.
        assert_eq!(found(&[5, 0, 1, 0, 6], &[5, 0, 2, 0, 6]), [(2..3, 2..3)]);
        assert_eq!(found(&[0, 5, 0, 6], &[0, 5, 0, 7, 0, 6]), [(3..3, 3..5)]);
    }

    #[test]
    fn a_moved_run_is_removed_and_added() {
        assert_eq!(found(&[1, 2, 3, 4], &[2, 3, 4, 1]), [(0..1, 0..0), (4..4, 3..4)]);
    }

    #[test]
    fn the_parts_outside_hunks_are_equal() {
        // A linear congruential generator with few values, so that runs repeat.
        let mut state = 7_u32;
        let mut next = |most: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % most
        };
        for _ in 0..500 {
            let old: Vec<u32> = (0..next(30)).map(|_| next(12)).collect();
            let new: Vec<u32> = (0..next(30)).map(|_| next(12)).collect();
            let (mut from_old, mut from_new): (Vec<u32>, Vec<u32>) = (vec![], vec![]);
            let (mut old_at, mut new_at) = (0, 0);
            for hunk in hunks(&old, &new) {
                from_old.extend(&old[old_at..hunk.old.start]);
                from_new.extend(&new[new_at..hunk.new.start]);
                (old_at, new_at) = (hunk.old.end, hunk.new.end);
            }
            from_old.extend(&old[old_at..]);
            from_new.extend(&new[new_at..]);
            assert_eq!(from_old, from_new);
        }
    }

    #[test]
    fn hostile_pages_are_compared_in_time() {
        let ascending: Vec<u32> = (0..4_096).collect();
        let reversed: Vec<u32> = (0..4_096).rev().collect();
        let others: Vec<u32> = (5_000..9_096).collect();
        let equal = vec![7; 4_096];
        let alternating: Vec<u32> = (0..4_096).map(|number| number % 2).collect();
        let all = [ascending, reversed, others, equal, alternating];
        for old in &all {
            for new in &all {
                assert_eq!(hunks(old, new).is_empty(), old == new);
            }
        }
    }
}
