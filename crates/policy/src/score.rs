//! From a score for each page to a plan.
use flow::{Budget, Known, PageNo, Plan, Reason, State, Visit};
use rayon::prelude::*;

/// Fewer pages than this are scored faster by one thread than handed to several.
pub(crate) const PAGES_PER_TASK: usize = 1 << 14;

/// The due pages with the highest scores. Several threads score; the plan is the same for any
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

/// Days since a visit to `page` last told us something; `None` for a page never seen.
pub(crate) fn age_days(known: &Known<'_>, page: PageNo) -> Option<f64> {
    known.pages.last_seen(page).map(|then| (known.now - then).days())
}
