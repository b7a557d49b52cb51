//! What a log tells about the pages of a repository: which belong together, what visits found, new pages.
use std::collections::BTreeMap;

use crawl::{PageNo, Pages, Reason, State};

use super::{
    evidence::Evidence,
    posterior::{self, Draw, Place},
    record::Record,
};

/// A directory with fewer pages belongs to the one above.
const FEWEST_IN_GROUP: usize = 5;

/// What was learned from a record.
#[derive(Clone, Debug)]
pub struct ChangeModel {
    pub(super) evidence: Evidence,
    /// By page, where it belongs.
    pub(super) places: Vec<Place>,
    /// New pages per day.
    pub(super) new_pages: f64,
    /// The new pages of the past, each with the pages that showed it.
    pub(super) found: Vec<(PageNo, Vec<PageNo>)>,
}

impl ChangeModel {
    /// Learns from a record.
    pub fn fit(record: &Record) -> Self {
        let pages = &record.pages;
        let host = |page: PageNo| pages.host(page).0 as usize;
        let places = pages.numbers().zip(groups(pages));
        let places = places.map(|(page, group)| Place { host: host(page), group: group as usize });
        let (new_pages, found) = new_pages(record);
        Self { evidence: Evidence::new(record), places: places.collect(), new_pages, found }
    }

    /// Repeated visits that it was learned from.
    pub fn checks(&self) -> usize {
        self.evidence.checks
    }

    /// So many courses of the past that explain what the visits found.
    pub(super) fn pasts(&self, count: usize, seed: u64) -> Vec<Draw> {
        posterior::draws(&self.evidence, &self.places, count, seed)
    }
}

/// By page, the number of its group: its directory, or one above where that has few pages.
fn groups(pages: &Pages) -> Vec<u32> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for page in pages.numbers() {
        for above in directories(pages.address(page)) {
            *counts.entry(above).or_default() += 1;
        }
    }
    let mut numbers: BTreeMap<&str, u32> = BTreeMap::new();
    let group = |page: PageNo| {
        let address = pages.address(page);
        let is_large = |directory: &&str| counts[directory] >= FEWEST_IN_GROUP;
        let own = directories(address).find(is_large).or_else(|| directories(address).last());
        let next = numbers.len() as u32;
        *numbers.entry(own.unwrap_or(address)).or_insert(next)
    };
    pages.numbers().map(group).collect()
}

/// The directories of an address, the innermost first, the root of the host last.
pub(super) fn directories(address: &str) -> impl Iterator<Item = &str> {
    let path = address.find(['?', '#']).map_or(address, |end| &address[..end]);
    let host = path.find("://").map_or(0, |at| at + 3);
    let slashes = path.char_indices().rev().filter(move |&(at, one)| one == '/' && at >= host);
    slashes.map(|(at, _)| &address[..=at])
}

/// New pages per day, and which pages showed each.
fn new_pages(record: &Record) -> (f64, Vec<(PageNo, Vec<PageNo>)>) {
    let mut shown: BTreeMap<PageNo, Vec<PageNo>> = BTreeMap::new();
    let mut span: Option<(crawl::Time, crawl::Time)> = None;
    // A page that is visited for the first time shows much that is old.
    for seen in record.log.iter().filter(|seen| seen.reason != Reason::First) {
        span = Some(span.map_or((seen.at, seen.at), |(first, _)| (first, seen.at)));
        for &lead in &seen.leads {
            if record.pages.state(lead) == State::Held {
                shown.entry(lead).or_default().push(seen.page);
            }
        }
    }
    let days = span.map_or(0.0, |(first, last)| (last - first).days());
    if days < 1.0 {
        return (0.0, vec![]);
    }
    (shown.len() as f64 / days, shown.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_directories_belong_to_the_one_above() {
        let mut pages = Pages::default();
        let now = crawl::Time::from_millis(0);
        for page in 0..6 {
            pages.insert(&format!("http://a.example/docs/{page}.html"), now);
        }
        pages.insert("http://a.example/docs/deep/1.html", now);
        pages.insert("http://a.example/about.html", now);
        let groups = groups(&pages);
        assert_eq!(groups[..6], [0; 6]);
        assert_eq!(groups[6], 0);
        assert_ne!(groups[7], 0);
        let found: Vec<&str> = directories("http://a.example/x/y?q=/z/").collect();
        assert_eq!(found, ["http://a.example/x/", "http://a.example/"]);
    }
}
