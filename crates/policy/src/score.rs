//! Scores, and the plan of the pages with the best scores.
//!
//! A policy's score is its own unit (days overdue, hours fresh, a probability). A score of at least
//! [`ORDER_ONLY`] in absolute value is not a quantity: it only puts a page before or after all others.
use crawl::{Budget, Known, PageNo, Plan, Reason, State, Visit};
use rayon::prelude::*;

/// Scores of at least this absolute value only say order. Policies use 1e12 and infinity for pages that come
/// before or after all others (never seen, without visits); the app does not show such scores.
pub const ORDER_ONLY: f64 = 1e9;

/// Fewer pages are scored faster by one thread.
pub(crate) const PAGES_PER_TASK: usize = 1 << 14;

/// The due pages with the highest scores. Several threads compute scores; the plan is the same for any
/// number of them.
pub(crate) fn best(
    known: &Known<'_>,
    budget: Budget,
    score: impl Fn(PageNo) -> f64 + Sync,
) -> Plan {
    let visit = |number: u32| {
        let page = PageNo(number);
        known.is_due(page).then(|| Visit { page, score: score(page), reason: reason(known, page) })
    };
    let numbers = 0..known.pages.len() as u32;
    let candidates = if known.pages.len() < 2 * PAGES_PER_TASK {
        numbers.filter_map(visit).collect()
    } else {
        numbers.into_par_iter().with_min_len(PAGES_PER_TASK).filter_map(visit).collect()
    };
    Plan::best(budget, candidates, known.pages)
}

fn reason(known: &Known<'_>, page: PageNo) -> Reason {
    match known.pages.state(page) {
        State::Linked => Reason::First,
        State::Held | State::Gone => Reason::Refresh,
    }
}

/// Days since the last visit to `page` that returned something; `None` for a page never seen.
pub(crate) fn age_days(known: &Known<'_>, page: PageNo) -> Option<f64> {
    known.pages.last_seen(page).map(|then| (known.now - then).days())
}
