//! The sites of the demo web, one file for each kind.
mod blog;
mod club;
mod directory;
mod docs;
mod forum;
mod lamps;
mod news;
mod notices;
mod shop;
mod wiki;

pub(crate) use directory::HOST as START;

use std::sync::Arc;

use flow::Time;

use crate::chance::Chance;
use crate::list::{Entry, List, Order};
use crate::moments::{DAY, HOUR, day_key, day_words, later, month_key, month_words};
use crate::page::{Block, End, Page};
use crate::phrases::Voice;
use crate::prose::Prose;
use crate::site::Site;
use crate::words::Topic;

/// The seed and the time of a web.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Era {
    /// Decides everything.
    pub(crate) seed: u64,
    /// The first instant at which anything is served.
    pub(crate) start: Time,
    /// From here on nothing changes.
    pub(crate) end: Time,
}

impl Era {
    /// An instant `days` before the start.
    pub(crate) fn before(&self, days: f64) -> Time {
        later(self.start, -(days * DAY as f64) as i64)
    }

    /// When things that were always there came.
    pub(crate) fn long_ago(&self) -> Time {
        self.before(400.0)
    }

    /// Three in the morning of each day, the last of them before the start first.
    pub(crate) fn nights(&self) -> Vec<Time> {
        let first = (self.start.millis() - 3 * HOUR).div_euclid(DAY) * DAY + 3 * HOUR;
        let nights = (0..).map(|day| Time::from_millis(first + day * DAY));
        nights.take_while(|at| *at < self.end).collect()
    }
}

/// All sites, settled.
pub(crate) fn all(era: &Era) -> Vec<Site> {
    let mut sites = Vec::new();
    sites.extend(news::SPECS.iter().map(|spec| news::site(era, spec)));
    sites.extend(docs::SPECS.iter().map(|spec| docs::site(era, spec)));
    sites.extend(shop::SPECS.iter().map(|spec| shop::site(era, spec)));
    sites.extend(blog::SPECS.iter().map(|spec| blog::site(era, spec)));
    sites.extend(wiki::SPECS.iter().map(|spec| wiki::site(era, spec)));
    sites.extend(forum::SPECS.iter().map(|spec| forum::site(era, spec)));
    sites.extend(notices::SPECS.iter().map(|spec| notices::site(era, spec)));
    sites.push(notices::moved(era));
    sites.push(lamps::site(era));
    sites.push(club::site(era));
    sites.push(directory::site(era, &sites));
    for site in &mut sites {
        site.settle(era);
    }
    sites
}

/// `title` as a path writes it.
fn slug(title: &str) -> String {
    let mut slug = String::with_capacity(title.len());
    for letter in title.chars().filter(|letter| *letter != '\'') {
        if letter.is_ascii_alphanumeric() {
            slug.push(letter.to_ascii_lowercase());
        } else if !slug.ends_with('-') && !slug.is_empty() {
            slug.push('-');
        }
    }
    slug.truncate(60);
    slug.trim_end_matches('-').to_owned()
}

/// A text that is never edited.
fn still(chance: Chance, voice: Voice, topic: &Topic, paragraphs: usize) -> Block {
    edited(chance, voice, topic, paragraphs, Vec::new())
}

/// A text that is edited at `edits`.
fn edited(
    chance: Chance,
    voice: Voice,
    topic: &Topic,
    paragraphs: usize,
    edits: Vec<Time>,
) -> Block {
    Block::Prose(Prose { chance, voice, topic: topic.clone(), paragraphs, edits })
}

/// Adds pages that never change, with a title each, and gives the links to them.
fn add_fixed(site: &mut Site, era: &Era, voice: Voice, pages: &[(&str, &str)]) -> Vec<Arc<Entry>> {
    let chance = Chance::new(era.seed, site.host);
    let mut entries = Vec::new();
    for (path, title) in pages {
        let chance = chance.of(path);
        let topic = Topic::any(&mut chance.of("topic").draws());
        let blocks = vec![still(chance, voice, &topic, 3)];
        site.add(Page::html(*path, *title, era.long_ago(), blocks));
        entries.push(Entry::fixed(path, title));
    }
    entries
}

