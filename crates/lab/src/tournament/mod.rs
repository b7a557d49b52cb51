//! Tournaments: policies x webs x budgets x seeds, and what came out.
mod error;
mod experiment;
mod hosts;
mod joined;
mod journal;
mod ready;
mod run;
mod web;

use std::{
    collections::BTreeSet,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use flow::{Budget, Policy, detect, features::Features};
use policy::Choice;
use rayon::prelude::*;

pub use self::{
    error::TournamentError,
    experiment::{Experiment, PageSet, Start, WebSource, cycle_length, visits_per_cycle},
    joined::{LeftOut, apart},
    run::{Played, Setup},
    web::{LoadedWeb, PreparedWeb, facts},
};
use self::{
    journal::{Entry, Journal},
    ready::Ready,
};
use crate::{
    metric::METRICS,
    oracle,
    quality::Quality,
    report,
    results::{BoundRecord, Results, RunRecord, WebFacts},
};

/// Told how a tournament is going.
pub trait Watcher: Sync {
    /// Rows of a trace have been read, of so many.
    fn reading(&self, web: &str, rows: u64, of: u64);
    /// So many runs are to be done, of which some were finished before.
    fn begin(&self, runs: usize, finished_before: usize);
    /// A run is finished.
    fn finished(&self, web: &str);
}

/// Holds a tournament. Finished runs are in `out` at any time; the tables and the report are
/// written at the end, also when `stop` ends it early.
///
/// # Errors
/// When the experiment does not fit the webs, before anything is written; or when a file cannot be
/// read or written.
pub fn hold(
    experiment: &Experiment,
    out: &Path,
    cache: &Path,
    watcher: &dyn Watcher,
    stop: &AtomicBool,
) -> Result<Results, TournamentError> {
    let (results, are_read) = played(experiment, true, out, cache, watcher, stop)?;
    if are_read {
        report::write_all(&results, out)?;
    }
    Ok(results)
}

/// Does the runs of a tournament and nothing else: no certified bounds, no tables, no report.
/// Finished runs are in `out` as those of [`hold`] are.
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
    Ok(played(experiment, false, out, cache, watcher, stop)?.0)
}

