//! The known pages, stored as columns indexed by [`PageNo`].
//!
//! Planning reads every page in every cycle, so the data is in plain columns. A page costs about
//! 100 bytes besides the text of its address (`docs/benchmarks.md`).
use std::{cmp::Ordering, ops::Range};

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::{Outcome, Signal, Time};

/// The number of a page in one run; numbers are dense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PageNo(pub u32);

impl PageNo {
    /// The number as an index into a column.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A hash of a page's address; the same in every run and on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PageId(pub u64);

impl PageId {
    /// The id of the page at `address`.
    pub fn from_address(address: &str) -> Self {
        Self(xxh3_64(address.as_bytes()))
    }
}

/// The number of a host in one run; numbers are dense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct HostNo(pub u32);

/// The three states of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum State {
    /// Known from links only.
    Linked,
    /// The repository has a snapshot of it.
    Held,
    /// The server says that it no longer exists.
    Gone,
}

/// Every known page.
#[derive(Clone, Debug, Default)]
pub struct Pages {
    /// All addresses, one after the other.
    addresses: String,
    /// Where each address ends.
    ends: Vec<u64>,
    ids: Vec<PageId>,
    by_id: FxHashMap<PageId, PageNo>,
    /// The first so many pages are in ascending order of address.
    ordered: usize,
    host_names: Vec<String>,
    host_by_name: FxHashMap<String, HostNo>,
    hosts: Vec<HostNo>,
    states: Vec<State>,
    first_seen: Vec<Time>,
    last_tried: Vec<Time>,
    last_seen: Vec<Time>,
    visits: Vec<u32>,
    changes: Vec<u32>,
    misses: Vec<u8>,
    failures: Vec<u8>,
    claimed_change: Vec<Time>,
}

/// Everything known about one page, as a repository stores it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRecord {
    /// Its state.
    pub state: State,
    /// When it became known.
    pub first_seen: Time,
    /// The last visit, failed ones included.
    pub last_tried: Option<Time>,
    /// The last conclusive visit.
    pub last_seen: Option<Time>,
    /// The number of conclusive visits.
    pub visits: u32,
    /// The number of visits that found a change.
    pub changes: u32,
    /// The number of misses (404) in a row.
    pub misses: u8,
    /// The number of failures in a row.
    pub failures: u8,
    /// The latest change that a sitemap or feed claims.
    pub claimed_change: Option<Time>,
}

impl PageRecord {
    /// Whether it was held before, or is.
    pub fn was_held(&self) -> bool {
        // That a held page goes away is a change.
        self.state == State::Held || self.changes > 0
    }

    /// Whether it is a dead link: never held, and not found when last visited.
    pub fn is_missing(&self) -> bool {
        !self.was_held() && self.misses > 0
    }

    /// Its state in a word for people and programs: linked, held, missing or gone.
    pub fn state_name(&self) -> &'static str {
        match self.state {
            _ if self.is_missing() => "missing",
            State::Linked => "linked",
            State::Held => "held",
            State::Gone => "gone",
        }
    }
}

impl Pages {
    /// The number of known pages.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether no page is known.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// All page numbers, in order.
    pub fn numbers(&self) -> impl Iterator<Item = PageNo> + use<> {
        (0..self.ids.len() as u32).map(PageNo)
    }

    /// The page at `address`. If it is new, it becomes known now.
    ///
    /// # Panics
    /// At more than four billion pages, which [`PageNo`] cannot number.
    pub fn insert(&mut self, address: &str, now: Time) -> PageNo {
        let id = PageId::from_address(address);
        if let Some(&page) = self.by_id.get(&id) {
            return page;
        }
        let page = PageNo(u32::try_from(self.ids.len()).expect("fewer than four billion pages"));
        if self.ordered == self.ids.len()
            && self.ids.last().is_none_or(|_| self.address(PageNo(page.0 - 1)) < address)
        {
            self.ordered += 1;
        }
        self.addresses.push_str(address);
        self.ends.push(self.addresses.len() as u64);
        self.by_id.insert(id, page);
        self.ids.push(id);
        let host = self.insert_host(host_of(address));
        self.hosts.push(host);
        self.states.push(State::Linked);
        self.first_seen.push(now);
        self.last_tried.push(Time::NEVER);
        self.last_seen.push(Time::NEVER);
        self.visits.push(0);
        self.changes.push(0);
        self.misses.push(0);
        self.failures.push(0);
        self.claimed_change.push(Time::NEVER);
        page
    }

    /// Everything known about a page.
    pub fn record(&self, page: PageNo) -> PageRecord {
        let row = page.index();
        PageRecord {
            state: self.states[row],
            first_seen: self.first_seen[row],
            last_tried: self.last_tried[row].known(),
            last_seen: self.last_seen[row].known(),
            visits: self.visits[row],
            changes: self.changes[row],
            misses: self.misses[row],
            failures: self.failures[row],
            claimed_change: self.claimed_change[row].known(),
        }
    }

    /// Restores the page at `address` from a repository.
    pub fn restore(&mut self, address: &str, record: &PageRecord) -> PageNo {
        let page = self.insert(address, record.first_seen);
        let row = page.index();
        self.states[row] = record.state;
        self.last_tried[row] = record.last_tried.unwrap_or(Time::NEVER);
        self.last_seen[row] = record.last_seen.unwrap_or(Time::NEVER);
        self.visits[row] = record.visits;
        self.changes[row] = record.changes;
        self.misses[row] = record.misses;
        self.failures[row] = record.failures;
        self.claimed_change[row] = record.claimed_change.unwrap_or(Time::NEVER);
        page
    }

