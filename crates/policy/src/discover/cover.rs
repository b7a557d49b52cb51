//! A growing cover of the found pages, and GREEDY: repeatedly the page that reaches most of what is not
//! covered yet (Dasgupta et al. 2007, section 2.2).
//!
//! What is covered is closed under chains, so a search for what a page would add never enters it. GREEDY is
//! lazy (Minoux 1978): what a page adds only shrinks, so an old number is an upper bound, and a page is
//! evaluated again only when its bound is the highest. The first bounds need no search, so most pages are
//! searched from when nearly all is covered, or never.
//!
//! Departure: "while |C| <= k" in the paper takes k + 1 pages; here k. Ties, which the paper leaves open, go
//! to the lower key.
use std::{cmp::Reverse, collections::BinaryHeap};

use super::{
    Leads,
    leads::{Search, Seen},
    reach,
};

/// After a search that reached more found pages, the bounds of other rows are tightened.
const LARGE: u32 = 1 << 14;
/// When searches have reached this many found pages, which takes some seconds, chains are long and bounds
/// loose: then it pays to count what each row reaches.
const MOST_SEARCHED: u64 = 1 << 30;

/// A growing cover.
#[derive(Clone, Debug)]
pub struct Cover<'a> {
    leads: &'a Leads,
    search: Search,
    covered: usize,
}

impl<'a> Cover<'a> {
    /// An empty cover.
    pub fn new(leads: &'a Leads) -> Self {
        Self { leads, search: Search::new(leads), covered: 0 }
    }

    /// How many uncovered found pages a row reaches.
    pub fn gain(&mut self, row: usize) -> u32 {
        self.reach(row, Seen::Forgotten)
    }

    /// Covers what a row reaches. Returns how many found pages that adds.
    pub fn take(&mut self, row: usize) -> u32 {
        let gained = self.reach(row, Seen::Covered);
        self.covered += gained as usize;
        gained
    }

    /// How many found pages are covered.
    pub fn covered(&self) -> usize {
        self.covered
    }

    fn reach(&mut self, row: usize, seen: Seen) -> u32 {
        let leads = self.leads;
        self.search.run(leads, row, seen, |scc| leads.weight(scc) as usize) as u32
    }
}

/// One page taken into a cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its row.
    pub row: usize,
    /// How many found pages it added.
    pub gained: u32,
}

/// When a cover is large enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Until {
    /// After this many pages: the k-budgeted cover.
    Visits(usize),
    /// With this share of all found pages that can be covered: the rho-partial cover.
    Share(f64),
    /// When nothing can be added.
    Everything,
}

/// GREEDY, lazily. Ties go to the lower key; a page that adds nothing is never taken.
pub fn greedy(leads: &Leads, until: Until) -> Vec<Step> {
    lazy(leads, until, LARGE, MOST_SEARCHED)
}

fn lazy(leads: &Leads, until: Until, large_search: u32, most_searched: u64) -> Vec<Step> {
    let enough = match until {
        Until::Share(share) => share * leads.covered() as f64,
        Until::Visits(_) | Until::Everything => f64::INFINITY,
    };
    let visits = if let Until::Visits(visits) = until { visits } else { usize::MAX };
    let mut cover = Cover::new(leads);
    let mut steps: Vec<Step> = vec![];
    // Of equal rows only the first is there: once it is taken, the others add nothing.
    let rows: Vec<u32> = leads.alike().iter().map(|rows| rows[0]).collect();
    let bounds = reach::bounds(leads, &rows).into_iter().zip(rows);
    let mut heap: BinaryHeap<HeapEntry> =
        bounds.map(|(bound, row)| (bound, Reverse(row), None)).collect();
    let (mut searched, mut large) = (0_u64, 0);
    while steps.len() < visits && (cover.covered() as f64) < enough {
        let Some((gained, Reverse(row), exact)) = heap.pop() else { break };
        if exact == Some(steps.len()) {
            cover.take(row as usize);
            steps.push(Step { row: row as usize, gained });
            continue;
        }
        let gained = cover.gain(row as usize);
        if gained > 0 {
            heap.push((gained, Reverse(row), Some(steps.len())));
        }
        if gained > large_search {
            large += 1_u32;
            // Not after each, because it takes as long as some searches.
            if large.is_power_of_two() || large.is_multiple_of(16) {
                heap = capped(heap, &cover, row, gained);
            }
        }
        let before = searched;
        searched += u64::from(gained);
        if before <= most_searched && searched > most_searched {
            heap = tightened(heap, leads);
        }
    }
    steps
}

/// An upper bound on what a row adds, the row, and after how many steps the bound was exact.
type HeapEntry = (u32, Reverse<u32>, Option<usize>);

/// A row that links only to what another reaches adds no more than that one, and less if it does not link
/// to the highest SCC, to which nothing that is reached leads.
fn capped(
    heap: BinaryHeap<HeapEntry>,
    cover: &Cover<'_>,
    row: u32,
    gained: u32,
) -> BinaryHeap<HeapEntry> {
    let (leads, search) = (cover.leads, &cover.search);
    let highest = leads.entries(row as usize).last().copied();
    let added = |scc| if search.is_met(scc) { leads.weight(scc) } else { 0 };
    let less = gained - highest.map_or(0, added);
    let mut entries = heap.into_vec();
    for (bound, Reverse(other), _) in &mut entries {
        let shown = leads.entries(*other as usize);
        if *bound > less && shown.iter().all(|&scc| search.is_met(scc) || search.is_kept(scc)) {
            let is_equal = highest.is_some_and(|scc| shown.binary_search(&scc).is_ok());
            *bound = (*bound).min(if is_equal { gained } else { less });
        }
    }
    entries.into()
}

