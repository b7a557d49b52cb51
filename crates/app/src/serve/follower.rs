//! The thread that follows the log.
use std::{
    sync::{
        Arc,
        mpsc::{self, RecvTimeoutError},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use store::{StoreError, View};

use super::state::State;

/// How often the log is checked and counted queries are written.
const TICK: Duration = Duration::from_secs(2);
/// The longest time between two publications. Without new visits pages still age.
const OLDEST: Duration = Duration::from_secs(30);
/// After working, the thread pauses this many times as long: it uses at most a fortieth of a core, so that
/// it hardly slows a crawl.
const PAUSE: u32 = 40;
const LONGEST_PAUSE: Duration = Duration::from_mins(2);

/// The thread that follows the log. It ends when this is dropped.
pub(crate) struct Follower {
    stop: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Follower {
    pub(crate) fn start(state: Arc<State>) -> std::io::Result<Self> {
        let (stop, stopped) = mpsc::channel();
        let follow = move || {
            let mut turn = Turn { view: None, pause_until: Instant::now(), published: None };
            loop {
                turn.take(&state);
                state.write_log();
                // Nothing is ever sent; the sender is dropped to stop.
                if stopped.recv_timeout(TICK) != Err(RecvTimeoutError::Timeout) {
                    break;
                }
            }
            state.write_log();
        };
        let thread = thread::Builder::new().name("following".to_owned()).spawn(follow)?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has stopped already.
            let _ = thread.join();
        }
    }
}

/// The state of the thread.
struct Turn {
    view: Option<View>,
    pause_until: Instant,
    published: Option<(u64, Instant)>,
}

impl Turn {
    fn take(&mut self, state: &State) {
        let start = Instant::now();
        if start < self.pause_until {
            return;
        }
        let is_first = self.published.is_none();
        match self.follow(state) {
            Ok(is_new) => {
                state.summaries.work(state);
                if is_new {
                    state.changed();
                }
                // Reading the whole log for the first time does not count.
                let worked = if is_first { Duration::ZERO } else { start.elapsed() };
                self.pause_until = Instant::now() + (worked * PAUSE).min(LONGEST_PAUSE);
            }
            Err(error) => {
                self.view = None;
                state.report(&crate::failure::with_causes(&error));
            }
        }
    }

    /// Publishes what is new, and says whether it did.
    fn follow(&mut self, state: &State) -> Result<bool, StoreError> {
        let view = match self.view.take() {
            Some(view) => view,
            None => View::open(state.folder())?,
        };
        let position = view.position()?;
        let is_new = self
            .published
            .is_none_or(|(published, at)| published != position || at.elapsed() >= OLDEST);
        if is_new {
            state.following.catch_up(&view, &state.settings, || state.now_of(&view))?;
            self.published = Some((position, Instant::now()));
        }
        self.view = Some(view);
        Ok(is_new)
    }
}
