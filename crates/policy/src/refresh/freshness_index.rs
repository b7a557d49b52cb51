//! Freshness index: the visits that buy the most time fresh.
//!
//! A page's score is what a visit now is worth against waiting, under what is believed of its
//! change rate (`kernel.rs`; the Bayesian index BI of `docs/papers.md` D2 with the estimates of D3).
//! With known rates this is the optimal allocation of Cho and Garcia-Molina, TODS 2003. Where cycles
//! come at fixed intervals the exact form for whole cycles is used. A page never seen is worth what
//! a surely stale page of its host is. Every page counts the same. No page waits more than twice as
//! long as round robin would let it (the cap of D4): a page wrongly judged too fast to be worth
//! visiting would otherwise never be seen to have calmed down.
use flow::{Budget, Foresight, Known, Observation, PageId, PageNo, Plan, Policy};

use crate::{
    Parameters,
    chances::Chances,
    kernel::{self, Belief},
    rate::Rates,
    score,
};

/// The longest a page waits, in terms of the time in which round robin sees every page once. How it
/// was chosen: `docs/policies/freshness-index.md`.
const LONGEST_WAIT: f64 = 2.0;

/// Visits pages by the time fresh that a visit buys.
#[derive(Debug, Default)]
pub struct FreshnessIndex {
    source: Source,
}

/// Where change rates come from.
#[derive(Debug)]
enum Source {
    /// Learned from visits.
    Learned(Chances),
    /// Given, per day, by page id in ascending order: for the lab, where the truth is known.
    Told(Vec<(PageId, f64)>),
}

impl Default for Source {
    fn default() -> Self {
        Self::Learned(Chances::default())
    }
}

impl FreshnessIndex {
    pub(crate) fn new(seed: u64, parameters: &Parameters) -> Self {
        Self { source: Source::Learned(Chances::new(seed, parameters)) }
    }

    /// The policy with change rates per day given for each page; a page not named never changes.
    pub fn told(mut rates: Vec<(PageId, f64)>) -> Self {
        rates.sort_unstable_by_key(|&(page, _)| page);
        Self { source: Source::Told(rates) }
    }
}

impl Policy for FreshnessIndex {
    fn name(&self) -> &'static str {
        match self.source {
            Source::Learned(_) => "freshness-index",
            Source::Told(_) => "known-rates",
        }
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        match &mut self.source {
            Source::Learned(chances) => {
                chances.prepare(known);
                most_worth(known, budget, |page| chances.worth(known, page))
            }
            Source::Told(rates) => score::best(known, budget, |page| {
                let id = known.pages.id(page);
                let rate = rates.binary_search_by_key(&id, |&(page, _)| page);
                told_worth(known, page, rate.map_or(0.0, |row| rates[row].1))
            }),
        }
    }

    fn needs_features(&self) -> bool {
        self.looks_back() > 0
    }

    fn looks_back(&self) -> usize {
        match &self.source {
            Source::Learned(chances) => chances.looks_back(),
            Source::Told(_) => 0,
        }
    }

    fn foresee(&mut self, known: &Known<'_>, page: PageNo) -> Option<Foresight> {
        match &mut self.source {
            Source::Learned(chances) => chances.foresee(known, page),
            Source::Told(_) => None,
        }
    }

    fn learn(&mut self, seen: &Observation) {
        if let Source::Learned(chances) = &mut self.source {
            chances.learn(seen);
        }
    }
}

/// Above every worth: a page that has waited for the longest comes first.
const OVERDUE: f64 = 1e12;

/// The due pages with the highest worth, but before them those that have waited for too long.
pub(crate) fn most_worth(
    known: &Known<'_>,
    budget: Budget,
    worth: impl Fn(PageNo) -> f64 + Sync,
) -> Plan {
    let longest = longest_wait_days(known, budget);
    score::best(known, budget, |page| match score::age_days(known, page) {
        Some(age) if age > longest => OVERDUE + age,
        _ => worth(page),
    })
}

/// Days after which a page is visited whatever it is worth.
fn longest_wait_days(known: &Known<'_>, budget: Budget) -> f64 {
    let cycles = known.due().count() as f64 / f64::from(budget.0).max(1.0);
    LONGEST_WAIT * cycles.max(1.0) * unit_days(known)
}

/// Days in the unit of time that worth is counted in: a cycle where there are any, else a day.
pub(crate) fn unit_days(known: &Known<'_>) -> f64 {
    known.cadence.map_or(1.0, flow::Span::days)
}

/// What a visit to a page is worth, in units of time fresh: that of one surely stale where it was
/// never seen.
pub(crate) fn expected_worth(known: &Known<'_>, page: PageNo, rates: &Rates) -> f64 {
    let unit = unit_days(known);
    let seen = known.pages.last_seen(page);
    let age = seen.map_or(flow::Span::default(), |then| known.now - then);
    let per_day = rates.belief(page, known.pages.host(page), age);
    let belief = Belief { changes: per_day.changes, time: per_day.time / unit };
    match (seen, known.cadence) {
        (None, Some(_)) => belief.cycle_worth_stale(),
        (None, None) => belief.worth_stale(),
        (Some(_), Some(_)) => belief.cycle_worth((age.days() / unit).round() as u32),
        (Some(_), None) => belief.worth(age.days()),
    }
}

fn told_worth(known: &Known<'_>, page: PageNo, rate_per_day: f64) -> f64 {
    let unit = unit_days(known);
    match (score::age_days(known, page), known.cadence) {
        (None, Some(_)) => kernel::cycle_worth_stale(rate_per_day * unit),
        (None, None) => kernel::worth_stale(rate_per_day),
        (Some(age), Some(_)) => kernel::cycle_worth(rate_per_day * unit, (age / unit).round()),
        (Some(age), None) => kernel::worth(rate_per_day, age),
    }
}
