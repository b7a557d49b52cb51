//! Generators of the sites: one file for each kind, and what the kinds share.
pub(crate) mod blog;
pub(crate) mod club;
mod directory;
pub(crate) mod docs;
pub(crate) mod forum;
mod lamps;
pub(crate) mod news;
pub(crate) mod notices;
mod prelude;
pub(crate) mod shop;
pub(crate) mod wiki;

use std::sync::Arc;

use crawl::Time;

use crate::list::{Entry, List, Order};
use crate::moments::{DAY, HOUR, civil, later};
use crate::page::{Block, End, Form, Page};
use crate::phrases::Voice;
use crate::prose::Prose;
use crate::random::Random;
use crate::site::Site;
use crate::spec::{Kind, SITES};
use crate::words::Topic;

/// The host at which a crawl of the demo web begins: the directory of all sites.
pub(crate) const START_HOST: &str = "index.example";

/// The seed and the time of a web.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Era {
    pub(crate) seed: u64,
    /// The first instant at which anything is served.
    pub(crate) start: Time,
    /// The instant from which nothing changes.
    pub(crate) end: Time,
}

impl Era {
    /// An instant `days` before the start.
    pub(crate) fn before(&self, days: f64) -> Time {
        later(self.start, -(days * DAY as f64) as i64)
    }

    /// The birth of pages that were always there.
    pub(crate) fn long_ago(&self) -> Time {
        self.before(400.0)
    }

    /// Three in the morning of each day, beginning with the last one before the start.
    pub(crate) fn nights(&self) -> Vec<Time> {
        let first = (self.start.millis() - 3 * HOUR).div_euclid(DAY) * DAY + 3 * HOUR;
        let nights = (0..).map(|day| Time::from_millis(first + day * DAY));
        nights.take_while(|at| *at < self.end).collect()
    }
}

