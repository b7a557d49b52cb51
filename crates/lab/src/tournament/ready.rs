//! A web on which runs can begin, and the policies to run on it.
use std::sync::{Arc, OnceLock};

use flow::Policy;
use policy::{Choice, FreshnessIndex};

use super::{LoadedWeb, Setup, TournamentError};
use crate::{
    discovery::links::SiteLinks,
    hindsight::{Hindsight, Records},
    oracle::{Clairvoyant, GreedyCover, Ideal, NameError, cover_share},
};

/// A web on which runs can begin.
pub(super) struct Ready<'a> {
    pub(super) loaded: &'a LoadedWeb,
    pub(super) setup: Setup,
    /// What policies are fitted on in hindsight.
    records: Records,
    /// What every reading links to, once somebody asks.
    links: OnceLock<Arc<SiteLinks>>,
}

impl<'a> Ready<'a> {
    /// With what is needed of the whole record by `policies` that are fitted in hindsight.
    ///
    /// # Errors
    /// When the loop fails, which a replay gives no reason for.
    pub(super) fn new(
        loaded: &'a LoadedWeb,
        setup: Setup,
        policies: &[String],
    ) -> Result<Self, TournamentError> {
        let records = Records::of(&setup, policies)?;
        Ok(Self { loaded, setup, records, links: OnceLock::new() })
    }

    /// The policy or oracle with this name.
    ///
    /// # Errors
    /// When there is none, or it does not fit the web.
    pub(super) fn policy(&self, name: &str, seed: u64) -> Result<Box<dyn Policy>, TournamentError> {
        let truth = || Arc::clone(&self.loaded.truth);
        if let Some(hindsight) = Hindsight::parse(name) {
            let hindsight = hindsight.map_err(NameError::from)?;
            let record = self.records.measured(hindsight.measure());
            return Ok(hindsight.make(record.expect("there is one for each policy")));
        }
        if let Some(share) = cover_share(name) {
            let links = self.links.get_or_init(|| Arc::new(SiteLinks::new(&self.loaded.truth)));
            let share = share.map_err(NameError::from)?;
            return Ok(Box::new(GreedyCover::new(truth(), Arc::clone(links), share)));
        }
        Ok(match name {
            "ideal" => Box::new(Ideal),
            "oracle-changes" => Box::new(Clairvoyant::changes(truth())),
            "oracle-freshness" => Box::new(Clairvoyant::freshness(truth())),
            "known-rates" => match &self.loaded.rates {
                Some(rates) => Box::new(FreshnessIndex::told(rates.clone())),
                None => return Err(TournamentError::UnknownRates(truth().history().name.clone())),
            },
            _ => Choice::parse(name).map_err(NameError::from)?.make(seed),
        })
    }
}
