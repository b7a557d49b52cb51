//! What the server remembers of those who came.
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use flow::Time;

/// One request that was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The host asked; empty where it is none of ours.
    pub host: &'static str,
    /// The path and the query.
    pub path: String,
    /// When it came, by the web's clock.
    pub at: Time,
    /// The status of the answer.
    pub status: u16,
}

/// How often a host answered with a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostCount {
    /// The host; empty for all that are none of ours.
    pub host: &'static str,
    /// The status.
    pub status: u16,
    /// How often.
    pub requests: u64,
}

/// Counts always, arrivals when asked to. The locks are held for an insertion only, never across an
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

/// Counts and logs are whole after every step, so a panic elsewhere does not spoil them.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
