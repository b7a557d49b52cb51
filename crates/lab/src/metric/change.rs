//! Change ratios: what the visits found.
//!
//! Tan, Zhuang, Mitra, Giles, ICWE 2007, and Tan, Mitra, TOIS 2010. Their weighted forms have
//! different denominators (`docs/papers.md` A1.7-4): all visits in 2007, visits that found a change
//! in 2010, which makes it the mean weight of the changed pages. Weights are `PageRank` at the
//! beginning of the cycle, summing to 1 over the held pages. First visits compare nothing and are
//! left out.
use crawl::Observation;

use super::ratio;
use crate::inspect::Inspection;

/// Visits that found a change / visits.
pub(super) fn change_ratio(cycle: &Inspection<'_>) -> Option<f64> {
    ratio(found(cycle).count() as f64, compared(cycle).count() as f64)
}

/// Weight of the changed pages found / visits.
pub(super) fn weighted_change_ratio(cycle: &Inspection<'_>) -> Option<f64> {
    ratio(weight_found(cycle)?, compared(cycle).count() as f64)
}

/// Weight of the changed pages found / changed pages found.
pub(super) fn weighted_change_ratio_2010(cycle: &Inspection<'_>) -> Option<f64> {
    ratio(weight_found(cycle)?, found(cycle).count() as f64)
}

/// Visits that found a change.
#[expect(clippy::unnecessary_wraps, reason = "the shape of every metric")]
pub(super) fn changes_caught(cycle: &Inspection<'_>) -> Option<f64> {
    Some(found(cycle).count() as f64)
}

/// All visits.
#[expect(clippy::unnecessary_wraps, reason = "the shape of every metric")]
pub(super) fn visits(cycle: &Inspection<'_>) -> Option<f64> {
    Some(cycle.log.len() as f64)
}

fn compared<'a>(cycle: &'a Inspection<'_>) -> impl Iterator<Item = &'a Observation> {
    cycle.log.iter().filter(|seen| seen.changed().is_some())
}

fn found<'a>(cycle: &'a Inspection<'_>) -> impl Iterator<Item = &'a Observation> {
    cycle.log.iter().filter(|seen| seen.changed() == Some(true))
}

/// The weight of the changed pages found; `None` if there are no weights.
fn weight_found(cycle: &Inspection<'_>) -> Option<f64> {
    // An empty sum would be -0 and be written as such.
    let weight = |seen: &Observation| cycle.weights.get(seen.page.index()).copied().unwrap_or(0.0);
    let sum = found(cycle).fold(0.0, |sum, seen| sum + weight(seen));
    (!cycle.weights.is_empty()).then_some(sum)
}
