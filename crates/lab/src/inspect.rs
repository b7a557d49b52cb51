//! The state of a run just after a cycle's visits, compared with the ground truth.
//!
//! Metrics compute on this; held and live pages are compared here, once.
use crawl::{HostNo, Observation, Pages, State};

use crate::{
    new_pages::DiscoveryMetrics,
    quality::SearchMetrics,
    truth::{GroundTruth, HistoryNumbers},
};

/// The state at the end of one cycle.
#[derive(Debug)]
pub struct Inspection<'a> {
    /// Every held page.
    pub held: Vec<HeldPage>,
    /// The number of pages alive on the live web.
    pub alive: usize,
    /// This cycle's visits.
    pub log: &'a [Observation],
    /// The `PageRank` of every page as the cycle began, by page number.
    pub weights: &'a [f64],
    /// The search metrics, if there is a workload.
    pub quality: Option<&'a SearchMetrics>,
    /// The discovery of new pages, if there are any.
    pub discovery: Option<DiscoveryMetrics>,
}

/// One held page, compared with the live web.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeldPage {
    /// The host it is on.
    pub host: HostNo,
    /// Its `PageRank` as the cycle began; 0 for a page first held in this cycle.
    pub weight: f64,
    /// Whether the page exists on the live web.
    pub alive: bool,
    /// Whether the held snapshot is the same as the live page.
    pub fresh: bool,
    /// Share of the time until the next cycle in which it is.
    pub share_fresh: f64,
    /// Days since the first change after the last visit; 0 while fresh.
    pub stale_days: f64,
}

impl<'a> Inspection<'a> {
    /// Inspects a run after the visits of `cycle`.
    pub fn new(
        truth: &GroundTruth,
        cycle: usize,
        pages: &Pages,
        numbers: &HistoryNumbers,
        log: &'a [Observation],
        weights: &'a [f64],
    ) -> Self {
        let held = pages
            .numbers()
            .filter(|&page| pages.state(page) == State::Held)
            .filter_map(|page| {
                let weight = weights.get(page.index()).copied().unwrap_or(0.0);
                let (number, seen) = (numbers.get(page)?, pages.last_seen(page)?);
                let held = truth.reading(number, truth.grid().number(seen))?;
                Some(compare(truth, cycle, number, held, seen, weight, pages.host(page)))
            })
            .collect();
        Self { held, alive: truth.alive(cycle), log, weights, quality: None, discovery: None }
    }

    /// Adds the discovery of new pages.
    #[must_use]
    pub fn with_discovery(self, discovery: Option<DiscoveryMetrics>) -> Self {
        Self { discovery, ..self }
    }

    /// Adds the search metrics.
    #[must_use]
    pub fn with_search_metrics(self, quality: Option<&'a SearchMetrics>) -> Self {
        Self { quality, ..self }
    }
}

fn compare(
    truth: &GroundTruth,
    cycle: usize,
    page: usize,
    held: u32,
    seen: crawl::Time,
    weight: f64,
    host: HostNo,
) -> HeldPage {
    let live = truth.reading(page, cycle);
    let fresh = truth.same(Some(held), live);
    let stale_days = if fresh { 0.0 } else { truth.stale_for(page, held, seen, cycle).days() };
    let share_fresh = truth.share_fresh(page, held, cycle);
    HeldPage { host, weight, alive: live.is_some(), fresh, share_fresh, stale_days }
}
