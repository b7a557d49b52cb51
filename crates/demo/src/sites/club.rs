//! A sailing club with a calendar that goes on for ever: a trap that nothing disallows.
use std::fmt::Write as _;

use super::{Era, add_fixed};
use crate::chance::Chance;
use crate::list::{Entry, List, Order};
use crate::moments::{civil, month_name, month_start};
use crate::page::{Block, Page};
use crate::phrases::{Voice, fill};
use crate::site::{Manners, Site, Validators};
use crate::words::Topic;

const HOST: &str = "slipway-club.example";
/// How many months from the first one count as pages; the others are the trap.
const MONTHS: i32 = 24;

pub(super) fn site(era: &Era) -> Site {
    let about = "We sail on Sundays, and talk about it on the other days.";
    let manners = Manners { validators: Validators::Date, ..Manners::PLAIN };
    let mut site = Site::new(HOST, "The slipway club", about, manners);
    site.endless = Some(month_page);
    let (first, _) = first_month(era);
    site.navigate("/calendar/", "Calendar");
    let house = [
        ("/about", "About the club"),
        ("/boats", "Our boats"),
        ("/join", "How to join"),
        ("/history", "A short history"),
        ("/prizes", "Prizes and who won them"),
    ];
    let house = add_fixed(&mut site, era, Voice::Diary, &house);
    let front = vec![Block::List(List::new("The club", house, Order::Given))];
    site.add(Page::html("/", "The slipway club", era.long_ago(), front));
    let now = Entry::fixed(&format!("/calendar/{first}"), "This month");
    let list = vec![Block::List(List::new("", vec![now], Order::Given))];
    site.add(Page::html("/calendar/", "Calendar", era.long_ago(), list));
    let (_, start) = first_month(era);
    for month in (start..).take(MONTHS as usize) {
        if let Some(page) = month_page(era, &format!("/calendar/{}", key(month))) {
            site.add(page);
        }
    }
    site
}

/// The month of the web's start, as a key and as a number of months since year 0.
fn first_month(era: &Era) -> (String, i32) {
    let start = civil(era.start);
    let number = i32::from(start.year()) * 12 + i32::from(start.month()) - 1;
    (key(number), number)
}

/// As in `2026-03`.
fn key(month: i32) -> String {
    format!("{:04}-{:02}", month.div_euclid(12), month.rem_euclid(12) + 1)
}

/// The page of any month from the first one to the end of the year 9999.
fn month_page(era: &Era, path: &str) -> Option<Page> {
    let (year, month) = path.strip_prefix("/calendar/")?.split_once('-')?;
    if year.len() != 4 || month.len() != 2 {
        return None;
    }
    let (year, month): (i16, i8) = (year.parse().ok()?, month.parse().ok()?);
    let days = month_start(year, month)?.days_in_month();
    let number = i32::from(year) * 12 + i32::from(month) - 1;
    let (_, first) = first_month(era);
    if number < first {
        return None;
    }
    let chance = Chance::new(era.seed, HOST).of(path);
    let mut draws = chance.draws();
    let mut turns = Vec::new();
    if number > first {
        turns.push(Entry::fixed(&format!("/calendar/{}", key(number - 1)), "The month before"));
    }
    if number + 1 < 10_000 * 12 {
        turns.push(Entry::fixed(&format!("/calendar/{}", key(number + 1)), "The month after"));
    }
    let mut table = String::from("<table>\n");
    for day in 1..=days {
        let topic = Topic::any(&mut draws);
        let pattern = draws.pick(PLANS);
        let _ = write!(table, "<tr><td>{day}</td><td>");
        fill(pattern, &topic, &mut draws, &mut table);
        table.push_str("</td></tr>\n");
    }
    table.push_str("</table>");
    let title = format!("{} {year}", month_name(month));
    let blocks = vec![Block::Fixed(table), Block::List(List::new("", turns, Order::Given))];
    let mut page = Page::html(path, title, era.long_ago(), blocks);
    page.settle();
    Some(page)
}

const PLANS: &[&str] = &[
    "Nothing planned.",
    "High water at {n} past; the {boat} is free.",
    "Race to {place} and back.",
    "Talk by {first} {last}: the {subject}.",
    "Work on the {ground}.",
    "Supper: {dish}.",
    "Lessons for beginners, with the {vessel}.",
];

#[cfg(test)]
mod tests {
    use flow::Time;

    use super::*;

    #[test]
    fn there_is_always_a_month_after() {
        let start = Time::from_millis(1_773_306_300_000);
        let era = Era { seed: 1, start, end: start };
        assert!(month_page(&era, "/calendar/2026-03").is_some());
        assert!(month_page(&era, "/calendar/7311-12").is_some());
        assert!(month_page(&era, "/calendar/2026-02").is_none());
        assert!(month_page(&era, "/calendar/2026-13").is_none());
    }
}