    fn insert_host(&mut self, name: &str) -> HostNo {
        if let Some(&host) = self.host_by_name.get(name) {
            return host;
        }
        let host = HostNo(self.host_names.len() as u32);
        self.host_names.push(name.to_owned());
        self.host_by_name.insert(name.to_owned(), host);
        host
    }

    /// The page at `address`, if it is known.
    pub fn find(&self, address: &str) -> Option<PageNo> {
        self.by_id.get(&PageId::from_address(address)).copied()
    }

    /// Records the outcome of a visit at `at`. At start the log is replayed through it.
    pub fn apply(&mut self, page: PageNo, at: Time, outcome: Outcome) {
        let row = page.index();
        self.last_tried[row] = at;
        let was = self.states[row];
        match outcome {
            Outcome::Unreached => return,
            Outcome::Failed | Outcome::Refused => {
                self.failures[row] = self.failures[row].saturating_add(1);
                return;
            }
            Outcome::Missing => {
                self.failures[row] = 0;
                self.misses[row] = self.misses[row].saturating_add(1);
                return;
            }
            Outcome::Gone => {
                self.states[row] = State::Gone;
                self.misses[row] = self.misses[row].saturating_add(1);
            }
            Outcome::First | Outcome::Same | Outcome::Changed(_) => {
                self.states[row] = State::Held;
                self.misses[row] = 0;
            }
        }
        self.failures[row] = 0;
        self.last_seen[row] = at;
        self.visits[row] += 1;
        let changed = matches!(outcome, Outcome::Changed(_))
            || (outcome == Outcome::Gone && was == State::Held);
        self.changes[row] += u32::from(changed);
    }

    /// Records the change date that a sitemap, feed or notice claims. The latest claim is kept. It is not
    /// trusted. [Sources without dates](crate::SignalSource::has_date) do not count.
    pub fn signal(&mut self, signal: Signal) {
        if !signal.source.has_date() {
            return;
        }
        let claimed = &mut self.claimed_change[signal.page.index()];
        *claimed = (*claimed).max(signal.changed);
    }

    /// Records a new link to a page. If the page was gone it may exist now, so it waits for a visit
    /// like a page that was never held. [`Known::is_due`](crate::Known::is_due) delays that visit
    /// where the page was missed often.
    pub fn relink(&mut self, page: PageNo) {
        let state = &mut self.states[page.index()];
        if *state == State::Gone {
            *state = State::Linked;
        }
    }

    /// The address of a page.
    pub fn address(&self, page: PageNo) -> &str {
        let start = page.index().checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.addresses[Range { start, end: self.ends[page.index()] as usize }]
    }

    /// Compares the addresses of two pages byte by byte.
    pub fn address_order(&self, a: PageNo, b: PageNo) -> Ordering {
        if a.index() < self.ordered && b.index() < self.ordered {
            a.cmp(&b)
        } else {
            self.address(a).cmp(self.address(b))
        }
    }

    /// The stable id of a page.
    pub fn id(&self, page: PageNo) -> PageId {
        self.ids[page.index()]
    }

    /// The host of a page.
    pub fn host(&self, page: PageNo) -> HostNo {
        self.hosts[page.index()]
    }

    /// The name of a host, with its port where addresses give one.
    pub fn host_name(&self, host: HostNo) -> &str {
        &self.host_names[host.0 as usize]
    }

    /// The host with this name, if one of its pages is known.
    pub fn find_host(&self, name: &str) -> Option<HostNo> {
        self.host_by_name.get(name).copied()
    }

    /// The number of hosts.
    pub fn host_count(&self) -> usize {
        self.host_names.len()
    }

    /// The state of a page.
    pub fn state(&self, page: PageNo) -> State {
        self.states[page.index()]
    }

    /// The state of every page, by page number.
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// When a page became known.
    pub fn first_seen(&self, page: PageNo) -> Time {
        self.first_seen[page.index()]
    }

    /// The last visit of a page, failed ones included.
    pub fn last_tried(&self, page: PageNo) -> Option<Time> {
        self.last_tried[page.index()].known()
    }

    /// The last conclusive visit of a page.
    pub fn last_seen(&self, page: PageNo) -> Option<Time> {
        self.last_seen[page.index()].known()
    }

    /// The number of conclusive visits, the first included.
    pub fn visits(&self, page: PageNo) -> u32 {
        self.visits[page.index()]
    }

    /// The number of visits that found a change.
    pub fn changes(&self, page: PageNo) -> u32 {
        self.changes[page.index()]
    }

    /// Whether a page was held before, or is.
    pub fn was_held(&self, page: PageNo) -> bool {
        self.record(page).was_held()
    }

    /// Whether a page is a dead link: never held, and not found when last visited.
    pub fn is_missing(&self, page: PageNo) -> bool {
        self.misses[page.index()] > 0 && self.record(page).is_missing()
    }

    /// The number of misses (404) in a row.
    pub fn misses(&self, page: PageNo) -> u8 {
        self.misses[page.index()]
    }

    /// The number of failures in a row.
    pub fn failures(&self, page: PageNo) -> u8 {
        self.failures[page.index()]
    }

    /// The latest change that a sitemap or feed claims. Do not trust it blindly.
    pub fn claimed_change(&self, page: PageNo) -> Option<Time> {
        self.claimed_change[page.index()].known()
    }
}

/// The host part of an address; the whole address where it has none.
fn host_of(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())]
}

#[cfg(test)]
mod tests;
