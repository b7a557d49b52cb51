//! One run: one policy on one web with one budget and one seed.
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use flow::{
    Budget, Crawl, Known, Links, MemoryRepository, Observation, Pages, Plan, Policy, page_rank,
};

use super::{PageSet, Start, TournamentError};
use crate::{
    inspect::Inspection,
    metric::METRICS,
    quality::{Quality, Searched},
    replay::ReplayWorld,
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
        let setup = Self {
            truth,
            pages_taking_part,
            pages,
            links: Links::default(),
            repository: MemoryRepository::default(),
            first: vec![],
            quality: None,
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
            cycles: 0,
        };
        let first = crawl.hold_linked()?;
        let Crawl { pages, links, .. } = crawl;
        drop(admits);
        (self.pages, self.links, self.repository, self.first) = (pages, links, repository, first);
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
        let grid = self.truth.grid();
        let mut world = ReplayWorld::new(Arc::clone(&self.truth));
        let mut repository = self.repository.clone();
        let admits = self.admits();
        self.first.iter().for_each(|seen| policy.learn(seen));
        let mut crawl = Crawl {
            world: &mut world,
            policy,
            repository: &mut repository,
            detector: self.truth.comparison(),
            admits: &admits,
            watch: &mut |_| {},
            cadence: Some(grid.cycle),
            revisits_gone: false,
            pages: self.pages.clone(),
            links: self.links.clone(),
            cycles: 0,
        };
        let mut numbers = Numbers::default();
        let mut weights = Weights::default();
        let mut searched = self.quality.as_deref().map(Searched::new);
        let mut cycles = Vec::with_capacity(grid.cycles);
        for number in 1..=grid.cycles {
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            crawl.world.wait_until(grid.instant(number));
            weights.update(&crawl.pages, &crawl.links);
            let cycle = crawl.cycle(budget)?;
            numbers.update(&self.truth, &crawl.pages);
            let (pages, links, log) = (&crawl.pages, &crawl.links, cycle.log.as_slice());
            let began = Arc::clone(&weights.ranks);
            let quality = searched.as_mut().map(|searched| {
                weights.update(pages, links);
                searched.look(number, pages, &numbers, links, &weights.ranks)
            });
            let look = Inspection::of(&self.truth, number, pages, &numbers, log, &began);
            let look = look.searched(quality.as_ref());
            cycles.push(METRICS.iter().map(|metric| (metric.take)(&look)).collect());
        }
        Ok(Some(cycles))
    }
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