/// What a row reaches in all is a bound on what it adds, and tighter than the sum of bounds.
fn tightened(heap: BinaryHeap<HeapEntry>, leads: &Leads) -> BinaryHeap<HeapEntry> {
    let mut entries = heap.into_vec();
    entries.sort_unstable_by_key(|item| item.1);
    let rows: Vec<u32> = entries.iter().map(|item| item.1.0).collect();
    for (item, size) in entries.iter_mut().zip(reach::exact(leads, &rows)) {
        item.0 = item.0.min(size);
    }
    entries.into()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::discover::tests::{Given, closed, given, most};

    /// GREEDY as written, without chains or bounds.
    fn plain(sets: &[BTreeSet<u32>]) -> Vec<Step> {
        let (mut covered, mut steps) = (BTreeSet::new(), vec![]);
        loop {
            let gain = |row: &usize| (sets[*row].difference(&covered).count(), Reverse(*row));
            let Some(row) = (0..sets.len()).max_by_key(gain) else { return steps };
            let gained = gain(&row).0 as u32;
            if gained == 0 {
                return steps;
            }
            covered.extend(&sets[row]);
            steps.push(Step { row, gained });
        }
    }

    fn total(steps: &[Step]) -> usize {
        steps.iter().map(|step| step.gained as usize).sum()
    }

    /// Four mirrors of one page, and two pages of their own.
    fn mirrors() -> Leads {
        let rows = (0..4).map(|key| (key, vec![0, 1, 2])).chain([(4, vec![3, 4]), (5, vec![2, 3])]);
        Leads::new(5, rows.collect(), vec![])
    }

    #[test]
    fn takes_what_adds_most_and_nothing_that_adds_nothing() {
        let steps = [Step { row: 0, gained: 3 }, Step { row: 4, gained: 2 }];
        assert_eq!(greedy(&mirrors(), Until::Everything), steps);
        assert_eq!(greedy(&mirrors(), Until::Visits(6)), steps);
    }

    #[test]
    fn a_budget_of_k_takes_k_and_not_one_more() {
        let rows = (0..9).map(|key| (key, vec![key])).collect();
        let leads = Leads::new(9, rows, vec![]);
        for k in 0..9 {
            assert_eq!(greedy(&leads, Until::Visits(k)).len(), k);
        }
    }

    #[test]
    fn a_share_is_of_what_can_be_covered() {
        // Five of six can: a share of 0.6 is three pages, which the first row has.
        let leads = Leads::new(6, vec![(0, vec![0, 1, 2]), (1, vec![3, 4])], vec![]);
        assert_eq!(greedy(&leads, Until::Share(0.6)).len(), 1);
        assert_eq!(greedy(&leads, Until::Share(0.61)).len(), 2);
        assert_eq!(greedy(&leads, Until::Share(1.0)).len(), 2);
        assert_eq!(greedy(&leads, Until::Share(0.0)).len(), 0);
    }

    #[test]
    fn a_cover_counts_each_page_once() {
        let leads = mirrors();
        let mut cover = Cover::new(&leads);
        assert_eq!(cover.gain(5), 2);
        assert_eq!(cover.take(1), 3);
        assert_eq!((cover.gain(0), cover.gain(5), cover.take(5), cover.covered()), (0, 1, 1, 4));
    }

    proptest! {
        #[test]
        fn lazy_is_what_is_written(given in given()) {
            let Given { found, rows, chains } = given;
            let leads = Leads::new(found, rows.clone(), chains.clone());
            let sets: Vec<_> = closed(&rows, &chains).into_values().collect();
            let expected = plain(&sets);
            prop_assert_eq!(greedy(&leads, Until::Everything), &expected[..]);
            for most_searched in 0..20 {
                let steps = lazy(&leads, Until::Everything, u32::MAX, most_searched);
                prop_assert_eq!(steps, &expected[..]);
                let steps = lazy(&leads, Until::Everything, 0, most_searched);
                prop_assert_eq!(steps, &expected[..]);
            }
            for k in 0..expected.len() {
                prop_assert_eq!(greedy(&leads, Until::Visits(k)), &expected[..k]);
            }
        }

        #[test]
        fn a_budget_covers_nearly_two_thirds_of_what_can_be_and_all_takes_a_few_times_the_least(
            given in given(),
        ) {
            let Given { found, rows, chains } = given;
            let leads = Leads::new(found, rows.clone(), chains.clone());
            let sets: Vec<_> = closed(&rows, &chains).into_values().take(10).collect();
            prop_assume!(sets.len() == leads.pages().len());
            for k in 0..=sets.len() {
                let best = most(&sets, k) as f64;
                let covered = total(&greedy(&leads, Until::Visits(k))) as f64;
                prop_assert!(covered >= (1.0 - (-1.0_f64).exp()) * best - 1e-9);
            }
            let least = (0..=sets.len()).find(|&k| most(&sets, k) == leads.covered()).unwrap();
            let harmonic: f64 = (1..=leads.covered()).map(|n| 1.0 / n as f64).sum();
            let taken = greedy(&leads, Until::Everything).len();
            prop_assert!(taken as f64 <= harmonic * least as f64 + 1e-9);
        }
    }
}
