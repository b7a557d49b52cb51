//! One run: one policy on one web with one budget and one seed.
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use flow::{
    Budget, Crawl, HostNo, Known, Links, MemoryRepository, Observation, Pages, Plan, Policy,
    features::Features, page_rank,
};

use super::{PageSet, Start, TournamentError};
use crate::{
    clusters::FeaturedWeb,
    inspect::Inspection,
    metric::METRICS,
    oracle::Ideal,
    quality::{Quality, Searched},
    replay::ReplayWorld,
    results::{HostRecord, HostSums},
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
    /// Whether metrics weighted by `PageRank` are wanted.
    weighted: bool,
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

    /// With or without metrics that are weighted by `PageRank`; what searchers see needs it anyway.
    #[must_use]
    pub fn weighted(self, weighted: bool) -> Self {
        let weighted = weighted || self.quality.is_some();
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
        let grid = self.truth.grid();
        let mut world = ReplayWorld::new(Arc::clone(&self.truth));
        let mut repository = self.repository.clone();
        let admits = self.admits();
        let mut crawl = Crawl {
            world: &mut world,
            policy: &mut Ideal,
            repository: &mut repository,
            detector: self.truth.comparison(),
            admits: &admits,
            watch: &mut |_| {},
            cadence: Some(grid.cycle),
            revisits_gone: false,
            pages: self.pages.clone(),
            links: self.links.clone(),
            features: self.features.fork(),
            cycles: 0,
        };
        for number in 1..=grid.cycles {
            crawl.world.wait_until(grid.instant(number));
            crawl.cycle(Budget::UNLIMITED)?;
        }
        let Crawl { pages, links, mut features, .. } = crawl;
        features.begin_cycle(&pages, &links);
        Ok(FeaturedWeb { pages, links, features })
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
        let grid = self.truth.grid();
        let mut world = ReplayWorld::new(Arc::clone(&self.truth));
        let mut repository = self.repository.clone();
        let admits = self.admits();
        self.first.iter().for_each(|seen| policy.learn(seen));
        let needed = policy.needs_features();
        let features = if needed { self.features.fork() } else { Features::default() };
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
            features,
            cycles: 0,
        };
        let mut numbers = Numbers::default();
        let mut weights = Weights::default();
        let mut searched = self.quality.as_deref().map(Searched::new);
        let mut cycles = Vec::with_capacity(grid.cycles);
        let mut hosts = vec![];
        for number in 1..=grid.cycles {
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            crawl.world.wait_until(grid.instant(number));
            if self.weighted {
                weights.update(&crawl.pages, &crawl.links);
            }
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
            add_up(&mut hosts, number, pages, &look);
        }
        if hosts.len() < 2 {
            // All there is to say is in the metrics already.
            hosts.clear();
        }
        Ok(Some(Played { cycles, hosts }))
    }
}

/// Takes in what one cycle found and held, host by host.
fn add_up(hosts: &mut Vec<HostRecord>, cycle: usize, pages: &Pages, look: &Inspection<'_>) {
    for host in hosts.len()..pages.host_count() {
        let host = pages.host_name(HostNo(host as u32)).to_owned();
        hosts.push(HostRecord { host, cycles: vec![] });
    }
    for host in hosts.iter_mut() {
        // A host that became known now had nothing before.
        host.cycles.resize(cycle, HostSums::default());
    }
    for seen in look.log {
        let Some(changed) = seen.changed() else { continue };
        let sums = &mut hosts[seen.host.0 as usize].cycles[cycle - 1];
        sums.compared += 1;
        if changed {
            sums.found += 1;
            sums.weight_found += look.weights.get(seen.page.index()).copied().unwrap_or(0.0);
        }
    }
    for page in &look.held {
        let sums = &mut hosts[page.host.0 as usize].cycles[cycle - 1];
        sums.held += 1;
        sums.fresh += u32::from(page.fresh);
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
