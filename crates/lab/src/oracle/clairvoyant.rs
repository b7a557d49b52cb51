//! Oracles that see the whole history.
use std::sync::Arc;

use crawl::{Budget, Known, PageNo, PageRank, Plan, Policy, Reason, State, Visit};

use crate::truth::{GroundTruth, HistoryNumbers};

/// Visits every due page in every cycle: the repository is always synchronised. Its budget in
/// tournaments is unlimited.
#[derive(Clone, Debug, Default)]
pub struct Ideal;

impl Policy for Ideal {
    fn name(&self) -> &'static str {
        "ideal"
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        let visits = known.due().map(|page| visit(known, page, 0.0)).collect();
        Plan::best(budget, visits, known.pages)
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}

/// The objective of a clairvoyant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aim {
    /// As many visits as possible that find a change. Each content of a page is a job that can be
    /// caught from the cycle it appears until the one before it is overwritten. Earliest deadline
    /// first (EDF) is exactly optimal for unit jobs (`docs/papers.md` C1), as long as no page
    /// returns to an earlier content.
    Changes,
    /// As much freshness as possible: the stale page whose content will last longest first. Greedy
    /// (`docs/papers.md` C2); `bound.rs` has the certified bound above it.
    Freshness,
    /// The same with each page weighted by `PageRank`.
    WeightedFreshness,
}

/// Knows every future version.
#[derive(Clone, Debug)]
pub struct Clairvoyant {
    aim: Aim,
    truth: Arc<GroundTruth>,
    numbers: HistoryNumbers,
    /// The weights of pages.
    ranks: PageRank,
}

impl Clairvoyant {
    /// Catches the most changes.
    pub fn changes(truth: Arc<GroundTruth>) -> Self {
        Self::new(Aim::Changes, truth)
    }

    /// Keeps pages fresh for the longest.
    pub fn freshness(truth: Arc<GroundTruth>) -> Self {
        Self::new(Aim::Freshness, truth)
    }

    /// The same with each page weighted by `PageRank`.
    pub fn weighted_freshness(truth: Arc<GroundTruth>) -> Self {
        Self::new(Aim::WeightedFreshness, truth)
    }

    fn new(aim: Aim, truth: Arc<GroundTruth>) -> Self {
        Self { aim, truth, numbers: HistoryNumbers::default(), ranks: PageRank::default() }
    }

    /// The weight of a page, 1 on average.
    fn weight(&self, page: PageNo) -> f64 {
        let ranks = self.ranks.ranks();
        ranks.get(page.index()).map_or(0.0, |rank| rank * ranks.len() as f64)
    }

    /// Stale pages first, then linked pages that exist, then the rest. The whole budget is spent,
    /// so that ratios per visit are comparable with those of policies, which cannot know when to
    /// stop.
    fn score(&self, known: &Known<'_>, page: PageNo) -> f64 {
        const STALE: f64 = 2e9;
        const LINKED: f64 = 1e9;
        let Some(number) = self.numbers.get(page) else { return -1.0 };
        let cycle = self.truth.grid().number(known.now);
        let live = self.truth.reading(number, cycle);
        let lasts = self.truth.lasts_until(number, cycle) as f64;
        let Some(seen) = known.pages.last_seen(page) else {
            return if live.is_some() { LINKED + lasts } else { -1.0 };
        };
        let held = self.truth.reading(number, self.truth.grid().number(seen));
        match self.aim {
            _ if self.truth.same(held, live) => 0.0,
            Aim::Changes => STALE - lasts,
            Aim::Freshness => STALE + lasts,
            Aim::WeightedFreshness => STALE + self.weight(page) * lasts,
        }
    }
}

impl Policy for Clairvoyant {
    fn name(&self) -> &'static str {
        match self.aim {
            Aim::Changes => "oracle-changes",
            Aim::Freshness => "oracle-freshness",
            Aim::WeightedFreshness => "oracle-weighted-freshness",
        }
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        self.numbers.update(&self.truth, known.pages);
        if self.aim == Aim::WeightedFreshness {
            self.ranks.update_warm(known.pages, known.links);
        }
        let visits = known.due().map(|page| visit(known, page, self.score(known, page))).collect();
        Plan::best(budget, visits, known.pages)
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}

fn visit(known: &Known<'_>, page: PageNo, score: f64) -> Visit {
    let linked = known.pages.state(page) == State::Linked;
    Visit { page, score, reason: if linked { Reason::First } else { Reason::Refresh } }
}
