//! The write batch: what was appended and is not written yet.
use std::collections::BTreeMap;
use std::sync::Arc;

use crawl::{
    Allowance, Exchange, HostState, Observation, PageNo, PageRecord, RobotsCopy, Snapshot, Time,
    Validators,
};

/// Settings of a new cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CycleStart {
    /// `crawl` or `refresh`.
    pub kind: String,
    /// Policy spec.
    pub policy: String,
    /// Change detector.
    pub detector: String,
    /// Budget in its unit; `None` for no limit.
    pub budget: Option<Allowance>,
    /// Seed of the random generator.
    pub seed: u64,
    /// Start time.
    pub at: Time,
}

/// Everything that one transaction writes.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) visits: Vec<QueuedVisit>,
    pub(crate) pages: Vec<NewPage>,
    /// New hosts.
    pub(crate) hosts: Vec<(u32, String)>,
    /// New link lists: number, digest and packed pages.
    pub(crate) lists: Vec<(u32, u64, Vec<u8>)>,
    pub(crate) robots: Vec<RobotsCopy>,
    pub(crate) host_states: BTreeMap<String, HostState>,
    /// Page states recomputed from the archive: instrument, page, observation of the held snapshot,
    /// state.
    pub(crate) page_states: Vec<(&'static str, PageNo, i64, Vec<u8>)>,
    /// Global states, by instrument.
    pub(crate) states: Vec<(&'static str, Vec<u8>)>,
    pub(crate) cycle: Option<CycleEvent>,
    pub(crate) meta: Vec<(String, String)>,
    /// Approximate memory use.
    pub(crate) bytes: usize,
}

/// Start or end of a cycle. A batch has at most one, because callers flush it.
#[derive(Clone, Debug)]
pub(crate) enum CycleEvent {
    Start {
        no: u32,
        /// Number of the cycle's first observation.
        first: u64,
        start: CycleStart,
    },
    End {
        no: u32,
        at: Time,
        /// Bytes received.
        received: u64,
    },
}

/// One visit and everything that it changed.
#[derive(Debug)]
pub(crate) struct QueuedVisit {
    pub(crate) no: u64,
    pub(crate) seen: Observation,
    /// The page after the visit.
    pub(crate) record: PageRecord,
    /// Number of the link list of the page after the visit.
    pub(crate) list: Option<u32>,
    /// Pages among its leads that may have been gone.
    pub(crate) relinked: Vec<PageNo>,
    pub(crate) new: Option<Arc<Snapshot>>,
    /// New states of the page, by instrument.
    pub(crate) states: Vec<(&'static str, Vec<u8>)>,
    /// New validators, if they changed.
    pub(crate) validators: Option<Validators>,
    pub(crate) exchange: Option<Box<Exchange>>,
}

/// A newly discovered page.
#[derive(Debug)]
pub(crate) struct NewPage {
    pub(crate) page: PageNo,
    pub(crate) address: String,
    pub(crate) host: u32,
    pub(crate) record: PageRecord,
}

impl Batch {
    pub(crate) fn is_empty(&self) -> bool {
        self.visits.is_empty()
            && self.pages.is_empty()
            && self.robots.is_empty()
            && self.host_states.is_empty()
            && self.page_states.is_empty()
            && self.states.is_empty()
            && self.cycle.is_none()
            && self.meta.is_empty()
    }
}

/// Approximate memory use of an exchange.
pub(crate) fn exchange_bytes(exchange: &Exchange) -> usize {
    exchange.body.len() + exchange.request_head.len() + exchange.response_head.len() + 256
}
