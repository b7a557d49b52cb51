//! One run: one policy on one web with one budget and one seed.
use std::{
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use crawl::{Allowance, PageRank, Policy};
use instruments::{features::FeatureNeeds, impact::Measure};

use super::{Dataset, TournamentError, dataset::After};
use crate::{
    inspect::Inspection,
    metric::{self, METRICS},
    new_pages::DiscoveryTracker,
    quality::SearchTracker,
    truth::HistoryNumbers,
};

/// A run of a policy on a dataset with a budget.
pub struct Run<'d> {
    dataset: &'d Dataset,
    policy: Box<dyn Policy>,
    allowance: Allowance,
}

/// The metrics of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunOutcome {
    /// By cycle, then by metric as in [`METRICS`]; `None` if a metric is undefined.
    pub cycles: Vec<Vec<Option<f64>>>,
}

impl RunOutcome {
    /// A metric over the cycles after the first `warm_up` ones, as its [`Aggregate`](metric::Aggregate)
    /// says; `None` if it is undefined in all of them, or there is no metric of this name.
    pub fn value(&self, metric: &str, warm_up: usize) -> Option<f64> {
        metric::over_cycles(metric::by_name(metric)?, self.cycles.get(warm_up..)?)
    }
}

impl<'d> Run<'d> {
    /// A run over the whole dataset. The budget of its cycles is a [`Budget`](crawl::Budget), or an
    /// [`Allowance`] in another unit.
    pub fn new(
        dataset: &'d Dataset,
        policy: Box<dyn Policy>,
        budget: impl Into<Allowance>,
    ) -> Self {
        Self { dataset, policy, allowance: budget.into() }
    }

    /// Runs all cycles and measures after each.
    ///
    /// # Errors
    /// If the loop fails, which does not happen in a replay.
    pub fn play(self) -> Result<RunOutcome, TournamentError> {
        let outcome = self.play_until(&AtomicBool::new(false))?;
        match outcome {
            Some(outcome) => Ok(outcome),
            None => unreachable!("nothing stops it"),
        }
    }

    /// The same; `None` if `stop` was set before the end.
    ///
    /// # Errors
    /// If the loop fails, which does not happen in a replay.
    pub fn play_until(self, stop: &AtomicBool) -> Result<Option<RunOutcome>, TournamentError> {
        let Self { dataset, policy, allowance } = self;
        let needs = policy.needs();
        let features = needs
            .find::<FeatureNeeds>()
            .map(|needs| dataset.features().with_look_back(needs.look_back));
        let measure: Option<Measure> = needs.find().copied();
        let mut numbers = HistoryNumbers::default();
        let mut ranks = PageRank::default();
        if dataset.weighted {
            ranks.update_warm(&dataset.pages, &dataset.links);
        }
        let quality = dataset.quality.as_deref();
        let mut searched = quality.map(|quality| SearchTracker::new(quality, dataset.weighted));
        let mut discovery =
            dataset.new_pages.as_ref().map(|pages| DiscoveryTracker::new(&dataset.truth, pages));
        let mut cycles = vec![];
        let last = dataset.truth.grid().cycles;
        let mut measure_cycle = |after: After<'_>| {
            let After { number, pages, links, log } = after;
            numbers.update(&dataset.truth, pages);
            let began = Arc::clone(ranks.ranks());
            if dataset.weighted {
                ranks.update_warm(pages, links);
            }
            let ranks = ranks.ranks();
            let quality = searched
                .as_mut()
                .map(|searched| searched.measure(number, pages, &numbers, links, ranks));
            let found = Inspection::new(&dataset.truth, number, pages, &numbers, log, &began);
            let found = found.with_search_metrics(quality.as_ref());
            let discovery =
                discovery.as_mut().map(|discovery| discovery.measure(number, pages, &numbers, log));
            let found = found.with_discovery(discovery);
            cycles.push(METRICS.iter().map(|metric| (metric.take)(&found)).collect());
            let is_stopped = number < last && stop.load(Ordering::Relaxed);
            if is_stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        if stop.load(Ordering::Relaxed)
            || dataset
                .run_cycles(policy, measure, allowance, features, &mut measure_cycle)?
                .is_none()
        {
            return Ok(None);
        }
        Ok(Some(RunOutcome { cycles }))
    }
}
