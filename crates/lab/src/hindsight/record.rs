//! The whole record of a web: the observations of a crawl that visits every page in every cycle.
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crawl::{Budget, Known, Observation, Outcome, PageId, Plan, Policy, Time};
use instruments::{Measured, impact::Measure};

use crate::{
    oracle::Ideal,
    tournament::{Dataset, TournamentError},
};

/// The observations of every page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WholeRecord {
    /// By page number of the crawl.
    pub pages: Vec<PageRecord>,
}

/// The observations of one page.
#[derive(Clone, Debug, PartialEq)]
pub struct PageRecord {
    /// The page.
    pub page: PageId,
    /// Days from the first visit to the last, or to the visit that found it gone.
    pub days: f64,
    /// Every change found, in order.
    pub changes: Vec<ObservedChange>,
    /// Its share of all views of search results: the mean over cycles.
    pub exposure: f64,
}

/// An observed change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObservedChange {
    /// The cycle, from 1 on.
    pub cycle: usize,
    /// Days since the previous observed change, or since the first visit.
    pub gap_days: f64,
    /// The size of the change by the detector; 1 if the page is gone.
    pub amount: f64,
    /// The effect on search results; 0 if it was not measured. Negative values are errors of the
    /// approximation and become 0.
    pub impact: f64,
}

impl WholeRecord {
    /// Records a run that visits every page in every cycle. Impact is 0 if it is not measured or
    /// there is no workload.
    ///
    /// # Errors
    /// If the loop fails, which does not happen in a replay.
    pub fn record(dataset: &Dataset, measure: Option<Measure>) -> Result<Self, TournamentError> {
        let recorder = Recorder::default();
        let policy = Box::new(Recorder(Arc::clone(&recorder.0)));
        let pages = dataset.run_to_end(policy, measure, Budget::UNLIMITED, None)?.pages;
        let recorder = std::mem::take(&mut *recorder.record());
        let mut watched = recorder.watched;
        watched.resize_with(pages.len(), Watched::default);
        let cycles = f64::from(recorder.cycles.max(1));
        let record = |(page, watched): (crawl::PageNo, Watched)| PageRecord {
            page: pages.id(page),
            days: watched.days,
            changes: watched.changes,
            exposure: watched.exposure / cycles,
        };
        Ok(Self { pages: pages.numbers().zip(watched).map(record).collect() })
    }
}

/// [`Ideal`] that records its observations.
#[derive(Debug, Default)]
struct Recorder(Arc<Mutex<Record>>);

#[derive(Clone, Debug, Default)]
struct Record {
    watched: Vec<Watched>,
    /// The number of cycles begun.
    cycles: u32,
}

#[derive(Clone, Debug, Default)]
struct Watched {
    days: f64,
    changes: Vec<ObservedChange>,
    /// The sum over cycles.
    exposure: f64,
    /// The time of the first visit and of the last observed change.
    first: Option<Time>,
    changed: Option<Time>,
}

impl Recorder {
    fn record(&self) -> MutexGuard<'_, Record> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Record {
    fn page(&mut self, page: usize) -> &mut Watched {
        if self.watched.len() <= page {
            self.watched.resize_with(page + 1, Watched::default);
        }
        &mut self.watched[page]
    }
}

impl Policy for Recorder {
    fn name(&self) -> &'static str {
        "ideal"
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        let mut record = self.record();
        if known.cycle >= record.cycles {
            record.cycles = known.cycle + 1;
            for (page, &exposure) in known.exposures().iter().enumerate() {
                record.page(page).exposure += f64::from(exposure);
            }
        }
        Ideal.plan(known, budget)
    }

    fn learn(&mut self, seen: &Observation) {
        let mut record = self.record();
        let cycle = record.cycles as usize;
        let watched = record.page(seen.page.index());
        let first = *watched.first.get_or_insert(seen.at);
        watched.days = (seen.at - first).days();
        if seen.changed() != Some(true) {
            return;
        }
        let amount = match seen.outcome {
            Outcome::Changed(amount) => f64::from(amount),
            _ => 1.0,
        };
        let gap_days = (seen.at - watched.changed.replace(seen.at).unwrap_or(first)).days();
        let impact = f64::from(seen.impact.unwrap_or(0.0).max(0.0));
        watched.changes.push(ObservedChange { cycle, gap_days, amount, impact });
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(Self(Arc::new(Mutex::new(self.record().clone()))))
    }
}
