//! Synthetic webs, which change by a known law.
//!
//! A synthetic web becomes a history like a recorded one: pages with addresses, versions, and HTML
//! bodies with links. A body is a function of the seed, the address and the time, so nothing is
//! stored.
//!
//! The last four kinds are made to the descriptions of papers; `docs/worlds.md` has the sentence
//! behind each of their parameters.
mod body;
mod change;
mod discover;
mod model;
mod searched;
mod site;
mod tan;
mod topics;
mod words;

use std::sync::Arc;

use crawl::{Content, PageId, Span, Time};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use text::workload::{Source, Workload};

use self::{
    discover::Discover, model::Model, searched::Searched, site::Site, tan::Tan, topics::Topics,
};
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
    /// Sites whose folders mix topics; a topic has its own words, sizes and change rate on every
    /// site (Tan et al. 2007, Tan and Mitra 2010).
    Tan,
    /// Pages that matter to searchers in different ways, and the queries they are asked by (Pandey
    /// and Olston 2005).
    Searched,
    /// Sites that grow by bundles of new pages, each shown by some old page (Dasgupta et al. 2007).
    Discover,
    /// Pages of topics that are active for some days, then quiet (Radinsky and Bennett 2013).
    Topics,
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
    ("tan", Kind::Tan),
    ("searched", Kind::Searched),
    ("discover", Kind::Discover),
    ("topics", Kind::Topics),
];

impl Kind {
    /// Its name in experiments.
    pub fn name(self) -> &'static str {
        KINDS.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }

    /// The number of pages and weeks of the paper's web at the scale of `docs/worlds.md`; `None`
    /// for a kind that is no paper's.
    pub fn full_scale(self) -> Option<(usize, u32)> {
        match self {
            Self::Tan => Some(tan::FULL_SCALE),
            Self::Searched => Some(searched::FULL_SCALE),
            Self::Discover => Some(discover::FULL_SCALE),
            Self::Topics => Some(topics::FULL_SCALE),
            _ => None,
        }
    }
}

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
        let kind = self.kind.name();
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
    model: Arc<dyn Model>,
}

/// The start of the window of every synthetic web.
const START: Time = Time::from_millis(1_767_225_600_000); // 2026-01-01T00:00:00Z

impl SyntheticWeb {
    /// Generates the pages and the times of their changes.
    pub fn new(spec: Spec) -> Self {
        let window =
            Window { start: START, end: START + Span::from_days(7 * i64::from(spec.weeks)) };
        let model: Arc<dyn Model> = match spec.kind {
            Kind::Tan => Arc::new(Tan::new(spec, window)),
            Kind::Searched => Arc::new(Searched::new(spec, window)),
            Kind::Discover => Arc::new(Discover::new(spec, window)),
            Kind::Topics => Arc::new(Topics::new(spec, window)),
            _ => Arc::new(Site::new(spec, window)),
        };
        Self { spec, window, model }
    }

    /// The time it covers.
    pub fn window(&self) -> Window {
        self.window
    }

    /// Its history: every version of every page, generated and read.
    pub fn history(&self) -> History {
        let read: Vec<_> = (0..self.model.pages())
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
                PageHistory { address: self.model.address(page).to_owned(), versions }
            })
            .collect();
        let name = self.spec.name();
        let source = format!(
            "synthetic {} web of {} pages, seed {}",
            self.spec.kind.name(),
            self.spec.pages,
            self.spec.seed
        );
        History { name, source, window: self.window, pages, readings }
    }

    /// The true change rate of every page per day; `None` unless all pages change at a constant
    /// rate.
    pub fn rates(&self) -> Option<Vec<(PageId, f64)>> {
        let rate = |page: usize| {
            let id = PageId::from_address(self.model.address(page));
            Some((id, self.model.rate(page)?))
        };
        (0..self.model.pages()).map(rate).collect()
    }

    /// The body of a page at an instant; `None` if it does not exist then.
    pub fn body(&self, address: &str, at: Time) -> Option<String> {
        self.model.render(self.find(address)?, at)
    }

    /// The queries that are asked of it, if it has any of its own.
    pub fn workload(&self) -> Option<Workload> {
        let source = Source::File(format!("the world {}", self.spec.kind.name()));
        self.model.queries().map(|queries| Workload::new(source, queries))
    }

    /// Whether a page with this address exists at any time.
    pub fn has_page(&self, address: &str) -> bool {
        self.find(address).is_some()
    }

    fn find(&self, address: &str) -> Option<usize> {
        let (mut low, mut high) = (0, self.model.pages());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.model.address(middle) < address {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        (low < self.model.pages() && self.model.address(low) == address).then_some(low)
    }

    /// The versions of a page, read, without their texts.
    fn versions(&self, page: usize) -> Vec<(Time, Option<crawl::Snapshot>)> {
        let times = self.model.change_times(page);
        times.into_iter().map(|at| (at, self.read(page, at).map(light))).collect()
    }

    fn read(&self, page: usize, at: Time) -> Option<crawl::Snapshot> {
        let body = self.model.render(page, at)?;
        let (address, kind) = (self.model.address(page), self.model.content_type(page));
        Some(extract::read::read(address, kind, body.as_bytes()))
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
    fn workload(&self) -> Option<Workload> {
        self.web.workload()
    }

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
