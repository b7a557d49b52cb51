//! A fold of the log: what the visits of each cycle led to.
//!
//! A visit to a held page is a revisit. The first visit of a page passes its leads on, as a chain, to the
//! pages that led to it. If that visit comes in a later cycle, so does the credit: the ledger remembers
//! who led to a page until the page has had its first visit. A first visit of a page to which no revisit
//! led passes nothing on, so a crawl that begins costs no memory here.
//!
//! A page counts as found once: not again if it was held before, went away and is linked again, and not
//! if its first visit shows that it is not a page. A page that still waits at the end of the cycle counts
//! in that cycle, because its outcome will come too late.
use std::collections::{BTreeMap, BTreeSet};

use crawl::{Observation, Outcome, Reason, Time};

use super::{Leads, bit_set::BitSet};

/// The leads in the log, up to the current cycle.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    /// The current cycle.
    open: Option<CycleLeads>,
    /// First visits of this cycle, and what they led to.
    firsts: Vec<(u32, Vec<u32>)>,
    /// Pages that revisits of this cycle led to, directly or through first visits.
    led: BitSet,
    /// Pages whose first visit in this cycle showed that they are not pages.
    none: BTreeSet<u32>,
    /// Pages that were found or visited before this cycle.
    known: BitSet,
    /// Pages that do not wait for a first visit any more.
    answered: BitSet,
    /// Who showed links to waiting pages, and to pages through which those were found.
    shown_by: BTreeMap<u32, Vec<Shower>>,
}

/// A page that showed a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Shower {
    page: u32,
    /// It was held before and gets the credit. The credit of other pages goes to those that led to them.
    is_revisit: bool,
}

/// What the visits of a cycle led to, by page number.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CycleLeads {
    pub(super) cycle: u32,
    /// The time of its last visit.
    pub(super) at: Time,
    /// The revisited pages, with the days since the visit before.
    pub(super) revisits: Vec<(u32, f64)>,
    /// Pages and what they linked to; also pages revisited in earlier cycles whose credit comes late.
    pub(super) rows: Vec<(u32, Vec<u32>)>,
    /// Found pages and what they linked to.
    pub(super) chains: Vec<(u32, Vec<u32>)>,
    /// The found pages, ascending.
    pub(super) found: Vec<u32>,
    /// Pages that are gone.
    pub(super) gone: Vec<u32>,
}

impl Ledger {
    /// Learns from one observation. Returns the previous cycle when a new one begins.
    pub(super) fn learn(&mut self, seen: &Observation) -> Option<CycleLeads> {
        let before = self.turn_to(seen.cycle);
        let open = self.open.get_or_insert_with(|| CycleLeads::begun(seen.cycle, seen.at));
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
                open.revisits.push((page, seen.since.map_or(0.0, crawl::Span::days)));
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

    /// Begins a cycle. Returns the previous one if it has observations.
    pub(super) fn turn_to(&mut self, cycle: u32) -> Option<CycleLeads> {
        self.open.take_if(|open| open.cycle != cycle).map(|ended| self.close(ended))
    }

    /// The pages revisited so far in the current cycle.
    pub(super) fn revisited(&self) -> impl Iterator<Item = u32> {
        self.open.iter().flat_map(|open| &open.revisits).map(|revisit| revisit.0)
    }

    fn close(&mut self, mut ended: CycleLeads) -> CycleLeads {
        let firsts = std::mem::take(&mut self.firsts);
        let none = std::mem::take(&mut self.none);
        self.led = BitSet::default();
        let shown = ended.rows.iter().chain(&firsts).flat_map(|(_, leads)| leads);
        ended.found = shown
            .copied()
            .filter(|page| !self.known.contains(*page) && !none.contains(page))
            .collect();
        ended.found.sort_unstable();
        ended.found.dedup();
        let of_rows = ended.rows.iter().map(|row| (row, true));
        for ((page, leads), is_revisit) in of_rows.chain(firsts.iter().map(|row| (row, false))) {
            for &lead in leads {
                self.shown_by.entry(lead).or_default().push(Shower { page: *page, is_revisit });
            }
        }
        for (page, leads) in firsts {
            self.known.insert(page);
            if leads.is_empty() {
            } else if ended.found.binary_search(&page).is_ok() {
                ended.chains.push((page, leads));
            } else {
                ended.rows.extend(self.leaders(page).into_iter().map(|key| (key, leads.clone())));
            }
        }
        for &page in &ended.found {
            self.known.insert(page);
        }
        self.drop_unneeded();
        ended
    }

    /// The held pages that led to a page, directly or through others.
    fn leaders(&self, page: u32) -> BTreeSet<u32> {
        let (mut leaders, mut met, mut waiting) = (BTreeSet::new(), BTreeSet::new(), vec![page]);
        while let Some(page) = waiting.pop() {
            for shower in self.shown_by.get(&page).into_iter().flatten() {
                if shower.is_revisit {
                    leaders.insert(shower.page);
                } else if met.insert(shower.page) {
                    waiting.push(shower.page);
                }
            }
        }
        leaders
    }

    /// Forgets who led to pages that do not wait any more, unless a waiting page was found through them.
    fn drop_unneeded(&mut self) {
        let is_waiting = |page: &&u32| !self.answered.contains(**page);
        let mut waiting: Vec<u32> = self.shown_by.keys().filter(is_waiting).copied().collect();
        let mut needed: BTreeSet<u32> = waiting.iter().copied().collect();
        while let Some(page) = waiting.pop() {
            let showers = self.shown_by.get(&page).into_iter().flatten();
            for shower in showers.filter(|shower| !shower.is_revisit) {
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

impl CycleLeads {
    /// A cycle without observations.
    fn begun(cycle: u32, at: Time) -> Self {
        Self {
            cycle,
            at,
            revisits: vec![],
            rows: vec![],
            chains: vec![],
            found: vec![],
            gone: vec![],
        }
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

    /// Appends a later cycle.
    pub(super) fn add(&mut self, later: &Self) {
        self.cycle = later.cycle;
        self.at = later.at;
        self.revisits.extend_from_slice(&later.revisits);
        self.rows.extend_from_slice(&later.rows);
        self.chains.extend_from_slice(&later.chains);
        self.found.extend_from_slice(&later.found);
        self.found.sort_unstable();
        self.gone.extend_from_slice(&later.gone);
    }
}

#[cfg(test)]
mod tests;
