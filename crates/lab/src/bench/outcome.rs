//! The runs of all policies on one site with one budget.
use std::sync::Arc;

use crawl::{Allowance, Policy};

use crate::{
    oracle::Clairvoyant,
    tournament::{Dataset, Run, TournamentError},
    truth::GroundTruth,
};

/// The policy that all others are compared with.
const BASELINE: &str = "round-robin";

/// What came out on one site with one budget.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteOutcome {
    /// The name of the site.
    pub site: String,
    /// Its pages at the start.
    pub pages: usize,
    /// The value of round robin.
    pub round_robin: f64,
    /// The value of `oracle-freshness`; `None` where the metric is not defined for it.
    pub oracle: Option<f64>,
    /// The certified upper bound, where there is one.
    pub bound: Option<f64>,
    /// The values of the policies.
    pub values: Vec<f64>,
}

/// By what runs are judged.
#[derive(Clone, Copy, Debug)]
pub struct Judged<'a> {
    /// The metric.
    pub metric: &'a str,
    /// The cycles at the beginning that are not measured.
    pub warm_up: usize,
}

/// Runs the policies, round robin and the oracle on a site. `None` where the metric is not defined for
/// round robin or for one of the policies: days until a new page is held are not, where none was held.
///
/// # Errors
/// If a run fails, which does not happen in a replay.
///
/// # Panics
/// If there is no policy `round-robin`.
pub fn play(
    site: &str,
    dataset: &Dataset,
    truth: &Arc<GroundTruth>,
    allowance: Allowance,
    judged: Judged<'_>,
    policies: Vec<Box<dyn Policy>>,
) -> Result<Option<SiteOutcome>, TournamentError> {
    let value = |policy| -> Result<Option<f64>, TournamentError> {
        let outcome = Run::new(dataset, policy, allowance).play()?;
        Ok(outcome.value(judged.metric, judged.warm_up))
    };
    let values: Option<Vec<f64>> = policies.into_iter().map(value).collect::<Result<_, _>>()?;
    let baseline = policy::by_name(BASELINE).expect("it is in policy::ALL").with_defaults(1);
    let (Some(values), Some(round_robin)) = (values, value(baseline)?) else { return Ok(None) };
    Ok(Some(SiteOutcome {
        site: site.to_owned(),
        pages: dataset.pages_at_start(),
        round_robin,
        oracle: value(Box::new(Clairvoyant::freshness(Arc::clone(truth))))?,
        bound: None,
        values,
    }))
}
