//! Which held pages are expected to show new ones, learned from every visit.
//!
//! The ledger says what the visits of a cycle led to, [`Arms`] turn that into rates. What a find is worth
//! is up to the policy.
use crawl::{Known, Observation, PageNo, State, Time};
use rayon::prelude::*;

use super::{
    Arm, ArmVisit, Arms, hubs,
    ledger::{CycleLeads, Ledger},
    page_kind::PageKinds,
    spend,
};
use crate::score::{self, PAGES_PER_TASK};

/// The rates at which held pages show new ones.
#[derive(Clone, Debug)]
pub(crate) struct NewPageRates {
    arms: Arms,
    kinds: PageKinds,
    ledger: Ledger,
    /// Whether pages with many links are expected to show more.
    has_hubs: bool,
}

/// A held page that is expected to show new ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lead {
    pub(crate) page: PageNo,
    /// New pages that a visit is expected to show.
    pub(crate) found: f64,
    /// What they are worth.
    pub(crate) worth: f64,
}

impl NewPageRates {
    /// With rates drawn from their posteriors.
    pub(super) fn drawn(seed: u64) -> Self {
        Self::new(Arms::new(seed), false)
    }

    /// With the means of the posteriors; pages with many links are expected to show more.
    pub(crate) fn means() -> Self {
        Self::new(Arms::with_means(), true)
    }

    fn new(arms: Arms, has_hubs: bool) -> Self {
        Self { arms, kinds: PageKinds::default(), ledger: Ledger::default(), has_hubs }
    }

    /// Call it before each plan.
    pub(crate) fn prepare(&mut self, known: &Known<'_>) {
        if let Some(ended) = self.ledger.turn_to(known.cycle) {
            self.learn_cycle(&ended);
        }
        self.kinds.read(known);
    }

    /// Learns from a visit.
    pub(crate) fn learn(&mut self, seen: &Observation) {
        if let Some(ended) = self.ledger.learn(seen) {
            self.learn_cycle(&ended);
        }
        self.kinds.learn(seen);
    }

    /// Learns from a cycle that has ended.
    fn learn_cycle(&mut self, ended: &CycleLeads) {
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

    /// The held pages whose finds are worth most, at most so many. `worth` is given the expected finds
    /// and the days in which they came.
    pub(crate) fn best(
        &self,
        known: &Known<'_>,
        wanted: usize,
        worth: impl Fn(f64, f64) -> f64 + Sync,
    ) -> Vec<Lead> {
        let is_arm = |page: &PageNo| {
            known.pages.state(*page) == State::Held && spend::is_revisit(known, *page)
        };
        let arm = |page: PageNo| Arm {
            key: page.0,
            host: known.pages.host(page).0,
            kind: self.kinds.of(page),
            waited: score::age_days(known, page).unwrap_or(0.0),
            exposure: 1.0,
        };
        let numbers = (0..known.pages.len() as u32).into_par_iter().with_min_len(PAGES_PER_TASK);
        let mut arms: Vec<Arm> = numbers.map(PageNo).filter(is_arm).map(arm).collect();
        if self.has_hubs {
            hubs::expose(&mut arms, |key| known.links.of(PageNo(key)).len());
        }
        let revisited: Vec<u32> = self.ledger.revisited().collect();
        let (now, draw) = (days(known.now), u64::from(known.cycle));
        let best = self.arms.choose_by(now, draw, &arms, &revisited, wanted, worth);
        let lead = |(key, found, worth)| Lead { page: PageNo(key), found, worth };
        best.into_iter().map(lead).collect()
    }
}

/// Days since the epoch.
fn days(time: Time) -> f64 {
    (time - Time::from_millis(0)).days()
}
