//! Policies fitted in hindsight: told of every page what a crawl without a budget would have learned.
//!
//! Pandey and Olston 2005 (section 6.2) fit the parameters of all three rivals on the same 48 weeks on
//! which they run them, "under the scenario in which every update to a page triggers an immediate
//! refresh". Nobody can do that while crawling, so these rows are oracles: their names begin with
//! `hindsight-`, and they take the parameters of their causal namesakes.
mod fit;
mod name;
mod record;

use flow::impact::Measure;
use rayon::prelude::*;

pub(crate) use self::fit::mean_of_ratios;
pub use self::{
    name::{Hindsight, HindsightError},
    record::{Found, PageRecord, WholeRecord},
};
use crate::tournament::{Setup, TournamentError};

/// Whole records of one web, one for each way in which impact is measured.
#[derive(Debug, Default)]
pub(crate) struct Records(Vec<(Option<Measure>, WholeRecord)>);

impl Records {
    /// Those that `policies` of an experiment are fitted on; shared by all of its budgets.
    ///
    /// # Errors
    /// When the loop fails, which a replay gives no reason for.
    pub(crate) fn of(setup: &Setup, policies: &[String]) -> Result<Self, TournamentError> {
        let mut measures: Vec<Option<Measure>> = vec![];
        for name in policies {
            if let Some(Ok(hindsight)) = Hindsight::parse(name)
                && !measures.contains(&hindsight.measure())
            {
                measures.push(hindsight.measure());
            }
        }
        // What is not measured is the same in every record.
        if measures.iter().any(Option::is_some) {
            measures.retain(Option::is_some);
        }
        let record = |measure| Ok((measure, WholeRecord::of(setup, measure)?));
        Ok(Self(measures.into_par_iter().map(record).collect::<Result<_, TournamentError>>()?))
    }

    /// One that is measured so; any where no measure is asked for.
    pub(crate) fn measured(&self, measure: Option<Measure>) -> Option<&WholeRecord> {
        let mut records = self.0.iter();
        let found = records.find(|(measured, _)| measure.is_none() || *measured == measure);
        found.map(|(_, record)| record)
    }
}