/// What one page of an archive covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Period {
    Day,
    Month,
}

impl Period {
    fn key(self, at: Time) -> String {
        if self == Self::Day { day_key(at) } else { month_key(at) }
    }

    fn words(self, at: Time) -> String {
        if self == Self::Day { day_words(at) } else { month_words(at) }
    }
}

/// Adds an archive: one page for each period in which something was published, and one that lists
/// the periods. `entries` are in the order they came.
fn add_archive(site: &mut Site, era: &Era, folder: &str, period: Period, entries: &[Arc<Entry>]) {
    let mut periods: Vec<(String, Vec<Arc<Entry>>)> = Vec::new();
    for entry in entries {
        let key = period.key(entry.from);
        match periods.last_mut().filter(|(last, _)| *last == key) {
            Some((_, listed)) => listed.push(Arc::clone(entry)),
            None => periods.push((key, vec![Arc::clone(entry)])),
        }
    }
    let mut index = Vec::new();
    for (key, listed) in periods {
        let (path, from) = (format!("{folder}{key}"), listed[0].from);
        let title = format!("Archive of {}", period.words(from));
        // Where everything published in it vanishes, so does the page of the period.
        let until = listed.iter().map(|entry| entry.until.unwrap_or(era.end)).max();
        let until = until.filter(|until| *until < era.end);
        index.push(Arc::new(Entry { from, until, ..(*Entry::fixed(&path, &title)).clone() }));
        let list = List::new("", listed, Order::Given).dated().brief();
        let page = Page::html(path, title, from, vec![Block::List(list)]);
        site.add(page.until(until.map(|at| (at, End::Missing))));
    }
    let list = List::new("All of it", index, Order::Newest);
    site.add(Page::html(folder, "Archive", era.long_ago(), vec![Block::List(list)]));
}

/// Adds the pages of a long list, `length` entries each; the second page and those after it come when
/// there is something on them.
fn add_paged(site: &mut Site, path: &str, title: &str, list: &List, length: usize, born: Time) {
    // An entry that goes makes the last page shrink, but never makes it vanish.
    let mut births: Vec<Time> = list.entries.iter().map(|entry| entry.from).collect();
    births.sort_unstable();
    let pages = births.len().div_ceil(length).max(1);
    let place = |page: usize| match page {
        0 => path.to_owned(),
        _ => format!("{path}?page={}", page + 1),
    };
    let from = |page: usize| if page == 0 { born } else { births[page * length].max(born) };
    for page in 0..pages {
        let mut turns = Vec::new();
        if page > 0 {
            turns.push(Entry::fixed(&place(page - 1), "Previous page"));
        }
        if page + 1 < pages {
            let next = Entry::fixed(&place(page + 1), "Next page");
            turns.push(Arc::new(Entry { from: from(page + 1), ..(*next).clone() }));
        }
        let part = List { skip: page * length, limit: length, ..list.clone() };
        let blocks = vec![Block::List(part), Block::List(List::new("", turns, Order::Given))];
        let title =
            if page == 0 { title.to_owned() } else { format!("{title}, page {}", page + 1) };
        site.add(Page::html(place(page), title, from(page), blocks));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_becomes_a_path() {
        assert_eq!(slug("St Bride's Haven: \"Foam\" (ketch)"), "st-brides-haven-foam-ketch");
    }

    #[test]
    fn there_is_a_night_before_the_start_and_one_for_each_day() {
        let start = Time::from_millis(10 * DAY + HOUR);
        let era = Era { seed: 1, start, end: Time::from_millis(12 * DAY) };
        let nights = era.nights();
        assert_eq!(nights.len(), 3);
        assert!(nights[0] < start && start < nights[1]);
    }
}
