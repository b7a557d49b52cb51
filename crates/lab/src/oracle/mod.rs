//! Policies that use the truth: upper bounds, never rivals.
mod bound;
mod clairvoyant;
mod optimum;

pub use bound::{most_changes, most_freshness};
pub use clairvoyant::{Clairvoyant, Ideal};
pub use optimum::poisson_optimum;

/// Names of the oracles, and their ideas. `known-rates` is `freshness-index` told the true change
/// rates, where a synthetic web has them.
pub const ORACLES: &[(&str, &str)] = &[
    ("ideal", "visits every page in every cycle, whatever the budget"),
    ("oracle-changes", "knows the future: the change that will be overwritten soonest first"),
    ("oracle-freshness", "knows the future: the page that will stay fresh longest first"),
    ("known-rates", "freshness-index told the true change rates (synthetic webs only)"),
];

/// Whether a name is that of an oracle.
pub fn is_oracle(name: &str) -> bool {
    ORACLES.iter().any(|&(oracle, _)| oracle == name)
}
