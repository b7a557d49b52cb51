//! The adaptive scheduler of Apache StormCrawler, with its shipped defaults.
//!
//! `AdaptiveScheduler`: a page's interval moves half way to an hour when it was found changed, and grows
//! by half when not, up to two weeks; a new page is due after a day. Whole minutes, as there. Departure:
//! the budget goes to the most overdue pages (`interval.rs`).
use crawl::{Budget, Known, Observation, Outcome, Plan, Policy};

use super::interval::{Row, Timetable, seconds};
use crate::PolicyEntry;

pub(crate) const ENTRY: PolicyEntry = PolicyEntry::new(
    "stormcrawler-adaptive",
    "StormCrawler's adaptive intervals, most overdue first",
    |_, _| Box::new(StormcrawlerAdaptive::default()),
);

const MINUTE_SECONDS: f32 = 60.0;
/// `fetchInterval.default`, in minutes.
const FIRST_INTERVAL: f32 = 1440.0;
/// `scheduler.adaptive.fetchInterval.min`, in minutes.
const LEAST_INTERVAL: f32 = 60.0;
/// `scheduler.adaptive.fetchInterval.max`, in minutes.
const MOST_INTERVAL: f32 = 20_160.0;
/// `scheduler.adaptive.fetchInterval.rate.incr`.
const GROWTH: f32 = 0.5;
/// `scheduler.adaptive.fetchInterval.rate.decr`.
const SHRINKAGE: f32 = 0.5;

/// Intervals between an hour and two weeks.
#[derive(Clone, Debug, Default)]
struct StormcrawlerAdaptive {
    timetable: Timetable,
}

impl Policy for StormcrawlerAdaptive {
    fn name(&self) -> &'static str {
        "stormcrawler-adaptive"
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        self.timetable.most_overdue(known, budget, |row| row.due)
    }

    fn learn(&mut self, seen: &Observation) {
        if !matches!(seen.outcome, Outcome::First | Outcome::Same | Outcome::Changed(_)) {
            return;
        }
        let before = self.timetable.row(seen.page);
        let minutes = before.map_or(FIRST_INTERVAL, |row| row.interval / MINUTE_SECONDS);
        let minutes = match seen.changed() {
            Some(true) => ((1.0 - SHRINKAGE) * minutes + SHRINKAGE * LEAST_INTERVAL).floor(),
            Some(false) => (minutes * (1.0 + GROWTH)).floor().min(MOST_INTERVAL),
            None => minutes,
        };
        let interval = minutes * MINUTE_SECONDS;
        let due = seen.at + seconds(f64::from(interval));
        self.timetable.set(seen.page, Row { due, interval, modified: None });
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use crawl::{HostNo, PageNo, Reason, Span, Time};

    use super::*;

    /// Minutes until page 0 is due, after visits with these outcomes.
    fn minutes_until_due(outcomes: &[Outcome]) -> i64 {
        let mut policy = StormcrawlerAdaptive::default();
        let at = Time::from_millis(0);
        for (number, &outcome) in outcomes.iter().enumerate() {
            policy.learn(&Observation {
                reason: if number == 0 { Reason::First } else { Reason::Refresh },
                since: (number > 0).then_some(Span::from_days(1)),
                ..Observation::new(PageNo(0), HostNo(0), at, outcome)
            });
        }
        (policy.timetable.row(PageNo(0)).expect("page 0 was seen").due - at).millis() / 60_000
    }

    #[test]
    fn a_new_page_is_due_after_a_day() {
        assert_eq!(minutes_until_due(&[Outcome::First]), 1440);
    }

    #[test]
    fn a_changed_page_moves_half_way_to_an_hour() {
        assert_eq!(minutes_until_due(&[Outcome::First, Outcome::Changed(1.0)]), 750);
    }

    #[test]
    fn an_unchanged_page_waits_half_as_long_again_up_to_two_weeks() {
        assert_eq!(minutes_until_due(&[Outcome::First, Outcome::Same]), 2160);
        let mut outcomes = vec![Outcome::Same; 20];
        outcomes[0] = Outcome::First;
        assert_eq!(minutes_until_due(&outcomes), 20_160);
    }
}
