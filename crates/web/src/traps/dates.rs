//! Dates in addresses.
//!
//! A calendar links to the next and the previous month without end, so a far date marks a trap.
//! Many numbers in addresses are not dates. Only full dates count here: a year
//! with a month, or a parameter with the name of a date.
use std::ops::RangeInclusive;

use crate::scope::Parts;

/// The years that count as dates. A calendar passes the nearer ones on its way to the others,
/// and a number outside is more likely an id.
const YEARS: RangeInclusive<i64> = 1_800..=2_199;

/// Names of calendar views. A date followed by one is still a calendar page.
const VIEWS: [&str; 9] =
    ["day", "week", "month", "year", "list", "agenda", "today", "index.html", "index.php"];

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

/// A date found in an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dated {
    /// Days from the start of 1970 to the date, or to the first day of a month.
    pub(super) day: i64,
    /// Whether the address ends with the date or a view of it: a calendar page, not one article of many.
    pub(super) is_calendar: bool,
}

/// The date in an address; of several, the latest (a trap grows at its farthest end).
pub(super) fn dated(parts: Parts<'_>) -> Option<Dated> {
    // Every date has a year; most addresses do not.
    let in_path = if has_year(parts.path) { in_path(parts.path) } else { None };
    let in_query = parts.query.filter(|query| has_year(query)).and_then(in_query);
    match (in_path, in_query) {
        (Some(path), Some(query)) if path.day > query.day => Some(path),
        (path, query) => query.or(path),
    }
}

/// Whether `text` contains four digits in a row.
fn has_year(text: &str) -> bool {
    let mut digits = 0;
    text.bytes().any(|byte| {
        digits = if byte.is_ascii_digit() { digits + 1 } else { 0 };
        digits == 4
    })
}

fn in_path(path: &str) -> Option<Dated> {
    let mut latest: Option<Dated> = None;
    let mut at = 0;
    while at < path.len() {
        let rest = &path[at + 1..];
        let length = rest.find('/').unwrap_or(rest.len());
        let segment = &rest[..length];
        at += 1 + length;
        let (day, in_name, tail) = if let Some((day, tail)) = in_segments(segment, &path[at..]) {
            (day, false, tail)
        } else if let Some((day, in_name)) = in_text(segment) {
            (day, in_name, &path[at..])
        } else if let Some(day) = compact(segment).filter(|_| is_about_dates(path)) {
            (day, false, &path[at..])
        } else {
            continue;
        };
        if latest.is_none_or(|latest| day > latest.day) {
            latest = Some(Dated { day, is_calendar: !in_name && is_view(tail) });
        }
    }
    latest
}

/// `2031/05`, `2031/5/12` or `2031/may/12`, whose first segment is `year`; with it, what follows.
fn in_segments<'a>(year: &str, rest: &'a str) -> Option<(i64, &'a str)> {
    let year = year_of(year)?;
    let next = |rest: &'a str| -> Option<(&'a str, &'a str)> {
        let rest = rest.strip_prefix('/')?;
        Some(rest.split_at(rest.find('/').unwrap_or(rest.len())))
    };
    let (segment, rest) = next(rest)?;
    let month = month_of(segment)?;
    if let Some((segment, rest)) = next(rest)
        && let Some(day) = day_of(segment)
    {
        return Some((days_since_1970(year, month, day), rest));
    }
    // `/2050/3` may also be the third page of something.
    (segment.len() > 1).then(|| (days_since_1970(year, month, 1), rest))
}

