//! Freshness and age of the repository.
use super::ratio;
use crate::inspect::{HeldPage, Inspection};

/// Held pages that are the same as the live page / held pages. A held page that is gone from the
/// live web and not visited since is stale.
pub(super) fn freshness(cycle: &Inspection<'_>) -> Option<f64> {
    let fresh = cycle.held.iter().filter(|page| page.fresh).count();
    ratio(fresh as f64, cycle.held.len() as f64)
}

/// The same, averaged exactly over the time until the next cycle.
pub(super) fn freshness_mean(cycle: &Inspection<'_>) -> Option<f64> {
    ratio(sum(cycle, |page| page.share_fresh), cycle.held.len() as f64)
}

/// Freshness with each page weighted by `PageRank`.
pub(super) fn weighted_freshness(cycle: &Inspection<'_>) -> Option<f64> {
    let fresh = sum(cycle, |page| if page.fresh { page.weight } else { 0.0 });
    ratio(fresh, sum(cycle, |page| page.weight))
}

/// Mean over held pages of the days since the first change after the last visit, 0 for fresh ones.
pub(super) fn age(cycle: &Inspection<'_>) -> Option<f64> {
    ratio(sum(cycle, |page| page.stale_days), cycle.held.len() as f64)
}

fn sum(cycle: &Inspection<'_>, of: impl Fn(&HeldPage) -> f64) -> f64 {
    cycle.held.iter().map(of).sum()
}
