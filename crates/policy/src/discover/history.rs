//! `od-1`, `od-win`, `od-all`, `cliq-1`, `cliq-win`, `cov`: the algorithms of the paper as policies, with
//! full recrawls paid from the budget.
//!
//! Dasgupta et al. 2007, section 5. The paper does not charge for recrawls. Here a recrawl is made of
//! visits and takes as many cycles as they need. Budget without a chosen page goes to pages not seen for
//! longest. `od-all` makes no recrawls and learns from every visit instead: if every page is visited in
//! every cycle, that is the paper's OD-ALL.
use crawl::{Budget, Known, Observation, PageNo, Plan, Policy, Reason};

use super::{
    Algorithm, Chooser, Memory,
    ledger::Ledger,
    recrawls::Recrawls,
    spend::{self, Spending},
};
use crate::{Kind, Parameter, Parameters, PolicyEntry};

const INTERVAL: Parameter = Parameter {
    name: "interval",
    meaning: "cycles from the start of a full recrawl to the start of the next",
    // A month of weekly cycles, as the paper recommends.
    default: "4",
    kind: Kind::Whole(1, 1_000_000),
};
const DECAY: Parameter = Parameter {
    name: "decay",
    meaning: "weight that a recrawl keeps after each cycle",
    default: "1",
    kind: Kind::Number(0.0, 1.0),
};
const EPS: Parameter = Parameter {
    name: "eps",
    meaning: "pages with a Jaccard coefficient of at least 1 - eps are one group; no guarantee above 1/3",
    default: "0.8",
    kind: Kind::Number(0.0, 1.0),
};

/// The entry of a policy of the paper. All but `od-all` make full recrawls.
macro_rules! entry {
    ($name:literal, $idea:literal, $parameters:expr, $algorithm:expr) => {
        PolicyEntry {
            discovers: true,
            parameters: $parameters,
            ..PolicyEntry::new($name, $idea, |_, parameters| {
                let algorithm: fn(&Parameters) -> Algorithm = $algorithm;
                Box::new(History::new($name, algorithm(parameters), parameters))
            })
        }
    };
}

pub(crate) const OD_1: PolicyEntry = entry!(
    "od-1",
    "the pages that led to most new ones in the last full recrawl",
    &[INTERVAL],
    |_| Algorithm::OutDegree { memory: Memory::Last }
);
pub(crate) const OD_WIN: PolicyEntry = entry!(
    "od-win",
    "the pages that led to most new ones in all full recrawls, older ones counting less",
    &[INTERVAL, DECAY],
    |parameters| Algorithm::OutDegree { memory: faded(parameters) }
);
pub(crate) const OD_ALL: PolicyEntry = entry!(
    "od-all",
    "the pages that led to most new ones in all visits ever made, without full recrawls",
    &[DECAY],
    |parameters| Algorithm::OutDegree { memory: faded(parameters) }
);
pub(crate) const CLIQ_1: PolicyEntry = entry!(
    "cliq-1",
    "of pages that led to the same new ones in the last full recrawl, the best",
    &[INTERVAL, EPS],
    |parameters| Algorithm::Cliques { memory: Memory::Last, eps: parameters.number(EPS.name) }
);
pub(crate) const CLIQ_WIN: PolicyEntry = entry!(
    "cliq-win",
    "the groups of the last full recrawl and the pages that ever led to new ones",
    &[INTERVAL, DECAY, EPS],
    |parameters| Algorithm::Cliques { memory: faded(parameters), eps: parameters.number(EPS.name) }
);
pub(crate) const COV: PolicyEntry = entry!(
    "cov",
    "the fewest pages that led to all new ones in the last full recrawl",
    &[INTERVAL],
    |_| Algorithm::Cover
);

/// Revisits the pages that led to most in the past.
#[derive(Clone, Debug)]
struct History {
    name: &'static str,
    chooser: Chooser,
    /// `None` if every visit is learned from.
    recrawls: Option<Recrawls>,
    ledger: Ledger,
    spending: Spending,
    cycle: Option<u32>,
    /// Visits of this cycle other than first visits.
    visited: usize,
}

impl History {
    fn new(name: &'static str, algorithm: Algorithm, parameters: &Parameters) -> Self {
        let recrawls =
            (name != OD_ALL.name).then(|| Recrawls::every(parameters.whole(INTERVAL.name) as u32));
        Self {
            name,
            chooser: Chooser::new(algorithm),
            recrawls,
            ledger: Ledger::default(),
            spending: Spending::default(),
            cycle: None,
            visited: 0,
        }
    }

    /// Ends the previous cycle when a new one begins.
    fn turn_to(&mut self, cycle: u32) {
        if self.cycle == Some(cycle) {
            return;
        }
        (self.cycle, self.visited) = (Some(cycle), 0);
        let before = self.ledger.turn_to(cycle);
        let gone = before.as_ref().map_or(vec![], |ended| ended.gone.clone());
        let complete = match &mut self.recrawls {
            Some(recrawls) => recrawls.turn_to(cycle, before),
            None => before.filter(|ended| !ended.revisits.is_empty()),
        };
        if let Some(ended) = &complete {
            self.chooser.recrawled(ended.cycle, &ended.leads());
        }
        let of_recrawl = complete.map_or(vec![], |ended| ended.gone);
        for page in gone.into_iter().chain(of_recrawl) {
            self.chooser.forget(page);
        }
    }

    /// The due pages of the current recrawl, those not seen for longest first.
    fn recrawl(&self, known: &Known<'_>, wanted: usize) -> Plan {
        let Some(recrawls) = &self.recrawls else { return Plan::default() };
        spend::longest_unseen(known, Budget(wanted as u32), |page| recrawls.is_left(page.0))
    }

    /// The pages that the algorithm chooses. Pages visited in this cycle keep their places, so that a group
    /// or cover does not start again in every round.
    fn chosen(&self, known: &Known<'_>, wanted: usize) -> Vec<(u32, f64)> {
        let is_known = |page: u32| (page as usize) < known.pages.len();
        let is_candidate = |page: u32| {
            let number = PageNo(page);
            let is_there = || spend::is_revisit(known, number) || spend::is_visited(known, number);
            is_known(page) && is_there()
        };
        let mut chosen = self.chooser.choose(wanted + self.visited, &is_candidate);
        chosen.retain(|page| spend::is_revisit(known, PageNo(page.0)));
        chosen.truncate(wanted);
        chosen
    }
}

fn faded(parameters: &Parameters) -> Memory {
    Memory::Faded(parameters.number(DECAY.name))
}

impl Policy for History {
    fn name(&self) -> &'static str {
        self.name
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        self.turn_to(known.cycle);
        let firsts = spend::firsts(known, budget);
        let wanted = self.spending.batch(known, budget);
        if !firsts.0.is_empty() {
            return firsts;
        }
        let recrawl = self.recrawl(known, wanted);
        if !recrawl.0.is_empty() {
            return recrawl;
        }
        spend::revisits(known, &self.chosen(known, wanted), wanted)
    }

    fn lacks(&self, _known: &Known<'_>) -> Vec<String> {
        if self.recrawls.is_none() || self.chooser.has_learned() {
            return vec![];
        }
        vec![
            "no full recrawl is complete yet, so it is not known which pages lead to new ones; every held \
             page is visited first"
                .to_owned(),
        ]
    }

    fn learn(&mut self, seen: &Observation) {
        self.turn_to(seen.cycle);
        if let Some(recrawls) = &mut self.recrawls {
            recrawls.learn(seen);
        }
        self.visited += usize::from(seen.reason != Reason::First);
        self.ledger.learn(seen);
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}
