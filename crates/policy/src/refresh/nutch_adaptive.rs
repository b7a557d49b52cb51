//! The adaptive schedule of Apache Nutch, with its shipped defaults.
//!
//! `AdaptiveFetchSchedule` and `AbstractFetchSchedule` of Nutch 1.x: a page's interval shrinks by a
//! fifth when it was found changed and grows by two fifths when not; `sync_delta` lengthens it to
//! the time since the last change and moves the next visit back by 0.3 of that. A page due more than
//! 90 days ahead is due at once. Departure: Nutch takes the `topN` of the due pages by score; here a
//! budget is spent on the most overdue (see `interval.rs`). The lab has no Last-Modified header, so
//! the time of a change is that of the visit that found it, as Nutch does without the header.
use flow::{Budget, Known, Observation, Outcome, Plan, Policy, Span};

use super::interval::{Row, Timetable, seconds};

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
/// `db.fetch.interval.max`: beyond it a page is due at once, and its interval cut.
const HORIZON: Span = Span::from_days(90);
/// What the interval is cut to, as a part of the horizon.
const CUT: f32 = 0.9;

/// Intervals that grow and shrink by fixed factors.
#[derive(Debug, Default)]
pub(crate) struct NutchAdaptive {
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
        if matches!(seen.outcome, Outcome::Gone | Outcome::Failed) {
            return;
        }
        let before = self.timetable.row(seen.page);
        let mut interval = before.map_or(FIRST_INTERVAL, |row| row.interval);
        if before.is_some_and(|row| row.due - seen.at > HORIZON) {
            let horizon = HORIZON.millis() as f32 / 1000.0;
            interval = if interval > horizon { horizon * CUT } else { interval };
        }
        let mut modified = before.map_or(seen.at, |row| row.modified);
        match seen.changed() {
            Some(true) => {
                interval *= 1.0 - SHRINKAGE;
                modified = seen.at;
            }
            Some(false) => interval *= 1.0 + GROWTH,
            None => modified = seen.at,
        }
        let unchanged_for = (seen.at - modified).millis() / 1000;
        interval = interval.max(unchanged_for as f32).clamp(LEAST_INTERVAL, MOST_INTERVAL);
        let wait = f64::from(interval) - unchanged_for as f64 * SYNC_RATE;
        self.timetable.set(seen.page, Row { due: seen.at + seconds(wait), interval, modified });
    }
}

#[cfg(test)]
mod tests {
    use flow::{HostNo, PageNo, Reason, Time};

    use super::*;

    /// Days until page 0 is due, after visits 30 days apart.
    fn days_until_due(outcomes: &[Outcome]) -> f64 {
        let mut policy = NutchAdaptive::default();
        let mut at = Time::from_millis(0);
        for (number, &outcome) in outcomes.iter().enumerate() {
            at = Time::from_millis(0) + Span::from_days(30 * number as i64);
            policy.learn(&Observation {
                page: PageNo(0),
                host: HostNo(0),
                at,
                reason: if number == 0 { Reason::First } else { Reason::Refresh },
                outcome,
                since: (number > 0).then_some(Span::from_days(30)),
                leads: vec![],
                signals: vec![],
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
    fn a_failed_visit_moves_nothing() {
        let days = days_until_due(&[Outcome::First, Outcome::Failed]);
        assert!((days - 0.0).abs() < 1e-3, "{days}");
    }
}
