//! Turns panics of the Parquet crate on damaged files into errors.
//!
//! The crate can panic on damaged files (14 of 3,826 reads of a small trace with a flipped byte or
//! truncated, in `tests/trace.rs`). Its state is dropped after a panic, so no partial result is
//! used.
use std::{
    cell::Cell,
    panic::{self, AssertUnwindSafe},
    path::Path,
    sync::Once,
};

use super::TraceError;

thread_local! {
    /// Whether this thread's panics are caught and returned as errors.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs `read`. A panic becomes an error at `row`, and nothing is printed.
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

/// Installs a panic hook that is silent on guarded threads and otherwise calls the previous hook.
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
