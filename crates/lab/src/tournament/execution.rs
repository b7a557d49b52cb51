//! Does the runs of a tournament web by web, and saves each finished one in the journal.
use std::sync::{Arc, atomic::AtomicBool};

use crawl::{Budget, Policy};
use instruments::features::Features;
use rayon::prelude::*;

use super::{
    Contender, Dataset, Experiment, LoadedWeb, PageSet, PaperSetting, PreparedWeb, Run, RunOutcome,
    Start, TournamentError, Watcher, facts,
    journal::{self, Journal, JournalEntry},
    prepared_runs::PreparedRuns,
    visits_per_cycle,
};
use crate::{
    metric::METRICS,
    oracle,
    quality::Quality,
    results::{BoundRecord, Results, RunRecord, WebFacts},
};

/// A running tournament.
pub(super) struct Tournament<'a> {
    pub(super) experiment: &'a Experiment,
    /// Whether to compute certified bounds.
    pub(super) with_bounds: bool,
    pub(super) journal: Journal,
    pub(super) watcher: &'a dyn Watcher,
    pub(super) stop: &'a AtomicBool,
}

/// One contender with one budget. Without randomness one run serves all seeds.
struct Job<'a> {
    contender: &'a Contender,
    budget: f64,
    seeds: Vec<u64>,
}

