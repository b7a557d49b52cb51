//! Pseudo-queries: what people might ask, taken from the pages themselves where nobody's questions
//! are known.
//!
//! Authors name things in titles, headings and links with the words that readers look for; links in
//! particular stand in for queries well. They are no queries all the same: whatever is computed from
//! them says so ([`Source::is_pseudo`]).
mod phrase;
mod site_name;
mod tally;

use std::collections::BTreeSet;

use self::{
    phrase::{phrase, whole},
    site_name::SiteNames,
    tally::Tally,
};
use super::{Source, Workload};
use crate::{Content, Digest};

/// A phrase on more pages than this does not count for more: it belongs to a template.
const MOST_PAGES_COUNTED: u32 = 20;
/// From so many pages on, phrases that stand on more than a tenth of them are navigation.
const LEAST_PAGES_FOR_NAVIGATION: u32 = 30;
/// One in so many pages.
const NAVIGATION_ONE_IN: u32 = 10;
/// Titles that wait until it is known what the site is called. Beyond these, it is known.
const MOST_TITLES: usize = 50_000;
/// Nobody asks for what has a longer title than this.
const MOST_TITLE_BYTES: usize = 1_000;
/// Different phrases that are kept while pages come in: some 50 MB.
const MOST_PHRASES: usize = 500_000;
/// How fast frequency falls with rank where no workload says: k^-0.7. The 1,000 most frequent of
/// the 42,169 queries of the TREC 2005 Terabyte track fall as k^-0.67 (least squares, log-log).
const FALL: f64 = 0.7;

/// Collects pseudo-queries, page by page.
#[derive(Clone, Debug)]
pub struct PseudoQueries {
    pages: u32,
    phrases: Tally,
    /// Pages whose titles wait for the name of the site.
    waiting: Vec<Waiting>,
    names: Option<SiteNames>,
}

/// A page whose title waits, so that what it has besides is not counted twice.
#[derive(Clone, Debug)]
struct Waiting {
    title: String,
    /// Phrases of its headings and links that may turn out to be its title, too.
    besides: BTreeSet<String>,
}

impl Default for PseudoQueries {
    fn default() -> Self {
        let phrases = Tally::new(MOST_PHRASES);
        Self { pages: 0, phrases, waiting: vec![], names: None }
    }
}

impl PseudoQueries {
    /// Takes in a page.
    pub fn add(&mut self, content: &Content) {
        self.pages += 1;
        let places = content.headings.iter().chain(&content.anchors);
        let mut phrases: BTreeSet<String> =
            places.filter_map(|place| phrase(place.of(&content.text))).collect();
        let title = content.title.as_str();
        let title = if title.len() > MOST_TITLE_BYTES { "" } else { title };
        if let Some(names) = &self.names {
            phrases.extend(phrase(names.cut(title)));
            self.phrases.count(phrases);
        } else {
            let whole = whole(title);
            let (besides, others) =
                phrases.into_iter().partition(|phrase| whole.contains(phrase.as_str()));
            self.phrases.count(others);
            self.waiting.push(Waiting { title: title.to_owned(), besides });
            if self.waiting.len() >= MOST_TITLES {
                self.settle();
            }
        }
    }

    /// Decides what the site is called, and counts the titles that waited for it.
    fn settle(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        let names = SiteNames::of(waiting.iter().map(|page| page.title.as_str()));
        for Waiting { title, mut besides } in waiting {
            besides.extend(phrase(names.cut(&title)));
            self.phrases.count(besides);
        }
        self.names = Some(names);
    }

    /// The workload: the `limit` best phrases, those on the most pages first.
    ///
    /// The k-th gets the k-th highest frequency of the workload `frequencies`, or those of evenly spread
    /// ranks where that has fewer queries; without one, frequencies fall as k^-0.7.
    pub fn finish(mut self, limit: usize, frequencies: Option<&Workload>) -> Workload {
        if self.names.is_none() {
            self.settle();
        }
        let pages = self.pages;
        let is_navigation =
            |on: u32| pages >= LEAST_PAGES_FOR_NAVIGATION && on > pages / NAVIGATION_ONE_IN;
        let subjects = self.phrases.into_phrases().filter(|&(_, on)| !is_navigation(on));
        let mut ordered: Vec<(u32, Digest, String)> = subjects
            .map(|(phrase, on)| {
                // Most phrases stand on one page. In the order of the alphabet, all that is asked
                // for would begin with an A, so ties are broken by a digest.
                (MOST_PAGES_COUNTED.saturating_sub(on), Digest::of(phrase.as_bytes()), phrase)
            })
            .collect();
        ordered.sort_unstable();
        ordered.truncate(limit);
        let frequencies = spread(ordered.len(), frequencies);
        let phrases = ordered.into_iter().map(|(_, _, phrase)| phrase);
        Workload::new(Source::Pseudo, phrases.zip(frequencies))
    }
}

/// So many frequencies, the highest first.
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
