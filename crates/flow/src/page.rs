//! Pages: what is known of each, in columns by [`PageNo`].
//!
//! Planning touches every page in every cycle, so the facts it needs are plain columns. A page
//! costs about 100 bytes here besides the text of its address (`docs/benchmarks.md`).
use std::{cmp::Ordering, ops::Range};

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::{Outcome, Signal, Time};

/// Dense row of a page in one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PageNo(pub u32);

impl PageNo {
    /// The row as an index into a column.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Stable hash of a page's address; the same in every run and on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PageId(pub u64);

impl PageId {
    /// The id of the page at `address`.
    pub fn of(address: &str) -> Self {
        Self(xxh3_64(address.as_bytes()))
    }
}

/// Dense number of a host in one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct HostNo(pub u32);

/// The three states of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum State {
    /// Only seen as a link so far.
    Linked,
    /// A snapshot of it is in the repository.
    Held,
    /// It said it no longer exists.
    Gone,
}

/// Every known page.
#[derive(Clone, Debug, Default)]
pub struct Pages {
    text: String,
    ends: Vec<u64>,
    ids: Vec<PageId>,
    by_id: FxHashMap<PageId, PageNo>,
    /// Pages numbered so far in ascending order of address.
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
    said_changed: Vec<Time>,
}

/// Everything known of one page: what a repository keeps of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRecord {
    /// Its state.
    pub state: State,
    /// When it was first seen, as a link or otherwise.
    pub first_seen: Time,
    /// When it was last visited, also where that failed.
    pub last_tried: Option<Time>,
    /// When a visit last told us something.
    pub last_seen: Option<Time>,
    /// How many visits told us something.
    pub visits: u32,
    /// How many visits found a change.
    pub changes: u32,
    /// How many visits in a row did not find it.
    pub misses: u8,
    /// How many visits in a row failed.
    pub failures: u8,
    /// The latest change that a sitemap or feed claims for it.
    pub said_changed: Option<Time>,
}

impl Pages {
    /// How many pages are known.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// All page numbers, in order.
    pub fn numbers(&self) -> impl Iterator<Item = PageNo> + use<> {
        (0..self.ids.len() as u32).map(PageNo)
    }

    /// The page at `address`, which becomes known now if it was not.
    ///
    /// # Panics
    /// At the four billionth page, which [`PageNo`] cannot number.
    pub fn admit(&mut self, address: &str, now: Time) -> PageNo {
        let id = PageId::of(address);
        if let Some(&page) = self.by_id.get(&id) {
            return page;
        }
        let page = PageNo(u32::try_from(self.ids.len()).expect("fewer than four billion pages"));
        if self.ordered == self.ids.len()
            && self.ids.last().is_none_or(|_| self.address(PageNo(page.0 - 1)) < address)
        {
            self.ordered += 1;
        }
        self.text.push_str(address);
        self.ends.push(self.text.len() as u64);
        self.by_id.insert(id, page);
        self.ids.push(id);
        let host = self.admit_host(host_of(address));
        self.hosts.push(host);
        self.states.push(State::Linked);
        self.first_seen.push(now);
        self.last_tried.push(Time::NEVER);
        self.last_seen.push(Time::NEVER);
        self.visits.push(0);
        self.changes.push(0);
        self.misses.push(0);
        self.failures.push(0);
        self.said_changed.push(Time::NEVER);
        page
    }

    /// Everything known of a page.
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
            said_changed: self.said_changed[row].known(),
        }
    }

    /// Makes the page at `address` known again as a repository kept it.
    pub fn restore(&mut self, address: &str, record: &PageRecord) -> PageNo {
        let page = self.admit(address, record.first_seen);
        let row = page.index();
        self.states[row] = record.state;
        self.last_tried[row] = record.last_tried.unwrap_or(Time::NEVER);
        self.last_seen[row] = record.last_seen.unwrap_or(Time::NEVER);
        self.visits[row] = record.visits;
        self.changes[row] = record.changes;
        self.misses[row] = record.misses;
        self.failures[row] = record.failures;
        self.said_changed[row] = record.said_changed.unwrap_or(Time::NEVER);
        page
    }

    fn admit_host(&mut self, name: &str) -> HostNo {
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
        self.by_id.get(&PageId::of(address)).copied()
    }

    /// Takes in what a visit at `at` found. Also how the pages are rebuilt at start: the log is
    /// played to them.
    pub fn absorb(&mut self, page: PageNo, at: Time, outcome: Outcome) {
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

    /// Takes in that a sitemap or feed gives a date for a page. The latest claim is kept; none is
    /// believed.
    pub fn signal(&mut self, signal: Signal) {
        let said = &mut self.said_changed[signal.page.index()];
        *said = (*said).max(signal.changed);
    }

    /// Takes in that a visit led to a page. One that was gone may be there now: it waits for a visit
    /// as one that was never held does, though not at once where it was missed often.
    pub fn lead(&mut self, page: PageNo) {
        let state = &mut self.states[page.index()];
        if *state == State::Gone {
            *state = State::Linked;
        }
    }

    /// The address of a page.
    pub fn address(&self, page: PageNo) -> &str {
        let start = page.index().checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.text[Range { start, end: self.ends[page.index()] as usize }]
    }

    /// The byte order of two pages' addresses.
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

    /// The host with this name, if a page of it is known.
    pub fn find_host(&self, name: &str) -> Option<HostNo> {
        self.host_by_name.get(name).copied()
    }

    /// How many hosts there are.
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

    /// When a page was first seen, as a link or otherwise.
    pub fn first_seen(&self, page: PageNo) -> Time {
        self.first_seen[page.index()]
    }

    /// When a page was last visited, also where that failed.
    pub fn last_tried(&self, page: PageNo) -> Option<Time> {
        self.last_tried[page.index()].known()
    }

    /// When a visit to a page last told us something.
    pub fn last_seen(&self, page: PageNo) -> Option<Time> {
        self.last_seen[page.index()].known()
    }

    /// How many visits told us something, the first included.
    pub fn visits(&self, page: PageNo) -> u32 {
        self.visits[page.index()]
    }

    /// How many visits found a change.
    pub fn changes(&self, page: PageNo) -> u32 {
        self.changes[page.index()]
    }

    /// How many visits in a row did not find a page.
    pub fn misses(&self, page: PageNo) -> u8 {
        self.misses[page.index()]
    }

    /// How many visits in a row to a page failed.
    pub fn failures(&self, page: PageNo) -> u8 {
        self.failures[page.index()]
    }

    /// The latest change that a sitemap or feed claims for a page; not to be trusted blindly.
    pub fn said_changed(&self, page: PageNo) -> Option<Time> {
        self.said_changed[page.index()].known()
    }
}

/// The host part of an address; all of it where there is none.
fn host_of(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())]
}

#[cfg(test)]
mod tests;
