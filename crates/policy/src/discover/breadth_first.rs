//! `breadth-first`: a crawl begun anew, again and again. The baseline of discovery: first visits in
//! the order in which pages became known, then held pages, the one not seen for longest first.
use flow::{Budget, Known, Plan, Policy};

use super::spend::{self, Spending};

/// Visits what is new, then everything in turn.
#[derive(Debug, Default)]
pub(crate) struct BreadthFirst {
    spending: Spending,
}

impl Policy for BreadthFirst {
    fn name(&self) -> &'static str {
        "breadth-first"
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        let firsts = spend::firsts(known, budget);
        let wanted = self.spending.batch(known, budget);
        if firsts.0.is_empty() { spend::looks(known, &[], wanted) } else { firsts }
    }
}
