//! The dates in a text.
//!
//! Recognised are `2026-11-16`, `2026/11/16`, `16 November 2026`, `November 16, 2026`, months by their
//! first three letters, and years alone. That is enough to tell an old page from a current one; a date
//! that is missed does no harm.
use crawl::TextDates;
use jiff::civil::Date;

/// Other numbers of four digits are not years.
const YEARS: std::ops::RangeInclusive<u16> = 1990..=2099;
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
/// The longest text before a year that can be the rest of its date: `September 30th, `.
const BEFORE: usize = 20;

/// The dates in `text`.
pub(crate) fn find(text: &str) -> TextDates {
    let bytes = text.as_bytes();
    let mut dates = TextDates::default();
    let mut at = 0;
    while at + 4 <= bytes.len() {
        // Years begin with 19 or 20: all else is skipped fast.
        let Some(next) = bytes[at..].iter().position(|&byte| byte == b'1' || byte == b'2') else {
            break;
        };
        at += next;
        let Some(year) = year_at(bytes, at) else {
            at += 1;
            continue;
        };
        dates.latest_year = dates.latest_year.max(year);
        if let Some(day) = day_of(bytes, at, year) {
            dates.latest_day = dates.latest_day.max(Some(day));
            dates.count = dates.count.saturating_add(1);
        }
        at += 4;
    }
    dates
}

/// The year that is written at a place, as a number of its own.
fn year_at(bytes: &[u8], at: usize) -> Option<u16> {
    let is_digit = |place: usize| bytes.get(place).is_some_and(u8::is_ascii_digit);
    if !(1..4).all(|digit| is_digit(at + digit)) || is_digit(at + 4) || (at > 0 && is_digit(at - 1))
    {
        return None;
    }
    let year = number(&bytes[at..at + 4])?;
    YEARS.contains(&year).then_some(year)
}

/// The day of the date that has its year at a place, in days since 1970.
fn day_of(bytes: &[u8], at: usize, year: u16) -> Option<u16> {
    let (month, day) = after(&bytes[at + 4..]).or_else(|| before(&bytes[..at]))?;
    let date = Date::new(year as i16, month as i8, day as i8).ok()?;
    let epoch = Date::constant(1970, 1, 1);
    u16::try_from((date - epoch).get_days()).ok()
}

/// Month and day after a year: `-11-16`.
fn after(bytes: &[u8]) -> Option<(u16, u16)> {
    let mark = *bytes.first()?;
    if !matches!(mark, b'-' | b'/' | b'.') || bytes.get(3) != Some(&mark) {
        return None;
    }
    Some((number(&bytes[1..3])?, number(bytes.get(4..6)?)?))
}

/// Month and day before a year: `16 November ` or `November 16, `.
fn before(bytes: &[u8]) -> Option<(u16, u16)> {
    let bytes = &bytes[bytes.len().saturating_sub(BEFORE)..];
    let mut words =
        bytes.split(|byte| !byte.is_ascii_alphanumeric()).rev().filter(|word| !word.is_empty());
    let (last, first) = (words.next()?, words.next()?);
    match (month(last), month(first)) {
        (Some(month), _) => Some((month, day(first)?)),
        (None, Some(month)) => Some((month, day(last)?)),
        (None, None) => None,
    }
}

/// A month by its name or the first letters of it, at least three.
fn month(word: &[u8]) -> Option<u16> {
    let is_start = |month: &str| {
        month.as_bytes().get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
    };
    let month = MONTHS.iter().position(|month| word.len() >= 3 && is_start(month))?;
    Some(month as u16 + 1)
}

/// A day as in `16`, `3` or `3rd`.
fn day(word: &[u8]) -> Option<u16> {
    let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (digits <= 2 && word.len() - digits <= 2).then(|| number(&word[..digits])).flatten()
}

fn number(digits: &[u8]) -> Option<u16> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u16, |sum, digit| {
        let digit = digit.is_ascii_digit().then(|| u16::from(digit - b'0'))?;
        sum.checked_mul(10)?.checked_add(digit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-16 in days since 1970.
    const DAY: u16 = 20_773;

    #[test]
    fn dates_in_several_forms_are_found() {
        for text in [
            "On 2026-11-16.",
            "2026/11/16",
            "since 16 November 2026",
            "Nov 16, 2026",
            "November 16th, 2026",
            "16-Nov-2026",
        ] {
            let expected = TextDates { latest_day: Some(DAY), latest_year: 2026, count: 1 };
            assert_eq!(find(text), expected, "{text}");
        }
    }

    #[test]
    fn the_latest_date_and_year_count() {
        let dates = find("© 2011-2027. 2 May 2020, 2026-11-16, 3 Apr 1999");
        assert_eq!(dates, TextDates { latest_day: Some(DAY), latest_year: 2027, count: 3 });
    }

    #[test]
    fn other_numbers_are_no_dates() {
        for text in ["", "1", "20", "RFC 2616, 3000 m, 120261", "v2.0.1", "1234", "20261116"] {
            assert_eq!(find(text), TextDates::default(), "{text}");
        }
        let dates = find("2026-13-45 Marketing 12 2020 30 Feb 2021");
        assert_eq!(dates, TextDates { latest_day: None, latest_year: 2026, count: 0 });
    }
}
