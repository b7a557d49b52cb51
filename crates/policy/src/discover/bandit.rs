//! `bandit`: the pages expected to show most new ones by rates drawn from what is believed, so that
//! every visit teaches and no full recrawl is needed.
//!
//! What Dasgupta et al. 2007 propose in section 6, in the form of [`Arms`]. Every visit to a held page
//! is evidence, for whatever reason it was made. Departure: the paper's rewards are 0 or 1 for each
//! new page; here rates of Poisson streams, whose worth grows with the time since the last look.
use flow::{Budget, Known, Observation, PageNo, Plan, Policy, State, Time};
use rayon::prelude::*;

use super::{
    Arm, Arms, Look,
    kind::Kinds,
    ledger::{Ledger, Told},
    spend::{self, Spending},
};
use crate::score::{self, PAGES_PER_TASK};

/// Looks at the pages expected to show most.
#[derive(Debug)]
pub(crate) struct Bandit {
    arms: Arms,
    kinds: Kinds,
    ledger: Ledger,
    spending: Spending,
}

impl Bandit {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            arms: Arms::new(seed),
            kinds: Kinds::default(),
            ledger: Ledger::default(),
            spending: Spending::default(),
        }
    }

    /// Takes in a cycle that has ended.
    fn ended(&mut self, told: &Told) {
        let leads = told.leads();
        let found = |page: u32| {
            let reached = leads.row(page).map_or(vec![], |row| leads.reached(row));
            reached.into_iter().map(|place| told.found[place as usize]).collect()
        };
        let mut looks: Vec<Look> = vec![];
        for &(key, waited) in &told.looks {
            // However short, it was a look.
            looks.push(Look { key, waited: waited.max(f64::MIN_POSITIVE), found: found(key) });
        }
        let mut looked: Vec<u32> = looks.iter().map(|look| look.key).collect();
        looked.sort_unstable();
        for &key in leads.pages() {
            if looked.binary_search(&key).is_err() {
                looks.push(Look { key, waited: 0.0, found: found(key) });
            }
        }
        self.arms.learn(days(told.at), &looks);
        for &page in &told.gone {
            self.arms.forget(page);
        }
    }

    fn chosen(&mut self, known: &Known<'_>, wanted: usize) -> Vec<(u32, f64)> {
        self.kinds.read(known);
        let is_arm =
            |page: &PageNo| known.pages.state(*page) == State::Held && spend::is_look(known, *page);
        let arm = |page: PageNo| Arm {
            key: page.0,
            host: known.pages.host(page).0,
            prior: self.kinds.of(page),
            waited: score::age_days(known, page).unwrap_or(0.0),
        };
        let numbers = (0..known.pages.len() as u32).into_par_iter().with_min_len(PAGES_PER_TASK);
        let arms: Vec<Arm> = numbers.map(PageNo).filter(is_arm).map(arm).collect();
        let looked: Vec<u32> = self.ledger.looked().collect();
        self.arms.choose(days(known.now), u64::from(known.cycle), &arms, &looked, wanted)
    }
}

/// Days since a fixed one.
fn days(time: Time) -> f64 {
    (time - Time::from_millis(0)).days()
}

impl Policy for Bandit {
    fn name(&self) -> &'static str {
        "bandit"
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        if let Some(told) = self.ledger.turn_to(known.cycle) {
            self.ended(&told);
        }
        let firsts = spend::firsts(known, budget);
        let wanted = self.spending.batch(known, budget);
        if !firsts.0.is_empty() {
            return firsts;
        }
        spend::looks(known, &self.chosen(known, wanted), wanted)
    }

    fn learn(&mut self, seen: &Observation) {
        if let Some(told) = self.ledger.learn(seen) {
            self.ended(&told);
        }
        self.kinds.learn(seen);
    }
}
