//! A web on which policies run.
use std::{
    ops::ControlFlow,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use crawl::{
    Budget, Crawl, Instruments, Known, Links, MemoryRepository, Observation, Pages, Plan, Policy,
    Span, World,
};
use instruments::{
    features::Features,
    impact::{Impact, Measure},
};

use super::{Experiment, PageSet, PreparedWeb, Start, TournamentError, WebSource};
use crate::{
    clusters::FeaturedWeb, news::NewPages, oracle::Ideal, profiles, quality::Quality,
    replay::ReplayWorld, truth::GroundTruth,
};

/// A web on which policies run: its ground truth, and the state that every run starts from.
pub struct Dataset {
    pub(super) truth: Arc<GroundTruth>,
    page_set: PageSet,
    pub(super) pages: Pages,
    pub(super) links: Links,
    repository: MemoryRepository,
    /// What the visits before the first cycle observed.
    first: Vec<Observation>,
    /// The workload, where there is one.
    pub(super) quality: Option<Arc<Quality>>,
    /// The features of pages, where a policy needs them.
    features: Option<Features>,
    /// Whether metrics that need the `PageRank` of pages are wanted.
    pub(super) weighted: bool,
    /// The pages that may come to be known, where any may.
    pub(super) new_pages: Option<NewPages>,
}

impl Dataset {
    /// Loads a web, to be replayed in cycles of this length with every page held at the start.
    ///
    /// A trace is read in full every time. [`PreparedWeb`] keeps what was read in a cache, and
    /// takes other settings.
    ///
    /// # Errors
    /// When it cannot be read, or the temporary folder cannot be written.
    pub fn load(source: &WebSource, cycle: Span) -> Result<Self, TournamentError> {
        let experiment = Experiment::of(source.clone(), cycle);
        let readings = TemporaryFolder::new();
        let web = PreparedWeb::open(source, &readings.0)?;
        web.read(&|_, _| ())?;
        // The texts are not needed once versions have been compared.
        Self::new(web.load(&experiment)?.truth, experiment.pages, &experiment.start)
    }

    /// Brings a web to its start.
    ///
    /// # Errors
    /// When a seed address is not in the web.
    pub fn new(
        truth: Arc<GroundTruth>,
        page_set: PageSet,
        start: &Start,
    ) -> Result<Self, TournamentError> {
        Self::featured(truth, page_set, start, None)
    }

    /// The same, where features are to be kept up from the start.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn featured(
        truth: Arc<GroundTruth>,
        page_set: PageSet,
        start: &Start,
        features: Option<Features>,
    ) -> Result<Self, TournamentError> {
        let begins = truth.grid().start;
        let mut pages = Pages::default();
        match start {
            Start::Synchronised => {
                for (number, page) in truth.history().pages.iter().enumerate() {
                    if truth.reading(number, 0).is_some() {
                        pages.insert(&page.address, begins);
                    }
                }
            }
            Start::Empty(addresses) => {
                let known = addresses.iter().filter(|address| truth.find(address).is_some());
                for address in known {
                    pages.insert(address, begins);
                }
                if pages.is_empty() {
                    let web = truth.history().name.clone();
                    return Err(TournamentError::NoSeed { web, addresses: addresses.clone() });
                }
            }
        }
        let new_pages = (page_set == PageSet::Growing).then(|| NewPages::new(&truth, &pages));
        let setup = Self {
            truth,
            page_set,
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
        let world = ReplayWorld::new(Arc::clone(&self.truth));
        let mut crawl = Crawl {
            admits: Box::new(self.admits()),
            pages: self.pages.clone(),
            instruments: instruments(self.features.take(), None),
            ..Crawl::new(world, Box::new(Nothing), self.repository, self.truth.comparison().clone())
        };
        self.first = crawl.hold_linked()?;
        let Crawl { pages, links, repository, mut instruments, .. } = crawl;
        if let Some(features) = instruments.find_mut::<Features>() {
            // What is fitted to the pages at the start is the same for all runs.
            features.begin_cycle(&pages, &links);
            self.features = Some(std::mem::take(features));
        }
        (self.pages, self.links, self.repository) = (pages, links, repository);
        Ok(self)
    }

    /// Which linked addresses become pages: those the web knows, or of them those alive at the
    /// start.
    fn admits(&self) -> impl Fn(&str) -> bool + use<> {
        let (truth, page_set) = (Arc::clone(&self.truth), self.page_set);
        move |address: &str| match truth.find(address) {
            None => false,
            Some(_) if page_set == PageSet::Growing => true,
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
        let mut features = self.features();
        features.begin_cycle(&pages, &links);
        FeaturedWeb::new(pages, links, features)
    }

    /// What a crawl knows at the end that has visited every page in every cycle.
    ///
    /// # Errors
    /// If the loop fails, which does not happen in a replay.
    pub fn at_end(&self) -> Result<FeaturedWeb, TournamentError> {
        let features = self.features();
        let mut web = self.to_end(Box::new(Ideal), None, Budget::UNLIMITED, Some(features))?;
        let mut features = web.instruments.find_mut().map(std::mem::take).unwrap_or_default();
        Features::begin_cycle(&mut features, &web.pages, &web.links);
        Ok(FeaturedWeb::new(web.pages, web.links, features))
    }

    /// A copy of the features at the start; of no page where they are not kept up.
    pub(crate) fn features(&self) -> Features {
        self.features.as_ref().map(Features::copy).unwrap_or_default()
    }

    /// Takes a policy through all cycles. With a workload the impact of visits is measured as `measure`
    /// says.
    ///
    /// # Errors
    /// If the loop fails, which does not happen in a replay.
    pub fn to_end(
        &self,
        policy: Box<dyn Policy>,
        measure: Option<Measure>,
        budget: Budget,
        features: Option<Features>,
    ) -> Result<Ended, TournamentError> {
        let mut go_on = |_: After<'_>| ControlFlow::Continue(());
        let ended = self.through(policy, measure, budget, features, &mut go_on)?;
        match ended {
            Some(ended) => Ok(ended),
            None => unreachable!("nothing ends it before the last cycle"),
        }
    }

    /// Takes a policy through all cycles, calling `each` after every one. Returns what is known at the
    /// end, or `None` where `each` ended it.
    pub(super) fn through(
        &self,
        mut policy: Box<dyn Policy>,
        measure: Option<Measure>,
        budget: Budget,
        features: Option<Features>,
        each: &mut dyn FnMut(After<'_>) -> ControlFlow<()>,
    ) -> Result<Option<Ended>, TournamentError> {
        let grid = self.truth.grid();
        let world = ReplayWorld::new(Arc::clone(&self.truth));
        self.first.iter().for_each(|seen| policy.learn(seen));
        let impact = measure.zip(self.quality.as_ref()).map(|(measure, quality)| {
            profiles::impact(Arc::clone(&self.truth), Arc::clone(quality), measure)
        });
        let mut crawl = Crawl {
            instruments: instruments(features, impact),
            admits: Box::new(self.admits()),
            interval: Some(grid.cycle),
            // As a live crawl does; where pages take part that were there at the start and no others,
            // the papers know of none that come back.
            revisits_gone: self.page_set == PageSet::Growing,
            pages: self.pages.clone(),
            links: self.links.clone(),
            ..Crawl::new(world, policy, self.repository.clone(), self.truth.comparison().clone())
        };
        for number in 1..=grid.cycles {
            crawl.world.wait_until(grid.instant(number));
            let cycle = crawl.cycle(budget, &mut |_| {})?;
            let Crawl { pages, links, .. } = &crawl;
            if each(After { number, pages, links, log: &cycle.log }).is_break() {
                return Ok(None);
            }
        }
        let Crawl { pages, links, instruments, .. } = crawl;
        Ok(Some(Ended { pages, links, instruments }))
    }

    /// The pages that are known at the start.
    pub fn pages(&self) -> &Pages {
        &self.pages
    }

    /// Who links to whom at the start.
    pub fn links(&self) -> &Links {
        &self.links
    }
}

/// A folder for what is read of a trace, removed when it is dropped.
struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    fn new() -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("sanderling-readings-{}-{number}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // A synthetic web leaves nothing to remove, and a folder that stays does no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What a crawl knows at the end of a run.
#[derive(Debug)]
pub struct Ended {
    /// Every known page.
    pub pages: Pages,
    /// Who links to whom.
    pub links: Links,
    /// What was measured.
    pub instruments: Instruments,
}

fn instruments(features: Option<Features>, impact: Option<Impact>) -> Instruments {
    let mut instruments = Instruments::default();
    if let Some(features) = features {
        instruments.insert(features);
    }
    if let Some(impact) = impact {
        instruments.insert(impact);
    }
    instruments
}

/// A cycle just after its visits.
pub(super) struct After<'c> {
    /// Its number, from 1 on.
    pub(super) number: usize,
    pub(super) pages: &'c Pages,
    pub(super) links: &'c Links,
    pub(super) log: &'c [Observation],
}

/// Plans nothing: for the visits that synchronise a web before any policy's first cycle.
#[derive(Clone, Copy)]
struct Nothing;

impl Policy for Nothing {
    fn name(&self) -> &'static str {
        "nothing"
    }

    fn plan(&mut self, _known: &Known<'_>, _budget: Budget) -> Plan {
        Plan::default()
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(*self)
    }
}
