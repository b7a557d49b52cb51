//! `bandit`: the pages expected to show most new ones, by rates drawn from their posterior, so that every
//! visit teaches and no full recrawl is needed.
//!
//! Dasgupta et al. 2007 propose it in section 6; the implementation is [`Arms`](super::Arms). Every visit to a held
//! page is evidence. Departure: the paper's rewards are 0 or 1 for each new page; here they are rates of
//! Poisson streams, whose worth grows with the time since the last visit.
use crawl::{Budget, Known, Observation, Plan, Policy};

use super::{
    new_page_rates::NewPageRates,
    spend::{self, Spending},
};
use crate::PolicyEntry;

pub(crate) const ENTRY: PolicyEntry = PolicyEntry {
    discovers: true,
    is_random: |_| true,
    ..PolicyEntry::new(
        "bandit",
        "the pages expected to show most new ones, by rates drawn from what every visit taught",
        |seed, _| Box::new(Bandit::new(seed)),
    )
};

/// Visits the pages expected to show most.
#[derive(Clone, Debug)]
struct Bandit {
    rates: NewPageRates,
    spending: Spending,
}

impl Bandit {
    fn new(seed: u64) -> Self {
        Self { rates: NewPageRates::drawn(seed), spending: Spending::default() }
    }
}

impl Policy for Bandit {
    fn name(&self) -> &'static str {
        "bandit"
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        self.rates.prepare(known);
        let firsts = spend::firsts(known, budget);
        let wanted = self.spending.batch(known, budget);
        if !firsts.0.is_empty() {
            return firsts;
        }
        let best = self.rates.best(known, wanted, |found, _| found);
        let chosen: Vec<(u32, f64)> = best.iter().map(|lead| (lead.page.0, lead.worth)).collect();
        spend::revisits(known, &chosen, wanted)
    }

    fn learn(&mut self, seen: &Observation) {
        self.rates.learn(seen);
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}
