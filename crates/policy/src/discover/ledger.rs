//! The log, folded into what each cycle's visits led to.
//!
//! A visit to a page that is held is a look; the first visit of a page passes its leads on to those
//! who led to it, as a chain. Where that visit comes in a later cycle, the credit comes then: of pages
//! that wait for their first visit it is remembered who led to them, and no longer. A first visit of a
//! page to which no look led passes nothing on: a crawl that begins costs no memory here.
//!
//! A page is counted as found once, ever: not when it was held before, went and is linked again, and
//! not when its first visit says that it is no page. One that is still waiting at the end of the cycle
//! counts then, because what it is will be known too late.
use std::collections::{BTreeMap, BTreeSet};

use flow::{Observation, Outcome, Reason, Time};

use super::{Leads, bits::Bits};

/// What the log says about leads, up to the cycle under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    /// The cycle under way.
    open: Option<Told>,
    /// First visits of this cycle, and what they led to.
    firsts: Vec<(u32, Vec<u32>)>,
    /// Pages that looks of this cycle led to, directly or through first visits.
    led: Bits,
    /// Pages whose first visit in this cycle said that they are none.
    none: BTreeSet<u32>,
    /// Pages that were found or visited before this cycle.
    known: Bits,
    /// Pages that wait for no first visit any more.
    answered: Bits,
    /// Who showed links to pages that wait, and to those through which they were found.
    shown_by: BTreeMap<u32, Vec<Shower>>,
}

/// A page that showed a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Shower {
    page: u32,
    /// It was held before: the credit is its own. That of others goes to those who led to them.
    is_look: bool,
}

/// What the visits of a cycle led to; pages are by their numbers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Told {
    pub(super) cycle: u32,
    /// When its last visit was made.
    pub(super) at: Time,
    /// The pages looked at, with the days since they were seen before.
    pub(super) looks: Vec<(u32, f64)>,
    /// Pages and what they showed links to; also pages looked at in earlier cycles, to which credit
    /// comes late.
    pub(super) rows: Vec<(u32, Vec<u32>)>,
    /// Found pages and what they showed links to.
    pub(super) chains: Vec<(u32, Vec<u32>)>,
    /// The found pages, ascending.
    pub(super) found: Vec<u32>,
    /// Pages that are gone.
    pub(super) gone: Vec<u32>,
}

impl Ledger {
    /// Takes in one observation. Returns the cycle before, where this one belongs to another.
    pub(super) fn learn(&mut self, seen: &Observation) -> Option<Told> {
        let before = self.turn_to(seen.cycle);
        let open = self.open.get_or_insert_with(|| Told::begun(seen.cycle, seen.at));
        open.at = seen.at;
        let page = seen.page.0;
        let leads = seen.leads.iter().map(|lead| lead.0).filter(|&lead| lead != page);
        match (seen.outcome, seen.reason) {
            (Outcome::Failed | Outcome::Unreached, _) => {}
            (Outcome::Missing | Outcome::Refused, reason) => {
                if reason == Reason::First {
                    self.none.insert(page);
                }
            }
            (Outcome::Gone, reason) => {
                open.gone.push(page);
                if reason == Reason::First {
                    self.none.insert(page);
                    self.answered.insert(page);
                }
            }
            (Outcome::First | Outcome::Same | Outcome::Changed(_), Reason::First) => {
                self.none.remove(&page);
                self.answered.insert(page);
                let is_led = self.led.contains(page) || self.shown_by.contains_key(&page);
                let leads: Vec<u32> = leads.filter(|_| is_led).collect();
                for &lead in &leads {
                    self.led.insert(lead);
                }
                self.firsts.push((page, leads));
            }
            (Outcome::First | Outcome::Same | Outcome::Changed(_), _) => {
                open.looks.push((page, seen.since.map_or(0.0, flow::Span::days)));
                let leads: Vec<u32> = leads.collect();
                for &lead in &leads {
                    self.led.insert(lead);
                }
                if !leads.is_empty() {
                    open.rows.push((page, leads));
                }
            }
        }
        before
    }

    /// Begins a cycle. Returns the one before, where something was observed in it.
    pub(super) fn turn_to(&mut self, cycle: u32) -> Option<Told> {
        self.open.take_if(|open| open.cycle != cycle).map(|told| self.close(told))
    }

