//! What the visits found: change ratios.
//!
//! Tan, Zhuang, Mitra, Giles, ICWE 2007, and Tan, Mitra, TOIS 2010. Their weighted forms differ in
//! what they divide by (`docs/papers.md` A1.7-4): 2007 by all visits, 2010 by those that found a
//! change, which makes it the mean weight of the changed pages. Weights are `PageRank` as it stood
//! when the cycle began, summing to 1 over the held pages. First visits compare nothing and are
//! left out.
use flow::Observation;

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

/// The weight of the changed pages found; `None` where no weights were worked out.
fn weight_found(cycle: &Inspection<'_>) -> Option<f64> {
    // A sum of nothing would be -0, and be written so.
    let weight = |seen: &Observation| cycle.weights.get(seen.page.index()).copied().unwrap_or(0.0);
    let sum = found(cycle).fold(0.0, |sum, seen| sum + weight(seen));
    (!cycle.weights.is_empty()).then_some(sum)
}
