//! The adaptive schedule of Apache Nutch, with its shipped defaults.
//!
//! `AdaptiveFetchSchedule` and `AbstractFetchSchedule` of Nutch 1.x: a page's interval shrinks by a
//! fifth when it was found changed and grows by two fifths when not; `sync_delta` lengthens it to the
//! time since the last change and moves the next visit back by 0.3 of that. An interval above 90 days is
//! cut to 81 and the page's signature forgotten (`forceRefetch`), and a page due more than 90 days ahead
//! is due at once (`shouldFetch`). Departure: Nutch takes the `topN` of the due pages by score; here the
//! budget goes to the most overdue (`interval.rs`). The lab has no Last-Modified header, so the time of a
//! change is that of the visit that found it, as in Nutch without the header.
use crawl::{Budget, Known, Observation, Outcome, Plan, Policy, Span};

use super::interval::{Row, Timetable, seconds};
use crate::PolicyEntry;

pub(crate) const ENTRY: PolicyEntry = PolicyEntry::new(
    "nutch-adaptive",
    "Apache Nutch's adaptive intervals, most overdue first",
    |_, _| Box::new(NutchAdaptive::default()),
);

const DAY_SECONDS: f32 = 86_400.0;
/// `db.fetch.interval.default`.
const FIRST_INTERVAL: f32 = 30.0 * DAY_SECONDS;
/// `db.fetch.schedule.adaptive.inc_rate`.
const GROWTH: f32 = 0.4;
/// `db.fetch.schedule.adaptive.dec_rate`.
const SHRINKAGE: f32 = 0.2;
/// `db.fetch.schedule.adaptive.min_interval`.
const LEAST_INTERVAL: f32 = 60.0;
/// `db.fetch.schedule.adaptive.max_interval`.
const MOST_INTERVAL: f32 = 365.0 * DAY_SECONDS;
/// `db.fetch.schedule.adaptive.sync_delta_rate`; `sync_delta` itself is on.
const SYNC_RATE: f64 = 0.3;
/// `db.fetch.interval.max`: a page due beyond it is due at once.
const HORIZON: Span = Span::from_days(90);
/// The same, as an interval, above which it is cut.
const LONGEST_INTERVAL: f32 = 90.0 * DAY_SECONDS;
/// The interval after the cut, as a share of the longest.
const CUT: f32 = 0.9;

/// Intervals that grow and shrink by fixed factors.
#[derive(Clone, Debug, Default)]
struct NutchAdaptive {
    timetable: Timetable,
}

impl Policy for NutchAdaptive {
    fn name(&self) -> &'static str {
        "nutch-adaptive"
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        let due = |row: Row| if row.due - known.now > HORIZON { known.now } else { row.due };
        self.timetable.most_overdue(known, budget, due)
    }

    fn learn(&mut self, seen: &Observation) {
        if !matches!(seen.outcome, Outcome::First | Outcome::Same | Outcome::Changed(_)) {
            return;
        }
        let before = self.timetable.row(seen.page);
        let mut interval = before.map_or(FIRST_INTERVAL, |row| row.interval);
        let remembered = before.and_then(|row| row.modified);
        let modified = match (remembered, seen.changed()) {
            (Some(_), Some(true)) => {
                interval *= 1.0 - SHRINKAGE;
                seen.at
            }
            (Some(modified), Some(false)) => {
                interval *= 1.0 + GROWTH;
                modified
            }
            (None, _) | (_, None) => seen.at,
        };
        let unchanged_for = (seen.at - modified).millis() / 1000;
        interval = interval.max(unchanged_for as f32).clamp(LEAST_INTERVAL, MOST_INTERVAL);
        let due = seen.at + seconds(f64::from(interval) - unchanged_for as f64 * SYNC_RATE);
        let mut row = Row { due, interval, modified: Some(modified) };
        if interval > LONGEST_INTERVAL {
            (row.interval, row.modified) = (LONGEST_INTERVAL * CUT, None);
        }
        self.timetable.set(seen.page, row);
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use crawl::{HostNo, PageNo, Reason, Time};

    use super::*;

    /// Days until page 0 is due, after visits 30 days apart.
    fn days_until_due(outcomes: &[Outcome]) -> f64 {
        let mut policy = NutchAdaptive::default();
        let mut at = Time::from_millis(0);
        for (number, &outcome) in outcomes.iter().enumerate() {
            at = Time::from_millis(0) + Span::from_days(30 * number as i64);
            policy.learn(&Observation {
                reason: if number == 0 { Reason::First } else { Reason::Refresh },
                since: (number > 0).then_some(Span::from_days(30)),
                ..Observation::new(PageNo(0), HostNo(0), at, outcome)
            });
        }
        (policy.timetable.row(PageNo(0)).expect("page 0 was seen").due - at).days()
    }

    #[test]
    fn a_new_page_is_due_after_thirty_days() {
        assert!((days_until_due(&[Outcome::First]) - 30.0).abs() < 1e-3);
    }

    #[test]
    fn a_changed_page_is_due_a_fifth_sooner() {
        let days = days_until_due(&[Outcome::First, Outcome::Changed(1.0)]);
        assert!((days - 24.0).abs() < 1e-3, "{days}");
    }

    #[test]
    fn an_unchanged_page_is_due_later_and_drawn_back_towards_its_last_change() {
        // Interval 30 x 1.4 = 42 days; unchanged for 30 days, 0.3 of which is taken off: 33.
        let days = days_until_due(&[Outcome::First, Outcome::Same]);
        assert!((days - 33.0).abs() < 1e-3, "{days}");
        // Interval 42 x 1.4 = 58.8, but unchanged for 60: 60 - 18 = 42.
        let days = days_until_due(&[Outcome::First, Outcome::Same, Outcome::Same]);
        assert!((days - 42.0).abs() < 1e-3, "{days}");
    }

    #[test]
    fn an_interval_above_ninety_days_is_cut_and_the_page_forgotten() {
        // The third visit leaves 90 days. The fourth makes that 126, minus 0.3 of the 120 unchanged: due in
        // 90. But 126 is above 90, so it is cut to 81 for the visit after, which compares nothing.
        let four = [Outcome::First, Outcome::Same, Outcome::Same, Outcome::Same, Outcome::Same];
        let days = days_until_due(&four);
        assert!((days - 90.0).abs() < 1e-3, "{days}");
        let days = days_until_due(&[&four[..], &[Outcome::Changed(1.0)]].concat());
        assert!((days - 81.0).abs() < 1e-3, "{days}");
    }

    #[test]
    fn a_failed_visit_moves_nothing() {
        let days = days_until_due(&[Outcome::First, Outcome::Failed]);
        assert!((days - 0.0).abs() < 1e-3, "{days}");
    }
}
