//! `breadth-first`: the baseline of discovery. First visits in the order in which pages became known, then
//! held pages, the one not seen for longest first.
use crawl::{Budget, Known, Plan, Policy};

use super::spend::{self, Spending};
use crate::PolicyEntry;

pub(crate) const ENTRY: PolicyEntry = PolicyEntry {
    discovers: true,
    ..PolicyEntry::new(
        "breadth-first",
        "new pages in the order they became known, then everything in turn",
        |_, _| Box::new(BreadthFirst::default()),
    )
};

/// Visits what is new, then everything in turn.
#[derive(Clone, Debug, Default)]
struct BreadthFirst {
    spending: Spending,
}

impl Policy for BreadthFirst {
    fn name(&self) -> &'static str {
        "breadth-first"
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        let firsts = spend::firsts(known, budget);
        let wanted = self.spending.batch(known, budget);
        if firsts.0.is_empty() { spend::revisits(known, &[], wanted) } else { firsts }
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}
