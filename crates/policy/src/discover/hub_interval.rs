//! `hub-interval`: front pages, sitemaps and feeds at fixed intervals, as crawlers in use do: news
//! crawlers ask feeds and front pages on a timer, and follow what they show.
//!
//! Then first visits, in the order in which pages became known, then held pages, the one not seen for
//! longest first.
use flow::{Budget, Known, Observation, PageNo, Plan, Policy};

use super::{
    Prior,
    kind::Kinds,
    spend::{self, Spending},
};
use crate::{Kind, Parameter, Parameters};

pub(crate) const HUB_PARAMETERS: &[Parameter] = &[Parameter {
    name: "interval",
    meaning: "cycles from one look at a front page, sitemap or feed to the next",
    default: "1",
    kind: Kind::Whole(1, 1_000_000),
}];

/// Looks at hubs on a timer.
#[derive(Debug)]
pub(crate) struct HubInterval {
    interval: u32,
    kinds: Kinds,
    /// By page number, the cycle of its last visit and one more; 0 for none.
    visited: Vec<u32>,
    spending: Spending,
}

impl HubInterval {
    pub(crate) fn new(parameters: &Parameters) -> Self {
        Self {
            interval: parameters.whole("interval") as u32,
            kinds: Kinds::default(),
            visited: vec![],
            spending: Spending::default(),
        }
    }

    /// Whether a page is a hub whose turn it is.
    fn is_turn(&self, known: &Known<'_>, page: PageNo) -> bool {
        let next = match self.visited.get(page.index()) {
            None | Some(0) => 0,
            Some(after) => (after - 1).saturating_add(self.interval),
        };
        self.kinds.of(page) != Prior::Page && known.cycle >= next
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
        if firsts.0.is_empty() { spend::looks(known, &[], wanted) } else { firsts }
    }

    fn learn(&mut self, seen: &Observation) {
        self.kinds.learn(seen);
        if self.visited.len() <= seen.page.index() {
            self.visited.resize(seen.page.index() + 1, 0);
        }
        self.visited[seen.page.index()] = seen.cycle.saturating_add(1);
    }
}
