//! A policy that visits given pages, once each: for repairs.
use crawl::{Budget, Known, PageNo, Plan, Policy, Reason, State, Visit};

/// Visits these pages.
#[derive(Clone, Debug)]
pub(crate) struct Listed(pub(crate) Vec<PageNo>);

impl Policy for Listed {
    fn name(&self) -> &'static str {
        "listed"
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        let count = self.0.len().min(budget.0 as usize);
        let visit = |page: PageNo| {
            let is_first = known.pages.state(page) == State::Linked;
            let reason = if is_first { Reason::First } else { Reason::Refresh };
            Visit { page, score: 0.0, reason }
        };
        Plan(self.0.drain(..count).map(visit).collect())
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}
