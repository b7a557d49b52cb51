//! `bandit`: the pages expected to show most new ones, by rates drawn from their posterior, so that every
//! visit teaches and no full recrawl is needed.
//!
//! Dasgupta et al. 2007 propose it in section 6; the implementation is [`Arms`]. Every visit to a held
//! page is evidence. Departure: the paper's rewards are 0 or 1 for each new page; here they are rates of
//! Poisson streams, whose worth grows with the time since the last visit.
use crawl::{Budget, Known, Observation, PageNo, Plan, Policy, State, Time};
use rayon::prelude::*;

use super::{
    Arm, ArmVisit, Arms,
    ledger::{CycleLeads, Ledger},
    page_kind::PageKinds,
    spend::{self, Spending},
};
use crate::{
    PolicyEntry,
    score::{self, PAGES_PER_TASK},
};

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
    arms: Arms,
    kinds: PageKinds,
    ledger: Ledger,
    spending: Spending,
}

impl Bandit {
    fn new(seed: u64) -> Self {
        Self {
            arms: Arms::new(seed),
            kinds: PageKinds::default(),
            ledger: Ledger::default(),
            spending: Spending::default(),
        }
    }

    /// Learns from a cycle that has ended.
    fn ended(&mut self, ended: &CycleLeads) {
        let leads = ended.leads();
        let found = |page: u32| {
            let reached = leads.row(page).map_or(vec![], |row| leads.reached(row));
            reached.into_iter().map(|place| ended.found[place as usize]).collect()
        };
        let mut revisits: Vec<ArmVisit> = vec![];
        for &(key, waited) in &ended.revisits {
            // It was a real visit even if the wait was 0.
            revisits.push(ArmVisit {
                key,
                waited: waited.max(f64::MIN_POSITIVE),
                found: found(key),
            });
        }
        let mut revisited: Vec<u32> = revisits.iter().map(|revisit| revisit.key).collect();
        revisited.sort_unstable();
        for &key in leads.pages() {
            if revisited.binary_search(&key).is_err() {
                revisits.push(ArmVisit { key, waited: 0.0, found: found(key) });
            }
        }
        self.arms.learn(days(ended.at), &revisits);
        for &page in &ended.gone {
            self.arms.forget(page);
        }
    }

    fn chosen(&mut self, known: &Known<'_>, wanted: usize) -> Vec<(u32, f64)> {
        self.kinds.read(known);
        let is_arm = |page: &PageNo| {
            known.pages.state(*page) == State::Held && spend::is_revisit(known, *page)
        };
        let arm = |page: PageNo| Arm {
            key: page.0,
            host: known.pages.host(page).0,
            kind: self.kinds.of(page),
            waited: score::age_days(known, page).unwrap_or(0.0),
        };
        let numbers = (0..known.pages.len() as u32).into_par_iter().with_min_len(PAGES_PER_TASK);
        let arms: Vec<Arm> = numbers.map(PageNo).filter(is_arm).map(arm).collect();
        let revisited: Vec<u32> = self.ledger.revisited().collect();
        self.arms.choose(days(known.now), u64::from(known.cycle), &arms, &revisited, wanted)
    }
}

/// Days since the epoch.
fn days(time: Time) -> f64 {
    (time - Time::from_millis(0)).days()
}

impl Policy for Bandit {
    fn name(&self) -> &'static str {
        "bandit"
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        if let Some(ended) = self.ledger.turn_to(known.cycle) {
            self.ended(&ended);
        }
        let firsts = spend::firsts(known, budget);
        let wanted = self.spending.batch(known, budget);
        if !firsts.0.is_empty() {
            return firsts;
        }
        spend::revisits(known, &self.chosen(known, wanted), wanted)
    }

    fn learn(&mut self, seen: &Observation) {
        if let Some(ended) = self.ledger.learn(seen) {
            self.ended(&ended);
        }
        self.kinds.learn(seen);
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}
