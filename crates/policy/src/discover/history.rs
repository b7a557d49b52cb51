//! `od-1`, `od-win`, `od-all`, `cliq-1`, `cliq-win`, `cov`: the paper's algorithms as policies, with
//! full recrawls paid from the budget like every other visit.
//!
//! Dasgupta et al. 2007, section 5. What the paper does not charge is charged here: a recrawl is made
//! of visits, and takes as many cycles as they do. What the algorithm has no page for goes to pages
//! not seen for longest. `od-all` makes no recrawls and learns from every visit instead: where every
//! page is visited in every cycle, that is the paper's OD-ALL.
use flow::{Budget, Known, Observation, PageNo, Plan, Policy, Reason};

use super::{
    Algorithm, Chooser, Memory,
    ledger::Ledger,
    recrawl::Recrawls,
    spend::{self, Spending},
};
use crate::{Kind, Parameter, Parameters};

const INTERVAL: Parameter = Parameter {
    name: "interval",
    meaning: "cycles from the start of a full recrawl to that of the next",
    // A month of weekly cycles, as the paper recommends.
    default: "4",
    kind: Kind::Whole(1, 1_000_000),
};
const DECAY: Parameter = Parameter {
    name: "decay",
    meaning: "how much of what a recrawl showed still counts a cycle later",
    default: "1",
    kind: Kind::Number(0.0, 1.0),
};
const EPS: Parameter = Parameter {
    name: "eps",
    meaning: "pages with a Jaccard coefficient of 1 less this are one group; above 1/3 nothing is proven",
    default: "0.8",
    kind: Kind::Number(0.0, 1.0),
};

/// Of `od-1` and `cov`.
pub(crate) const LAST_PARAMETERS: &[Parameter] = &[INTERVAL];
/// Of `od-win`.
pub(crate) const WINDOW_PARAMETERS: &[Parameter] = &[INTERVAL, DECAY];
/// Of `od-all`.
pub(crate) const ALL_PARAMETERS: &[Parameter] = &[DECAY];
/// Of `cliq-1`.
pub(crate) const CLIQUE_PARAMETERS: &[Parameter] = &[INTERVAL, EPS];
/// Of `cliq-win`.
pub(crate) const CLIQUE_WINDOW_PARAMETERS: &[Parameter] = &[INTERVAL, DECAY, EPS];

/// Looks at the pages that led to most in the past.
#[derive(Debug)]
pub(crate) struct History {
    name: &'static str,
    chooser: Chooser,
    /// `None` where every visit is learned from.
    recrawls: Option<Recrawls>,
    ledger: Ledger,
    spending: Spending,
    cycle: Option<u32>,
    /// Visits of this cycle that were not first ones.
    visited: usize,
}

impl History {
    fn new(name: &'static str, algorithm: Algorithm, interval: Option<i64>) -> Self {
        Self {
            name,
            chooser: Chooser::new(algorithm),
            recrawls: interval.map(|cycles| Recrawls::every(cycles as u32)),
            ledger: Ledger::default(),
            spending: Spending::default(),
            cycle: None,
            visited: 0,
        }
    }

    pub(crate) fn od_1(parameters: &Parameters) -> Self {
        let algorithm = Algorithm::OutDegree { memory: Memory::Last };
        Self::new("od-1", algorithm, Some(parameters.whole("interval")))
    }

    pub(crate) fn od_win(parameters: &Parameters) -> Self {
        let algorithm = Algorithm::OutDegree { memory: faded(parameters) };
        Self::new("od-win", algorithm, Some(parameters.whole("interval")))
    }

    pub(crate) fn od_all(parameters: &Parameters) -> Self {
        Self::new("od-all", Algorithm::OutDegree { memory: faded(parameters) }, None)
    }

    pub(crate) fn cliq_1(parameters: &Parameters) -> Self {
        let algorithm = Algorithm::Cliques { memory: Memory::Last, eps: parameters.number("eps") };
        Self::new("cliq-1", algorithm, Some(parameters.whole("interval")))
    }

    pub(crate) fn cliq_win(parameters: &Parameters) -> Self {
        let eps = parameters.number("eps");
        let algorithm = Algorithm::Cliques { memory: faded(parameters), eps };
        Self::new("cliq-win", algorithm, Some(parameters.whole("interval")))
    }

    pub(crate) fn cov(parameters: &Parameters) -> Self {
        Self::new("cov", Algorithm::Cover, Some(parameters.whole("interval")))
    }

    /// Ends the cycle before, where this is another.
    fn turn_to(&mut self, cycle: u32) {
        if self.cycle == Some(cycle) {
            return;
        }
        (self.cycle, self.visited) = (Some(cycle), 0);
        let before = self.ledger.turn_to(cycle);
        let gone = before.as_ref().map_or(vec![], |told| told.gone.clone());
        let complete = match &mut self.recrawls {
            Some(recrawls) => recrawls.turn_to(cycle, before),
            None => before.filter(|told| !told.looks.is_empty()),
        };
        if let Some(told) = &complete {
            self.chooser.recrawled(told.cycle, &told.leads());
        }
        let of_recrawl = complete.map_or(vec![], |told| told.gone);
        for page in gone.into_iter().chain(of_recrawl) {
            self.chooser.forget(page);
        }
    }

    /// The pages of the recrawl under way that may be visited, those not seen for longest first.
    fn recrawl(&self, known: &Known<'_>, wanted: usize) -> Plan {
        let Some(recrawls) = &self.recrawls else { return Plan::default() };
        spend::longest_unseen(known, Budget(wanted as u32), |page| recrawls.is_left(page.0))
    }

    /// The pages that the algorithm chooses. Those visited in this cycle keep their places, so that a
    /// group or cover is not begun anew in every round.
    fn chosen(&self, known: &Known<'_>, wanted: usize) -> Vec<(u32, f64)> {
        let is_known = |page: u32| (page as usize) < known.pages.len();
        let is_candidate = |page: u32| {
            let number = PageNo(page);
            let is_there = || spend::is_look(known, number) || spend::is_visited(known, number);
            is_known(page) && is_there()
        };
        let mut chosen = self.chooser.choose(wanted + self.visited, &is_candidate);
        chosen.retain(|page| spend::is_look(known, PageNo(page.0)));
        chosen.truncate(wanted);
        chosen
    }
}

fn faded(parameters: &Parameters) -> Memory {
    Memory::Faded(parameters.number("decay"))
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
        spend::looks(known, &self.chosen(known, wanted), wanted)
    }

    fn learn(&mut self, seen: &Observation) {
        self.turn_to(seen.cycle);
        if let Some(recrawls) = &mut self.recrawls {
            recrawls.learn(seen);
        }
        self.visited += usize::from(seen.reason != Reason::First);
        self.ledger.learn(seen);
    }
}
