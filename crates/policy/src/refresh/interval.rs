//! The part that the interval rules of other crawlers share: each page has a due time, and the budget is
//! spent on the most overdue pages. If fewer pages are overdue than the budget allows, the pages that are
//! due soonest follow, so that every policy spends the same.
use crawl::{Budget, Known, PageNo, Plan, Span, Time};

use crate::{by_page::row_mut, score};

/// When each page is due, and the interval that led there.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timetable {
    rows: Vec<Option<Row>>,
}

/// The state of a page under an interval rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Row {
    /// When the page is due next.
    pub(crate) due: Time,
    /// Seconds between visits, as last set.
    pub(crate) interval: f32,
    /// When the page was last found changed; at first, when it was first held. `None` if the rule has
    /// forgotten the content of the page, so that the next visit compares nothing.
    pub(crate) modified: Option<Time>,
}

impl Timetable {
    pub(crate) fn row(&self, page: PageNo) -> Option<Row> {
        self.rows.get(page.index()).copied().flatten()
    }

    pub(crate) fn set(&mut self, page: PageNo, row: Row) {
        *row_mut(&mut self.rows, page.index()) = Some(row);
    }

    /// The most overdue pages; `due` computes the due time of a row. A page never seen is due since it was
    /// first linked, as in both crawlers.
    pub(crate) fn most_overdue(
        &self,
        known: &Known<'_>,
        budget: Budget,
        due: impl Fn(Row) -> Time + Sync,
    ) -> Plan {
        score::best(known, budget, |page| {
            let due = self.row(page).map_or(known.pages.first_seen(page), &due);
            (known.now - due).days()
        })
    }
}

/// A span of so many seconds, to the millisecond.
pub(crate) fn seconds(seconds: f64) -> Span {
    Span::from_millis((seconds * 1000.0).round() as i64)
}
