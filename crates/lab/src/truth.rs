//! The ground truth: the live version of every page at every cycle, and which versions count as
//! the same.
//!
//! It is computed once for a history, a detector and a grid of cycles, and shared by all runs of a
//! tournament on that web.
use std::sync::Arc;

use crawl::{PageId, PageNo, Pages, Span, Time};
use rustc_hash::FxHashMap;

use crate::{compare::Comparison, grid::Grid, history::History};

/// The row of a page that does not exist at an instant.
const ABSENT: u32 = u32::MAX;

/// The ground truth of one history.
#[derive(Debug)]
pub struct GroundTruth {
    history: Arc<History>,
    comparison: Arc<Comparison>,
    grid: Grid,
    by_id: FxHashMap<PageId, u32>,
    /// By cycle (0 to cycles + 1), then by page: the row of the live version.
    live: Vec<Vec<u32>>,
    /// By cycle, the number of pages alive.
    alive: Vec<usize>,
}

impl GroundTruth {
    /// Computes the ground truth at every cycle of `grid`.
    pub fn new(history: Arc<History>, comparison: Comparison, grid: Grid) -> Self {
        let by_id = (0_u32..)
            .zip(&history.pages)
            .map(|(number, page)| (PageId::from_address(&page.address), number))
            .collect();
        let live: Vec<Vec<u32>> = (0..=grid.cycles + 1)
            .map(|cycle| {
                let at = grid.instant(cycle);
                let row = |page: &crate::history::PageHistory| page.live(at);
                history
                    .pages
                    .iter()
                    .map(|page| row(page).map_or(ABSENT, |row| row as u32))
                    .collect()
            })
            .collect();
        let comparison = Arc::new(comparison);
        let mut truth = Self { history, comparison, grid, by_id, live, alive: vec![] };
        truth.alive = (0..=grid.cycles + 1)
            .map(|cycle| {
                (0..truth.history.pages.len())
                    .filter(|&page| truth.reading(page, cycle).is_some())
                    .count()
            })
            .collect();
        truth
    }

    /// The history.
    pub fn history(&self) -> &Arc<History> {
        &self.history
    }

    /// The cycles.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Which readings count as the same.
    pub fn comparison(&self) -> &Arc<Comparison> {
        &self.comparison
    }

    /// The number of the page at `address` in the history.
    pub fn find(&self, address: &str) -> Option<usize> {
        self.by_id.get(&PageId::from_address(address)).map(|&page| page as usize)
    }

    /// The number of pages alive at a cycle.
    pub fn alive(&self, cycle: usize) -> usize {
        self.alive[cycle]
    }

    /// The reading of a page that is live at a cycle; `None` if the page does not exist then.
    pub fn reading(&self, page: usize, cycle: usize) -> Option<u32> {
        match self.live[cycle][page] {
            ABSENT => None,
            row => self.history.pages[page].versions[row as usize].reading,
        }
    }

    /// Whether two readings of a page count as the same; `None` is only the same as `None`.
    pub fn same(&self, one: Option<u32>, other: Option<u32>) -> bool {
        match (one, other) {
            (None, None) => true,
            (Some(one), Some(other)) => self.comparison.same(one, other),
            _ => false,
        }
    }

    /// The last cycle at which the content live at `cycle` is still live. Changes between cycles do
    /// not count.
    pub fn lasts_until(&self, page: usize, cycle: usize) -> usize {
        let now = self.reading(page, cycle);
        (cycle + 1..=self.grid.cycles)
            .find(|&later| !self.same(now, self.reading(page, later)))
            .map_or(self.grid.cycles, |later| later - 1)
    }

    /// The share of the time from `cycle` to the next in which the live page is the same as `held`.
    pub fn share_fresh(&self, page: usize, held: u32, cycle: usize) -> f64 {
        let (from, to) = (self.live[cycle][page], self.live[cycle + 1][page]);
        if from == to {
            return f64::from(u8::from(self.same(Some(held), self.reading(page, cycle))));
        }
        let (start, end) = (self.grid.instant(cycle), self.grid.instant(cycle + 1));
        let versions = &self.history.pages[page].versions;
        let first = if from == ABSENT { 0 } else { from as usize };
        let mut fresh = 0;
        for row in first..=to as usize {
            if !self.same(Some(held), versions[row].reading) {
                continue;
            }
            let begins = versions[row].at.max(start);
            let ends = versions.get(row + 1).map_or(end, |next| next.at.min(end));
            fresh += (ends - begins).millis();
        }
        fresh as f64 / (end - start).millis() as f64
    }

    /// The age at `cycle` of the stale reading `held`, which was fetched at `seen`: the time since
    /// the first change after `seen`.
    pub fn stale_for(&self, page: usize, held: u32, seen: Time, cycle: usize) -> Span {
        let versions = &self.history.pages[page].versions;
        let after = versions.partition_point(|version| version.at <= seen);
        let now = self.grid.instant(cycle);
        versions[after..]
            .iter()
            .find(|version| !self.same(Some(held), version.reading))
            .map_or(Span::default(), |changed| now - changed.at)
    }
}

/// Maps page numbers of a run to page numbers of the history. Grows with the known pages of the
/// run.
#[derive(Clone, Debug, Default)]
pub struct HistoryNumbers(Vec<u32>);

impl HistoryNumbers {
    /// Adds the pages that became known.
    pub fn update(&mut self, truth: &GroundTruth, pages: &Pages) {
        for number in self.0.len()..pages.len() {
            let found = truth.by_id.get(&pages.id(PageNo(number as u32)));
            self.0.push(found.copied().unwrap_or(ABSENT));
        }
    }

    /// The number of a page in the history; `None` if the history does not have it.
    pub fn get(&self, page: PageNo) -> Option<usize> {
        self.0.get(page.index()).filter(|&&number| number != ABSENT).map(|&number| number as usize)
    }
}
