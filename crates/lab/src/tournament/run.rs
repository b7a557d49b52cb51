//! One run: one policy on one web with one budget and one seed.
use std::{
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use flow::{
    Budget, Crawl, Known, Links, MemoryRepository, Observation, Pages, Plan, Policy, Repository,
    features::Features, impact::Measure, page_rank,
};

use super::{PageSet, Start, TournamentError, hosts::add_up};
use crate::{
    clusters::FeaturedWeb,
    inspect::Inspection,
    measured::MeasuredRepository,
    metric::METRICS,
    news::{NewPages, News},
    oracle::Ideal,
    quality::{Quality, Searched},
    replay::ReplayWorld,
    results::HostRecord,
    truth::{Numbers, Truth},
};

/// What all runs on one web have in common: the state they start from.
pub struct Setup {
    truth: Arc<Truth>,
    pages_taking_part: PageSet,
    pages: Pages,
    links: Links,
    repository: MemoryRepository,
    /// What the visits before the first cycle observed.
    first: Vec<Observation>,
    /// The workload, where there is one.
    quality: Option<Arc<Quality>>,
    /// What features are made from, where a policy looks at them.
    features: Features,
    /// Whether metrics that need the `PageRank` of pages are wanted.
    weighted: bool,
    /// The pages that may come to be known, where any may.
    new_pages: Option<NewPages>,
}

/// What a run came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// By cycle, then by metric as in [`METRICS`]; `None` where a metric is not defined.
    pub cycles: Vec<Vec<Option<f64>>>,
    /// The same by host; empty where there is only one.
    pub hosts: Vec<HostRecord>,
}

impl Setup {
    /// Brings a web to its start.
    ///
    /// # Errors
    /// When a seed address is not in the web.
    pub fn new(
        truth: Arc<Truth>,
        pages_taking_part: PageSet,
        start: &Start,
    ) -> Result<Self, TournamentError> {
        Self::featured(truth, pages_taking_part, start, Features::default())
    }

