//! What is believed of the held pages, kept up to the log off the path of requests: a thread plays
//! what is new, and answers take what was published last.
use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        mpsc::{self, RecvTimeoutError},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use flow::{PageNo, State as PageState, Time};
use policy::FreshnessEstimate;
use store::{Followed, StoreError, View};

use super::state::{State, lock};
use crate::live::{status::Status, tally::Tally};

/// The log is looked at this often, and what was counted is written.
const TICK: Duration = Duration::from_secs(2);
/// What is published is this old at most, even where nothing is new: pages age by themselves.
const OLDEST: Duration = Duration::from_secs(30);
/// After working, the thread rests this many times as long: it takes a twentieth of one core at most.
const REST: u32 = 20;

/// What was published last, and what it comes from.
pub(crate) struct Following {
    folder: PathBuf,
    beliefs: RwLock<Beliefs>,
    published: Mutex<Arc<Published>>,
}

/// The log, as far as it was played.
#[derive(Default)]
struct Beliefs {
    followed: Followed,
    estimate: FreshnessEstimate,
    tally: Tally,
}

/// What answers are made from.
#[derive(Clone, Debug)]
pub(crate) struct Published {
    pub(crate) status: Status,
    /// The number of the last observation that the estimates know of; 0 while the log is first read.
    pub(crate) position: u64,
    /// Every observation by outcome.
    pub(crate) tally: Tally,
    /// The mean time since held pages were last seen, in seconds.
    pub(crate) mean_seconds_since_seen: Option<f64>,
}

impl Following {
    /// Publishes what can be told at once; estimates come when the log has been played.
    pub(crate) fn begin(folder: &Path, view: &View, now: Time) -> Result<Self, StoreError> {
        let published = Published {
            status: Status::of(folder, view, now, None)?,
            position: 0,
            tally: Tally::default(),
            mean_seconds_since_seen: None,
        };
        Ok(Self {
            folder: folder.to_owned(),
            beliefs: RwLock::default(),
            published: Mutex::new(Arc::new(published)),
        })
    }

    /// What was published last.
    pub(crate) fn published(&self) -> Arc<Published> {
        Arc::clone(&lock(&self.published))
    }

    /// Changes of a page per day, as believed; `None` of a page that was never seen, and while new
    /// observations are being taken in: nobody waits for that.
    pub(crate) fn rate(&self, page: PageNo, now: Time) -> Option<f64> {
        let beliefs = self.beliefs.try_read().ok()?;
        let pages = beliefs.followed.pages();
        let is_seen = page.index() < pages.len() && pages.last_seen(page).is_some();
        is_seen.then(|| beliefs.estimate.rate(page, pages, now))
    }

    /// The chance that a held page is still as it was seen.
    pub(crate) fn fresh_chance(&self, page: PageNo, now: Time) -> Option<f64> {
        let beliefs = self.beliefs.try_read().ok()?;
        let pages = beliefs.followed.pages();
        let is_held = page.index() < pages.len() && pages.state(page) == PageState::Held;
        is_held.then(|| beliefs.estimate.fresh_chance(page, pages, now)).flatten()
    }

    /// The number of a page, without asking the database, which has no index by address.
    pub(crate) fn find(&self, address: &str) -> Option<PageNo> {
        self.beliefs.try_read().ok()?.followed.pages().find(address)
    }

    /// Takes in what is new and publishes it.
    fn bring_up(&self, view: &View, now: impl FnOnce() -> Time) -> Result<(), StoreError> {
        let mut guard = self.beliefs.write().unwrap_or_else(PoisonError::into_inner);
        let Beliefs { followed, estimate, tally } = &mut *guard;
        let followed_to = view.follow(followed, &mut |seen| {
            estimate.learn(seen);
            tally.add(seen);
        });
        if let Err(error) = followed_to {
            *guard = Beliefs::default();
            return Err(error);
        }
        let beliefs = std::sync::RwLockWriteGuard::downgrade(guard);
        let now = now();
        let freshness = beliefs.estimate.freshness(beliefs.followed.pages(), now);
        let published = Published {
            status: Status::of(&self.folder, view, now, freshness)?,
            position: beliefs.followed.position(),
            tally: beliefs.tally.clone(),
            mean_seconds_since_seen: mean_seconds_since_seen(beliefs.followed.pages(), now),
        };
        drop(beliefs);
        *lock(&self.published) = Arc::new(published);
        Ok(())
    }
}

fn mean_seconds_since_seen(pages: &flow::Pages, now: Time) -> Option<f64> {
    let held = pages.numbers().filter(|&page| pages.state(page) == PageState::Held);
    let (mut count, mut sum) = (0_u64, 0.0);
    for then in held.filter_map(|page| pages.last_seen(page)) {
        count += 1;
        sum += (now - then).millis() as f64 / 1e3;
    }
    (count > 0).then(|| sum / count as f64)
}

/// The thread that keeps a state up to the log; it ends when this is dropped.
pub(crate) struct Follower {
    stop: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Follower {
    pub(crate) fn start(state: Arc<State>) -> std::io::Result<Self> {
        let (stop, stopped) = mpsc::channel();
        let follow = move || {
            let mut turn = Turn { view: None, rest_until: Instant::now(), published: None };
            loop {
                turn.take(&state);
                state.write_log();
                // Nothing is ever sent: the other side is dropped.
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
            // A thread that panicked has nothing more to stop.
            let _ = thread.join();
        }
    }
}

/// What the thread remembers from turn to turn.
struct Turn {
    view: Option<View>,
    rest_until: Instant,
    published: Option<(u64, Instant)>,
}

impl Turn {
    fn take(&mut self, state: &State) {
        let start = Instant::now();
        if start < self.rest_until {
            return;
        }
        match self.follow(state) {
            Ok(()) => self.rest_until = Instant::now() + start.elapsed() * REST,
            Err(error) => {
                self.view = None;
                state.tell(&crate::failure::with_causes(&error));
            }
        }
    }

    fn follow(&mut self, state: &State) -> Result<(), StoreError> {
        let view = match self.view.take() {
            Some(view) => view,
            None => View::open(state.folder())?,
        };
        let position = view.position()?;
        let is_new = self
            .published
            .is_none_or(|(published, at)| published != position || at.elapsed() >= OLDEST);
        if is_new {
            state.following.bring_up(&view, || state.now_of(&view))?;
            self.published = Some((position, Instant::now()));
        }
        self.view = Some(view);
        Ok(())
    }
}
