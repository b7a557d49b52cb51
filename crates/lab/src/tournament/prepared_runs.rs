//! A web that is ready for runs, and the contenders that run on it.
use std::sync::{Arc, OnceLock};

use crawl::Policy;
use policy::FreshnessIndex;

use super::{Contender, Dataset, LoadedWeb, TournamentError};
use crate::{
    discovery::links::SiteLinks,
    hindsight::Records,
    oracle::{Clairvoyant, GreedyCover, Ideal},
};

/// A web that is ready for runs.
pub(super) struct PreparedRuns<'a> {
    pub(super) loaded: &'a LoadedWeb,
    pub(super) dataset: Dataset,
    /// The records that policies are fitted on in hindsight.
    records: Records,
    /// The links of every reading; computed on first use.
    links: OnceLock<Arc<SiteLinks>>,
}

impl<'a> PreparedRuns<'a> {
    /// Records the whole web if any of `contenders` is fitted in hindsight.
    ///
    /// # Errors
    /// If the loop fails, which does not happen in a replay.
    pub(super) fn new(
        loaded: &'a LoadedWeb,
        dataset: Dataset,
        contenders: &[Contender],
    ) -> Result<Self, TournamentError> {
        let records = Records::for_contenders(&dataset, contenders)?;
        Ok(Self { loaded, dataset, records, links: OnceLock::new() })
    }

    /// Makes the policy of a contender.
    ///
    /// # Errors
    /// If the contender does not fit the web.
    pub(super) fn policy(
        &self,
        contender: &Contender,
        seed: u64,
    ) -> Result<Box<dyn Policy>, TournamentError> {
        let truth = || Arc::clone(&self.loaded.truth);
        Ok(match contender {
            Contender::Policy(spec) => spec.make(seed),
            Contender::Hindsight(hindsight) => {
                let record = self.records.measured(hindsight.measure());
                hindsight.make(record.expect("there is one for each policy"))
            }
            Contender::GreedyCover(share) => {
                let links = self.links.get_or_init(|| Arc::new(SiteLinks::new(&self.loaded.truth)));
                Box::new(GreedyCover::with_links(truth(), Arc::clone(links), *share))
            }
            Contender::Ideal => Box::new(Ideal),
            Contender::OracleChanges => Box::new(Clairvoyant::changes(truth())),
            Contender::OracleFreshness => Box::new(Clairvoyant::freshness(truth())),
            Contender::KnownRates => match &self.loaded.rates {
                Some(rates) => Box::new(FreshnessIndex::with_rates(rates.clone())),
                None => return Err(TournamentError::UnknownRates(truth().history().name.clone())),
            },
        })
    }
}
