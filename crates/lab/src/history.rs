//! A history: every version of every page of a web over a window of time, already read.
//!
//! Recorded traces and synthetic webs both become a history; worlds, oracles and metrics use it.
use std::sync::Arc;

use crawl::{Snapshot, Span, Time};

/// Every version of every page of a web, over a window of time.
#[derive(Clone, Debug)]
pub struct History {
    /// The name used in results.
    pub name: String,
    /// A description of its origin.
    pub source: String,
    /// The time it covers.
    pub window: Window,
    /// Its pages, in the byte order of their addresses.
    pub pages: Vec<PageHistory>,
    /// The distinct readings that versions refer to, without their texts.
    pub readings: Vec<Arc<Snapshot>>,
}

/// A span of time with known ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Its first instant.
    pub start: Time,
    /// Its last instant.
    pub end: Time,
}

impl Window {
    /// How long it is.
    pub fn length(&self) -> Span {
        self.end - self.start
    }
}

/// Every version of one page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageHistory {
    /// Where it is.
    pub address: String,
    /// Its versions, by time.
    pub versions: Vec<Version>,
}

/// One content of one page, from its time until the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// When it appeared.
    pub at: Time,
    /// Its reading in [`History::readings`]; `None` while the page is gone.
    pub reading: Option<u32>,
}

/// The folder address of an index file. Links use either form; a web knows only one of them.
pub(crate) fn folder_of_index(address: &str) -> Option<&str> {
    ["index.html", "index.htm"]
        .iter()
        .find_map(|file| address.strip_suffix(file))
        .filter(|folder| folder.ends_with('/'))
}

impl PageHistory {
    /// The row of the version live at `at`; `None` before the first version.
    pub fn live(&self, at: Time) -> Option<usize> {
        self.versions.partition_point(|version| version.at <= at).checked_sub(1)
    }

    /// The reading live at `at`; `None` if the page does not exist then.
    pub fn reading(&self, at: Time) -> Option<u32> {
        self.versions[self.live(at)?].reading
    }
}
