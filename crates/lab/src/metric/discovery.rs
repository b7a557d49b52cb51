//! The discovery of pages that were not known at the start, and its cost.
//!
//! Dasgupta et al., WWW 2007, call the visits per new page the overhead. They print two numbers for
//! it that differ by a factor of three (`docs/papers.md` A4.2-5), so both are measured: the mean
//! over cycles, and all visits divided by all new pages. First visits of new pages do not count as
//! overhead, since a page must be visited to be held. All other visits do, for any reason.
use super::ratio;
use crate::inspect::Inspection;

/// New pages held / new pages alive.
pub(super) fn new_coverage(cycle: &Inspection<'_>) -> Option<f64> {
    let discovery = cycle.discovery?;
    ratio(discovery.held as f64, discovery.alive as f64)
}

/// New pages that cannot be reached from any held page / new pages alive.
pub(super) fn undiscoverable(cycle: &Inspection<'_>) -> Option<f64> {
    let discovery = cycle.discovery?;
    ratio(discovery.undiscoverable as f64, discovery.alive as f64)
}

/// Visits besides first visits of new pages / new pages found.
pub(super) fn overhead(cycle: &Inspection<'_>) -> Option<f64> {
    let discovery = cycle.discovery?;
    ratio(discovery.searching_visits as f64, discovery.found as f64)
}

/// New pages found / visits.
pub(super) fn new_per_visit(cycle: &Inspection<'_>) -> Option<f64> {
    let discovery = cycle.discovery?;
    ratio(discovery.found as f64, (discovery.found + discovery.searching_visits) as f64)
}

/// Days from birth to first visit / new pages found.
pub(super) fn delay(cycle: &Inspection<'_>) -> Option<f64> {
    let discovery = cycle.discovery?;
    ratio(discovery.waited_days, discovery.found as f64)
}

/// New pages found.
pub(super) fn new_pages(cycle: &Inspection<'_>) -> Option<f64> {
    Some(cycle.discovery?.found as f64)
}

/// Visits besides first visits of new pages.
pub(super) fn searching_visits(cycle: &Inspection<'_>) -> Option<f64> {
    Some(cycle.discovery?.searching_visits as f64)
}

/// Days from birth to first visit, summed over new pages found.
pub(super) fn waited_days(cycle: &Inspection<'_>) -> Option<f64> {
    Some(cycle.discovery?.waited_days)
}
