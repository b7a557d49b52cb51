//! Instants as people and formats write them. Everything is UTC.
use std::time::{Duration, SystemTime};

use crawl::Time;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;

/// Milliseconds in a second.
pub(crate) const SECOND: i64 = 1_000;
/// Milliseconds in an hour.
pub(crate) const HOUR: i64 = 3_600 * SECOND;
/// Milliseconds in a day.
pub(crate) const DAY: i64 = 24 * HOUR;

/// The last second of the year 9999, in milliseconds: the last that HTTP can write.
const LAST_HTTP_DATE: u64 = 253_402_300_799_000;

/// `at` without its fraction of a second. All changes happen on whole seconds, so that
/// `Last-Modified`, which has no fractions, tells any two of them apart.
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

/// As in `12 March 2026`.
pub(crate) fn day_words(at: Time) -> String {
    civil(at).strftime("%-d %B %Y").to_string()
}

/// As in `12 March 2026, 09:05`.
pub(crate) fn minute_words(at: Time) -> String {
    civil(at).strftime("%-d %B %Y, %H:%M").to_string()
}

/// As in `2026-03-12T09:05:00Z`, the form of sitemaps and Atom.
pub(crate) fn w3c(at: Time) -> String {
    civil(at).strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// As in `Thu, 12 Mar 2026 09:05:00 GMT`, the form of HTTP and RSS.
pub(crate) fn http_date(at: Time) -> String {
    let since = Duration::from_millis(u64::try_from(at.millis()).unwrap_or(0).min(LAST_HTTP_DATE));
    httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + since)
}

/// Parses an HTTP date.
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
        assert_eq!(w3c(AT), "2026-03-12T09:05:00Z");
        assert_eq!(http_date(AT), "Thu, 12 Mar 2026 09:05:00 GMT");
    }

    #[test]
    fn a_date_of_http_is_read_back() {
        assert_eq!(from_http_date(&http_date(AT)), Some(AT));
    }
}
