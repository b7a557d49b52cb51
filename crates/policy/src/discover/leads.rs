//! Which pages lead to which found ones, directly or through chains of found pages: the bipartite graph H of
//! Dasgupta et al., "The Discoverability of the Web", WWW 2007, section 2.1.
//!
//! N(x) is never materialised, because chains would make it quadratic in the leads. Found pages that lead to
//! each other in a cycle are reached together, so they form one strongly connected component (SCC). SCCs and
//! the leads between them have no cycles, and N(x) is what a search from the SCCs of x reaches. Memory is
//! linear in the leads.
use std::collections::BTreeSet;

use rayon::prelude::*;

use super::{
    reach,
    scc::{self, Rows},
};

/// Which pages lead to which found ones, directly or through chains of found pages.
#[derive(Clone, Debug)]
pub struct Leads {
    /// Ascending.
    keys: Vec<u32>,
    /// The SCCs that each row links to, ascending.
    entries: Rows,
    /// The SCCs that each SCC links to, all with lower numbers.
    chains: Rows,
    /// The found pages of each SCC.
    members: Rows,
    /// The number of found pages of each SCC: all that searches need.
    weights: Vec<u32>,
    found: usize,
    covered: usize,
}

impl Leads {
    /// The leads of pages to `found` pages, which are numbered from 0. `rows` are keys of pages and the found
    /// pages that they link to; rows of one key are merged, empty ones dropped. `chains` are found pages and
    /// the found pages that they link to.
    ///
    /// # Panics
    /// If a found page has no number below `found`.
    pub fn new(found: usize, mut rows: Vec<(u32, Vec<u32>)>, chains: Vec<(u32, Vec<u32>)>) -> Self {
        let (scc_of, members) = scc::components(found, &chains);
        let scc = |page: &u32| scc_of[*page as usize];
        let mut links: Vec<(u32, u32)> = vec![];
        for (from, shown) in &chains {
            let from = scc(from);
            links.extend(shown.iter().map(scc).filter(|&to| to != from).map(|to| (from, to)));
        }
        drop(chains);
        links.sort_unstable();
        links.dedup();
        let chains = Rows::from_sorted(members.len(), &links);
        drop(links);
        rows.sort_by_key(|row| row.0);
        let (mut keys, mut entries) = (vec![], Rows::default());
        for same in rows.chunk_by(|a, b| a.0 == b.0) {
            let mut shown: Vec<u32> = same.iter().flat_map(|row| row.1.iter().map(scc)).collect();
            shown.sort_unstable();
            shown.dedup();
            if !shown.is_empty() {
                keys.push(same[0].0);
                entries.push(&shown);
            }
        }
        let weights = (0..members.len()).map(|scc| members.row(scc).len() as u32).collect();
        let mut leads = Self { keys, entries, chains, members, weights, found, covered: 0 };
        let mut search = Search::new(&leads);
        leads.covered = (0..leads.keys.len())
            .map(|row| search.run(&leads, row, Seen::Covered, |scc| leads.weight(scc) as usize))
            .sum();
        leads
    }

    /// The keys of the rows, ascending.
    pub fn pages(&self) -> &[u32] {
        &self.keys
    }

    /// How many found pages there are.
    pub fn found(&self) -> usize {
        self.found
    }

    /// The row of a key.
    pub fn row(&self, key: u32) -> Option<usize> {
        self.keys.binary_search(&key).ok()
    }

    /// N(x): the found pages that a row reaches, ascending.
    pub fn reached(&self, row: usize) -> Vec<u32> {
        let mut waiting = self.entries(row).to_vec();
        // A set, not a column, so that the work is proportional to what is reached.
        let mut met: BTreeSet<u32> = waiting.iter().copied().collect();
        let mut pages = vec![];
        while let Some(scc) = waiting.pop() {
            pages.extend_from_slice(self.members(scc));
            waiting.extend(self.chains(scc).iter().filter(|&&to| met.insert(to)));
        }
        pages.sort_unstable();
        pages
    }

    /// |N(x)| of every row.
    pub fn degrees(&self) -> Vec<u32> {
        let alike = self.alike();
        let rows: Vec<u32> = alike.iter().map(|rows| rows[0]).collect();
        let sizes = reach::exact(self, &rows);
        let mut degrees = vec![0; self.keys.len()];
        for (rows, size) in alike.iter().zip(sizes) {
            for &row in rows {
                degrees[row as usize] = size;
            }
        }
        degrees
    }

    /// How many found pages any row reaches; the others are orphans.
    pub fn covered(&self) -> usize {
        self.covered
    }

    /// The rows that link to the same SCCs, grouped and ascending, in order of the first.
    pub(super) fn alike(&self) -> Vec<Vec<u32>> {
        let mut order: Vec<u32> = (0..self.keys.len() as u32).collect();
        let entries = |row: u32| self.entries.row(row as usize);
        order.par_sort_unstable_by(|&a, &b| entries(a).cmp(entries(b)).then(a.cmp(&b)));
        let mut alike: Vec<Vec<u32>> =
            order.chunk_by(|&a, &b| entries(a) == entries(b)).map(<[u32]>::to_vec).collect();
        alike.sort_unstable_by_key(|rows| rows[0]);
        alike
    }

