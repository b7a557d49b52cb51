//! The frozen rules of the benchmark, and its runs.
use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use crawl::{Budget, Policy, Span};
use instruments::impact::Measure;
use policy::{PolicySpec, SpecError};
use rayon::prelude::*;

use super::{
    SiteOutcome,
    outcome::{self, Judged},
};
use crate::{
    oracle,
    tournament::{
        Dataset, Experiment, PreparedWeb, TournamentError, Watcher, WebSource, visits_per_cycle,
    },
};

/// The rules of a version of the benchmark. A version never changes: a table says its number, and
/// numbers of one version can be compared.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Protocol {
    /// The number of the version.
    pub version: u32,
    /// Days from one cycle to the next.
    pub cycle_days: i64,
    /// The number of cycles. Sites with shorter histories are left out; longer ones are cut.
    pub cycles: usize,
    /// The cycles at the beginning from which policies learn, but which are not measured.
    pub warm_up: usize,
    /// Sites with fewer pages at the start are left out.
    pub fewest_pages: usize,
    /// Visits per cycle, as shares of the pages at the start: rounded down, at least one.
    pub budgets: &'static [f64],
    /// What counts as a change.
    pub detectors: &'static [&'static str],
    /// The metric; its mean over the measured cycles counts.
    pub metric: &'static str,
}

/// A policy that takes part.
pub struct Entrant {
    /// The name in the table.
    pub name: String,
    /// Every run starts from a fork of it, so it must not have learnt anything yet.
    policy: Mutex<Box<dyn Policy>>,
}

/// The outcome of a benchmark.
#[derive(Clone, Debug, PartialEq)]
pub struct Scores {
    /// The rules.
    pub protocol: Protocol,
    /// The policies, in the order of the values of sites.
    pub policies: Vec<String>,
    /// A table for each detector and budget.
    pub tables: Vec<Table>,
    /// Sites that do not fit the rules, and why.
    pub left_out: Vec<(String, String)>,
    /// What the protocol does not give to a policy that needs it.
    pub missing: Vec<String>,
}

/// The outcomes with one detector and budget, by site.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// What counted as a change.
    pub detector: &'static str,
    /// The budget as a share of the pages.
    pub budget: f64,
    /// The sites, sorted by name.
    pub outcomes: Vec<SiteOutcome>,
}

/// What came of one site: the reason why it is left out, or by detector and budget its outcome.
type SiteRuns = Result<Vec<SiteOutcome>, String>;

impl Entrant {
    /// A policy under this name.
    pub fn new(name: &str, policy: Box<dyn Policy>) -> Self {
        Self { name: name.to_owned(), policy: Mutex::new(policy) }
    }

    /// A policy of this project, with parameters as in `unified:learned=off`. Policies that choose at
    /// random have seed 1.
    ///
    /// # Errors
    /// If there is no such policy, or a parameter is wrong.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        let spec = PolicySpec::parse(text)?;
        Ok(Self::new(spec.name(), spec.make(1)))
    }

    fn fork(&self) -> Box<dyn Policy> {
        self.policy.lock().unwrap_or_else(PoisonError::into_inner).fork()
    }
}

impl Protocol {
    /// The first version.
    pub const V1: Self = Self {
        version: 1,
        cycle_days: 7,
        cycles: 52,
        warm_up: 8,
        fewest_pages: 60,
        budgets: &[0.02, 0.05, 0.1, 0.2],
        detectors: &["digest", "main-text"],
        metric: "freshness",
    };

