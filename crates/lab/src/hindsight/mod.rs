//! Policies fitted in hindsight: they know what a crawl without a budget would have learned.
//!
//! Pandey and Olston 2005 (section 6.2) fit the parameters of all three rivals on the same 48 weeks
//! on which they run them, "under the scenario in which every update to a page triggers an
//! immediate refresh". No crawler can do that, so these rows are oracles. Their names begin with
//! `hindsight-` and they take the parameters of the causal policy of the same name.
mod fit;
mod name;
mod record;

use instruments::impact::Measure;
use rayon::prelude::*;

pub use self::fit::mean_of_ratios;
pub use self::{
    name::{Hindsight, HindsightError},
    record::{ObservedChange, PageRecord, WholeRecord},
};
use crate::tournament::{Contender, Dataset, TournamentError};

/// Whole records of one web, one for each impact measure.
#[derive(Debug, Default)]
pub(crate) struct Records(Vec<(Option<Measure>, WholeRecord)>);

impl Records {
    /// The records that `contenders` are fitted on; all budgets share them.
    ///
    /// # Errors
    /// If the loop fails, which does not happen in a replay.
    pub(crate) fn for_contenders(
        dataset: &Dataset,
        contenders: &[Contender],
    ) -> Result<Self, TournamentError> {
        let mut measures: Vec<Option<Measure>> = vec![];
        for contender in contenders {
            if let Contender::Hindsight(hindsight) = contender
                && !measures.contains(&hindsight.measure())
            {
                measures.push(hindsight.measure());
            }
        }
        // The other fields are the same in every record.
        if measures.iter().any(Option::is_some) {
            measures.retain(Option::is_some);
        }
        let record = |measure| Ok((measure, WholeRecord::record(dataset, measure)?));
        Ok(Self(measures.into_par_iter().map(record).collect::<Result<_, TournamentError>>()?))
    }

    /// The record with this impact measure; any record for `None`.
    pub(crate) fn measured(&self, measure: Option<Measure>) -> Option<&WholeRecord> {
        let mut records = self.0.iter();
        let found = records.find(|(measured, _)| measure.is_none() || *measured == measure);
        found.map(|(_, record)| record)
    }
}
