//! Tournaments: policies x webs x budgets x seeds, and their results.
mod contender;
mod dataset;
mod error;
mod execution;
mod experiment;
mod joined;
mod journal;
mod prepared_runs;
mod run;
mod web;

use std::{
    collections::BTreeSet,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
};

use extract::detect;

pub use self::{
    contender::{Contender, NameError},
    dataset::{Dataset, FinalState},
    error::TournamentError,
    experiment::{
        Experiment, PageSet, PaperSetting, Repository, Start, WebSource, cycle_length,
        visits_per_cycle,
    },
    joined::{LeftOut, distinct_traces},
    run::{Run, RunOutcome},
    web::{LoadedWeb, PreparedWeb, facts},
};
use self::{
    execution::{Tournament, runs_per_web},
    journal::Journal,
};
use crate::{report, results::Results};

/// Receives the progress of a tournament.
pub trait Watcher: Sync {
    /// The number of rows of a trace read so far, and of all rows.
    fn reading(&self, web: &str, rows: u64, of: u64);
    /// The number of planned runs, and of those finished by an earlier tournament.
    fn begin(&self, runs: usize, finished_before: usize);
    /// A run is finished.
    fn finished(&self, web: &str);
}

/// Shows no progress.
#[derive(Clone, Copy, Debug)]
pub struct Unwatched;

impl Watcher for Unwatched {
    fn reading(&self, _web: &str, _rows: u64, _of: u64) {}
    fn begin(&self, _runs: usize, _finished_before: usize) {}
    fn finished(&self, _web: &str) {}
}

/// Holds a tournament. Each finished run is saved in `out` at once. The tables and the report are
/// written at the end, also if `stop` ends the tournament early.
///
/// # Errors
/// If the experiment does not fit the webs (nothing is written then), or a file cannot be read or
/// written.
pub fn hold(
    experiment: &Experiment,
    out: &Path,
    cache: &Path,
    watcher: &dyn Watcher,
    stop: &AtomicBool,
) -> Result<Results, TournamentError> {
    let (results, is_complete) = play_all(experiment, true, out, cache, watcher, stop)?;
    if is_complete {
        report::write_all(&results, out)?;
    }
    Ok(results)
}

/// Does the runs of a tournament only: no certified bounds, no tables, no report. Finished runs are
/// saved in `out` as by [`hold`].
///
/// # Errors
/// As [`hold`].
pub fn runs(
    experiment: &Experiment,
    out: &Path,
    cache: &Path,
    watcher: &dyn Watcher,
    stop: &AtomicBool,
) -> Result<Results, TournamentError> {
    Ok(play_all(experiment, false, out, cache, watcher, stop)?.0)
}

/// The results, and whether all webs were read before `stop`.
fn play_all(
    experiment: &Experiment,
    with_bounds: bool,
    out: &Path,
    cache: &Path,
    watcher: &dyn Watcher,
    stop: &AtomicBool,
) -> Result<(Results, bool), TournamentError> {
    let webs = prepare(experiment, cache, watcher, stop)?;
    let mut results = Results {
        settings: experiment.settings.clone(),
        planned: experiment.webs.len() * runs_per_web(experiment),
        ..Results::default()
    };
    if webs.len() < experiment.webs.len() {
        // Stopped while reading: tables of an earlier tournament, if any, have more than this.
        return Ok((results, false));
    }
    let journal = Journal::open(out)?;
    let mut tournament = Tournament { experiment, with_bounds, journal, watcher, stop };
    let finished = webs.iter().map(|web| tournament.finished_before(web)).sum();
    watcher.begin(results.planned, finished);
    for web in &webs {
        if stop.load(Ordering::Relaxed) || tournament.is_finished(web) {
            tournament.gather(web, &mut results);
        } else {
            tournament.play(web, &mut results)?;
        }
    }
    Ok((results, true))
}

/// Checks that the experiment fits every web, then reads the webs that are not in the cache. Returns
/// fewer webs if it was stopped.
fn prepare(
    experiment: &Experiment,
    cache: &Path,
    watcher: &dyn Watcher,
    stop: &AtomicBool,
) -> Result<Vec<PreparedWeb>, TournamentError> {
    let Experiment { policies, detector, start, .. } = experiment;
    if detect::by_name(detector).is_none() {
        return Err(TournamentError::UnknownDetector(detector.clone()));
    }
    let mut names = BTreeSet::new();
    let mut webs = vec![];
    for source in &experiment.webs {
        let web = PreparedWeb::open(source, cache)?;
        web.grid(experiment)?;
        if !web.has_rates() && policies.contains(&Contender::KnownRates) {
            return Err(TournamentError::UnknownRates(web.name));
        }
        if *start == Start::Synchronised && !web.has_pages_at_start()? {
            return Err(TournamentError::NoPages(web.name));
        }
        if !names.insert(web.name.clone()) {
            return Err(TournamentError::SameName(web.name));
        }
        webs.push(web);
    }
    for (number, web) in webs.iter().enumerate() {
        if stop.load(Ordering::Relaxed) {
            webs.truncate(number);
            break;
        }
        web.read(&|rows, of| watcher.reading(&web.name, rows, of))?;
        if let Start::Empty(addresses) = start
            && !web.has_any(addresses)?
        {
            let (web, addresses) = (web.name.clone(), addresses.clone());
            return Err(TournamentError::NoSeed { web, addresses });
        }
    }
    Ok(webs)
}
