//! Random: pages drawn by lot, without replacement within a cycle.
//!
//! The other baseline: what a budget buys with no order at all. Linked pages are drawn like held ones.
use flow::{Budget, Known, Plan, Policy};

use crate::{chance, score};

/// Draws pages by lot.
#[derive(Debug)]
pub(crate) struct Random {
    seed: u64,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed }
    }
}

impl Policy for Random {
    fn name(&self) -> &'static str {
        "random"
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        score::best(known, budget, |page| {
            chance::unit(self.seed, known.cycle, known.pages.id(page))
        })
    }
}