impl Tournament<'_> {
    /// The part that all keys of a web share.
    fn frame(&self, web: &PreparedWeb) -> String {
        let Experiment { cycle, cycles, detector, pages, start, paper, .. } = self.experiment;
        let metrics: Vec<&str> = METRICS.iter().map(|metric| metric.name).collect();
        let frame =
            journal::key(&[&web.fingerprint, &metrics, cycle, cycles, detector, pages, start]);
        // Keys without it are those of journals from before.
        if *paper == PaperSetting::default() { frame } else { journal::key(&[&frame, paper]) }
    }

    fn run_key(&self, web: &PreparedWeb, contender: &Contender, budget: f64, seed: u64) -> String {
        let Experiment { queries, halves, weighted, weights, .. } = self.experiment;
        let queries = (queries.key(), halves, weighted);
        let mut name = match contender.as_policy() {
            // Their histories counted visits, not cycles, in journals from before.
            Some(spec) if spec.entry().parameters.iter().any(|one| one.name == "count") => {
                format!("{} by cycles", contender.name())
            }
            _ => contender.name(),
        };
        if name.contains("unified") {
            // It had neither a price for new pages nor rates of deletions in journals from before.
            name += " by price, deletions";
        }
        if !weights.rules().is_empty() {
            name = format!("{name} {:?}", weights.rules());
        }
        journal::key(&[&self.frame(web), &queries, &name, &budget, &seed])
    }

    fn facts_key(&self, web: &PreparedWeb) -> String {
        // The facts name the workload: a file with the same bytes may have been renamed.
        let queries = &self.experiment.queries;
        journal::key(&[&self.frame(web), &"facts", &queries.key(), &queries.name()])
    }

    fn bounds_key(&self, web: &PreparedWeb, budget: f64) -> String {
        journal::key(&[&self.frame(web), &"bounds", &budget, &self.experiment.warm_up])
    }

    pub(super) fn finished_before(&self, web: &PreparedWeb) -> usize {
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

    /// Whether all work on a web is finished, so that it need not be loaded.
    pub(super) fn is_finished(&self, web: &PreparedWeb) -> bool {
        let has_bounds = |&budget: &f64| self.bounds_before(web, budget).is_some();
        self.journal.find(&self.facts_key(web)).is_some()
            && self.finished_before(web) == runs_per_web(self.experiment)
            && (!self.with_bounds || self.experiment.budgets.iter().all(has_bounds))
    }

    /// Adds the work finished earlier on a web to the results.
    pub(super) fn gather(&self, web: &PreparedWeb, results: &mut Results) {
        let Experiment { policies, budgets, seeds, .. } = self.experiment;
        let Some(JournalEntry::Web(facts)) = self.journal.find(&self.facts_key(web)) else {
            return;
        };
        // A web is identified by its bytes; its file may have been renamed.
        let (trace, warm_up) = (&web.name, self.experiment.warm_up);
        results.webs.push(WebFacts { trace: trace.clone(), ..facts.clone() });
        results
            .bounds
            .extend(budgets.iter().filter_map(|&budget| self.bounds_before(web, budget)).flatten());
        for policy in policies {
            for &budget in budgets {
                for &seed in seeds {
                    let found = self.journal.find(&self.run_key(web, policy, budget, seed));
                    let record = found.and_then(run_record);
                    let renamed = |run| RunRecord { trace: trace.clone(), warm_up, ..run };
                    results.runs.extend(record.map(renamed));
                }
            }
        }
    }

    /// Does the remaining runs on a web, and adds all of its runs to the results in order.
    pub(super) fn play(
        &mut self,
        web: &PreparedWeb,
        results: &mut Results,
    ) -> Result<(), TournamentError> {
        let loaded = web.load(self.experiment)?;
        let (facts, quality) = self.search(web, &loaded)?;
        results.webs.push(facts);
        let Experiment { pages, start, budgets, .. } = self.experiment;
        let features = self.features(&loaded, quality.as_deref())?;
        let dataset = Dataset::with_features(Arc::clone(&loaded.truth), *pages, start, features)?;
        let Experiment { weighted, weights, paper, .. } = self.experiment;
        let dataset = dataset
            .with_workload(quality)
            .weighted(*weighted)
            .with_weights(weights.clone())
            .with_full_cycles(paper.full_cycles);
        let prepared = PreparedRuns::new(&loaded, dataset, &self.experiment.policies)?;
        let bounds: Vec<BoundRecord> = budgets
            .par_iter()
            .map(|&budget| self.bounds(web, &prepared, budget))
            .collect::<Result<Vec<_>, _>>()?
            .concat();
        let runs: Vec<RunRecord> = self
            .jobs()
            .par_iter()
            .map(|job| self.run(web, &prepared, job))
            .collect::<Result<Vec<_>, _>>()?
            .concat();
        results.bounds.extend(bounds);
        results.runs.extend(runs);
        Ok(())
    }

    /// The facts about a web, and its workload if any run remains.
    ///
    /// All runs share the workload. It is made here, before they begin: a run that waited for it
    /// would block a thread that must help making it.
    fn search(
        &self,
        web: &PreparedWeb,
        loaded: &LoadedWeb,
    ) -> Result<(WebFacts, Option<Arc<Quality>>), TournamentError> {
        let key = self.facts_key(web);
        let known = self.journal.find(&key).and_then(web_facts);
        if let Some(known) = known
            && self.finished_before(web) == runs_per_web(self.experiment)
        {
            return Ok((WebFacts { trace: web.name.clone(), ..known.clone() }, None));
        }
        let Experiment { pages, queries, halves, paper, .. } = self.experiment;
        let texts = loaded.texts.as_ref();
        let (quality, workload) =
            Quality::as_in_paper(&loaded.truth, texts, *pages, queries, *halves, *paper)
                .map_err(|source| TournamentError::Texts { web: web.name.clone(), source })?;
        let facts = WebFacts { workload, ..facts(loaded.truth.history()) };
        if known.is_none() {
            self.journal.add(&key, &JournalEntry::Web(facts.clone()))?;
        }
        Ok((facts, quality.map(Arc::new)))
    }

    /// The inputs for features, if any policy needs them.
    fn features(
        &self,
        loaded: &LoadedWeb,
        quality: Option<&Quality>,
    ) -> Result<Option<Features>, TournamentError> {
        let specs = self.experiment.policies.iter().filter_map(Contender::as_policy);
        let policies: Vec<Box<dyn Policy>> = specs.map(|spec| spec.make(0)).collect();
        let policies: Vec<&dyn Policy> = policies.iter().map(|policy| &**policy).collect();
        let mut features = loaded.features(&policies)?;
        if let Some(features) = &mut features {
            features
                .set_keywords(quality.map_or_else(Vec::new, |quality| quality.keywords().to_vec()));
        }
        Ok(features)
    }

    fn jobs(&self) -> Vec<Job<'_>> {
        let Experiment { policies, budgets, seeds, .. } = self.experiment;
        let mut jobs = vec![];
        for contender in policies {
            for &budget in budgets {
                if contender.uses_randomness() {
                    let one = |&seed| Job { contender, budget, seeds: vec![seed] };
                    jobs.extend(seeds.iter().map(one));
                } else {
                    jobs.push(Job { contender, budget, seeds: seeds.clone() });
                }
            }
        }
        jobs
    }

    /// The records of a job, one for each seed; none if it was stopped.
    fn run(
        &self,
        web: &PreparedWeb,
        prepared: &PreparedRuns<'_>,
        job: &Job<'_>,
    ) -> Result<Vec<RunRecord>, TournamentError> {
        let keys: Vec<(u64, String)> = job
            .seeds
            .iter()
            .map(|&seed| (seed, self.run_key(web, job.contender, job.budget, seed)))
            .collect();
        let visits = visits_per_cycle(job.budget, prepared.dataset.pages_at_start());
        let before = keys.iter().find_map(|(_, key)| run_record(self.journal.find(key)?));
        let outcome = if let Some(record) = before {
            RunOutcome { cycles: record.cycles }
        } else {
            let policy = prepared.policy(job.contender, job.seeds[0])?;
            let is_ideal = *job.contender == Contender::Ideal;
            let budget = if is_ideal { Budget::UNLIMITED } else { Budget(visits) };
            let Some(outcome) =
                Run::new(&prepared.dataset, policy, budget).play_until(self.stop)?
            else {
                return Ok(vec![]);
            };
            outcome
        };
        let mut records = vec![];
        for (seed, key) in keys {
            let record = RunRecord {
                trace: web.name.clone(),
                policy: job.contender.name(),
                budget: job.budget,
                visits,
                seed,
                warm_up: self.experiment.warm_up,
                cycles: outcome.cycles.clone(),
            };
            if self.journal.find(&key).is_none() {
                self.journal.add(&key, &JournalEntry::Run(record.clone()))?;
                self.watcher.finished(&web.name);
            }
            records.push(record);
        }
        Ok(records)
    }

    /// Upper bounds for every policy. They only exist for fixed pages that are all held at the start:
    /// the bounds are about refreshing held pages.
    fn bounds(
        &self,
        web: &PreparedWeb,
        prepared: &PreparedRuns<'_>,
        budget: f64,
    ) -> Result<Vec<BoundRecord>, TournamentError> {
        let Experiment { pages, start, warm_up, .. } = self.experiment;
        if !self.with_bounds || *pages != PageSet::Fixed || *start != Start::Synchronised {
            return Ok(vec![]);
        }
        if let Some(bounds) = self.bounds_before(web, budget) {
            return Ok(bounds);
        }
        let visits = visits_per_cycle(budget, prepared.dataset.pages_at_start());
        let bound = |metric: &str, value: f64| BoundRecord {
            trace: web.name.clone(),
            budget,
            metric: metric.to_owned(),
            value,
        };
        let truth = &prepared.loaded.truth;
        let bounds = vec![
            bound("freshness", oracle::most_freshness(truth, visits, *warm_up)),
            bound("changes_caught", oracle::most_changes(truth, visits, *warm_up) as f64),
        ];
        self.journal.add(&self.bounds_key(web, budget), &JournalEntry::Bounds(bounds.clone()))?;
        Ok(bounds)
    }

    /// The bounds computed earlier.
    fn bounds_before(&self, web: &PreparedWeb, budget: f64) -> Option<Vec<BoundRecord>> {
        match self.journal.find(&self.bounds_key(web, budget))? {
            JournalEntry::Bounds(bounds) => {
                let renamed =
                    |bound: &BoundRecord| BoundRecord { trace: web.name.clone(), ..bound.clone() };
                Some(bounds.iter().map(renamed).collect())
            }
            JournalEntry::Run(_) | JournalEntry::Web(_) => None,
        }
    }
}

fn run_record(entry: &JournalEntry) -> Option<RunRecord> {
    match entry {
        JournalEntry::Run(record) => Some(record.clone()),
        JournalEntry::Bounds(_) | JournalEntry::Web(_) => None,
    }
}

fn web_facts(entry: &JournalEntry) -> Option<&WebFacts> {
    match entry {
        JournalEntry::Web(facts) => Some(facts),
        JournalEntry::Run(_) | JournalEntry::Bounds(_) => None,
    }
}

/// The number of runs on each web.
pub(super) fn runs_per_web(experiment: &Experiment) -> usize {
    experiment.policies.len() * experiment.budgets.len() * experiment.seeds.len()
}