/// The results, and whether all webs were read before it was stopped.
fn played(
    experiment: &Experiment,
    with_bounds: bool,
    out: &Path,
    cache: &Path,
    watcher: &dyn Watcher,
    stop: &AtomicBool,
) -> Result<(Results, bool), TournamentError> {
    let experiment = &canonical(experiment)?;
    let webs = prepare(experiment, cache, watcher, stop)?;
    let mut results = Results {
        settings: experiment.settings.clone(),
        planned: experiment.webs.len() * experiment.runs_per_web(),
        ..Results::default()
    };
    if webs.len() < experiment.webs.len() {
        // Stopped while reading: tables of an earlier run, if there are any, know more than this.
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

impl Experiment {
    /// How many runs there are on each web.
    fn runs_per_web(&self) -> usize {
        self.policies.len() * self.budgets.len() * self.seeds.len()
    }
}

/// The experiment with every policy told by its canonical text, by which runs are known.
fn canonical(experiment: &Experiment) -> Result<Experiment, TournamentError> {
    let canonical = |name: &String| oracle::canonical(name);
    let policies = experiment.policies.iter().map(canonical).collect::<Result<_, _>>()?;
    Ok(Experiment { policies, ..experiment.clone() })
}

/// Checks that the experiment fits every web, then reads what was not read before. Fewer webs come
/// back where it was stopped.
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
        if !web.has_rates() && policies.iter().any(|policy| policy == "known-rates") {
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

struct Tournament<'a> {
    experiment: &'a Experiment,
    /// Whether certified bounds are worked out.
    with_bounds: bool,
    journal: Journal,
    watcher: &'a dyn Watcher,
    stop: &'a AtomicBool,
}

/// One policy with one budget; one run of it stands for all seeds where it uses no chance.
struct Job<'a> {
    policy: &'a str,
    budget: f64,
    seeds: Vec<u64>,
}

impl Tournament<'_> {
    /// What all work on a web has in common.
    fn frame(&self, web: &PreparedWeb) -> String {
        let Experiment { cycle, cycles, detector, pages, start, .. } = self.experiment;
        let metrics: Vec<&str> = METRICS.iter().map(|metric| metric.name).collect();
        journal::key(&[&web.fingerprint, &metrics, cycle, cycles, detector, pages, start])
    }

    fn run_key(&self, web: &PreparedWeb, policy: &str, budget: f64, seed: u64) -> String {
        let Experiment { queries, halves, weighted, .. } = self.experiment;
        let asked = (queries.key(), halves, weighted);
        journal::key(&[&self.frame(web), &asked, &policy, &budget, &seed])
    }

    fn facts_key(&self, web: &PreparedWeb) -> String {
        // Facts name the workload: a file of the same bytes may have got another name since.
        let queries = &self.experiment.queries;
        journal::key(&[&self.frame(web), &"facts", &queries.key(), &queries.name()])
    }

    fn bounds_key(&self, web: &PreparedWeb, budget: f64) -> String {
        journal::key(&[&self.frame(web), &"bounds", &budget, &self.experiment.warm_up])
    }

    fn finished_before(&self, web: &PreparedWeb) -> usize {
        let Experiment { policies, budgets, seeds, .. } = self.experiment;
        let every = policies.iter().flat_map(|policy| {
            budgets
                .iter()
                .flat_map(move |budget| seeds.iter().map(move |seed| (policy, budget, seed)))
        });
        every
            .filter(|&(policy, &budget, &seed)| {
                self.journal.find(&self.run_key(web, policy, budget, seed)).is_some()
            })
            .count()
    }

    /// Whether nothing is left to do on a web, so that it need not be loaded.
    fn is_finished(&self, web: &PreparedWeb) -> bool {
        let has_bounds = |&budget: &f64| self.bounds_before(web, budget).is_some();
        self.journal.find(&self.facts_key(web)).is_some()
            && self.finished_before(web) == self.experiment.runs_per_web()
            && (!self.with_bounds || self.experiment.budgets.iter().all(has_bounds))
    }

    /// Takes in what was finished before on a web, without doing more.
    fn gather(&self, web: &PreparedWeb, results: &mut Results) {
        let Experiment { policies, budgets, seeds, .. } = self.experiment;
        let Some(Entry::Web(facts)) = self.journal.find(&self.facts_key(web)) else { return };
        // A web may have got another name since; what it is told by is its bytes.
        let (trace, warm_up) = (&web.name, self.experiment.warm_up);
        results.webs.push(WebFacts { trace: trace.clone(), ..facts.clone() });
        results
            .bounds
            .extend(budgets.iter().filter_map(|&budget| self.bounds_before(web, budget)).flatten());
        for policy in policies {
            for &budget in budgets {
                for &seed in seeds {
                    let found = self.journal.find(&self.run_key(web, policy, budget, seed));
                    let record = found.and_then(run_of);
                    let renamed = |run| RunRecord { trace: trace.clone(), warm_up, ..run };
                    results.runs.extend(record.map(renamed));
                }
            }
        }
    }

    /// Does all runs on a web that were not finished before, and gathers them in order.
    fn play(&mut self, web: &PreparedWeb, results: &mut Results) -> Result<(), TournamentError> {
        let loaded = web.load(self.experiment)?;
        let (facts, quality) = self.search(web, &loaded)?;
        results.webs.push(facts);
        let Experiment { pages, start, budgets, .. } = self.experiment;
        let features = self.features(&loaded, quality.as_deref())?;
        let setup = Setup::featured(Arc::clone(&loaded.truth), *pages, start, features)?;
        let setup = setup.searched(quality).weighted(self.experiment.weighted);
        let ready = Ready::new(&loaded, setup, &self.experiment.policies)?;
        let bounds: Vec<BoundRecord> = budgets
            .par_iter()
            .map(|&budget| self.bounds(web, &ready, budget))
            .collect::<Result<Vec<_>, _>>()?
            .concat();
        let runs: Vec<RunRecord> = self
            .jobs()
            .par_iter()
            .map(|job| self.run(web, &ready, job))
            .collect::<Result<Vec<_>, _>>()?
            .concat();
        results.bounds.extend(bounds);
        results.runs.extend(runs);
        Ok(())
    }

    /// The facts about a web, and its workload where any run is still to be done.
    ///
    /// All runs share the workload. It is made here, before they begin: whoever waits for it inside
    /// a run would wait on a thread that has to help making it.
    fn search(
        &self,
        web: &PreparedWeb,
        loaded: &LoadedWeb,
    ) -> Result<(WebFacts, Option<Arc<Quality>>), TournamentError> {
        let key = self.facts_key(web);
        let known = self.journal.find(&key).and_then(facts_of);
        if let Some(known) = known
            && self.finished_before(web) == self.experiment.runs_per_web()
        {
            return Ok((WebFacts { trace: web.name.clone(), ..known.clone() }, None));
        }
        let Experiment { pages, queries, halves, .. } = self.experiment;
        let (quality, workload) =
            Quality::new(&loaded.truth, loaded.texts.as_ref(), *pages, queries, *halves)
                .map_err(|source| TournamentError::Texts { web: web.name.clone(), source })?;
        let facts = WebFacts { workload, ..facts(loaded.truth.history()) };
        if known.is_none() {
            self.journal.add(&key, &Entry::Web(facts.clone()))?;
        }
        Ok((facts, quality.map(Arc::new)))
    }

    /// What features are made from, where any policy looks at them.
    fn features(
        &self,
        loaded: &LoadedWeb,
        quality: Option<&Quality>,
    ) -> Result<Features, TournamentError> {
        let choices = self.experiment.policies.iter().filter_map(|name| Choice::parse(name).ok());
        let policies: Vec<Box<dyn Policy>> = choices.map(|choice| choice.make(0)).collect();
        let policies: Vec<&dyn Policy> = policies.iter().map(|policy| &**policy).collect();
        let mut features = loaded.features(&policies)?;
        features.ask(quality.map_or_else(Vec::new, |quality| quality.keywords().to_vec()));
        Ok(features)
    }

    fn jobs(&self) -> Vec<Job<'_>> {
        let Experiment { policies, budgets, seeds, .. } = self.experiment;
        let mut jobs = vec![];
        for policy in policies {
            let uses_chance = Choice::parse(policy).is_ok_and(|choice| choice.uses_chance());
            for &budget in budgets {
                if uses_chance {
                    let one = |&seed| Job { policy, budget, seeds: vec![seed] };
                    jobs.extend(seeds.iter().map(one));
                } else {
                    jobs.push(Job { policy, budget, seeds: seeds.clone() });
                }
            }
        }
        jobs
    }

    /// The records of a job, one for each seed; none where it was stopped.
    fn run(
        &self,
        web: &PreparedWeb,
        ready: &Ready<'_>,
        job: &Job<'_>,
    ) -> Result<Vec<RunRecord>, TournamentError> {
        let keys: Vec<(u64, String)> = job
            .seeds
            .iter()
            .map(|&seed| (seed, self.run_key(web, job.policy, job.budget, seed)))
            .collect();
        let visits = visits_per_cycle(job.budget, ready.setup.pages_at_start());
        let before = keys.iter().find_map(|(_, key)| run_of(self.journal.find(key)?));
        let played = if let Some(record) = before {
            Played { cycles: record.cycles, hosts: record.hosts }
        } else {
            let mut policy = ready.policy(job.policy, job.seeds[0])?;
            let budget = if job.policy == "ideal" { Budget::UNLIMITED } else { Budget(visits) };
            let Some(played) = ready.setup.play(policy.as_mut(), budget, self.stop)? else {
                return Ok(vec![]);
            };
            played
        };
        let mut records = vec![];
        for (seed, key) in keys {
            let record = RunRecord {
                trace: web.name.clone(),
                policy: job.policy.to_owned(),
                budget: job.budget,
                visits,
                seed,
                warm_up: self.experiment.warm_up,
                cycles: played.cycles.clone(),
                hosts: played.hosts.clone(),
            };
            if self.journal.find(&key).is_none() {
                self.journal.add(&key, &Entry::Run(record.clone()))?;
                self.watcher.finished(&web.name);
            }
            records.push(record);
        }
        Ok(records)
    }

    /// What no policy can pass. Only where the pages are fixed and all held at the start: the
    /// bounds are about refreshing what is held.
    fn bounds(
        &self,
        web: &PreparedWeb,
        ready: &Ready<'_>,
        budget: f64,
    ) -> Result<Vec<BoundRecord>, TournamentError> {
        let Experiment { pages, start, warm_up, .. } = self.experiment;
        if !self.with_bounds || *pages != PageSet::Fixed || *start != Start::Synchronised {
            return Ok(vec![]);
        }
        if let Some(bounds) = self.bounds_before(web, budget) {
            return Ok(bounds);
        }
        let visits = visits_per_cycle(budget, ready.setup.pages_at_start());
        let bound = |metric: &str, value: f64| BoundRecord {
            trace: web.name.clone(),
            budget,
            metric: metric.to_owned(),
            value,
        };
        let truth = &ready.loaded.truth;
        let bounds = vec![
            bound("freshness", oracle::most_freshness(truth, visits, *warm_up)),
            bound("changes_caught", oracle::most_changes(truth, visits, *warm_up) as f64),
        ];
        self.journal.add(&self.bounds_key(web, budget), &Entry::Bounds(bounds.clone()))?;
        Ok(bounds)
    }

    /// The bounds that were worked out before.
    fn bounds_before(&self, web: &PreparedWeb, budget: f64) -> Option<Vec<BoundRecord>> {
        match self.journal.find(&self.bounds_key(web, budget))? {
            Entry::Bounds(bounds) => {
                let renamed =
                    |bound: &BoundRecord| BoundRecord { trace: web.name.clone(), ..bound.clone() };
                Some(bounds.iter().map(renamed).collect())
            }
            Entry::Run(_) | Entry::Web(_) => None,
        }
    }
}

fn run_of(entry: &Entry) -> Option<RunRecord> {
    match entry {
        Entry::Run(record) => Some(record.clone()),
        Entry::Bounds(_) | Entry::Web(_) => None,
    }
}

fn facts_of(entry: &Entry) -> Option<&WebFacts> {
    match entry {
        Entry::Web(facts) => Some(facts),
        Entry::Run(_) | Entry::Bounds(_) => None,
    }
}
