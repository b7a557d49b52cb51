//! Tournaments on the tiny web in a folder of their own.
use std::{
    fs,
    path::PathBuf,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use lab::{
    results::Results,
    tournament::{Experiment, TournamentError, Watcher, WebSource, hold},
};
use tempfile::TempDir;

use super::{Quiet, tiny};

/// Counts what is done, and raises a flag after so many runs.
#[derive(Default)]
pub(crate) struct Counter {
    pub(crate) begun: Mutex<(usize, usize)>,
    pub(crate) finished: AtomicUsize,
    pub(crate) rows_read: AtomicUsize,
    pub(crate) stop: AtomicBool,
    pub(crate) stop_after: Option<usize>,
}

impl Watcher for Counter {
    fn reading(&self, _web: &str, _rows: u64, _of: u64) {
        self.rows_read.fetch_add(1, Ordering::Relaxed);
    }

    fn begin(&self, runs: usize, finished_before: usize) {
        *self.begun.lock().unwrap() = (runs, finished_before);
    }

    fn finished(&self, _web: &str) {
        let finished = self.finished.fetch_add(1, Ordering::Relaxed) + 1;
        if self.stop_after.is_some_and(|after| finished >= after) {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

/// A folder with the tiny web's trace, a cache and results.
pub(crate) struct Lab {
    folder: TempDir,
    pub(crate) trace: PathBuf,
}

impl Lab {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let trace = tiny::write(folder.path());
        Self { folder, trace }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Four policies, one of which uses chance, with two budgets and two seeds: 16 runs.
    pub(crate) fn experiment(&self) -> Experiment {
        let policies = ["round-robin", "random", "freshness-index", "oracle-changes"];
        Experiment {
            budgets: vec![2.0, 4.0],
            policies: policies.map(|name| name.parse().unwrap()).into(),
            seeds: vec![1, 2],
            ..tiny::experiment(vec![WebSource::Trace(self.trace.clone())])
        }
    }

    pub(crate) fn try_hold(
        &self,
        experiment: &Experiment,
        out: &str,
    ) -> Result<Results, TournamentError> {
        hold(experiment, &self.path(out), &self.path("cache"), &Quiet, &AtomicBool::new(false))
    }

    pub(crate) fn hold(&self, experiment: &Experiment, out: &str) -> Results {
        self.try_hold(experiment, out).unwrap()
    }

    /// Holds a tournament and says how many runs there were, were finished before and were done.
    pub(crate) fn counted(&self, experiment: &Experiment, out: &str) -> (usize, usize, usize) {
        let counter = Counter::default();
        hold(experiment, &self.path(out), &self.path("cache"), &counter, &counter.stop).unwrap();
        let (runs, before) = *counter.begun.lock().unwrap();
        (runs, before, counter.finished.load(Ordering::Relaxed))
    }

    pub(crate) fn tables(&self, out: &str) -> Vec<String> {
        ["results.csv", "cycles.csv", "webs.csv", "results.json", "report.html"]
            .map(|file| fs::read_to_string(self.path(out).join(file)).unwrap())
            .into()
    }

    pub(crate) fn journal(&self, out: &str) -> PathBuf {
        self.path(out).join("runs.jsonl")
    }
}
