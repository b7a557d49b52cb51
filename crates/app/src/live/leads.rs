//! New pages that visits to a page discovered.
use crawl::{Observation, PageNo, Reason, Time};

use super::tally::{counted, instant};

/// New pages that a page linked to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Leads {
    /// Answered visits after the first.
    visits: u64,
    /// Links to new pages that they found.
    pub(super) pages: u64,
    /// When the last one was found.
    pub(super) last: Option<Time>,
}

impl Leads {
    pub(super) fn learn(&mut self, page: PageNo, seen: &Observation) {
        if seen.page == page && seen.reason != Reason::First && seen.since.is_some() {
            self.visits += 1;
            self.pages += seen.leads.len() as u64;
            if !seen.leads.is_empty() {
                self.last = Some(seen.at);
            }
        }
    }

    pub(super) fn words(&self) -> String {
        let visits = counted(self.visits, "later visit", "later visits");
        match self.last {
            None if self.visits == 0 => {
                "unknown: not visited again after the first time".to_owned()
            }
            None => format!("no new page in {visits}"),
            Some(last) => {
                let pages = counted(self.pages, "new page", "new pages");
                format!("{pages} in {visits}, last at {}", instant(last))
            }
        }
    }
}
