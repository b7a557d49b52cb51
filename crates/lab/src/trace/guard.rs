//! Panics of the Parquet crate on damaged files, turned into errors.
//!
//! The crate is written for files that are whole, and on damaged ones it may stop with a failed
//! assertion (14 of 3,826 readings of a small trace with a flipped byte or a cut, in
//! `tests/trace.rs`). What it was working on is dropped, so nothing half-done is seen afterwards.
use std::{
    cell::Cell,
    panic::{self, AssertUnwindSafe},
    path::Path,
    sync::Once,
};

use super::TraceError;

thread_local! {
    /// Whether this thread's panics are caught and told as errors.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs `read`; a panic in it is an error at `row`, and nothing is printed.
pub(super) fn guarded<T>(
    path: &Path,
    row: u64,
    read: impl FnOnce() -> Result<T, TraceError>,
) -> Result<T, TraceError> {
    stay_quiet_while_guarded();
    let before = GUARDED.replace(true);
    let outcome = panic::catch_unwind(AssertUnwindSafe(read));
    GUARDED.set(before);
    outcome.unwrap_or_else(|_| Err(TraceError::GaveUp { path: path.to_owned(), row }))
}

/// Puts a hook before the one in place that leaves it out while a thread is guarded.
fn stay_quiet_while_guarded() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !GUARDED.get() {
                before(panic);
            }
        }));
    });
}
