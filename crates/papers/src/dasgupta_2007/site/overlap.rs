//! The overlap of the new pages that two old pages lead to (section 4.2).
//!
//! Most old pages lead to the same new pages as many others, so pages with equal sets are grouped,
//! and pairs are counted, not listed.
use policy::discover::Leads;
use rustc_hash::FxHashMap;

/// The bins of the scale from 0 to 1.
pub(crate) const PARTS: usize = 20;

/// The number of pairs of old pages by Jaccard coefficient.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Overlap {
    /// Pairs with nothing in common.
    pub(crate) apart: u64,
    /// Pairs that share something, by the bin of their coefficient; 1 is in the last.
    pub(crate) sharing: [u64; PARTS],
}

impl Overlap {
    /// Adds all pairs of rows of a graph.
    pub(crate) fn add(&mut self, leads: &Leads) {
        let classes = classes(leads);
        let mut by_found: Vec<Vec<u32>> = vec![vec![]; leads.found()];
        for (class, (found, _)) in (0_u32..).zip(&classes) {
            for &found in found {
                by_found[found as usize].push(class);
            }
        }
        let mut sharing = 0;
        let mut common = vec![0_u32; classes.len()];
        for (class, (found, rows)) in classes.iter().enumerate() {
            let alike = rows * (rows - 1) / 2;
            self.sharing[PARTS - 1] += alike;
            sharing += alike;
            let mut others: Vec<u32> = vec![];
            for &found in found {
                // Only later ones, so that every pair is counted once.
                let later =
                    by_found[found as usize].iter().filter(|other| **other as usize > class);
                for &other in later {
                    if common[other as usize] == 0 {
                        others.push(other);
                    }
                    common[other as usize] += 1;
                }
            }
            for other in others {
                let (theirs, their_rows) = &classes[other as usize];
                let both = std::mem::take(&mut common[other as usize]) as usize;
                let coefficient = both as f64 / (found.len() + theirs.len() - both) as f64;
                let part = ((coefficient * PARTS as f64) as usize).min(PARTS - 1);
                self.sharing[part] += rows * their_rows;
                sharing += rows * their_rows;
            }
        }
        let rows: u64 = classes.iter().map(|class| class.1).sum();
        self.apart += rows * rows.saturating_sub(1) / 2 - sharing;
    }

    /// Pairs that share something.
    pub(crate) fn sharing(&self) -> u64 {
        self.sharing.iter().sum()
    }

    /// All pairs.
    pub(crate) fn pairs(&self) -> u64 {
        self.apart + self.sharing()
    }
}

/// The distinct sets of found pages, ascending, and the number of rows that lead to each.
fn classes(leads: &Leads) -> Vec<(Vec<u32>, u64)> {
    let mut classes: FxHashMap<Vec<u32>, u64> = FxHashMap::default();
    for row in 0..leads.pages().len() {
        *classes.entry(leads.reached(row)).or_default() += 1;
    }
    let mut classes: Vec<(Vec<u32>, u64)> = classes.into_iter().collect();
    classes.sort_unstable();
    classes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pairs_are_counted_by_what_they_have_in_common() {
        // Rows 1 and 2 are mirrors of {0, 1}; row 3 shares one of three with each; row 4 nothing.
        let rows = vec![(1, vec![0, 1]), (2, vec![0, 1]), (3, vec![1, 2]), (4, vec![3])];
        let mut overlap = Overlap::default();
        overlap.add(&Leads::new(4, rows, vec![]));
        let mut expected = Overlap { apart: 3, ..Overlap::default() };
        expected.sharing[19] = 1;
        expected.sharing[6] = 2;
        assert_eq!(overlap, expected);
        assert_eq!((overlap.sharing(), overlap.pairs()), (3, 6));
    }

    #[test]
    fn a_graph_without_rows_has_no_pairs() {
        let mut overlap = Overlap::default();
        overlap.add(&Leads::new(2, vec![], vec![]));
        assert_eq!(overlap.pairs(), 0);
    }

    proptest! {
        #[test]
        fn counts_every_pair_as_looking_at_each_does(
            rows in prop::collection::vec(prop::collection::btree_set(0_u32..6, 1..6), 0..12),
        ) {
            let listed: Vec<(u32, Vec<u32>)> =
                (0..).zip(rows.iter().map(|row| row.iter().copied().collect())).collect();
            let mut overlap = Overlap::default();
            overlap.add(&Leads::new(6, listed, vec![]));
            let mut expected = Overlap::default();
            for (place, one) in rows.iter().enumerate() {
                for other in &rows[..place] {
                    let (both, any) = (one.intersection(other).count(), one.union(other).count());
                    match both {
                        0 => expected.apart += 1,
                        _ => expected.sharing[(both * PARTS / any).min(PARTS - 1)] += 1,
                    }
                }
            }
            prop_assert_eq!(overlap, expected);
        }
    }
}
