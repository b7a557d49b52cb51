//! `hub-interval`: front pages, sitemaps and feeds at fixed intervals, as news crawlers do, then first
//! visits in the order in which pages became known, then held pages, the one not seen for longest first.
use crawl::{Budget, Known, Observation, PageNo, Plan, Policy};

use super::{
    PageKind,
    page_kind::PageKinds,
    spend::{self, Spending},
};
use crate::{Kind, Parameter, Parameters, PolicyEntry, by_page::row_mut};

pub(crate) const ENTRY: PolicyEntry = PolicyEntry {
    discovers: true,
    parameters: &[INTERVAL],
    ..PolicyEntry::new(
        "hub-interval",
        "front pages, sitemaps and feeds at fixed intervals, then new pages, then the rest in turn",
        |_, parameters| Box::new(HubInterval::new(parameters)),
    )
};

const INTERVAL: Parameter = Parameter {
    name: "interval",
    meaning: "cycles from one visit of a front page, sitemap or feed to the next",
    default: "1",
    kind: Kind::Whole(1, 1_000_000),
};

/// Visits hubs on a timer.
#[derive(Clone, Debug)]
struct HubInterval {
    interval: u32,
    kinds: PageKinds,
    /// By page number, the cycle after its last visit; 0 for none.
    visited: Vec<u32>,
    spending: Spending,
}

impl HubInterval {
    fn new(parameters: &Parameters) -> Self {
        Self {
            interval: parameters.whole("interval") as u32,
            kinds: PageKinds::default(),
            visited: vec![],
            spending: Spending::default(),
        }
    }

    /// Whether a page is a hub that is due.
    fn is_turn(&self, known: &Known<'_>, page: PageNo) -> bool {
        let next = match self.visited.get(page.index()) {
            None | Some(0) => 0,
            Some(after) => (after - 1).saturating_add(self.interval),
        };
        self.kinds.of(page) != PageKind::Page && known.cycle >= next
    }
}

impl Policy for HubInterval {
    fn name(&self) -> &'static str {
        "hub-interval"
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        self.kinds.read(known);
        let wanted = self.spending.batch(known, budget);
        let hubs = spend::longest_unseen(known, budget, |page| self.is_turn(known, page));
        if !hubs.0.is_empty() {
            return hubs;
        }
        let firsts = spend::firsts(known, budget);
        if firsts.0.is_empty() { spend::revisits(known, &[], wanted) } else { firsts }
    }

    fn learn(&mut self, seen: &Observation) {
        self.kinds.learn(seen);
        *row_mut(&mut self.visited, seen.page.index()) = seen.cycle.saturating_add(1);
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}
