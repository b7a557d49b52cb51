//! Policies that use the ground truth: upper bounds, never rivals.
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

pub(crate) use self::greedy_cover::{cover_name, share as cover_share};
use crate::hindsight::Hindsight;

/// The names of the oracles, and their ideas. `known-rates` is `freshness-index` with the true
/// change rates of a synthetic web; those in [`hindsight`](crate::hindsight) take parameters.
pub const ORACLES: &[(&str, &str)] = &[
    ("ideal", "visits every page in every cycle, whatever the budget"),
    ("oracle-changes", "knows the future: the change that will be overwritten soonest first"),
    ("oracle-freshness", "knows the future: the page that will stay fresh longest first"),
    (
        "greedy-cover",
        "knows what pages show now: the fewest visits that find every page not known yet",
    ),
    ("known-rates", "freshness-index with the true change rates (synthetic webs only)"),
    ("hindsight-user-centric", "user-centric fitted on the whole record, as its paper did"),
    ("hindsight-staleness-based", "staleness-based fitted on the whole record"),
    ("hindsight-embarrassment-based", "embarrassment-based fitted on the whole record"),
    ("hindsight-age-based", "age-based fitted on the whole record"),
];

/// Whether a text names an oracle, with or without parameters.
pub fn is_oracle(name: &str) -> bool {
    let named = |name: &str| ORACLES.iter().any(|&(oracle, _)| oracle == name);
    named(name) || Hindsight::parse(name).is_some() || cover_share(name).is_some()
}