    /// The pages looked at so far in the cycle under way.
    pub(super) fn looked(&self) -> impl Iterator<Item = u32> {
        self.open.iter().flat_map(|open| &open.looks).map(|look| look.0)
    }

    fn close(&mut self, mut told: Told) -> Told {
        let firsts = std::mem::take(&mut self.firsts);
        let none = std::mem::take(&mut self.none);
        self.led = Bits::default();
        let shown = told.rows.iter().chain(&firsts).flat_map(|(_, leads)| leads);
        told.found = shown
            .copied()
            .filter(|page| !self.known.contains(*page) && !none.contains(page))
            .collect();
        told.found.sort_unstable();
        told.found.dedup();
        let of_rows = told.rows.iter().map(|row| (row, true));
        for ((page, leads), is_look) in of_rows.chain(firsts.iter().map(|row| (row, false))) {
            for &lead in leads {
                self.shown_by.entry(lead).or_default().push(Shower { page: *page, is_look });
            }
        }
        for (page, leads) in firsts {
            self.known.insert(page);
            if leads.is_empty() {
            } else if told.found.binary_search(&page).is_ok() {
                told.chains.push((page, leads));
            } else {
                told.rows.extend(self.leaders(page).into_iter().map(|key| (key, leads.clone())));
            }
        }
        for &page in &told.found {
            self.known.insert(page);
        }
        self.drop_unneeded();
        told
    }

    /// The pages that were held and led to a page, directly or through others.
    fn leaders(&self, page: u32) -> BTreeSet<u32> {
        let (mut leaders, mut met, mut waiting) = (BTreeSet::new(), BTreeSet::new(), vec![page]);
        while let Some(page) = waiting.pop() {
            for shower in self.shown_by.get(&page).into_iter().flatten() {
                if shower.is_look {
                    leaders.insert(shower.page);
                } else if met.insert(shower.page) {
                    waiting.push(shower.page);
                }
            }
        }
        leaders
    }

    /// Forgets who led to pages that wait no more, and through which no page was found that waits.
    fn drop_unneeded(&mut self) {
        let is_waiting = |page: &&u32| !self.answered.contains(**page);
        let mut waiting: Vec<u32> = self.shown_by.keys().filter(is_waiting).copied().collect();
        let mut needed: BTreeSet<u32> = waiting.iter().copied().collect();
        while let Some(page) = waiting.pop() {
            let showers = self.shown_by.get(&page).into_iter().flatten();
            for shower in showers.filter(|shower| !shower.is_look) {
                if needed.insert(shower.page) {
                    waiting.push(shower.page);
                }
            }
        }
        self.shown_by.retain(|page, showers| {
            showers.sort_unstable();
            showers.dedup();
            needed.contains(page)
        });
    }
}

impl Told {
    /// Nothing was observed yet.
    fn begun(cycle: u32, at: Time) -> Self {
        Self { cycle, at, looks: vec![], rows: vec![], chains: vec![], found: vec![], gone: vec![] }
    }

    /// The leads; found pages are numbered by their place in `found`.
    pub(super) fn leads(&self) -> Leads {
        let place = |page: &u32| self.found.binary_search(page).ok().map(|place| place as u32);
        let row = |(page, shown): &(u32, Vec<u32>)| {
            (*page, shown.iter().filter_map(place).collect::<Vec<u32>>())
        };
        let chain = |(page, shown): &(u32, Vec<u32>)| {
            place(page).map(|page| (page, shown.iter().filter_map(place).collect()))
        };
        let (rows, chains) = (self.rows.iter().map(row), self.chains.iter().filter_map(chain));
        Leads::new(self.found.len(), rows.collect(), chains.collect())
    }

    /// Adds a later cycle, as if both were one.
    pub(super) fn add(&mut self, later: &Self) {
        self.cycle = later.cycle;
        self.at = later.at;
        self.looks.extend_from_slice(&later.looks);
        self.rows.extend_from_slice(&later.rows);
        self.chains.extend_from_slice(&later.chains);
        self.found.extend_from_slice(&later.found);
        self.found.sort_unstable();
        self.gone.extend_from_slice(&later.gone);
    }
}

#[cfg(test)]
mod tests;