    /// The same, where features are to be kept up from the start.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn featured(
        truth: Arc<Truth>,
        pages_taking_part: PageSet,
        start: &Start,
        features: Features,
    ) -> Result<Self, TournamentError> {
        let begins = truth.grid().start;
        let mut pages = Pages::default();
        match start {
            Start::Synchronised => {
                for (number, page) in truth.history().pages.iter().enumerate() {
                    if truth.reading(number, 0).is_some() {
                        pages.admit(&page.address, begins);
                    }
                }
            }
            Start::Empty(addresses) => {
                let known = addresses.iter().filter(|address| truth.find(address).is_some());
                for address in known {
                    pages.admit(address, begins);
                }
                if pages.is_empty() {
                    let web = truth.history().name.clone();
                    return Err(TournamentError::NoSeed { web, addresses: addresses.clone() });
                }
            }
        }
        let new_pages =
            (pages_taking_part == PageSet::Growing).then(|| NewPages::new(&truth, &pages));
        let setup = Self {
            truth,
            pages_taking_part,
            pages,
            links: Links::default(),
            repository: MemoryRepository::default(),
            first: vec![],
            quality: None,
            features,
            weighted: true,
            new_pages,
        };
        match start {
            Start::Empty(_) => Ok(setup),
            Start::Synchronised => setup.synchronised(),
        }
    }

    /// With a workload: runs measure what searching the repository is like, too.
    #[must_use]
    pub fn searched(self, quality: Option<Arc<Quality>>) -> Self {
        Self { quality, ..self }
    }

    /// With or without metrics that need the `PageRank` of pages: those weighted by it, and what searchers
    /// see by the blend.
    #[must_use]
    pub fn weighted(self, weighted: bool) -> Self {
        Self { weighted, ..self }
    }

    /// With every page held that is known.
    fn synchronised(mut self) -> Result<Self, TournamentError> {
        let mut world = ReplayWorld::new(Arc::clone(&self.truth));
        let mut repository = MemoryRepository::default();
        let admits = self.admits();
        let mut crawl = Crawl {
            world: &mut world,
            policy: &mut Nothing,
            repository: &mut repository,
            detector: self.truth.comparison(),
            admits: &admits,
            watch: &mut |_| {},
            cadence: None,
            revisits_gone: false,
            pages: self.pages.clone(),
            links: Links::default(),
            features: std::mem::take(&mut self.features),
            cycles: 0,
        };
        let first = crawl.hold_linked()?;
        let Crawl { pages, links, features, .. } = crawl;
        drop(admits);
        (self.pages, self.links, self.repository, self.first) = (pages, links, repository, first);
        // What is fitted to the pages at the start is the same for all runs.
        self.features = features;
        self.features.begin_cycle(&self.pages, &self.links);
        Ok(self)
    }

    /// Which linked addresses become pages: those the web knows, or of them those alive at the
    /// start.
    fn admits(&self) -> impl Fn(&str) -> bool + use<> {
        let (truth, taking_part) = (Arc::clone(&self.truth), self.pages_taking_part);
        move |address: &str| match truth.find(address) {
            None => false,
            Some(_) if taking_part == PageSet::Growing => true,
            Some(page) => truth.reading(page, 0).is_some(),
        }
    }

    /// How many pages are alive at the start.
    pub fn pages_at_start(&self) -> usize {
        self.truth.alive(0)
    }

    /// What a crawl knows at the start, before its first cycle.
    pub fn at_start(&self) -> FeaturedWeb {
        let (pages, links) = (self.pages.clone(), self.links.clone());
        let mut features = self.features.fork();
        features.begin_cycle(&pages, &links);
        FeaturedWeb { pages, links, features }
    }

    /// What a crawl knows at the end that has visited every page in every cycle.
    ///
    /// # Errors
    /// When the loop fails, which a replay gives no reason for.
    pub fn at_end(&self) -> Result<FeaturedWeb, TournamentError> {
        let features = self.features.fork();
        let mut web = self.to_end(&mut Ideal, None, Budget::UNLIMITED, features)?;
        web.features.begin_cycle(&web.pages, &web.links);
        Ok(web)
    }

    /// Takes a policy through all cycles. With a workload the impact of visits is measured as `measure`
    /// says.
    pub(crate) fn to_end(
        &self,
        policy: &mut dyn Policy,
        measure: Option<Measure>,
        budget: Budget,
        features: Features,
    ) -> Result<FeaturedWeb, TournamentError> {
        let mut go_on = |_: After<'_>| ControlFlow::Continue(());
        let web = self.through(policy, measure, budget, features, &mut go_on)?;
        Ok(web.expect("it went on to the end"))
    }

    /// Takes a policy through all cycles, telling `each` of every one; what is known at the end, or `None`
    /// where `each` ended it.
    fn through(
        &self,
        policy: &mut dyn Policy,
        measure: Option<Measure>,
        budget: Budget,
        features: Features,
        each: &mut dyn FnMut(After<'_>) -> ControlFlow<()>,
    ) -> Result<Option<FeaturedWeb>, TournamentError> {
        let grid = self.truth.grid();
        let mut world = ReplayWorld::new(Arc::clone(&self.truth));
        let mut repository = self.repository(measure);
        let admits = self.admits();
        self.first.iter().for_each(|seen| policy.learn(seen));
        let mut crawl = Crawl {
            world: &mut world,
            policy,
            repository: repository.as_mut(),
            detector: self.truth.comparison(),
            admits: &admits,
            watch: &mut |_| {},
            cadence: Some(grid.cycle),
            // As a live crawl does; where pages take part that were there at the start and no others,
            // the papers know of none that come back.
            revisits_gone: self.pages_taking_part == PageSet::Growing,
            pages: self.pages.clone(),
            links: self.links.clone(),
            features,
            cycles: 0,
        };
        for number in 1..=grid.cycles {
            crawl.world.wait_until(grid.instant(number));
            let cycle = crawl.cycle(budget)?;
            let Crawl { pages, links, .. } = &crawl;
            if each(After { number, pages, links, log: &cycle.log }).is_break() {
                return Ok(None);
            }
        }
        let Crawl { pages, links, features, .. } = crawl;
        Ok(Some(FeaturedWeb { pages, links, features }))
    }

    /// What is held at the start, in a repository that measures where that is wanted and can be done.
    fn repository(&self, measure: Option<Measure>) -> Box<dyn Repository> {
        let held = self.repository.clone();
        match (measure, &self.quality) {
            (Some(measure), Some(quality)) => {
                let (truth, quality) = (Arc::clone(&self.truth), Arc::clone(quality));
                Box::new(MeasuredRepository::new(held, truth, quality, measure))
            }
            _ => Box::new(held),
        }
    }

    /// The pages that are known at the start.
    pub fn pages(&self) -> &Pages {
        &self.pages
    }

    /// Who links to whom at the start.
    pub fn links(&self) -> &Links {
        &self.links
    }

    /// Runs a policy to the end and takes every metric after every cycle; `None` where it was
    /// stopped.
    ///
    /// # Errors
    /// When the loop fails, which a replay gives no reason for.
    pub fn run(
        &self,
        policy: &mut dyn Policy,
        budget: Budget,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<Vec<Option<f64>>>>, TournamentError> {
        Ok(self.play(policy, budget, stop)?.map(|played| played.cycles))
    }

    /// The same, and what was found and held on every host.
    ///
    /// # Errors
    /// When the loop fails, which a replay gives no reason for.
    pub fn play(
        &self,
        policy: &mut dyn Policy,
        budget: Budget,
        stop: &AtomicBool,
    ) -> Result<Option<Played>, TournamentError> {
        let (needed, measure) = (policy.needs_features(), policy.measure());
        let features = if needed {
            self.features.fork().looking_back(policy.looks_back())
        } else {
            Features::default()
        };
        let mut numbers = Numbers::default();
        let mut weights = Weights::default();
        if self.weighted {
            weights.update(&self.pages, &self.links);
        }
        let quality = self.quality.as_deref();
        let mut searched = quality.map(|quality| Searched::new(quality, self.weighted));
        let mut news = self.new_pages.as_ref().map(|pages| News::new(&self.truth, pages));
        let (mut cycles, mut hosts) = (vec![], vec![]);
        let last = self.truth.grid().cycles;
        let mut look = |after: After<'_>| {
            let After { number, pages, links, log } = after;
            numbers.update(&self.truth, pages);
            let began = Arc::clone(&weights.ranks);
            if self.weighted {
                weights.update(pages, links);
            }
            let ranks = &weights.ranks;
            let quality = searched
                .as_mut()
                .map(|searched| searched.look(number, pages, &numbers, links, ranks));
            let found = Inspection::of(&self.truth, number, pages, &numbers, log, &began);
            let found = found.searched(quality.as_ref());
            let news = news.as_mut().map(|news| news.look(number, pages, &numbers, log));
            let found = found.with_news(news);
            cycles.push(METRICS.iter().map(|metric| (metric.take)(&found)).collect());
            add_up(&mut hosts, number, pages, &found);
            let is_stopped = number < last && stop.load(Ordering::Relaxed);
            if is_stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        if stop.load(Ordering::Relaxed)
            || self.through(policy, measure, budget, features, &mut look)?.is_none()
        {
            return Ok(None);
        }
        if hosts.len() < 2 {
            // All there is to say is in the metrics already.
            hosts.clear();
        }
        Ok(Some(Played { cycles, hosts }))
    }
}

/// A cycle just after its visits.
struct After<'c> {
    /// Its number, from 1 on.
    number: usize,
    pages: &'c Pages,
    links: &'c Links,
    log: &'c [Observation],
}

/// The `PageRank` of what is held, computed only when links have moved.
#[derive(Default)]
struct Weights {
    ranks: Arc<Vec<f64>>,
    revision: Option<u64>,
}

impl Weights {
    fn update(&mut self, pages: &Pages, links: &Links) {
        if self.revision != Some(links.revision()) {
            self.ranks = Arc::new(page_rank(pages, links, &self.ranks));
            self.revision = Some(links.revision());
        }
    }
}

/// Plans nothing: for the visits that synchronise a web before any policy's first cycle.
struct Nothing;

impl Policy for Nothing {
    fn name(&self) -> &'static str {
        "nothing"
    }

    fn plan(&mut self, _known: &Known<'_>, _budget: Budget) -> Plan {
        Plan::default()
    }
}
