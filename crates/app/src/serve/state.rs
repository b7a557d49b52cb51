//! What every answer is made from: the data folder, its index, what is believed of it, and what is
//! counted on the way.
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use flow::{PageNo, Time};
use index::{Ask, Found, IndexError, Searcher};
use store::{QueryLog, StoreError, View};
use web::Clock;

use super::{following::Following, metrics::Metrics, problem::Problem};
use crate::{
    failure::{Failure, with_causes},
    live,
};

/// How long after it was looked for in vain an index is looked for again; longer where there is one that
/// is of no use, since finding that out takes as long as reading it.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
const TRY_AGAIN: Duration = Duration::from_secs(30);
/// Milliseconds of a day.
const DAY: i64 = 86_400_000;

/// Shared by every connection.
pub(crate) struct State {
    folder: PathBuf,
    /// Views that nobody uses just now. As many are made as there are workers, and no more.
    views: Mutex<Vec<View>>,
    index: Mutex<Index>,
    pub(crate) following: Following,
    log: Option<Mutex<QueryLog>>,
    pub(crate) metrics: Metrics,
    clock: Clock,
    /// Whether the data folder was crawled in a time of its own.
    has_own_time: bool,
    /// The last fault that was told, so that one that lasts is told once.
    told: Mutex<String>,
}

/// The index, where there is one, or why there is none and when to look again.
enum Index {
    Open(Arc<Searcher>),
    None(String, Instant),
}

impl State {
    /// Everything of the data folder at `folder`; queries are counted where `with_log` says so.
    pub(crate) fn open(folder: &Path, with_log: bool) -> Result<Self, Failure> {
        let view = View::open(folder)?;
        let now = live::now(&view)?;
        let following = Following::begin(folder, &view, now)?;
        Ok(Self {
            folder: folder.to_owned(),
            index: Mutex::new(looked_for(folder)),
            following,
            log: with_log.then(|| QueryLog::open(folder).map(Mutex::new)).transpose()?,
            metrics: Metrics::default(),
            clock: Clock::real(),
            has_own_time: view.get(live::OWN_TIME)?.is_some(),
            views: Mutex::new(vec![view]),
            told: Mutex::default(),
        })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The instant it is now for the data folder.
    pub(crate) fn now(&self) -> Time {
        let published = self.following.published();
        match published.status.totals.last {
            Some(last) if self.has_own_time => last,
            _ => self.clock.now(),
        }
    }

    /// The instant it is now, by a view that may know of later visits than were published.
    pub(crate) fn now_of(&self, view: &View) -> Time {
        let last = || view.totals().ok().and_then(|totals| totals.last);
        let own = if self.has_own_time { last() } else { None };
        own.unwrap_or_else(|| self.clock.now())
    }

    /// Whether queries are counted.
    pub(crate) fn counts_queries(&self) -> bool {
        self.log.is_some()
    }

    /// Asks the data folder.
    pub(crate) fn ask<T>(
        &self,
        question: impl FnOnce(&View) -> Result<T, StoreError>,
    ) -> Result<T, Problem> {
        let idle = lock(&self.views).pop();
        let view = match idle {
            Some(view) => view,
            None => View::open(&self.folder).map_err(|error| self.fault(&error))?,
        };
        let answer = question(&view).map_err(|error| self.fault(&error));
        lock(&self.views).push(view);
        answer
    }

    /// Searches what was indexed last.
    pub(crate) fn search(&self, ask: &Ask) -> Result<Found, Problem> {
        let searcher = self.searcher().map_err(|why| Problem::no_index(&why))?;
        self.metrics.searched();
        searcher.search(ask).map_err(|error| {
            // It may have been built anew under our feet: the next search opens it again.
            *lock(&self.index) = Index::None(error.to_string(), Instant::now());
            self.fault(&error)
        })
    }

    /// The index, or why there is none.
    pub(crate) fn searcher(&self) -> Result<Arc<Searcher>, String> {
        let mut index = lock(&self.index);
        if matches!(&*index, Index::None(_, again) if Instant::now() >= *again) {
            *index = looked_for(&self.folder);
        }
        match &*index {
            Index::Open(searcher) => Ok(Arc::clone(searcher)),
            Index::None(why, _) => Err(why.clone()),
        }
    }

    /// Changes of a page per day, as believed now; `None` while the log is still being read.
    pub(crate) fn rate(&self, page: PageNo) -> Option<f64> {
        self.following.rate(page, self.now())
    }

    /// Counts a query that was answered.
    pub(crate) fn asked(&self, query: &str) {
        if let Some(log) = &self.log {
            lock(log).asked(self.day(), query);
        }
    }

    /// Counts that a page was chosen among the answers to a query.
    pub(crate) fn clicked(&self, query: &str, address: &str) {
        if let Some(log) = &self.log {
            lock(log).clicked(self.day(), query, address);
        }
    }

    /// Writes what was counted to disk.
    pub(crate) fn write_log(&self) {
        if let Some(log) = &self.log {
            let written = lock(log).write();
            if let Err(error) = written {
                self.metrics.log_failed();
                self.tell(&with_causes(&error));
            }
        }
    }

    /// Today by the machine's clock, as a number of days since the start of 1970, UTC.
    fn day(&self) -> i64 {
        self.clock.now().millis().div_euclid(DAY)
    }

    /// What whoever asked is told of a fault of ours; the rest goes to standard error.
    pub(crate) fn fault(&self, error: &(dyn std::error::Error + 'static)) -> Problem {
        self.tell(&with_causes(error));
        Problem::ours()
    }

    /// Tells whoever runs the server of a fault, once for as long as it lasts.
    pub(crate) fn tell(&self, line: &str) {
        let mut told = lock(&self.told);
        if *told != line {
            eprintln!("error: {line}");
            line.clone_into(&mut told);
        }
    }
}

fn looked_for(folder: &Path) -> Index {
    match Searcher::open(folder) {
        Ok(searcher) => Index::Open(Arc::new(searcher)),
        Err(IndexError::Missing { .. }) => {
            Index::None("There is no search index yet".to_owned(), Instant::now() + LOOK_AGAIN)
        }
        Err(_) => {
            let why = "The search index cannot be read, or is being made".to_owned();
            Index::None(why, Instant::now() + TRY_AGAIN)
        }
    }
}

/// Locks are held for a few instructions that cannot leave anything half-done, so what a thread that
/// panicked left behind is as good as ever.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
