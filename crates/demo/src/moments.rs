//! Instants written as people and formats write them. Everything is UTC.
use std::time::{Duration, SystemTime};

use flow::Time;
use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::Offset;

/// Milliseconds in a second.
pub(crate) const SECOND: i64 = 1_000;
/// Milliseconds in an hour.
pub(crate) const HOUR: i64 = 3_600 * SECOND;
/// Milliseconds in a day.
pub(crate) const DAY: i64 = 24 * HOUR;

/// The last second of the year 9999, in milliseconds: HTTP can write no later one.
const LAST_HTTP_DATE: u64 = 253_402_300_799_000;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// `at` without its fraction of a second. All changes happen on whole seconds, so that
/// `Last-Modified`, which knows no fractions, tells any two of them apart.
pub(crate) fn whole_second(at: Time) -> Time {
    Time::from_millis(at.millis().div_euclid(SECOND) * SECOND)
}

/// `at`, this many milliseconds later, on a whole second.
pub(crate) fn later(at: Time, millis: i64) -> Time {
    whole_second(Time::from_millis(at.millis().saturating_add(millis)))
}

/// The hour of the day.
pub(crate) fn hour(at: Time) -> usize {
    (at.millis().rem_euclid(DAY) / HOUR) as usize
}

/// The date and the time of day. Instants outside the years that can be written become 1970.
pub(crate) fn civil(at: Time) -> DateTime {
    Offset::UTC
        .to_datetime(Timestamp::from_millisecond(at.millis()).unwrap_or(Timestamp::UNIX_EPOCH))
}

/// The first instant of a month; `None` where there is no such month.
pub(crate) fn month_start(year: i16, month: i8) -> Option<Date> {
    Date::new(year, month, 1).ok()
}

/// As in `12 March 2026`.
pub(crate) fn day_words(at: Time) -> String {
    let at = civil(at);
    format!("{} {} {}", at.day(), month_name(at.month()), at.year())
}

/// As in `12 March 2026, 09:05`.
pub(crate) fn minute_words(at: Time) -> String {
    let time = civil(at);
    format!("{}, {:02}:{:02}", day_words(at), time.hour(), time.minute())
}

/// As in `2026-03`.
pub(crate) fn month_key(at: Time) -> String {
    let at = civil(at);
    format!("{:04}-{:02}", at.year(), at.month())
}

/// As in `2026-03-12`.
pub(crate) fn day_key(at: Time) -> String {
    format!("{}-{:02}", month_key(at), civil(at).day())
}

/// As in `March 2026`.
pub(crate) fn month_words(at: Time) -> String {
    let at = civil(at);
    format!("{} {}", month_name(at.month()), at.year())
}

/// The name of month 1 to 12.
pub(crate) fn month_name(month: i8) -> &'static str {
    MONTHS[(month.clamp(1, 12) - 1) as usize]
}

/// As in `2026-03-12T09:05:00Z`, the form of sitemaps and Atom.
pub(crate) fn w3c(at: Time) -> String {
    let at = civil(at);
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z",
        at.year(),
        at.month(),
        at.day(),
        at.hour(),
        at.minute(),
        at.second()
    )
}

/// As in `Thu, 12 Mar 2026 09:05:00 GMT`, the form of HTTP and RSS.
pub(crate) fn http_date(at: Time) -> String {
    let since = Duration::from_millis(u64::try_from(at.millis()).unwrap_or(0).min(LAST_HTTP_DATE));
    httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + since)
}

/// The instant of a date as HTTP writes it; `None` where it is none.
pub(crate) fn from_http_date(date: &str) -> Option<Time> {
    let since =
        httpdate::parse_http_date(date).ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(Time::from_millis(i64::try_from(since.as_millis()).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Time = Time::from_millis(1_773_306_300_000);

    #[test]
    fn an_instant_is_written_as_each_format_wants_it() {
        assert_eq!(minute_words(AT), "12 March 2026, 09:05");
        assert_eq!(month_key(AT), "2026-03");
        assert_eq!(w3c(AT), "2026-03-12T09:05:00Z");
        assert_eq!(http_date(AT), "Thu, 12 Mar 2026 09:05:00 GMT");
    }

    #[test]
    fn a_date_of_http_is_read_back() {
        assert_eq!(from_http_date(&http_date(AT)), Some(AT));
    }
}
