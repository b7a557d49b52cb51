//! What the interval rules of other crawlers have in common: each page is due at an instant, and a
//! budget is spent on the most overdue. Where fewer pages are overdue than the budget allows, the
//! ones that will be due soonest are visited, so that every policy spends the same.
use flow::{Budget, Known, PageNo, Plan, Span, Time};

use crate::score;

/// When each page is due, and the interval that led there.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timetable {
    rows: Vec<Option<Row>>,
}

/// The state an interval rule keeps of a page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Row {
    /// When the page is due next.
    pub(crate) due: Time,
    /// Seconds between visits, as the rule last set them.
    pub(crate) interval: f32,
    /// When the page was last found changed; at first, when it was first held. `None` where the
    /// rule has forgotten what the page was like, so that the next visit compares nothing.
    pub(crate) modified: Option<Time>,
}

impl Timetable {
    pub(crate) fn row(&self, page: PageNo) -> Option<Row> {
        self.rows.get(page.index()).copied().flatten()
    }

    pub(crate) fn set(&mut self, page: PageNo, row: Row) {
        if self.rows.len() <= page.index() {
            self.rows.resize(page.index() + 1, None);
        }
        self.rows[page.index()] = Some(row);
    }

    /// The most overdue pages; `due` may overrule when a page's row falls due. Pages never seen
    /// fell due when they were first linked, as in both crawlers.
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
