//! The state that all answers are made from: the data folder, its index, its estimates and the counters.
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use crawl::{PageNo, Time};
use index::{IndexError, SearchRequest, SearchResults, Searcher};
use store::{QueryLog, StoreError, View};
use tokio::sync::watch;
use web::Clock;

use super::{
    advising::Advising, corpus::Streams, following::Following, forecasting::Forecasted,
    metrics::Metrics, problem::Problem, summaries::Summaries,
};
use crate::{
    failure::{Failure, with_causes},
    live,
    settings::Settings,
};

/// How soon to look again for a missing index, and for one that cannot be read: finding that out takes
/// longer.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
const TRY_AGAIN: Duration = Duration::from_secs(30);
/// Milliseconds of a day.
const DAY: i64 = 86_400_000;

/// Shared by all connections.
pub(crate) struct State {
    folder: PathBuf,
    /// Idle views. There are at most as many as workers.
    views: Mutex<Vec<View>>,
    index: Mutex<Index>,
    pub(crate) settings: Arc<Settings>,
    pub(crate) following: Following,
    pub(crate) summaries: Summaries,
    pub(crate) forecasted: Forecasted,
    pub(crate) advising: Advising,
    /// Counts publications, for pages that update themselves.
    publications: watch::Sender<u64>,
    log: Option<Mutex<QueryLog>>,
    pub(crate) metrics: Metrics,
    pub(crate) streams: Streams,
    clock: Clock,
    /// Whether the data folder has a clock of its own.
    has_own_time: bool,
    /// The last reported error, so that a lasting one is reported once.
    reported: Mutex<String>,
}

/// The index, or why there is none and when to look again.
enum Index {
    Open(Arc<Searcher>),
    None(String, Instant),
}

impl State {
    /// Opens the data folder.
    pub(crate) fn open(settings: Arc<Settings>) -> Result<Self, Failure> {
        let (folder, with_log) = (settings.data.as_path(), settings.serve.query_log);
        let view = View::open(folder)?;
        let now = live::now(&view)?;
        let following = Following::new(folder, &view, now)?;
        Ok(Self {
            folder: folder.to_owned(),
            index: Mutex::new(open_index(folder)),
            following,
            summaries: Summaries::default(),
            forecasted: Forecasted::default(),
            advising: Advising::default(),
            publications: watch::Sender::new(0),
            log: if with_log { open_log(folder)? } else { None },
            metrics: Metrics::default(),
            streams: Streams::default(),
            clock: Clock::real(),
            has_own_time: view.get(live::OWN_TIME)?.is_some(),
            views: Mutex::new(vec![view]),
            reported: Mutex::default(),
            settings,
        })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The current time of the data folder.
    pub(crate) fn now(&self) -> Time {
        let published = self.following.published();
        match published.status.totals.last {
            Some(last) if self.has_own_time => last,
            _ => self.clock.now(),
        }
    }

    /// The current time by a view, which may know later visits than were published.
    pub(crate) fn now_of(&self, view: &View) -> Time {
        let last = || view.last_visit().ok().flatten();
        let own = if self.has_own_time { last() } else { None };
        own.unwrap_or_else(|| self.clock.now())
    }

    /// Tells open pages that something new was published.
    pub(crate) fn changed(&self) {
        self.publications.send_modify(|count| *count += 1);
    }

    /// The number of publications so far, and those to come.
    pub(crate) fn publications(&self) -> watch::Receiver<u64> {
        self.publications.subscribe()
    }

    /// Whether queries are counted.
    pub(crate) fn counts_queries(&self) -> bool {
        self.log.is_some()
    }

    /// Reads from the data folder.
    pub(crate) fn read<T>(
        &self,
        query: impl FnOnce(&View) -> Result<T, StoreError>,
    ) -> Result<T, Problem> {
        let idle = lock(&self.views).pop();
        let view = match idle {
            Some(view) => view,
            None => View::open(&self.folder).map_err(|error| self.fault(&error))?,
        };
        let answer = query(&view).map_err(|error| self.fault(&error));
        lock(&self.views).push(view);
        answer
    }

    /// Searches the index.
    pub(crate) fn search(&self, request: &SearchRequest) -> Result<SearchResults, Problem> {
        let searcher = self.searcher().map_err(|why| Problem::no_index(&why))?;
        self.metrics.searched();
        searcher.search(request).map_err(|error| {
            // It may have been rebuilt in the meantime: the next search opens it again.
            *lock(&self.index) = Index::None(error.to_string(), Instant::now());
            self.fault(&error)
        })
    }

    /// The index, or why there is none.
    pub(crate) fn searcher(&self) -> Result<Arc<Searcher>, String> {
        let mut index = lock(&self.index);
        if matches!(&*index, Index::None(_, again) if Instant::now() >= *again) {
            *index = open_index(&self.folder);
        }
        match &*index {
            Index::Open(searcher) => Ok(Arc::clone(searcher)),
            Index::None(why, _) => Err(why.clone()),
        }
    }

    /// Estimated changes of a page per day; `None` while the log is being read.
    pub(crate) fn rate(&self, page: PageNo) -> Option<f64> {
        self.following.rate(page, self.now())
    }

    /// Counts an answered query.
    pub(crate) fn count_query(&self, query: &str) {
        if let Some(log) = &self.log {
            lock(log).record_query(self.day(), query);
        }
    }

    /// Counts a click on a result of a query.
    pub(crate) fn count_click(&self, query: &str, address: &str) {
        if let Some(log) = &self.log {
            lock(log).record_click(self.day(), query, address);
        }
    }

    /// Writes the counts to disk.
    pub(crate) fn write_log(&self) {
        if let Some(log) = &self.log {
            let written = lock(log).write();
            if let Err(error) = written {
                self.metrics.log_failed();
                self.report(&with_causes(&error));
            }
        }
    }

    /// Today by the machine's clock, in days since 1970 (UTC).
    fn day(&self) -> i64 {
        self.clock.now().millis().div_euclid(DAY)
    }

    /// The answer to a request that failed by an internal error, which is reported on standard error.
    pub(crate) fn fault(&self, error: &(dyn std::error::Error + 'static)) -> Problem {
        self.report(&with_causes(error));
        Problem::internal()
    }

    /// Reports an error on standard error, once for as long as it lasts.
    pub(crate) fn report(&self, line: &str) {
        let mut reported = lock(&self.reported);
        if *reported != line {
            eprintln!("error: {line}");
            line.clone_into(&mut reported);
        }
    }
}

/// The log of queries; `None` where the folder cannot be written, which is said.
fn open_log(folder: &Path) -> Result<Option<Mutex<QueryLog>>, StoreError> {
    match QueryLog::open(folder) {
        Ok(log) => Ok(Some(Mutex::new(log))),
        Err(error) if error.is_read_only() => {
            eprintln!(
                "{} cannot be written, so queries are not counted: {}",
                folder.display(),
                with_causes(&error)
            );
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

fn open_index(folder: &Path) -> Index {
    match Searcher::open(folder) {
        Ok(searcher) => Index::Open(Arc::new(searcher)),
        Err(IndexError::Missing { .. }) => {
            Index::None("There is no search index yet".to_owned(), Instant::now() + LOOK_AGAIN)
        }
        Err(_) => {
            let why = "The search index cannot be read, or is being built".to_owned();
            Index::None(why, Instant::now() + TRY_AGAIN)
        }
    }
}

/// Locks are held for a few instructions that leave nothing half done, so the data of a thread that
/// panicked is still valid.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
