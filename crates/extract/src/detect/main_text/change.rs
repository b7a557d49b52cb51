//! How much of the main text differs between two sequences of text runs.
use super::{
    hunks::{Hunk, hunks},
    marks::pair,
};

/// So many runs may be new in a passage of the template at once, such as new entries of a menu.
const MOST_INSERTED: usize = 4;

/// The share of main-text runs that differ, as far as boilerplate is known. Symmetric.
///
/// A difference counts unless it is one of the template:
/// - All its runs are boilerplate, on both sides.
/// - On one side it is a passage of boilerplate that is the same on most pages, with its neighbours,
///   and on the other side hardly longer. This is what a page looks like when the template has
///   changed and other pages have not been visited since: a new entry of a menu.
/// - As many runs replace a passage of boilerplate that has the same neighbour on one side on most
///   pages: the year in a footer.
pub(super) fn change(old: &[u32], new: &[u32], is_boilerplate: &dyn Fn(u32) -> bool) -> f32 {
    // One of several alignments is chosen, so the order must be the same for the change back.
    let (old, new) = if old <= new { (old, new) } else { (new, old) };
    let main = |runs: &[u32]| runs.iter().filter(|run| !is_boilerplate(**run)).count();
    let differ: usize = hunks(old, new)
        .into_iter()
        .filter(|hunk| !is_template(hunk, old, new, is_boilerplate))
        .map(|Hunk { old: from, new: to }| main(&old[from]) + main(&new[to]))
        .sum();
    share(differ, main(old) + main(new))
}

/// The share of runs that differ between two main texts without boilerplate: 0 exactly when they are
/// equal.
pub fn share_changed(old: &[u32], new: &[u32]) -> f32 {
    change(old, new, &|_| false)
}

fn share(differ: usize, of: usize) -> f32 {
    if differ == 0 { 0.0 } else { differ as f32 / of as f32 }
}

fn is_template(
    hunk: &Hunk,
    old: &[u32],
    new: &[u32],
    is_boilerplate: &dyn Fn(u32) -> bool,
) -> bool {
    let unknown = |runs: &[u32]| runs.iter().filter(|run| !is_boilerplate(**run)).count();
    let (removed, added) = (&old[hunk.old.clone()], &new[hunk.new.clone()]);
    if unknown(removed) + unknown(added) == 0 {
        return true;
    }
    let before = hunk.old.start.checked_sub(1).map(|before| old[before]);
    let after = old.get(hunk.old.end).copied();
    let is_passage = |runs: &[u32]| {
        let mut sequence = vec![before];
        sequence.extend(runs.iter().copied().map(Some));
        sequence.push(after);
        sequence.windows(2).all(|two| is_boilerplate(pair(two[0], two[1])))
    };
    // A footer follows the main text, which is another on every page: one edge is enough where as many
    // runs replace the passage.
    let is_replaced = |passage: &[u32], other: &[u32]| {
        let edge = |one, two| is_boilerplate(pair(one, two));
        passage.len() == other.len()
            && passage.iter().all(|run| is_boilerplate(*run))
            && passage.windows(2).all(|two| edge(Some(two[0]), Some(two[1])))
            && (edge(before, passage.first().copied()) || edge(passage.last().copied(), after))
    };
    let becomes = |passage: &[u32], other: &[u32]| {
        // What replaces boilerplate may be hardly longer: a first comment is no other way of saying
        // that there are none.
        let most = if passage.is_empty() { MOST_INSERTED } else { passage.len() + 1 };
        unknown(other) <= most && is_passage(passage)
    };
    becomes(removed, added)
        || becomes(added, removed)
        || is_replaced(removed, added)
        || is_replaced(added, removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_footer_that_follows_the_main_text_may_have_another_year() {
        let known = [1, 2, 9, pair(None, Some(1)), pair(Some(1), Some(2)), pair(Some(9), None)];
        let change = |old: &[u32], new: &[u32]| change(old, new, &|run| known.contains(&run));
        assert!(change(&[1, 2, 50, 9], &[1, 2, 50, 10]) == 0.0);
        assert!(change(&[1, 2, 50, 10], &[1, 2, 50, 9]) == 0.0);
        assert!(change(&[1, 2, 50, 9], &[1, 2, 51, 10]) > 0.0);
        assert!(change(&[1, 2, 50, 9], &[1, 2, 50, 60, 10]) > 0.0);
    }
}
