//! Signals: the first asks for a clean stop, the second ends the process at once.
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use crate::failure::Failure;

/// Calls `stop` at the first SIGINT or SIGTERM. At the second the process ends where it is: what was
/// acknowledged by then is on disk, and the rest happens again.
pub(crate) fn on_signal(stop: impl Fn() + Send + 'static) -> Result<Arc<AtomicBool>, Failure> {
    let stopped = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&stopped);
    ctrlc::set_handler(move || {
        if raised.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
        stop();
    })
    .map_err(|error| Failure::Ours(format!("cannot listen for interrupts: {error}")))?;
    Ok(stopped)
}
