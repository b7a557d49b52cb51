//! Pseudo-queries: queries generated from the pages themselves, where no real ones are known.
//!
//! Titles, headings and links contain the words that readers search for; anchor texts in particular
//! resemble queries. They are still not real queries, so results computed from them are marked
//! ([`Source::is_pseudo`]).
mod phrase;
mod phrase_counts;
mod site_name;

use std::collections::BTreeSet;

use self::{
    phrase::{phrase, whole},
    phrase_counts::PhraseCounts,
    site_name::SiteNames,
};
use super::{Source, Workload};
use crawl::{Content, Digest};

/// The highest page count that matters. Phrases on more pages belong to a template.
const MOST_PAGES_COUNTED: u32 = 20;
/// With at least this many pages, phrases on more than a tenth of them are navigation.
const LEAST_PAGES_FOR_NAVIGATION: u32 = 30;
/// A phrase on more than one page in this many is navigation.
const NAVIGATION_ONE_IN: u32 = 10;
/// The number of titles from which the name of the site is found.
const MOST_TITLES: usize = 50_000;
/// Longer titles are ignored.
const MOST_TITLE_BYTES: usize = 1_000;
/// The most distinct phrases in memory: some 50 MB.
const MOST_PHRASES: usize = 500_000;
/// How fast frequency falls with rank where no workload is given: k^-0.7. The 1,000 most frequent of
/// the 42,169 queries of the TREC 2005 Terabyte track fall as k^-0.67 (least squares, log-log).
const FALL: f64 = 0.7;

/// Collects pseudo-queries, page by page.
#[derive(Clone, Debug)]
pub struct PseudoQueries {
    pages: u32,
    phrases: PhraseCounts,
    /// Pages with titles to be counted once the name of the site is known.
    pending: Vec<PendingTitle>,
    names: Option<SiteNames>,
}

/// A title to be counted later.
#[derive(Clone, Debug)]
struct PendingTitle {
    title: String,
    /// Phrases of the page's headings and links that may equal its title and must not count twice.
    similar: BTreeSet<String>,
}

impl Default for PseudoQueries {
    fn default() -> Self {
        let phrases = PhraseCounts::new(MOST_PHRASES);
        Self { pages: 0, phrases, pending: vec![], names: None }
    }
}

impl PseudoQueries {
    /// Adds a page.
    pub fn add(&mut self, content: &Content) {
        self.pages += 1;
        let ranges = content.headings.iter().chain(&content.anchors);
        let mut phrases: BTreeSet<String> =
            ranges.filter_map(|range| phrase(range.slice(&content.text))).collect();
        let title = content.title.as_str();
        let title = if title.len() > MOST_TITLE_BYTES { "" } else { title };
        if let Some(names) = &self.names {
            phrases.extend(phrase(names.cut(title)));
            self.phrases.count(phrases);
        } else {
            let whole = whole(title);
            let (similar, others) =
                phrases.into_iter().partition(|phrase| whole.contains(phrase.as_str()));
            self.phrases.count(others);
            self.pending.push(PendingTitle { title: title.to_owned(), similar });
            if self.pending.len() >= MOST_TITLES {
                self.find_site_names();
            }
        }
    }

    /// Finds the names of the site, and counts the pending titles without them.
    fn find_site_names(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        let names = SiteNames::from_titles(pending.iter().map(|page| page.title.as_str()));
        for PendingTitle { title, mut similar } in pending {
            similar.extend(phrase(names.cut(&title)));
            self.phrases.count(similar);
        }
        self.names = Some(names);
    }

    /// The workload: the `limit` best phrases, those on the most pages first.
    ///
    /// The k-th phrase gets the k-th highest frequency of the workload `frequencies`; where that has
    /// fewer queries, their ranks are spread evenly. Without one, frequencies fall as k^-0.7.
    pub fn finish(mut self, limit: usize, frequencies: Option<&Workload>) -> Workload {
        if self.names.is_none() {
            self.find_site_names();
        }
        let pages = self.pages;
        let is_navigation =
            |on: u32| pages >= LEAST_PAGES_FOR_NAVIGATION && on > pages / NAVIGATION_ONE_IN;
        let subjects = self.phrases.into_phrases().filter(|&(_, on)| !is_navigation(on));
        let mut ordered: Vec<(u32, Digest, String)> = subjects
            .map(|(phrase, on)| {
                // Most phrases are on one page. In alphabetical order all queries would begin with
                // an A, so ties are broken by a digest.
                (
                    MOST_PAGES_COUNTED.saturating_sub(on),
                    Digest::from_bytes(phrase.as_bytes()),
                    phrase,
                )
            })
            .collect();
        ordered.sort_unstable();
        ordered.truncate(limit);
        let frequencies = spread(ordered.len(), frequencies);
        let phrases = ordered.into_iter().map(|(_, _, phrase)| phrase);
        Workload::new(Source::Pseudo, phrases.zip(frequencies))
    }
}

/// `count` frequencies, the highest first.
fn spread(count: usize, like: Option<&Workload>) -> Vec<f64> {
    let like = like.iter().flat_map(|workload| &workload.queries);
    let mut given: Vec<f64> = like.map(|query| query.frequency).collect();
    given.sort_unstable_by(|a, b| b.total_cmp(a));
    let frequency = |rank: usize| match given.len() {
        0 => ((rank + 1) as f64).powf(-FALL),
        enough if enough >= count => given[rank],
        fewer => given[rank * fewer / count],
    };
    (0..count).map(frequency).collect()
}

#[cfg(test)]
mod tests;
