//! User-centric index: the value of a page's changes to searchers, under the optimal index.
//!
//! Pandey and Olston's priority is the expected loss times the time since the last visit. That is not the
//! best order even if loss grows linearly, as they assume: the best is the kernel of `kernel.rs` applied to
//! that loss, half its square (`docs/papers.md` A3.4). Nor does loss grow for ever: once a page has changed,
//! the gain of a visit stays about the same. So the index is the cost of a change (`change_cost.rs`) times
//! the worth of a visit in `freshness-index` (`docs/papers.md` D2, D3.6), and grows with the wait as there.
use crawl::{Budget, Explanation, Known, Needs, Observation, PageNo, Plan, Policy};
use instruments::impact::Measure;

use super::{
    PIECES, SCORING,
    change_cost::{ChangeCosts, Per},
    measure,
};
use crate::{
    Kind, Parameter, Parameters, PolicyEntry,
    change_model::{self, ChangeModel},
    refresh::freshness_index::{most_worth, unit_days},
    score,
};

pub(crate) const ENTRY: PolicyEntry = PolicyEntry {
    parameters: PARAMETERS,
    ..PolicyEntry::new(
        "user-centric-index",
        "the visits that end the most loss to searchers, with learned growth of loss",
        |seed, parameters| Box::new(UserCentricIndex::new(seed, parameters)),
    )
};

const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "loss",
        meaning: "growth of loss since the last visit: until the page has changed, or linear in time",
        default: "saturating",
        kind: Kind::Word(&["saturating", "linear"]),
    },
    SCORING,
    PIECES,
    change_model::PARAMETER,
];

/// Visits pages by the loss to searchers that a visit ends.
#[derive(Clone, Debug)]
struct UserCentricIndex {
    per: Per,
    change_model: ChangeModel,
    costs: ChangeCosts,
    measure: Measure,
}

impl UserCentricIndex {
    fn new(seed: u64, parameters: &Parameters) -> Self {
        let per = if parameters.word("loss") == "linear" { Per::Day } else { Per::Change };
        Self {
            per,
            change_model: ChangeModel::new(seed, parameters),
            costs: ChangeCosts::new(per),
            measure: measure(parameters),
        }
    }
}

impl Policy for UserCentricIndex {
    fn name(&self) -> &'static str {
        "user-centric-index"
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        let costs = self.costs.at(known);
        let unit = unit_days(known);
        self.change_model.prepare(known);
        let change_model = &self.change_model;
        most_worth(known, budget, |page| match (score::age_days(known, page), self.per) {
            (Some(age), Per::Day) => costs.of(page) * age * age / (2.0 * unit),
            (Some(_), Per::Change) => costs.of(page) * change_model.worth(known, page),
            (None, per) => {
                let worth = change_model.worth(known, page);
                // The loss over the time in which a page is expected to change.
                let change = match per {
                    Per::Change => costs.average(),
                    Per::Day => costs.average() * worth * unit,
                };
                costs.first(known.pages.host(page), change) * worth
            }
        })
    }

    fn lacks(&self, known: &Known<'_>) -> Vec<String> {
        self.change_model.lacks(known)
    }

    fn needs(&self) -> Needs {
        self.change_model.needs().with(self.measure)
    }

    fn explain(&mut self, known: &Known<'_>, page: PageNo) -> Explanation {
        self.change_model.explain(known, page)
    }

    fn learn(&mut self, seen: &Observation) {
        self.change_model.learn(seen);
        self.costs.learn(seen);
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}