    /// The SCCs that a row links to, ascending.
    pub(super) fn entries(&self, row: usize) -> &[u32] {
        self.entries.row(row)
    }

    /// The SCCs that an SCC links to, all with lower numbers.
    pub(super) fn chains(&self, scc: u32) -> &[u32] {
        self.chains.row(scc as usize)
    }

    /// The found pages of an SCC.
    pub(super) fn members(&self, scc: u32) -> &[u32] {
        self.members.row(scc as usize)
    }

    /// How many found pages an SCC has.
    pub(super) fn weight(&self, scc: u32) -> u32 {
        self.weights[scc as usize]
    }

    /// How many SCCs there are.
    pub(super) fn sccs(&self) -> usize {
        self.members.len()
    }
}

/// Whether later searches skip what a search reaches.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Seen {
    /// A later search does not enter it: everything reachable from it has been reached as well.
    Covered,
    /// A later search reaches it again.
    Forgotten,
}

/// Searches through SCCs, with reusable memory.
#[derive(Clone, Debug)]
pub(super) struct Search {
    /// The last search that reached each SCC; [`KEPT`] for ever.
    met: Vec<u32>,
    current: u32,
    waiting: Vec<u32>,
}

/// Reached by a search whose SCCs all later ones skip.
const KEPT: u32 = u32::MAX;

impl Search {
    pub(super) fn new(leads: &Leads) -> Self {
        Self { met: vec![0; leads.sccs()], current: 0, waiting: vec![] }
    }

    /// Whether the last search reached an SCC.
    pub(super) fn is_met(&self, scc: u32) -> bool {
        self.met[scc as usize] == self.current
    }

    /// Whether an SCC is kept.
    pub(super) fn is_kept(&self, scc: u32) -> bool {
        self.met[scc as usize] == KEPT
    }

    /// The sum of `count` over all SCCs that a row reaches and that no search has kept.
    pub(super) fn run(
        &mut self,
        leads: &Leads,
        row: usize,
        seen: Seen,
        mut count: impl FnMut(u32) -> usize,
    ) -> usize {
        self.current += 1;
        if self.current == KEPT {
            self.met.iter_mut().filter(|met| **met != KEPT).for_each(|met| *met = 0);
            self.current = 1;
        }
        let mark = if seen == Seen::Covered { KEPT } else { self.current };
        let mut sum = 0;
        let mut next = leads.entries(row);
        loop {
            for &scc in next {
                let met = &mut self.met[scc as usize];
                if *met != self.current && *met != KEPT {
                    *met = mark;
                    sum += count(scc);
                    self.waiting.push(scc);
                }
            }
            let Some(scc) = self.waiting.pop() else { return sum };
            next = leads.chains(scc);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::discover::tests::{Given, closed, given};

    #[test]
    fn the_papers_figure_1_is_covered_by_page_1_alone() {
        // Old pages p1, p2, p3; new ones p4 to p7 numbered 0 to 3. p1 leads to p4 and p5, p3 to p5;
        // p6 and p7 "may be discovered only by crawling new page p4".
        let leads =
            Leads::new(4, vec![(3, vec![1]), (1, vec![0, 1]), (2, vec![])], vec![(0, vec![2, 3])]);
        assert_eq!(leads.pages(), [1, 3]);
        assert_eq!(leads.reached(0), [0, 1, 2, 3]);
        assert_eq!(leads.reached(1), [1]);
        assert_eq!(leads.degrees(), [4, 1]);
        assert_eq!((leads.found(), leads.covered()), (4, 4));
        assert_eq!((leads.row(3), leads.row(2)), (Some(1), None));
    }

    #[test]
    fn pages_in_a_circle_are_reached_together_and_orphans_by_nobody() {
        let chains = vec![(0, vec![1]), (1, vec![2]), (2, vec![0, 3]), (4, vec![0]), (3, vec![3])];
        let leads = Leads::new(6, vec![(9, vec![1]), (8, vec![3]), (9, vec![1, 3])], chains);
        assert_eq!(leads.reached(1), [0, 1, 2, 3]);
        assert_eq!(leads.reached(0), [3]);
        assert_eq!((leads.found(), leads.covered()), (6, 4));
    }

    #[test]
    fn nothing_is_led_to_by_nobody() {
        let leads = Leads::new(0, vec![(1, vec![])], vec![]);
        assert_eq!((leads.pages().len(), leads.covered(), leads.degrees().len()), (0, 0, 0));
    }

    proptest! {
        #[test]
        fn what_is_reached_is_what_following_every_link_reaches(given in given()) {
            let Given { found, rows, chains } = given;
            let leads = Leads::new(found, rows.clone(), chains.clone());
            let expected = closed(&rows, &chains);
            let keys: Vec<u32> = expected.keys().copied().collect();
            prop_assert_eq!(leads.pages(), keys);
            let degrees = leads.degrees();
            for (row, set) in expected.values().enumerate() {
                prop_assert_eq!(leads.reached(row), set.iter().copied().collect::<Vec<_>>());
                prop_assert_eq!(degrees[row] as usize, set.len());
            }
            let all: BTreeSet<u32> = expected.into_values().flatten().collect();
            prop_assert_eq!(leads.covered(), all.len());
        }
    }
}
