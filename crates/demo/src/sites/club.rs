//! A sailing club with an endless calendar: a crawler trap that robots.txt does not disallow.
use std::fmt::Write as _;

use jiff::civil::Date;

use super::prelude::*;
use crate::phrases::{fill as fill_pattern, patterns};

/// The first months count as pages; the others are the trap.
const MONTHS: usize = 24;

pub(super) fn fill(site: &mut Site) {
    let first = first_month(&site.era);
    site.add_front(&site.spec.name, vec![site.house()]);
    let now = Entry::fixed(&month_path(first), "This month");
    let list = List::new("", [now], Order::Given);
    site.add_list("/calendar/", "Calendar", site.era.long_ago(), list);
    for month in (first..).take(MONTHS) {
        if let Some(page) = month_page(site, &month_path(month)) {
            site.add(page);
        }
    }
}

/// The month of the web's start, counted from year 0.
fn first_month(era: &Era) -> i32 {
    let start = civil(era.start);
    i32::from(start.year()) * 12 + i32::from(start.month()) - 1
}

fn month_path(month: i32) -> String {
    format!("/calendar/{:04}-{:02}", month.div_euclid(12), month.rem_euclid(12) + 1)
}

/// The page of any month from the first one to the end of the year 9999.
pub(crate) fn month_page(site: &Site, path: &str) -> Option<Page> {
    let (year, month) = path.strip_prefix("/calendar/")?.split_once('-')?;
    if year.len() != 4 || month.len() != 2 {
        return None;
    }
    let date = Date::new(year.parse().ok()?, month.parse().ok()?, 1).ok()?;
    let number = i32::from(date.year()) * 12 + i32::from(date.month()) - 1;
    let first = first_month(&site.era);
    if number < first {
        return None;
    }
    let mut turns = Vec::new();
    if number > first {
        turns.push(Entry::fixed(&month_path(number - 1), "The month before"));
    }
    if number + 1 < 10_000 * 12 {
        turns.push(Entry::fixed(&month_path(number + 1), "The month after"));
    }
    let mut draws = site.random.of(path).draws();
    let mut table = String::from("<table>\n");
    for day in 1..=date.days_in_month() {
        let topic = Topic::any(&mut draws);
        let pattern = draws.pick(patterns("plans"));
        let _ = write!(table, "<tr><td>{day}</td><td>");
        fill_pattern(pattern, &topic, &mut draws, &mut table);
        table.push_str("</td></tr>\n");
    }
    table.push_str("</table>");
    let title = date.strftime("%B %Y").to_string();
    let blocks = vec![Block::Fixed(table), Block::List(List::new("", turns, Order::Given))];
    let mut page = Page::html(path, title, site.era.long_ago(), blocks);
    page.finish();
    Some(page)
}

#[cfg(test)]
mod tests {
    use crawl::Time;

    use super::*;
    use crate::spec::{Kind, SITES};

    #[test]
    fn there_is_always_a_month_after() {
        let start = Time::from_millis(1_773_306_300_000);
        let spec = SITES.iter().find(|spec| matches!(spec.kind, Kind::Club)).unwrap();
        let site = Site::new(Era { seed: 1, start, end: start }, spec);
        assert!(month_page(&site, "/calendar/2026-03").is_some());
        assert!(month_page(&site, "/calendar/7311-12").is_some());
        assert!(month_page(&site, "/calendar/2026-02").is_none());
        assert!(month_page(&site, "/calendar/2026-13").is_none());
    }
}
