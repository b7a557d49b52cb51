//! Parses the dates in sitemaps and feeds.
//!
//! Sitemaps and Atom use the W3C profile of ISO 8601 (a year, a month, a day or a time), RSS uses
//! RFC 2822. Without a time zone it is UTC; a date without a time is the start of the day.
use std::borrow::Cow;

use jiff::{
    Timestamp,
    civil::{Date, DateTime},
    fmt::{rfc2822, temporal},
    tz::TimeZone,
};

use crawl::Time;

/// No page can have changed before the web existed.
const FIRST_YEAR: i16 = 1990;
/// Later dates are mistakes.
const LAST_YEAR: i16 = 2100;

static RFC_2822: rfc2822::DateTimeParser = rfc2822::DateTimeParser::new().relaxed_weekday(true);
static ISO_8601: temporal::DateTimeParser = temporal::DateTimeParser::new();

/// The time that `date` names; `None` where it cannot be parsed or is implausible.
pub(crate) fn date(date: &str) -> Option<Time> {
    let date = date.trim();
    // Longer than any date, so not worth parsing.
    if !date.is_ascii() || date.len() > 64 {
        return None;
    }
    let instant = instant(date)?;
    let year = instant.to_zoned(TimeZone::UTC).year();
    (FIRST_YEAR..=LAST_YEAR).contains(&year).then(|| Time::from_millis(instant.as_millisecond()))
}

fn instant(date: &str) -> Option<Timestamp> {
    if date.contains(' ')
        && let Ok(instant) = RFC_2822.parse_timestamp(date)
    {
        return Some(instant);
    }
    if matches!(date.len(), 4 | 7) {
        return utc(year_and_month(date)?.into());
    }
    let date = with_zone_attached(date);
    let instant = ISO_8601.parse_timestamp(&*date).ok();
    // Without a time zone it is a date or a local time.
    instant.or_else(|| utc(ISO_8601.parse_datetime(&*date).ok()?))
}

/// Attaches a separate zone: Ruby writes `2026-11-15 08:57:00 +0900`, and ` UTC` for no offset.
fn with_zone_attached(date: &str) -> Cow<'_, str> {
    match date.rsplit_once(' ') {
        Some((time, "UTC" | "GMT" | "Z")) => Cow::Owned(format!("{time}Z")),
        Some((time, zone)) if zone.starts_with(['+', '-']) => Cow::Owned(format!("{time}{zone}")),
        _ => Cow::Borrowed(date),
    }
}

/// `2026` or `2026-11`.
fn year_and_month(date: &str) -> Option<Date> {
    let (year, month) = date.split_once('-').unwrap_or((date, "01"));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if year.len() != 4 || month.len() != 2 || !digits(year) || !digits(month) {
        return None;
    }
    Date::new(year.parse().ok()?, month.parse().ok()?, 1).ok()
}

fn utc(time: DateTime) -> Option<Timestamp> {
    time.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(text: &str) -> Option<i64> {
        date(text).map(|time| time.millis() / 1_000)
    }

    #[test]
    fn dates_of_every_precision_are_parsed() {
        assert_eq!(seconds("2026"), Some(1_767_225_600));
        assert_eq!(seconds("2026-11"), Some(1_793_491_200));
        assert_eq!(seconds("2026-11-15"), Some(1_794_700_800));
        assert_eq!(seconds("2026-11-15T08:57Z"), Some(1_794_733_020));
        assert_eq!(seconds("2026-11-15T08:57:01+01:00"), Some(1_794_729_421));
        assert_eq!(seconds(" 2026-11-15T08:57:01.123456Z\n"), Some(1_794_733_021));
    }

    #[test]
    fn without_a_zone_the_time_is_utc() {
        assert_eq!(seconds("2026-11-15T08:57:00"), Some(1_794_733_020));
        assert_eq!(seconds("2026-11-15 08:57:00"), Some(1_794_733_020));
    }

    #[test]
    fn a_zone_may_be_separate() {
        assert_eq!(seconds("2026-11-15 17:57:00 +0900"), Some(1_794_733_020));
        assert_eq!(seconds("2026-11-15 08:57:00 UTC"), Some(1_794_733_020));
    }

    #[test]
    fn rfc_2822_dates_are_parsed() {
        assert_eq!(seconds("Sun, 15 Nov 2026 08:57:00 GMT"), Some(1_794_733_020));
        assert_eq!(seconds("15 Nov 2026 08:57 +0000"), Some(1_794_733_020));
        assert_eq!(seconds("Sun, 15 Nov 26 03:57:00 EST"), Some(1_794_733_020));
    }

    #[test]
    fn a_wrong_weekday_does_not_matter() {
        assert_eq!(seconds("Mon, 15 Nov 2026 08:57:00 GMT"), Some(1_794_733_020));
    }

    #[test]
    fn invalid_and_implausible_dates_are_rejected() {
        for text in [
            "",
            "soon",
            "2026-13",
            "2026-02-30",
            "0000-00-00",
            "1970-01-01",
            "9999-12-31",
            "202",
            "20261",
            "2026-1",
            "２０２６",
            "Sun, 32 Nov 2026 08:57:00 GMT",
            "99999999999999999999",
        ] {
            assert_eq!(date(text), None, "{text}");
        }
    }
}
