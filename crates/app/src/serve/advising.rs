//! Asks in the background what other budgets would buy, as `sanderling advise` does, while nothing else happens.
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use store::View;

use super::state::{State, lock};
use crate::{failure::Failure, live::advise::Advised};

/// Simulations take minutes, and one cycle more hardly changes what they say.
const INTERVAL: Duration = Duration::from_hours(1);

/// The last advice.
#[derive(Default)]
pub(crate) struct Advising {
    last: Mutex<Option<Last>>,
}

/// What came of the last attempt that was not given up.
struct Last {
    advised: Result<Arc<Advised>, String>,
    /// The end of the log that it knows.
    position: u64,
    at: Instant,
}

impl Last {
    /// A history that was too short for advice is long enough soon.
    fn is_outdated(&self, position: u64, now: Instant) -> bool {
        let is_given = self.advised.as_ref().is_ok_and(|advised| advised.advice.is_some());
        let pause = if is_given { INTERVAL } else { Duration::ZERO };
        self.position != position && now.duration_since(self.at) >= pause
    }
}

impl Advising {
    /// The last advice, or why there is none; `None` before the first.
    pub(crate) fn last(&self) -> Option<Result<Arc<Advised>, String>> {
        lock(&self.last).as_ref().map(|last| last.advised.clone())
    }

    pub(super) fn is_due(&self, position: u64, now: Instant) -> bool {
        lock(&self.last).as_ref().is_none_or(|last| last.is_outdated(position, now))
    }
}

/// Simulates with one thread, and gives up as soon as the log grows or nobody asks any more. Returns
/// whether it was finished.
pub(super) fn advise(state: &Arc<State>, position: u64) -> bool {
    // Once is enough: a crawl that has begun is not to be simulated beside.
    let is_over = AtomicBool::new(false);
    let goes_on = || {
        let published = state.following.published();
        let is_disturbed = published.position != position || published.activity.is_running;
        if is_disturbed || Arc::strong_count(state) < 2 {
            is_over.store(true, Ordering::Relaxed);
        }
        !is_over.load(Ordering::Relaxed)
    };
    let simulate = || {
        let view = View::open(state.folder())?;
        Advised::while_wanted(&state.settings, &view, state.now_of(&view), &goes_on)
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let advised = match pool {
        Ok(pool) => pool.install(simulate),
        Err(error) => {
            Err(Failure::Internal(format!("no thread can be started for advice: {error}")))
        }
    };
    let advised = match advised {
        Ok(None) => return false,
        Ok(Some(advised)) => Ok(Arc::new(advised)),
        Err(failure) => {
            let why = failure.to_string();
            state.report(why.trim_start_matches("error: "));
            Err(why)
        }
    };
    *lock(&state.advising.last) = Some(Last { advised, position, at: Instant::now() });
    true
}