/// All sites, finished.
pub(crate) fn all(era: Era) -> Vec<Site> {
    let mut sites: Vec<Site> = Vec::with_capacity(SITES.len());
    for spec in SITES.iter() {
        let mut site = Site::new(era, spec);
        match &spec.kind {
            Kind::News(params) => news::fill(&mut site, params),
            Kind::Docs(params) => docs::fill(&mut site, params),
            Kind::Shop(params) => shop::fill(&mut site, params),
            Kind::Blog(params) => blog::fill(&mut site, params),
            Kind::Wiki(params) => wiki::fill(&mut site, params),
            Kind::Forum(params) => forum::fill(&mut site, params),
            Kind::Office(params) => notices::fill(&mut site, params),
            Kind::Moved { to, paths } => {
                for path in paths {
                    let targets = vec![(era.long_ago(), format!("http://{to}{path}"))];
                    site.add(Page::new(path, "", era.long_ago(), Form::Redirect(301, targets)));
                }
            }
            Kind::Lamps => lamps::fill(&mut site),
            Kind::Club => club::fill(&mut site),
            Kind::Directory => directory::fill(&mut site, &sites),
        }
        sites.push(site);
    }
    for site in &mut sites {
        site.finish();
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

/// A text that is edited at `edits`.
fn edited(random: Random, voice: Voice, topic: &Topic, length: usize, edits: Vec<Time>) -> Block {
    Block::Prose(Prose { random, voice, topic: topic.clone(), paragraphs: length, edits })
}

/// A text that is never edited.
fn still(random: Random, voice: Voice, topic: &Topic, length: usize) -> Block {
    edited(random, voice, topic, length, Vec::new())
}

/// Adds a page that never changes.
pub(crate) fn add_fixed(site: &mut Site, path: &str, title: &str, voice: Voice) {
    let random = site.random.of(path);
    let topic = Topic::any(&mut random.of("topic").draws());
    let blocks = vec![still(random, voice, &topic, 3)];
    site.add(Page::html(path, title, site.era.long_ago(), blocks));
}

/// The births of items that come at `per_day` from `back` days before the start on.
fn births(site: &Site, per_day: f64, back: f64) -> Vec<Time> {
    site.random.of("births").draws().instants(per_day, site.era.before(back), site.era.end)
}

/// The births of `count` items that are there at the start, and of those that come at `per_day`.
/// `age` maps a random number from 0 to 1 to an age in days.
fn births_with_stock(
    site: &Site,
    count: usize,
    per_day: f64,
    age: impl Fn(f64) -> f64,
) -> Vec<Time> {
    let era = site.era;
    let mut draws = site.random.of("births").draws();
    let mut births: Vec<Time> = (0..count).map(|_| era.before(age(draws.unit()))).collect();
    births.sort_unstable();
    births.extend(draws.instants(per_day, era.start, era.end));
    births
}

/// An item of a site that is about to be made: an article, a post, a thread.
struct Item<'a> {
    random: Random,
    number: usize,
    born: Time,
    group: usize,
    /// The items of its group that came before it.
    earlier: &'a [Arc<Entry>],
}

/// The items of a site, in the order in which they came.
struct Items {
    all: Vec<Arc<Entry>>,
    groups: Vec<Vec<Arc<Entry>>>,
}

/// Makes an item for each birth, each in a group at random. `streams` names the random sources of
/// the items and of their groups.
fn add_items(
    site: &mut Site,
    births: Vec<Time>,
    streams: (&str, &str),
    mut make: impl FnMut(&mut Site, Item<'_>) -> Entry,
) -> Items {
    let count = site.spec.groups.len().max(1);
    let mut items = Items { all: Vec::new(), groups: vec![Vec::new(); count] };
    for (number, born) in births.into_iter().enumerate() {
        let random = site.random.of(streams.0).at(number as u64);
        let group = random.of(streams.1).draws().below(count);
        let item = Item { random, number, born, group, earlier: &items.groups[group] };
        let entry = Arc::new(make(site, item));
        items.groups[group].push(Arc::clone(&entry));
        items.all.push(entry);
    }
    items
}

/// Adds an archive: one page for each period with an item, and one that lists the periods.
/// `formats` are the `strftime` formats of a period in paths and in titles.
fn add_archive(site: &mut Site, formats: (&str, &str), entries: &[Arc<Entry>]) {
    let era = site.era;
    let mut index = Vec::new();
    let key = |entry: &Arc<Entry>| civil(entry.from).strftime(formats.0).to_string();
    for listed in entries.chunk_by(|a, b| key(a) == key(b)) {
        let (path, from) = (format!("/archive/{}", key(&listed[0])), listed[0].from);
        let title = format!("Archive of {}", civil(from).strftime(formats.1));
        // When all items of a period have vanished, so does the page of the period.
        let until = listed.iter().map(|entry| entry.until.unwrap_or(era.end)).max();
        let until = until.filter(|until| *until < era.end);
        index.push(Entry { until, ..Entry::new(&path, &title, from) });
        let list = List::new("", listed.iter().cloned(), Order::Given).dated().brief();
        let page = Page::html(path, title, from, vec![Block::List(list)]);
        site.add(page.until(until.map(|at| (at, End::Missing))));
    }
    let list = List::new("All of it", index, Order::Newest);
    site.add_list("/archive/", "Archive", era.long_ago(), list);
}

/// Adds for each group the pages of a long list, `length` entries each. Pages after the first come
/// when there is something on them.
fn add_paged(site: &mut Site, groups: Vec<Vec<Arc<Entry>>>, order: Order, length: usize) {
    let (spec, born) = (site.spec, site.era.long_ago());
    for (group, entries) in groups.into_iter().enumerate() {
        let (path, label) = (spec.group_path(group), &spec.groups[group].1);
        let list = List::new("", entries, order);
        // An entry that goes makes the last page shrink, but never makes it vanish.
        let mut births: Vec<Time> = list.entries.iter().map(|entry| entry.from).collect();
        births.sort_unstable();
        let pages = births.len().div_ceil(length).max(1);
        let address = |page: usize| match page {
            0 => path.clone(),
            _ => format!("{path}?page={}", page + 1),
        };
        let from = |page: usize| if page == 0 { born } else { births[page * length].max(born) };
        for page in 0..pages {
            let mut turns = Vec::new();
            if page > 0 {
                turns.push(Entry::fixed(&address(page - 1), "Previous page"));
            }
            if page + 1 < pages {
                turns.push(Entry::new(&address(page + 1), "Next page", from(page + 1)));
            }
            let part = List { skip: page * length, limit: length, ..list.clone() };
            let blocks = vec![Block::List(part), Block::List(List::new("", turns, Order::Given))];
            let title =
                if page == 0 { label.clone() } else { format!("{label}, page {}", page + 1) };
            site.add(Page::html(address(page), title, from(page), blocks));
        }
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
