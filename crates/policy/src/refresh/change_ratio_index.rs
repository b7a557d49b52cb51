//! Change-ratio index: change rate times age, the visits most likely to find a change.
//!
//! The order that finds most changes per visit if rates are known (`docs/papers.md` D2). It does not keep
//! pages fresh: it spends on pages that will be stale again at once. Rates are learned as in
//! `freshness-index`. Pages never seen come first.
use crawl::{Budget, Known, Observation, Plan, Policy};

use crate::{
    PolicyEntry,
    lacks::{SAME_RATE, never_compared},
    rates::Rates,
    score,
};

pub(crate) const ENTRY: PolicyEntry = PolicyEntry::new(
    "change-ratio-index",
    "change rate times age: the visits most likely to find a change",
    |_, _| Box::new(ChangeRatioIndex::default()),
);

/// Visits pages by expected changes since their last visit.
#[derive(Clone, Debug, Default)]
struct ChangeRatioIndex {
    rates: Rates,
}

impl Policy for ChangeRatioIndex {
    fn name(&self) -> &'static str {
        "change-ratio-index"
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        score::best(known, budget, |page| {
            let Some(then) = known.pages.last_seen(page) else { return f64::INFINITY };
            let age = known.now - then;
            self.rates.belief(page, known.pages.host(page), age).mean() * age.days()
        })
    }

    fn learn(&mut self, seen: &Observation) {
        self.rates.learn(seen);
    }

    fn lacks(&self, known: &Known<'_>) -> Vec<String> {
        never_compared(known, SAME_RATE).into_iter().collect()
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}
