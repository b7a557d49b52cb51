//! Random: pages drawn at random, without replacement within a cycle.
//!
//! A baseline: what a budget buys without any order. Linked pages are drawn like held ones.
use crawl::{Budget, Known, Plan, Policy};

use crate::{PolicyEntry, random, score};

pub(crate) const ENTRY: PolicyEntry = PolicyEntry {
    is_random: |_| true,
    ..PolicyEntry::new("random", "pages drawn at random", |seed, _| Box::new(Random { seed }))
};

/// Draws pages at random.
#[derive(Clone, Debug)]
struct Random {
    seed: u64,
}

impl Policy for Random {
    fn name(&self) -> &'static str {
        "random"
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        score::best(known, budget, |page| {
            random::unit(self.seed, known.cycle, known.pages.id(page))
        })
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}
