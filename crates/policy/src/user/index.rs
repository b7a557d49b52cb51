//! User-centric index: the value of a page's changes to searchers, under the optimal index.
//!
//! Pandey and Olston's priority, the expected loss times the time since the last visit, is not the
//! best order even where loss grows by the day as they take it to: the best is the kernel of
//! `kernel.rs` applied to that loss, half its square (`docs/papers.md` A3.4). Nor does loss grow for
//! ever: once a page has changed, what its visit brings stays about the same. With that the index is
//! what a change costs (`value.rs`) times what `freshness-index` takes a visit to be worth
//! (`docs/papers.md` D2, D3.6). The cap on waits is that of `freshness-index`.
use flow::{Budget, Foresight, Known, Observation, PageNo, Plan, Policy, impact::Measure};

use super::{
    PIECES, SCORING, measure,
    value::{Per, Values},
};
use crate::{
    Kind, Parameter, Parameters,
    chances::{self, Chances},
    refresh::{most_worth, unit_days},
    score,
};

pub(crate) const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "loss",
        meaning: "how loss grows since the last visit: until the page has changed, or by the day",
        default: "saturating",
        kind: Kind::Word(&["saturating", "linear"]),
    },
    SCORING,
    PIECES,
    chances::PARAMETER,
];

/// Visits pages by the loss to searchers that a visit ends.
#[derive(Debug)]
pub(crate) struct UserCentricIndex {
    per: Per,
    chances: Chances,
    values: Values,
    measure: Measure,
}

impl UserCentricIndex {
    pub(crate) fn new(seed: u64, parameters: &Parameters) -> Self {
        let per = if parameters.word("loss") == "linear" { Per::Day } else { Per::Change };
        Self {
            per,
            chances: Chances::new(seed, parameters),
            values: Values::new(per),
            measure: measure(parameters),
        }
    }
}

impl Policy for UserCentricIndex {
    fn name(&self) -> &'static str {
        "user-centric-index"
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        let values = self.values.at(known);
        let unit = unit_days(known);
        self.chances.prepare(known);
        let chances = &self.chances;
        most_worth(known, budget, |page| match (score::age_days(known, page), self.per) {
            (Some(age), Per::Day) => values.of(page) * age * age / (2.0 * unit),
            (Some(_), Per::Change) => values.of(page) * chances.worth(known, page),
            (None, per) => {
                let worth = chances.worth(known, page);
                // The loss of the time in which a page is expected to change.
                let change = match per {
                    Per::Change => values.average(),
                    Per::Day => values.average() * worth * unit,
                };
                values.first(known.pages.host(page), change) * worth
            }
        })
    }

    fn needs_features(&self) -> bool {
        self.looks_back() > 0
    }

    fn looks_back(&self) -> usize {
        self.chances.looks_back()
    }

    fn foresee(&mut self, known: &Known<'_>, page: PageNo) -> Option<Foresight> {
        self.chances.foresee(known, page)
    }

    fn measure(&self) -> Option<Measure> {
        Some(self.measure)
    }

    fn learn(&mut self, seen: &Observation) {
        self.chances.learn(seen);
        self.values.learn(seen);
    }
}
