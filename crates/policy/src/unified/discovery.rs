//! First visits and the search for new pages, in the unit of all other visits: time fresh.
//!
//! A page that is not held costs as much as `new` held pages that are out of date. So a held page that shows
//! new ones at a rate eta, and was seen a time t ago, is worth `new` eta t^2 / 2 in addition to its refresh
//! (`docs/papers.md` D2, persistent pages): the finds of a visit wait half of that time on average. Sitemaps
//! and feeds are such pages. The first visit of a page that was found is worth w ((1 - s) / k + s / (D + k)),
//! with w = `new`, s = 1 / `new`, 1 / k half a year, and s / (D + k) the worth of a visit to a copy that is
//! surely stale (D2, frontier). Nothing has a share of its own: what buys most is visited.
//!
//! Departures: rates are the means of their posteriors instead of draws (D3.7), so that the policy needs no
//! seed. Every page has a prior rate, and its worth grows with the square of the wait, so pages of which
//! nothing is known are visited too. Leads are chosen once a cycle, because they are learned from once a cycle.
//! First visits are worth more the longer they wait, so that none waits for ever.
use crawl::{Budget, Known, Observation, PageNo, Reason, State, Visit};

use crate::{
    Kind, Parameter, Parameters,
    discover::{Lead, NewPageRates},
};

pub(super) const PARAMETER: Parameter = Parameter {
    name: "new",
    meaning: "what a new page is worth, compared with a held page that is out of date; 0 to look for none",
    default: "2",
    kind: Kind::Number(0.0, 1_000.0),
};

/// How long a new page is of interest, and how long it matters that a page is known to be gone, in weeks.
pub(super) const INTEREST: f64 = 26.0;

/// The worth of the first visit of a page, where a visit to a copy that is surely stale is worth `stale`.
pub(super) fn first_worth(new: f64, stale: f64) -> f64 {
    (new - 1.0).max(0.0) * INTEREST + new.min(1.0) * stale
}

/// Which held pages are expected to show new ones.
#[derive(Clone, Debug)]
pub(super) struct Discovery {
    /// What a new page is worth.
    pub(super) new: f64,
    rates: NewPageRates,
    /// The cycle that the leads were chosen for, and the leads in order of their pages.
    leads: (u32, Vec<Lead>),
}

impl Discovery {
    /// `None` where new pages are worth nothing.
    pub(super) fn new(parameters: &Parameters) -> Option<Self> {
        let new = parameters.number(PARAMETER.name);
        (new > 0.0).then(|| Self { new, rates: NewPageRates::means(), leads: (u32::MAX, vec![]) })
    }

    pub(super) fn learn(&mut self, seen: &Observation) {
        self.rates.learn(seen);
    }

    /// Call it before each plan. `most` is how many visits there may be in the cycle.
    pub(super) fn prepare(&mut self, known: &Known<'_>, most: usize) {
        self.rates.prepare(known);
        if self.leads.0 == known.cycle {
            return;
        }
        let worth = |found: f64, days: f64| self.new * found * days / 7.0 / 2.0;
        let mut leads = self.rates.best(known, most, worth);
        leads.sort_unstable_by_key(|lead| lead.page);
        self.leads = (known.cycle, leads);
    }

    /// What a visit to a page is expected to show, if that is at least a tenth of a page.
    pub(super) fn lead(&self, page: PageNo) -> Option<&Lead> {
        let leads = &self.leads.1;
        let place = leads.binary_search_by_key(&page, |lead| lead.page).ok()?;
        Some(&leads[place]).filter(|lead| lead.found >= 0.1)
    }

    /// Adds to visits what they are expected to show, and the leads that are not among them. `unit` is what
    /// a score is in the unit of the visits, `refresh` the score of a page without its finds. The more of
    /// the budget found pages wait for, the less it is worth to find others: they would wait too.
    pub(super) fn add(
        &self,
        known: &Known<'_>,
        visits: &mut Vec<Visit>,
        budget: Budget,
        unit: impl Fn(PageNo) -> f64,
        refresh: impl Fn(PageNo) -> f64,
    ) {
        let waiting = visits.iter().filter(|visit| visit.reason == Reason::First).count();
        let free = 1.0 - (waiting as f64 / f64::from(budget.0.max(1))).min(1.0);
        if free == 0.0 {
            return;
        }
        let mut taken = vec![false; self.leads.1.len()];
        for visit in visits.iter_mut() {
            let place = self.leads.1.binary_search_by_key(&visit.page, |lead| lead.page);
            if let Ok(place) = place {
                taken[place] = true;
                add(visit, self.leads.1[place].worth * free * unit(visit.page));
            }
        }
        for (lead, _) in self.leads.1.iter().zip(taken).filter(|(_, is_taken)| !is_taken) {
            let page = lead.page;
            if known.pages.state(page) == State::Held && known.is_due(page) {
                let mut visit = Visit { page, score: refresh(page), reason: Reason::Refresh };
                add(&mut visit, lead.worth * free * unit(page));
                visits.push(visit);
            }
        }
    }
}

/// Adds what a visit is expected to show. Its reason is the larger part.
fn add(visit: &mut Visit, worth: f64) {
    if worth > visit.score {
        visit.reason = Reason::Discover;
    }
    visit.score += worth;
}
