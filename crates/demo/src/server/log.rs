//! Counts and records requests.
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crawl::Time;

/// A request and the status of its response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Empty if it is not a host of the web.
    pub host: &'static str,
    /// The path and the query.
    pub path: String,
    /// When it came, on the clock of the web.
    pub at: Time,
    /// The status of the answer.
    pub status: u16,
}

/// The number of responses of a host with a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostCount {
    /// Empty for all other hosts.
    pub host: &'static str,
    /// The status.
    pub status: u16,
    /// The number of requests.
    pub requests: u64,
}

/// Counts always, records requests on demand. Locks are held for an insertion only, never across an
/// await.
#[derive(Default)]
pub(super) struct Log {
    counts: Mutex<BTreeMap<(&'static str, u16), u64>>,
    keep: AtomicBool,
    arrivals: Mutex<Vec<Arrival>>,
}

impl Log {
    pub(super) fn add(&self, host: &'static str, path: &str, at: Time, status: u16) {
        *lock(&self.counts).entry((host, status)).or_default() += 1;
        if self.keep.load(Ordering::Relaxed) {
            lock(&self.arrivals).push(Arrival { host, path: path.to_owned(), at, status });
        }
    }

    pub(super) fn keep(&self, keep: bool) {
        self.keep.store(keep, Ordering::Relaxed);
    }

    pub(super) fn counts(&self) -> Vec<HostCount> {
        let counts = lock(&self.counts);
        let rows = counts.iter();
        rows.map(|((host, status), requests)| HostCount {
            host,
            status: *status,
            requests: *requests,
        })
        .collect()
    }

    pub(super) fn visits(&self) -> Vec<Arrival> {
        lock(&self.arrivals).clone()
    }
}

/// A poisoned lock is still consistent: every step leaves the data complete.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
