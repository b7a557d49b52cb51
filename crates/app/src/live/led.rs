//! What a page led to, for whoever asks about it.
use flow::{Observation, PageNo, Reason, Time};

use super::tally::{counted, instant};

/// What a page led to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Led {
    /// Visits to it after the first that told something.
    looks: u64,
    /// Links to new pages that they showed.
    pub(super) leads: u64,
    /// When that was last.
    pub(super) last: Option<Time>,
}

impl Led {
    pub(super) fn learn(&mut self, page: PageNo, seen: &Observation) {
        if seen.page == page && seen.reason != Reason::First && seen.since.is_some() {
            self.looks += 1;
            self.leads += seen.leads.len() as u64;
            if !seen.leads.is_empty() {
                self.last = Some(seen.at);
            }
        }
    }

    pub(super) fn words(&self) -> String {
        let looks = counted(self.looks, "later visit", "later visits");
        match self.last {
            None if self.looks == 0 => "not visited again since its first visit".to_owned(),
            None => format!("to no new page in {looks}"),
            Some(last) => {
                let pages = counted(self.leads, "new page", "new pages");
                format!("to {pages} in {looks}, last at {}", instant(last))
            }
        }
    }
}