/// `2031-05-12` anywhere in `text`, or `2031-05` alone; and whether there is more than the date.
fn in_text(text: &str) -> Option<(i64, bool)> {
    let bytes = text.as_bytes();
    let is_digit = |n: usize| bytes.get(n).is_some_and(u8::is_ascii_digit);
    let part = |from: usize, to: usize| bytes.get(from..to).and_then(number);
    let starts = (0..bytes.len().saturating_sub(6)).filter(|&n| n == 0 || !is_digit(n - 1));
    for at in starts {
        let separator = bytes[at + 4];
        if !matches!(separator, b'-' | b'_' | b'.' | b'/') {
            continue;
        }
        let Some(year) = part(at, at + 4).filter(|year| YEARS.contains(year)) else { continue };
        let Some(month) = part(at + 5, at + 7).filter(|month| (1..=12).contains(month)) else {
            continue;
        };
        if bytes.get(at + 7) == Some(&separator)
            && let Some(day) = part(at + 8, at + 10).filter(|day| (1..=31).contains(day))
            && !is_digit(at + 10)
        {
            return Some((days_since_1970(year, month, day), bytes.len() > 10));
        }
        if bytes.len() == 7 {
            return Some((days_since_1970(year, month, 1), false));
        }
    }
    None
}

/// `20310512` or `203105`, and nothing else.
fn compact(text: &str) -> Option<i64> {
    if !matches!(text.len(), 6 | 8) {
        return None;
    }
    let part = |from: usize, to: usize| text.as_bytes().get(from..to).and_then(number);
    let year = part(0, 4).filter(|year| YEARS.contains(year))?;
    let month = part(4, 6).filter(|month| (1..=12).contains(month))?;
    let day = if text.len() == 8 { part(6, 8).filter(|day| (1..=31).contains(day))? } else { 1 };
    Some(days_since_1970(year, month, day))
}

/// Eight digits in a path are usually an id, unless the path says that they are a date.
fn is_about_dates(path: &str) -> bool {
    path.split('/').any(|segment| {
        let is = |word: &str| {
            segment.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
        };
        is("calendar") || is("event") || is("agenda") || is("date") || is("day") || is("month")
    })
}

fn in_query(query: &str) -> Option<Dated> {
    let (mut year, mut month, mut day) = (None, None, None);
    let mut latest: Option<i64> = None;
    for (name, value) in parameters(query) {
        let ends_with = |word: &str| {
            let start = name.len().checked_sub(word.len());
            start
                .and_then(|start| name.get(start..))
                .is_some_and(|it| it.eq_ignore_ascii_case(word))
        };
        let is_named_month = ends_with("month") || name.eq_ignore_ascii_case("m");
        if ends_with("year") || name.eq_ignore_ascii_case("y") {
            year = year_of(value).or(year);
        } else if is_named_month && month_of(value).is_some() {
            month = month_of(value);
        } else if ends_with("day") && day_of(value).is_some() {
            day = day_of(value);
        } else if let Some((found, _)) = in_text(value) {
            latest = latest.max(Some(found));
        } else if is_named_month || ends_with("day") || ends_with("date") {
            latest = latest.max(compact(value));
        }
    }
    if let (Some(year), Some(month)) = (year, month) {
        latest = latest.max(Some(days_since_1970(year, month, day.unwrap_or(1))));
    }
    latest.map(|day| Dated { day, is_calendar: true })
}

/// The names and values of a query.
pub(super) fn parameters(query: &str) -> impl Iterator<Item = (&str, &str)> + Clone {
    query
        .split('&')
        .filter(|parameter| !parameter.is_empty())
        .map(|parameter| parameter.split_once('=').unwrap_or((parameter, "")))
}

/// Whether the path after a date only selects a view.
fn is_view(tail: &str) -> bool {
    tail.split('/').all(|segment| {
        let is_short_number = segment.len() <= 2 && segment.bytes().all(|b| b.is_ascii_digit());
        is_short_number || VIEWS.iter().any(|view| segment.eq_ignore_ascii_case(view))
    })
}

fn year_of(text: &str) -> Option<i64> {
    let year = number(text.as_bytes()).filter(|_| text.len() == 4)?;
    YEARS.contains(&year).then_some(year)
}

