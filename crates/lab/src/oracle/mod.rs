//! Policies that use the truth: upper bounds, never rivals.
mod bound;
mod clairvoyant;
mod cover_bound;
mod exact_cover;
mod greedy_cover;
mod optimum;

pub use bound::{most_changes, most_freshness};
pub use clairvoyant::{Clairvoyant, Ideal};
pub use cover_bound::most_found;
pub use exact_cover::{fewest_rows_exactly, most_found_exactly};
pub use greedy_cover::{CoverError, GreedyCover};
pub use optimum::poisson_optimum;
use policy::{Choice, ChoiceError};

pub(crate) use self::greedy_cover::share as cover_share;
use crate::hindsight::{Hindsight, HindsightError};

/// Names of the oracles, and their ideas. `known-rates` is `freshness-index` told the true change
/// rates, where a synthetic web has them; those in [`hindsight`](crate::hindsight) take parameters.
pub const ORACLES: &[(&str, &str)] = &[
    ("ideal", "visits every page in every cycle, whatever the budget"),
    ("oracle-changes", "knows the future: the change that will be overwritten soonest first"),
    ("oracle-freshness", "knows the future: the page that will stay fresh longest first"),
    (
        "greedy-cover",
        "knows what pages show now: the fewest visits that find every page not known yet",
    ),
    ("known-rates", "freshness-index told the true change rates (synthetic webs only)"),
    ("hindsight-user-centric", "user-centric fitted on the whole record, as its paper did"),
    ("hindsight-staleness-based", "staleness-based fitted on the whole record"),
    ("hindsight-embarrassment-based", "embarrassment-based fitted on the whole record"),
    ("hindsight-age-based", "age-based fitted on the whole record"),
];

/// Whether a name is that of an oracle; some may have parameters.
pub fn is_oracle(name: &str) -> bool {
    let named = |name: &str| ORACLES.iter().any(|&(oracle, _)| oracle == name);
    named(name) || Hindsight::parse(name).is_some() || cover_share(name).is_some()
}

/// Why a name means neither a policy nor an oracle.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// It chooses no policy.
    #[error(transparent)]
    Policy(#[from] ChoiceError),
    /// It is that of a policy fitted in hindsight, with parameters that it does not take.
    #[error(transparent)]
    Hindsight(#[from] HindsightError),
    /// It is that of the greedy cover, with a parameter that it does not take.
    #[error(transparent)]
    Cover(#[from] CoverError),
}

/// The canonical text of a policy or an oracle, by which results tell it.
///
/// # Errors
/// Where it is neither, or has parameters that it does not take.
pub fn canonical(name: &str) -> Result<String, NameError> {
    if let Some(share) = cover_share(name) {
        return Ok(greedy_cover::cover_name(share?));
    }
    match Hindsight::parse(name) {
        Some(found) => Ok(found?.name()),
        None if is_oracle(name) => Ok(name.to_owned()),
        None => Ok(Choice::parse(name)?.name().to_owned()),
    }
}
