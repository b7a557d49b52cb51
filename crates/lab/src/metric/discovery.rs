//! What was found of pages that were not known at the start, and at what cost.
//!
//! Dasgupta et al., WWW 2007, call the visits spent for one new page the overhead. They print two
//! numbers for it that differ by three (`docs/papers.md` A4.2-5), so both are taken: the mean of what
//! cycles come to, and all visits by all new pages. First visits of new pages are no overhead, since a
//! page that is to be held must be visited anyway; every other visit is, whatever it was made for.
use super::ratio;
use crate::inspect::Inspection;

/// New pages held / new pages alive.
pub(super) fn new_coverage(cycle: &Inspection<'_>) -> Option<f64> {
    let news = cycle.news?;
    ratio(news.held as f64, news.alive as f64)
}

/// New pages that nothing held leads to / new pages alive.
pub(super) fn undiscoverable(cycle: &Inspection<'_>) -> Option<f64> {
    let news = cycle.news?;
    ratio(news.undiscoverable as f64, news.alive as f64)
}

/// Visits besides first visits of new pages / new pages found.
pub(super) fn overhead(cycle: &Inspection<'_>) -> Option<f64> {
    let news = cycle.news?;
    ratio(news.searching_visits as f64, news.found as f64)
}

/// New pages found / visits.
pub(super) fn new_per_visit(cycle: &Inspection<'_>) -> Option<f64> {
    let news = cycle.news?;
    ratio(news.found as f64, (news.found + news.searching_visits) as f64)
}

/// Days from birth to first visit / new pages found.
pub(super) fn delay(cycle: &Inspection<'_>) -> Option<f64> {
    let news = cycle.news?;
    ratio(news.waited_days, news.found as f64)
}

/// New pages found.
pub(super) fn new_pages(cycle: &Inspection<'_>) -> Option<f64> {
    Some(cycle.news?.found as f64)
}

/// Visits besides first visits of new pages.
pub(super) fn searching_visits(cycle: &Inspection<'_>) -> Option<f64> {
    Some(cycle.news?.searching_visits as f64)
}

/// Days from birth to first visit, summed over new pages found.
pub(super) fn waited_days(cycle: &Inspection<'_>) -> Option<f64> {
    Some(cycle.news?.waited_days)
}
