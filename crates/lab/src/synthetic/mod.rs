//! Synthetic webs, which change by a known law.
//!
//! A synthetic web becomes a history like a recorded one: pages with addresses, versions, and HTML
//! bodies with links. A body is a function of the seed, the address and the time, so nothing is
//! stored.
mod body;
mod change;
mod site;

use std::sync::Arc;

use crawl::{Content, PageId, Span, Time};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use self::site::Site;
use crate::{
    compare::{Texts, TextsError},
    history::{History, PageHistory, Version, Window},
};

/// How the pages of a synthetic web change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Each page changes as a Poisson process; rates are log-uniform from one change a year to one
    /// a day.
    Poisson,
    /// The same, but pages of one directory have similar rates.
    Clustered,
    /// Long quiet periods and short busy ones.
    Bursty,
    /// Each page changes at fixed intervals, from a day to a quarter.
    Periodic,
    /// Pages rarely change alone; sometimes a whole directory or host changes at once.
    Shocks,
    /// Poisson processes whose rates drift over the year.
    Drift,
    /// Hubs (front pages, directories, feeds) list new pages; several hubs list the same page.
    Hubs,
    /// Leaves form groups of ten. The first changes at random every few days; the others show the
    /// same new words one to three days later, and sometimes change alone.
    Followers,
}

/// Every kind, by its name in experiments.
pub const KINDS: &[(&str, Kind)] = &[
    ("poisson", Kind::Poisson),
    ("clustered", Kind::Clustered),
    ("bursty", Kind::Bursty),
    ("periodic", Kind::Periodic),
    ("shocks", Kind::Shocks),
    ("drift", Kind::Drift),
    ("hubs", Kind::Hubs),
    ("followers", Kind::Followers),
];

/// The parameters of a synthetic web.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec {
    /// How its pages change.
    pub kind: Kind,
    /// The number of pages over the whole window.
    pub pages: usize,
    /// The seed of its random numbers.
    pub seed: u64,
    /// The length of its window.
    pub weeks: u32,
}

/// The default length of the window: a year.
pub const USUAL_WEEKS: u32 = 52;

impl Spec {
    /// The name used in results.
    pub fn name(&self) -> String {
        let kind = KINDS.iter().find(|(_, kind)| *kind == self.kind).map_or("", |(name, _)| name);
        let weeks = match self.weeks {
            USUAL_WEEKS => String::new(),
            weeks => format!("-{weeks}w"),
        };
        format!("{kind}-{}-{}{weeks}", self.pages, self.seed)
    }
}

/// A synthetic web.
#[derive(Clone, Debug)]
pub struct SyntheticWeb {
    spec: Spec,
    window: Window,
    site: Arc<Site>,
}

/// The start of the window of every synthetic web.
const START: Time = Time::from_millis(1_767_225_600_000); // 2026-01-01T00:00:00Z

impl SyntheticWeb {
    /// Generates the pages and the times of their changes.
    pub fn new(spec: Spec) -> Self {
        let window =
            Window { start: START, end: START + Span::from_days(7 * i64::from(spec.weeks)) };
        Self { spec, window, site: Arc::new(Site::new(spec, window)) }
    }

    /// The time it covers.
    pub fn window(&self) -> Window {
        self.window
    }

    /// Its history: every version of every page, generated and read.
    pub fn history(&self) -> History {
        let read: Vec<_> = (0..self.site.pages.len())
            .into_par_iter()
            .map(|page| (page, self.versions(page)))
            .collect();
        let mut readings = vec![];
        let pages = read
            .into_iter()
            .map(|(page, versions)| {
                // A version with the same bytes as the previous one shares its reading.
                let mut last: Option<(crawl::Digest, u32)> = None;
                let versions = versions.into_iter().map(|(at, snapshot)| {
                    let reading = snapshot.map(|snapshot| match last {
                        Some((body, reading)) if body == snapshot.fingerprints.body => reading,
                        _ => {
                            let reading = readings.len() as u32;
                            last = Some((snapshot.fingerprints.body, reading));
                            readings.push(Arc::new(snapshot));
                            reading
                        }
                    });
                    Version { at, reading }
                });
                let versions = versions.collect();
                PageHistory { address: self.site.pages[page].address.clone(), versions }
            })
            .collect();
        let name = self.spec.name();
        let source = format!(
            "synthetic {} web of {} pages, seed {}",
            KINDS.iter().find(|(_, kind)| *kind == self.spec.kind).map_or("", |(name, _)| name),
            self.spec.pages,
            self.spec.seed
        );
        History { name, source, window: self.window, pages, readings }
    }

    /// The true change rate of every page per day; `None` unless all pages change at a constant
    /// rate.
    pub fn rates(&self) -> Option<Vec<(PageId, f64)>> {
        let rate = |page: &site::SitePage| Some((PageId::from_address(&page.address), page.rate?));
        self.site.pages.iter().map(rate).collect()
    }

    /// The body of a page at an instant; `None` if it does not exist then.
    pub fn body(&self, address: &str, at: Time) -> Option<String> {
        body::render(&self.site, self.spec.seed, self.find(address)?, at)
    }

    /// Whether a page with this address exists at any time.
    pub fn has_page(&self, address: &str) -> bool {
        self.find(address).is_some()
    }

    fn find(&self, address: &str) -> Option<usize> {
        self.site.pages.binary_search_by(|page| page.address.as_str().cmp(address)).ok()
    }

    /// The versions of a page, read, without their texts.
    fn versions(&self, page: usize) -> Vec<(Time, Option<crawl::Snapshot>)> {
        let times = self.site.change_times(page);
        times.into_iter().map(|at| (at, self.read(page, at).map(light))).collect()
    }

    fn read(&self, page: usize, at: Time) -> Option<crawl::Snapshot> {
        let body = body::render(&self.site, self.spec.seed, page, at)?;
        let page = &self.site.pages[page];
        Some(extract::read::read(&page.address, page.content_type(), body.as_bytes()))
    }
}

fn light(snapshot: crawl::Snapshot) -> crawl::Snapshot {
    crawl::Snapshot { content: None, ..snapshot }
}

/// The texts of a synthetic web, generated on demand.
#[derive(Debug)]
pub struct SyntheticTexts {
    /// The web.
    pub web: SyntheticWeb,
    /// Its history.
    pub history: Arc<History>,
}

impl Texts for SyntheticTexts {
    fn contents(&self, page: usize) -> Result<Vec<(u32, Arc<Content>)>, TextsError> {
        let mut contents = FxHashMap::default();
        for version in &self.history.pages[page].versions {
            let Some(reading) = version.reading else { continue };
            contents.entry(reading).or_insert_with(|| {
                let snapshot = self.web.read(page, version.at);
                snapshot.and_then(|snapshot| snapshot.content).unwrap_or_default()
            });
        }
        let mut contents: Vec<_> = contents.into_iter().collect();
        contents.sort_unstable_by_key(|&(reading, _)| reading);
        Ok(contents)
    }
}
