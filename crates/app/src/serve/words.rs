//! Times and rates in words.
use crawl::{PageRecord, Span, Time};

use crate::live::tally::{counted, duration};

/// Units of time, the longest first: their length in seconds and their name.
const UNITS: [(f64, &str); 6] = [
    (365.25 * 86_400.0, "year"),
    (30.44 * 86_400.0, "month"),
    (7.0 * 86_400.0, "week"),
    (86_400.0, "day"),
    (3_600.0, "hour"),
    (60.0, "minute"),
];

/// A time in the longest unit that fits at least one and a half times, otherwise in minutes.
fn rounded(seconds: f64) -> (u64, &'static str) {
    let fits = UNITS.iter().find(|(length, _)| seconds >= length * 1.5);
    let (length, name) = fits.copied().unwrap_or(UNITS[UNITS.len() - 1]);
    ((seconds / length).round().max(1.0) as u64, name)
}

fn plural(number: u64, name: &str) -> String {
    if number == 1 { format!("1 {name}") } else { format!("{number} {name}s") }
}

/// How long ago: "3 hours ago".
pub(crate) fn ago(then: Time, now: Time) -> String {
    let seconds = (now - then).millis() as f64 / 1e3;
    if seconds < 60.0 {
        return "just now".to_owned();
    }
    let (number, name) = rounded(seconds);
    format!("{} ago", plural(number, name))
}

/// How often: "about every 2 days".
pub(crate) fn every(per_day: f64) -> String {
    let seconds = 86_400.0 / per_day;
    if !seconds.is_finite() || seconds > 20.0 * UNITS[0].0 {
        return "hardly ever".to_owned();
    }
    match rounded(seconds) {
        (1, name) => format!("about every {name}"),
        (number, name) => format!("about every {number} {name}s"),
    }
}

/// How often a page changes, from its estimated rate and its visits.
pub(crate) fn changes(record: &PageRecord, per_day: Option<f64>) -> String {
    match (record.visits, record.changes, per_day) {
        (0, ..) => "not visited yet".to_owned(),
        (1, ..) => "visited once".to_owned(),
        (visits, 0, _) => format!("no change in {visits} visits"),
        (_, _, Some(rate)) => format!("changes {}", every(rate)),
        (visits, changes, None) => {
            let times = counted(u64::from(changes), "change", "changes");
            format!("{times} in {visits} visits")
        }
    }
}

/// A duration in words.
pub(crate) fn took(time: std::time::Duration) -> String {
    duration(Span::from_millis(time.as_millis().max(1) as i64))
}

/// A share as a percentage.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// Words in quotation marks, with commas between them.
pub(crate) fn listed(words: &[String]) -> String {
    words.iter().map(|word| format!("“{word}”")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_the_unit_that_fits() {
        let now = Time::from_millis(1_767_571_200_000);
        let shown = |seconds: i64| ago(now + Span::from_millis(-1_000 * seconds), now);
        assert_eq!(shown(-5), "just now");
        assert_eq!(shown(59), "just now");
        assert_eq!(shown(60), "1 minute ago");
        assert_eq!(shown(89 * 60), "89 minutes ago");
        assert_eq!(shown(3 * 3_600), "3 hours ago");
        assert_eq!(shown(2 * 86_400), "2 days ago");
        assert_eq!(shown(90 * 86_400), "3 months ago");
        assert_eq!(shown(800 * 86_400), "2 years ago");
    }

    #[test]
    fn rates_are_shown_as_intervals() {
        assert_eq!(every(0.5), "about every 2 days");
        assert_eq!(every(1.0), "about every 24 hours");
        assert_eq!(every(1.0 / 7.0), "about every 7 days");
        assert_eq!(every(1_440.0), "about every minute");
        assert_eq!(every(0.0), "hardly ever");
    }
}
