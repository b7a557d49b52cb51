//! Instants as WARC and CDXJ write them.
use std::fmt::{self, Display};

use jiff::civil::{Date, DateTime};
use jiff::tz::Offset;
use jiff::{RoundMode, TimestampRound, Unit};

/// The first instant of the year 1. Dates before it would need a sign, which the formats lack.
const FIRST_MILLIS: i64 = -62_135_596_800_000;

/// An instant in UTC, to the millisecond.
///
/// It is displayed as `2026-11-15T12:00:00.123Z`. An instant outside the years 1 to 9999 is displayed
/// as the nearest one inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// An instant from milliseconds since 1970.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since 1970.
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Parses a date at any granularity that WARC allows, from the year to nanoseconds. Fractions of
    /// a millisecond are dropped.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let padded = match text.len() {
            4 => format!("{text}-01-01T00:00:00Z"),
            7 => format!("{text}-01T00:00:00Z"),
            10 => format!("{text}T00:00:00Z"),
            _ if text.ends_with('Z') || text.get(10..)?.contains(['+', '-']) => text.to_owned(),
            // Some writers omit the zone. All dates of WARC are UTC.
            _ => format!("{text}Z"),
        };
        let at: jiff::Timestamp = padded.parse().ok()?;
        // Round down, so that a capture does not seem later than it was.
        let floor = TimestampRound::new().smallest(Unit::Millisecond).mode(RoundMode::Floor);
        Some(Self(at.round(floor).ok()?.as_millisecond()))
    }

    /// The first `count` digits of the date, year first: 14 for CDXJ, 17 with milliseconds.
    pub(crate) fn digits(self, count: usize) -> String {
        self.to_string().chars().filter(char::is_ascii_digit).take(count).collect()
    }

    /// Parses 14 digits, or up to 17 with fractions of a second.
    pub(crate) fn parse_digits(text: &str) -> Option<Self> {
        if !(14..=17).contains(&text.len()) || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let number = |from: usize, to: usize| text.get(from..to)?.parse::<i16>().ok();
        let small = |from: usize, to: usize| text.get(from..to)?.parse::<i8>().ok();
        let date = Date::new(number(0, 4)?, small(4, 6)?, small(6, 8)?).ok()?;
        // The calendar has no leap second, 60.
        let second = small(12, 14)?.min(59);
        let time = jiff::civil::Time::new(small(8, 10)?, small(10, 12)?, second, 0).ok()?;
        let at: DateTime = date.to_datetime(time);
        let seconds = Offset::UTC.to_timestamp(at).ok()?.as_second();
        let millis: i64 = format!("{:0<3}", text.get(14..)?).parse().ok()?;
        Some(Self(seconds * 1000 + millis))
    }
}

impl Display for Timestamp {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = self.0.clamp(FIRST_MILLIS, jiff::Timestamp::MAX.as_second() * 1000);
        let at = jiff::Timestamp::from_millisecond(millis).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        write!(out, "{at:.3}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Timestamp = Timestamp::from_millis(1_794_744_000_123);

    #[test]
    fn dates_carry_milliseconds() {
        assert_eq!(AT.to_string(), "2026-11-15T12:00:00.123Z");
        assert_eq!(Timestamp::from_millis(0).to_string(), "1970-01-01T00:00:00.000Z");
    }

    #[test]
    fn dates_read_back_at_every_granularity() {
        let start_of_day = Timestamp::from_millis(1_794_700_800_000);
        assert_eq!(Timestamp::parse("2026-11-15T12:00:00.123Z"), Some(AT));
        assert_eq!(Timestamp::parse("2026-11-15T12:00:00.123999999Z"), Some(AT));
        assert_eq!(Timestamp::parse("2026-11-15T14:00:00.123+02:00"), Some(AT));
        assert_eq!(Timestamp::parse("2026-11-15T12:00:00.123"), Some(AT));
        assert_eq!(Timestamp::parse("2026-11-15"), Some(start_of_day));
        assert_eq!(Timestamp::parse("1970"), Some(Timestamp::from_millis(0)));
        assert_eq!(Timestamp::parse("soon"), None);
        assert_eq!(Timestamp::parse(""), None);
    }

    #[test]
    fn digits_are_the_date_without_its_marks() {
        assert_eq!(AT.digits(14), "20261115120000");
        assert_eq!(AT.digits(17), "20261115120000123");
        assert_eq!(Timestamp::parse_digits("20261115120000123"), Some(AT));
        assert_eq!(
            Timestamp::parse_digits("20261115120000"),
            Some(Timestamp::from_millis(1_794_744_000_000))
        );
        assert_eq!(Timestamp::parse_digits("20261315120000"), None);
        assert_eq!(Timestamp::parse_digits("2026111512000x"), None);
    }

    #[test]
    fn instants_outside_the_calendar_are_still_written() {
        assert_eq!(Timestamp::from_millis(i64::MIN).to_string(), "0001-01-01T00:00:00.000Z");
        assert_eq!(Timestamp::from_millis(i64::MAX).to_string(), "9999-12-30T22:00:00.000Z");
    }
}
