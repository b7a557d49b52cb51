//! Instants as WARC and CDXJ write them.
use flow::Time;
use jiff::civil::{Date, DateTime};
use jiff::tz::Offset;
use jiff::{Timestamp, Unit};

/// The first instant of the year 1: dates before it would need a sign, which the formats lack.
const FIRST_MILLIS: i64 = -62_135_596_800_000;

/// `2026-11-15T12:00:00.123Z`. An instant outside the years 1 to 9999 becomes the nearest inside.
pub fn write_date(at: Time) -> String {
    let millis = at.millis().clamp(FIRST_MILLIS, Timestamp::MAX.as_second() * 1000);
    let at = Timestamp::from_millisecond(millis).unwrap_or(Timestamp::UNIX_EPOCH);
    format!("{at:.3}")
}

/// Reads a date at any of the granularities that WARC allows, from the year down to nanoseconds,
/// of which we keep milliseconds.
pub fn read_date(text: &str) -> Option<Time> {
    let text = text.trim();
    let padded = match text.len() {
        4 => format!("{text}-01-01T00:00:00Z"),
        7 => format!("{text}-01T00:00:00Z"),
        10 => format!("{text}T00:00:00Z"),
        _ if text.ends_with('Z') || text.get(10..)?.contains(['+', '-']) => text.to_owned(),
        // Without a zone, as some writers leave it: all dates of WARC are UTC.
        _ => format!("{text}Z"),
    };
    let at: Timestamp = padded.parse().ok()?;
    // Towards the past, so that a capture does not seem to be later than it was.
    let whole = at.round(
        jiff::TimestampRound::new().smallest(Unit::Millisecond).mode(jiff::RoundMode::Floor),
    );
    whole.ok().map(|at| Time::from_millis(at.as_millisecond()))
}

/// The first `count` digits of the date, year first: 14 for CDXJ, 17 with milliseconds.
pub(crate) fn digits(at: Time, count: usize) -> String {
    write_date(at).chars().filter(char::is_ascii_digit).take(count).collect()
}

/// Reads 14 digits, or up to 17 with fractions of a second.
pub(crate) fn read_digits(text: &str) -> Option<Time> {
    if !(14..=17).contains(&text.len()) || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<i16>().ok();
    let small = |from: usize, to: usize| text.get(from..to)?.parse::<i8>().ok();
    let date = Date::new(number(0, 4)?, small(4, 6)?, small(6, 8)?).ok()?;
    // A leap second, 60, is one that our calendar does not have.
    let second = small(12, 14)?.min(59);
    let time = jiff::civil::Time::new(small(8, 10)?, small(10, 12)?, second, 0).ok()?;
    let at: DateTime = date.to_datetime(time);
    let seconds = Offset::UTC.to_timestamp(at).ok()?.as_second();
    let millis: i64 = format!("{:0<3}", text.get(14..)?).parse().ok()?;
    Some(Time::from_millis(seconds * 1000 + millis))
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Time = Time::from_millis(1_794_744_000_123);

    #[test]
    fn dates_carry_milliseconds() {
        assert_eq!(write_date(AT), "2026-11-15T12:00:00.123Z");
        assert_eq!(write_date(Time::from_millis(0)), "1970-01-01T00:00:00.000Z");
    }

    #[test]
    fn dates_read_back_at_every_granularity() {
        let start_of_day = Time::from_millis(1_794_700_800_000);
        assert_eq!(read_date("2026-11-15T12:00:00.123Z"), Some(AT));
        assert_eq!(read_date("2026-11-15T12:00:00.123999999Z"), Some(AT));
        assert_eq!(read_date("2026-11-15T14:00:00.123+02:00"), Some(AT));
        assert_eq!(read_date("2026-11-15T12:00:00.123"), Some(AT));
        assert_eq!(read_date("2026-11-15"), Some(start_of_day));
        assert_eq!(read_date("1970"), Some(Time::from_millis(0)));
        assert_eq!(read_date("soon"), None);
        assert_eq!(read_date(""), None);
    }

    #[test]
    fn digits_are_the_date_without_its_marks() {
        assert_eq!(digits(AT, 14), "20261115120000");
        assert_eq!(digits(AT, 17), "20261115120000123");
        assert_eq!(read_digits("20261115120000123"), Some(AT));
        assert_eq!(read_digits("20261115120000"), Some(Time::from_millis(1_794_744_000_000)));
        assert_eq!(read_digits("20261315120000"), None);
        assert_eq!(read_digits("2026111512000x"), None);
    }

    #[test]
    fn instants_no_calendar_has_are_still_written() {
        assert_eq!(write_date(Time::from_millis(i64::MIN)), "0001-01-01T00:00:00.000Z");
        assert_eq!(write_date(Time::from_millis(i64::MAX)), "9999-12-30T22:00:00.000Z");
    }
}
