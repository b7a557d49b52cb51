//! The whole record of a web: what a crawl that visits every page in every cycle sees.
use flow::{
    Budget, Known, Observation, Outcome, PageId, Plan, Policy, Time, features::Features,
    impact::Measure,
};

use crate::{
    oracle::Ideal,
    tournament::{Setup, TournamentError},
};

/// What was seen of every page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WholeRecord {
    /// By page number of the crawl.
    pub pages: Vec<PageRecord>,
}

/// What was seen of one page.
#[derive(Clone, Debug, PartialEq)]
pub struct PageRecord {
    /// The page.
    pub page: PageId,
    /// How long it was watched: from the first visit to the last, or to the one that found it gone.
    pub days: f64,
    /// Every change found, in order.
    pub changes: Vec<Found>,
    /// The share of all looks at results that falls on it: the mean over cycles.
    pub exposure: f64,
}

/// A change that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// The cycle, from 1 on.
    pub cycle: usize,
    /// Days since the change before it was found, or since the first visit.
    pub gap_days: f64,
    /// How much changed, by the detector; 1 where the page is gone.
    pub amount: f64,
    /// What it did to answers; 0 where that was not measured, and never below it, since what is below
    /// is an error of the approximation.
    pub impact: f64,
}

impl WholeRecord {
    /// Watches a web to its end. Impact is 0 where it is not measured, and where there is no workload.
    ///
    /// # Errors
    /// When the loop fails, which a replay gives no reason for.
    pub fn of(setup: &Setup, measure: Option<Measure>) -> Result<Self, TournamentError> {
        let mut recorder = Recorder::default();
        let features = Features::default();
        let pages = setup.to_end(&mut recorder, measure, Budget::UNLIMITED, features)?.pages;
        let mut watched = recorder.watched;
        watched.resize_with(pages.len(), Watched::default);
        let cycles = f64::from(recorder.cycles.max(1));
        let record = |(page, watched): (flow::PageNo, Watched)| PageRecord {
            page: pages.id(page),
            days: watched.days,
            changes: watched.changes,
            exposure: watched.exposure / cycles,
        };
        Ok(Self { pages: pages.numbers().zip(watched).map(record).collect() })
    }
}

/// [`Ideal`], writing down what it sees.
#[derive(Debug, Default)]
struct Recorder {
    watched: Vec<Watched>,
    /// Cycles begun.
    cycles: u32,
}

#[derive(Clone, Debug, Default)]
struct Watched {
    days: f64,
    changes: Vec<Found>,
    /// The sum over cycles.
    exposure: f64,
    /// When it was seen first, and when a change was found last.
    first: Option<Time>,
    changed: Option<Time>,
}

impl Recorder {
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
        if known.cycle >= self.cycles {
            self.cycles = known.cycle + 1;
            for (page, &exposure) in known.exposures.iter().enumerate() {
                self.page(page).exposure += f64::from(exposure);
            }
        }
        Ideal.plan(known, budget)
    }

    fn learn(&mut self, seen: &Observation) {
        let cycle = self.cycles as usize;
        let watched = self.page(seen.page.index());
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
        watched.changes.push(Found { cycle, gap_days, amount, impact });
    }
}