    /// Runs the policies on every web. Round robin, the oracle and the certified bound are computed for
    /// each. The result does not depend on the order of the webs or the number of threads.
    ///
    /// # Errors
    /// If a web cannot be read, two have the same name, or the cache cannot be written.
    pub fn run(
        &self,
        webs: &[WebSource],
        entrants: &[Entrant],
        cache: &Path,
        watcher: &dyn Watcher,
    ) -> Result<Scores, TournamentError> {
        let mut prepared = vec![];
        for web in webs {
            let opened = PreparedWeb::open(web, cache)?;
            opened.read(&|rows, of| watcher.reading(&opened.name, rows, of))?;
            prepared.push((opened, web.clone()));
        }
        prepared.sort_by(|one, other| one.0.name.cmp(&other.0.name));
        if let Some(same) = prepared.windows(2).find(|pair| pair[0].0.name == pair[1].0.name) {
            return Err(TournamentError::SameName(same[0].0.name.clone()));
        }
        watcher.begin(prepared.len() * self.tables(), 0);
        let played: Vec<(String, SiteRuns)> = prepared
            .par_iter()
            .map(|(web, source)| Ok((web.name.clone(), self.play(web, source, entrants, watcher)?)))
            .collect::<Result<_, TournamentError>>()?;
        let mut scores = Scores {
            protocol: *self,
            policies: entrants.iter().map(|entrant| entrant.name.clone()).collect(),
            tables: self.empty_tables(),
            left_out: vec![],
            missing: entrants.iter().filter_map(without_queries).collect(),
        };
        for (site, runs) in played {
            match runs {
                Err(reason) => scores.left_out.push((site, reason)),
                Ok(outcomes) => {
                    for (table, outcome) in scores.tables.iter_mut().zip(outcomes) {
                        table.outcomes.push(outcome);
                    }
                }
            }
        }
        Ok(scores)
    }

    fn tables(&self) -> usize {
        self.detectors.len() * self.budgets.len()
    }

    fn empty_tables(&self) -> Vec<Table> {
        let of = |&detector| {
            let table = move |&budget| Table { detector, budget, outcomes: vec![] };
            self.budgets.iter().map(table)
        };
        self.detectors.iter().flat_map(of).collect()
    }

    /// The outcomes of a site, in the order of the tables.
    fn play(
        &self,
        web: &PreparedWeb,
        source: &WebSource,
        entrants: &[Entrant],
        watcher: &dyn Watcher,
    ) -> Result<SiteRuns, TournamentError> {
        let mut outcomes = vec![];
        for detector in self.detectors {
            let experiment = Experiment {
                detector: (*detector).to_owned(),
                cycles: Some(self.cycles),
                ..Experiment::new(source.clone(), Span::from_days(self.cycle_days))
            };
            if let Err(error) = web.grid(&experiment) {
                return Ok(Err(error.to_string()));
            }
            let loaded = web.load(&experiment)?;
            let forks: Vec<Box<dyn Policy>> = entrants.iter().map(Entrant::fork).collect();
            let forks: Vec<&dyn Policy> = forks.iter().map(AsRef::as_ref).collect();
            let features = loaded.features(&forks)?;
            let truth = Arc::clone(&loaded.truth);
            drop(loaded);
            let dataset = Dataset::with_features(
                Arc::clone(&truth),
                experiment.pages,
                &experiment.start,
                features,
            )?;
            let dataset = dataset.weighted(false);
            let pages = dataset.pages_at_start();
            if pages < self.fewest_pages {
                let fewest = self.fewest_pages;
                return Ok(Err(format!("has {pages} pages at the start, fewer than {fewest}")));
            }
            for &share in self.budgets {
                let visits = visits_per_cycle(share, pages);
                let judged = Judged { metric: self.metric, warm_up: self.warm_up };
                let policies = entrants.iter().map(Entrant::fork).collect();
                let outcome = outcome::play(
                    &web.name,
                    &dataset,
                    &truth,
                    Budget(visits).into(),
                    judged,
                    policies,
                )?;
                let Some(outcome) = outcome else {
                    return Ok(Err(format!("{} is not defined for it", self.metric)));
                };
                let bound = oracle::most_freshness(&truth, visits, self.warm_up);
                outcomes.push(SiteOutcome { bound: Some(bound), ..outcome });
                watcher.finished(&web.name);
            }
        }
        Ok(Ok(outcomes))
    }
}

/// A policy that needs queries runs without: the protocol has none.
fn without_queries(entrant: &Entrant) -> Option<String> {
    let needs = entrant.fork().needs();
    needs.find::<Measure>().map(|_| {
        let name = &entrant.name;
        format!("{name} uses the impact of visits on search results; without queries it has none")
    })
}
