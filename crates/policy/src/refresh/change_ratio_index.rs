//! Change-ratio index: change rate times age, the visits most likely to find a change.
//!
//! The order that maximises changes caught per visit when rates are known (`docs/papers.md` D2). It
//! is not the order that keeps pages fresh: it spends on pages that will be stale again at once.
//! Rates are learned as in `freshness-index`. Pages never seen come first.
use flow::{Budget, Known, Observation, Plan, Policy};

use crate::{rate::Rates, score};

/// Visits pages by expected changes since their last visit.
#[derive(Debug, Default)]
pub(crate) struct ChangeRatioIndex {
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
}
