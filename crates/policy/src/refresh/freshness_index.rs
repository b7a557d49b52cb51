//! Freshness index: the visits that buy the most time fresh.
//!
//! The score of a page is the worth of a visit now compared with waiting, under the posterior of its
//! change rate (`kernel.rs`; the Bayesian index BI of `docs/papers.md` D2 with the estimates of D3). With
//! known rates this is the optimal allocation of Cho and Garcia-Molina, TODS 2003. With a fixed cycle
//! interval the exact form for whole cycles is used. A page never seen is worth as much as a surely stale
//! page of its host. Every page counts the same.
//!
//! A page wrongly judged too fast to be worth a visit would never be seen again. So worth grows with the
//! wait: it counts double after the time in which round robin sees every page once, three times after two
//! of these, and so on (D4). There is no cap, because all pages that were not chosen would reach it
//! together and take whole cycles.
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

    fn lacks(&self, known: &Known<'_>) -> Vec<String> {
        match &self.source {
            Source::Learned(change_model) => change_model.lacks(known),
            Source::Given(_) => vec![],
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

/// The due pages with the highest worth, where worth grows with the wait.
pub(crate) fn most_worth(
    known: &Known<'_>,
    budget: Budget,
    worth: impl Fn(PageNo) -> f64 + Sync,
) -> Plan {
    let turn = turn_days(known, budget);
    let patience = |page| score::age_days(known, page).map_or(1.0, |age| 1.0 + age / turn);
    score::best(known, budget, |page| worth(page) * patience(page))
}

/// The days in which round robin sees every page once.
fn turn_days(known: &Known<'_>, budget: Budget) -> f64 {
    let cycles = known.due().count() as f64 / f64::from(budget.0).max(1.0);
    cycles.max(1.0) * unit_days(known)
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

#[cfg(test)]
mod tests {
    use crawl::{HostNo, Links, Outcome, Pages, Span};

    use super::*;
    use crate::testing::{DAY, day, made};

    const PAGES: u32 = 400;
    const BUDGET: u32 = 40;
    /// Cycles in which round robin sees every page once.
    const TURN: i64 = (PAGES / BUDGET) as i64;
    const CYCLES: i64 = 200;
    /// Until then beliefs settle.
    const WARM_UP: i64 = 60;

    /// One page in ten changes every 20 days, all others every day: too fast to be worth a visit.
    fn has_changed(page: PageNo, since: i64, now: i64) -> bool {
        let (slow, offset) = (page.0.is_multiple_of(10), i64::from(page.0 / 10));
        if slow { (since + offset) / 20 != (now + offset) / 20 } else { true }
    }

    /// The waits of all visits in days, by cycle, after the warm-up; and the longest wait at the end.
    fn waits(policy: &str) -> (Vec<Vec<i64>>, i64) {
        let (mut policy, mut pages, links) = (made(policy, 1), Pages::default(), Links::default());
        for number in 0..PAGES {
            let page = pages.insert(&format!("http://a.example/{number:03}"), day(0));
            pages.apply(page, day(0), Outcome::First);
        }
        let mut cycles = vec![];
        for cycle in 1..=CYCLES {
            let now = day(cycle);
            let known = Known {
                cycle: cycle as u32,
                cycle_start: now,
                interval: Some(DAY),
                ..Known::new(now, &pages, &links)
            };
            let plan = policy.plan(&known, Budget(BUDGET));
            assert_eq!(plan.0.len(), BUDGET as usize);
            assert!(plan.0.iter().all(|visit| visit.score.abs() < score::ORDER_ONLY));
            let mut waits = vec![];
            for visit in plan.0 {
                let since = now - pages.last_seen(visit.page).unwrap();
                let wait = since.days() as i64;
                let changed = has_changed(visit.page, cycle - wait, cycle);
                let outcome = if changed { Outcome::Changed(1.0) } else { Outcome::Same };
                pages.apply(visit.page, now, outcome);
                policy.learn(&Observation {
                    since: Some(since),
                    cycle: cycle as u32,
                    ..Observation::new(visit.page, HostNo(0), now, outcome)
                });
                waits.push(wait);
            }
            if cycle > WARM_UP {
                cycles.push(waits);
            }
        }
        let wait = |page| day(CYCLES) - pages.last_seen(page).unwrap();
        let longest = pages.numbers().map(wait).max().unwrap_or(Span::default());
        (cycles, longest.days() as i64)
    }

    #[test]
    fn no_cycle_is_spent_on_pages_that_waited_too_long() {
        for policy in ["freshness-index", "user-centric-index"] {
            let (cycles, _) = waits(policy);
            let overdue = |waits: &Vec<i64>| waits.iter().filter(|&&wait| wait > 2 * TURN).count();
            let most = cycles.iter().map(overdue).max().unwrap();
            assert!(most <= BUDGET as usize / 5, "{policy}: {most} of {BUDGET} visits");
        }
    }

    #[test]
    fn no_page_waits_for_ever() {
        for policy in ["freshness-index", "user-centric-index"] {
            let (cycles, longest) = waits(policy);
            let longest = cycles.iter().flatten().copied().max().unwrap().max(longest);
            assert!(longest <= 4 * TURN, "{policy}: {longest} days");
        }
    }
}
