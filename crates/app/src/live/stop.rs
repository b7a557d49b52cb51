//! Signals: the first one stops cleanly, the second one at once.
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use crate::failure::Failure;

/// Calls `stop` at the first SIGINT or SIGTERM. The second one ends the process at once: acknowledged
/// work is on disk, the rest will be done again. Returns a flag that the first signal sets.
pub(crate) fn on_signal(stop: impl Fn() + Send + 'static) -> Result<Arc<AtomicBool>, Failure> {
    let stopped = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&stopped);
    ctrlc::set_handler(move || {
        if raised.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
        stop();
    })
    .map_err(|error| Failure::Internal(format!("cannot listen for signals: {error}")))?;
    Ok(stopped)
}
