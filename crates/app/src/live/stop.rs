//! Signals: the first one stops cleanly, the second one at once.
use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use web::Stopper;

use super::session::Session;
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

/// Stops the session that is open when a signal comes. A command may open one after the other.
pub(crate) struct StopSignal {
    stopper: Arc<Mutex<Option<Stopper>>>,
    flag: Arc<AtomicBool>,
}

impl StopSignal {
    /// Listens from now on.
    pub(crate) fn listen() -> Result<Self, Failure> {
        let stopper: Arc<Mutex<Option<Stopper>>> = Arc::default();
        let current = Arc::clone(&stopper);
        let flag = on_signal(move || {
            let current = current.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(stopper) = &*current {
                stopper.stop();
            }
        })?;
        Ok(Self { stopper, flag })
    }

    /// This session is the one to stop.
    pub(crate) fn stops(&mut self, session: &Session) {
        let stopper = session.crawl.world.stopper();
        if self.flag.load(Ordering::SeqCst) {
            stopper.stop();
        }
        *self.stopper.lock().unwrap_or_else(PoisonError::into_inner) = Some(stopper);
    }

    /// Set by the first signal.
    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }
}
