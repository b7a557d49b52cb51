//! Freshness index: the visits that buy the most time fresh.
//!
//! The score of a page is the worth of a visit now compared with waiting, under the posterior of its
//! change rate (`kernel.rs`; the Bayesian index BI of `docs/papers.md` D2 with the estimates of D3). With
//! known rates this is the optimal allocation of Cho and Garcia-Molina, TODS 2003. With a fixed cycle
//! interval the exact form for whole cycles is used. A page never seen is worth as much as a surely stale
//! page of its host. Every page counts the same. No page waits more than twice as long as in round robin
//! (the cap of D4): a page wrongly judged too fast to be worth a visit would otherwise never be seen
//! again.
use crawl::{Budget, Explanation, Known, Needs, Observation, PageId, PageNo, Plan, Policy};

use crate::{
    Parameters, PolicyEntry,
    by_page::GivenValues,
    change_model::{self, ChangeModel},
    kernel::{self, Belief},
    rates::Rates,
    score,
};

pub(crate) const ENTRY: PolicyEntry = PolicyEntry {
    parameters: &[change_model::PARAMETER],
    ..PolicyEntry::new(
        "freshness-index",
        "the visits that buy the most time fresh, with learned change rates",
        |seed, parameters| Box::new(FreshnessIndex::new(seed, parameters)),
    )
};

/// The longest wait of a page, as a multiple of the time in which round robin sees every page once. How
/// it was chosen: `docs/policies/freshness-index.md`.
const LONGEST_WAIT: f64 = 2.0;

/// Visits pages by the time fresh that a visit buys.
#[derive(Clone, Debug, Default)]
pub struct FreshnessIndex {
    source: Source,
}

/// Where change rates come from.
#[derive(Clone, Debug)]
enum Source {
    /// Learned from visits.
    Learned(ChangeModel),
    Given(GivenValues<f64>),
}

impl Default for Source {
    fn default() -> Self {
        Self::Learned(ChangeModel::default())
    }
}

impl FreshnessIndex {
    fn new(seed: u64, parameters: &Parameters) -> Self {
        Self { source: Source::Learned(ChangeModel::new(seed, parameters)) }
    }

    /// The policy with given change rates per day. A page without one never changes.
    pub fn with_rates(rates: Vec<(PageId, f64)>) -> Self {
        Self { source: Source::Given(GivenValues::new(rates)) }
    }
}

impl Policy for FreshnessIndex {
    fn name(&self) -> &'static str {
        match self.source {
            Source::Learned(_) => "freshness-index",
            Source::Given(_) => "known-rates",
        }
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        match &mut self.source {
            Source::Learned(change_model) => {
                change_model.prepare(known);
                most_worth(known, budget, |page| change_model.worth(known, page))
            }
            Source::Given(rates) => {
                score::best(known, budget, |page| given_worth(known, page, rates.get(known, page)))
            }
        }
    }

    fn needs(&self) -> Needs {
        match &self.source {
            Source::Learned(change_model) => change_model.needs(),
            Source::Given(_) => Needs::none(),
        }
    }

    fn explain(&mut self, known: &Known<'_>, page: PageNo) -> Explanation {
        match &mut self.source {
            Source::Learned(change_model) => change_model.explain(known, page),
            Source::Given(_) => Explanation::default(),
        }
    }

    fn learn(&mut self, seen: &Observation) {
        if let Source::Learned(change_model) = &mut self.source {
            change_model.learn(seen);
        }
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}

/// Above every worth: a page that has waited too long comes first ([`score::ORDER_ONLY`]).
const OVERDUE: f64 = 1e12;

/// The due pages with the highest worth; pages that have waited too long come before them.
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

/// Days after which a page is visited at any worth.
fn longest_wait_days(known: &Known<'_>, budget: Budget) -> f64 {
    let cycles = known.due().count() as f64 / f64::from(budget.0).max(1.0);
    LONGEST_WAIT * cycles.max(1.0) * unit_days(known)
}

/// Days in the unit of time of worth: a cycle if cycles have an interval, else a day.
pub(crate) fn unit_days(known: &Known<'_>) -> f64 {
    known.interval.map_or(1.0, crawl::Span::days)
}

/// The worth of a visit to a page, in units of time fresh; for a page never seen that of a page surely
/// stale.
pub(crate) fn expected_worth(known: &Known<'_>, page: PageNo, rates: &Rates) -> f64 {
    let unit = unit_days(known);
    let seen = known.pages.last_seen(page);
    let age = seen.map_or(crawl::Span::default(), |then| known.now - then);
    let per_day = rates.belief(page, known.pages.host(page), age);
    let belief = Belief { changes: per_day.changes, time: per_day.time / unit };
    match (seen, known.interval) {
        (None, Some(_)) => belief.cycle_worth_stale(),
        (None, None) => belief.worth_stale(),
        (Some(_), Some(_)) => belief.cycle_worth((age.days() / unit).round() as u32),
        (Some(_), None) => belief.worth(age.days()),
    }
}

fn given_worth(known: &Known<'_>, page: PageNo, rate_per_day: f64) -> f64 {
    let unit = unit_days(known);
    match (score::age_days(known, page), known.interval) {
        (None, Some(_)) => kernel::cycle_worth_stale(rate_per_day * unit),
        (None, None) => kernel::worth_stale(rate_per_day),
        (Some(age), Some(_)) => kernel::cycle_worth(rate_per_day * unit, (age / unit).round()),
        (Some(age), None) => kernel::worth(rate_per_day, age),
    }
}
