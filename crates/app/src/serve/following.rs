//! Estimates for the held pages. A thread follows the log and publishes them; requests read what was
//! published last.
use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        mpsc::{self, RecvTimeoutError},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crawl::{PageNo, State as PageState, Time};
use policy::FreshnessEstimate;
use store::{Followed, StoreError, View};

use super::state::{State, lock};
use crate::live::{status::Status, tally::Tally};

/// How often the log is checked and counted queries are written.
const TICK: Duration = Duration::from_secs(2);
/// The longest time between two publications. Without new visits pages still age.
const OLDEST: Duration = Duration::from_secs(30);
/// After working, the thread pauses this many times as long: it uses at most a twentieth of a core.
const PAUSE: u32 = 20;

/// The estimates and what was published last.
pub(crate) struct Following {
    folder: PathBuf,
    estimates: RwLock<Estimates>,
    published: Mutex<Arc<Published>>,
}

/// The estimates from the log so far.
#[derive(Default)]
struct Estimates {
    followed: Followed,
    freshness: FreshnessEstimate,
    tally: Tally,
}

/// What answers read.
#[derive(Clone, Debug)]
pub(crate) struct Published {
    pub(crate) status: Status,
    /// The number of the last observation in the estimates; 0 while the log is first read.
    pub(crate) position: u64,
    /// All observations by outcome.
    pub(crate) tally: Tally,
    /// The mean time since held pages were last seen, in seconds.
    pub(crate) mean_seconds_since_seen: Option<f64>,
}

impl Following {
    /// Publishes what is known at once. Estimates follow when the log has been read.
    pub(crate) fn new(folder: &Path, view: &View, now: Time) -> Result<Self, StoreError> {
        let published = Published {
            status: Status::read(folder, view, now, None)?,
            position: 0,
            tally: Tally::default(),
            mean_seconds_since_seen: None,
        };
        Ok(Self {
            folder: folder.to_owned(),
            estimates: RwLock::default(),
            published: Mutex::new(Arc::new(published)),
        })
    }

    /// The last publication.
    pub(crate) fn published(&self) -> Arc<Published> {
        Arc::clone(&lock(&self.published))
    }

    /// Estimated changes of a page per day; `None` if it was never seen, or while new observations are
    /// being read: requests do not wait for that.
    pub(crate) fn rate(&self, page: PageNo, now: Time) -> Option<f64> {
        let estimates = self.estimates.try_read().ok()?;
        let pages = estimates.followed.pages();
        let is_seen = page.index() < pages.len() && pages.last_seen(page).is_some();
        is_seen.then(|| estimates.freshness.rate(page, pages, now))
    }

    /// The probability that a held page is still current.
    pub(crate) fn fresh_probability(&self, page: PageNo, now: Time) -> Option<f64> {
        let estimates = self.estimates.try_read().ok()?;
        let pages = estimates.followed.pages();
        let is_held = page.index() < pages.len() && pages.state(page) == PageState::Held;
        is_held.then(|| estimates.freshness.fresh_probability(page, pages, now)).flatten()
    }

    /// The number of a page. The database has no index by URL.
    pub(crate) fn find(&self, address: &str) -> Option<PageNo> {
        self.estimates.try_read().ok()?.followed.pages().find(address)
    }

    /// Reads new observations and publishes the estimates.
    fn catch_up(&self, view: &View, now: impl FnOnce() -> Time) -> Result<(), StoreError> {
        let mut guard = self.estimates.write().unwrap_or_else(PoisonError::into_inner);
        let Estimates { followed, freshness, tally } = &mut *guard;
        let followed_to = view.follow(followed, &mut |seen| {
            freshness.learn(seen);
            tally.add(seen);
        });
        if let Err(error) = followed_to {
            *guard = Estimates::default();
            return Err(error);
        }
        let estimates = std::sync::RwLockWriteGuard::downgrade(guard);
        let now = now();
        let freshness = estimates.freshness.freshness(estimates.followed.pages(), now);
        let published = Published {
            status: Status::read(&self.folder, view, now, freshness)?,
            position: estimates.followed.position(),
            tally: estimates.tally.clone(),
            mean_seconds_since_seen: mean_seconds_since_seen(estimates.followed.pages(), now),
        };
        drop(estimates);
        *lock(&self.published) = Arc::new(published);
        Ok(())
    }
}

fn mean_seconds_since_seen(pages: &crawl::Pages, now: Time) -> Option<f64> {
    let held = pages.numbers().filter(|&page| pages.state(page) == PageState::Held);
    let (mut count, mut sum) = (0_u64, 0.0);
    for then in held.filter_map(|page| pages.last_seen(page)) {
        count += 1;
        sum += (now - then).millis() as f64 / 1e3;
    }
    (count > 0).then(|| sum / count as f64)
}

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
        match self.follow(state) {
            Ok(()) => self.pause_until = Instant::now() + start.elapsed() * PAUSE,
            Err(error) => {
                self.view = None;
                state.report(&crate::failure::with_causes(&error));
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
            state.following.catch_up(&view, || state.now_of(&view))?;
            self.published = Some((position, Instant::now()));
        }
        self.view = Some(view);
        Ok(())
    }
}