fn month_of(text: &str) -> Option<i64> {
    if let Some(month) = number(text.as_bytes()) {
        return (text.len() <= 2 && (1..=12).contains(&month)).then_some(month);
    }
    let is = |month: &&str| {
        text.len() >= 3
            && month.get(..text.len()).is_some_and(|start| start.eq_ignore_ascii_case(text))
    };
    MONTHS.iter().zip(1..).find(|(month, _)| is(month)).map(|(_, number)| number)
}

fn day_of(text: &str) -> Option<i64> {
    let day = number(text.as_bytes()).filter(|_| text.len() <= 2)?;
    (1..=31).contains(&day).then_some(day)
}

/// Parses digits without a sign; `None` if there are too many.
fn number(digits: &[u8]) -> Option<i64> {
    let is_number = (1..=8).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit);
    is_number.then(|| digits.iter().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0')))
}

/// The count of days in the Gregorian calendar, with years that start in March so that the leap day
/// comes last (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms").
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year
        - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(rest: &str) -> Option<Dated> {
        dated(Parts::parse(&format!("https://a.org{rest}")).unwrap())
    }

    #[test]
    fn days_are_counted_from_1970() {
        assert_eq!(days_since_1970(1970, 1, 1), 0);
        assert_eq!(days_since_1969_to_2031(), [-1, 59, 11_016, 22_411]);
    }

    fn days_since_1969_to_2031() -> [i64; 4] {
        [(1969, 12, 31), (1970, 3, 1), (2000, 2, 29), (2031, 5, 12)]
            .map(|(year, month, day)| days_since_1970(year, month, day))
    }

    #[test]
    fn finds_the_dates_that_people_put_in_addresses() {
        let first_of_may = days_since_1970(2031, 5, 1);
        for address in [
            "/2031/05/",
            "/archive/2031/05",
            "/2031/may",
            "/2031/May/1/",
            "/2031/5/1",
            "/2031-05/",
            "/calendar/2031_05_01",
            "/events/2031.05.01/list",
            "/calendar/20310501",
            "/events/203105/",
            "/?date=2031-05-01",
            "/?from=2031-05-01T00:00",
            "/?year=2031&month=5",
            "/?calMonth=05&calYear=2031",
            "/?y=2031&m=5&day=1",
            "/?m=203105",
            "/?startdate=20310501",
            "/?date=2031/05/01",
        ] {
            assert_eq!(found(address).map(|it| it.day), Some(first_of_may), "{address}");
        }
    }

    #[test]
    fn numbers_that_are_no_dates_are_left_alone() {
        for address in [
            "/",
            "/item/20310501",
            "/item/2031",
            "/2050/3",
            "/2031/13/",
            "/2031/05x/",
            "/a-2031-05-b",
            "/12031-05-01",
            "/2031-05-011",
            "/9999/01/01",
            "/?id=20310501",
            "/?year=2031",
            "/?month=5",
            "/?y=7&m=5",
            "/?page=2031",
            "/v2.2031.05x",
            "/é2031é05é01",
        ] {
            assert_eq!(found(address), None, "{address}");
        }
    }

    #[test]
    fn tells_a_page_of_a_calendar_from_an_article_with_a_date() {
        for calendar in ["/2031/05/12/", "/cal/2031-05-12/week", "/2031/05/12/14/30", "/?m=203105"]
        {
            assert!(found(calendar).unwrap().is_calendar, "{calendar}");
        }
        for article in
            ["/2031/05/12/slug", "/2031/05/12/88431.html", "/2031-05-12-yoga", "/talk-2031-05-12"]
        {
            assert!(!found(article).unwrap().is_calendar, "{article}");
        }
    }

    #[test]
    fn of_several_dates_the_latest_counts() {
        assert_eq!(found("/2024/05/?month=6&year=2031"), found("/?month=6&year=2031"));
        assert_eq!(found("/2031/05/?date=2024-01-01"), found("/2031/05/"));
    }
}
