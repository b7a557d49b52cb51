//! What was appended and is not written yet.
use std::collections::BTreeMap;
use std::sync::Arc;

use crawl::{
    Exchange, HostState, Observation, PageNo, PageRecord, RobotsCopy, Snapshot, Time, Validators,
};

/// How a cycle begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CycleStart {
    /// What it is: `crawl` or `refresh`.
    pub kind: String,
    /// The policy that plans it.
    pub policy: String,
    /// What counts as a change.
    pub detector: String,
    /// How many visits it may make; `None` where there is no limit.
    pub budget: Option<u32>,
    /// The seed of the random generator.
    pub seed: u64,
    /// When it begins.
    pub at: Time,
}

/// Everything that one transaction writes.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) visits: Vec<QueuedVisit>,
    pub(crate) pages: Vec<NewPage>,
    /// Hosts that the pages brought.
    pub(crate) hosts: Vec<(u32, String)>,
    /// Lists of links that became known: number, digest and packed pages.
    pub(crate) lists: Vec<(u32, u64, Vec<u8>)>,
    pub(crate) robots: Vec<RobotsCopy>,
    pub(crate) host_states: BTreeMap<String, HostState>,
    /// States of pages that were read back: the instrument, the page, the visit that brought what is
    /// held, the state.
    pub(crate) page_states: Vec<(&'static str, PageNo, i64, Vec<u8>)>,
    /// States of instruments as a whole.
    pub(crate) states: Vec<(&'static str, Vec<u8>)>,
    pub(crate) cycle: Option<CycleMark>,
    pub(crate) meta: Vec<(String, String)>,
    /// About how much memory all this takes.
    pub(crate) bytes: usize,
}

/// The edge of a cycle. A batch has at most one, since the next waits for it.
#[derive(Clone, Debug)]
pub(crate) enum CycleMark {
    Begins {
        no: u32,
        /// The number that the next visit will have.
        first: u64,
        start: CycleStart,
    },
    Ends {
        no: u32,
        at: Time,
    },
}

/// One visit, with all that it changed.
#[derive(Debug)]
pub(crate) struct QueuedVisit {
    pub(crate) no: u64,
    pub(crate) seen: Observation,
    /// The page as it was after the visit.
    pub(crate) record: PageRecord,
    /// The list of links it showed then.
    pub(crate) list: Option<u32>,
    /// The pages that were gone, and that it led to.
    pub(crate) back: Vec<PageNo>,
    pub(crate) new: Option<Arc<Snapshot>>,
    /// New states of the page, by instrument.
    pub(crate) states: Vec<(&'static str, Vec<u8>)>,
    /// What to ask by from now on, where that changed.
    pub(crate) validators: Option<Validators>,
    pub(crate) exchange: Option<Box<Exchange>>,
}

/// A page that became known.
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

/// About how much memory an exchange takes.
pub(crate) fn exchange_bytes(exchange: &Exchange) -> usize {
    exchange.body.len() + exchange.request_head.len() + exchange.response_head.len() + 256
}
