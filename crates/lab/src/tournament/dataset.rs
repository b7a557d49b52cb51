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
    Allowance, Budget, ChangeDetector, Crawl, Instrument, Instruments, Known, Links,
    MemoryRepository, Notice, Observation, Pages, Plan, Policy, Repository, Saved, Span, Time,
    World,
};
use extract::detect::main_text::BoilerplateNeeds;
use instruments::{
    costs::{self, Costs},
    features::Features,
    fragments::Fragments,
    impact::{Impact, Measure},
    weights::Weights,
};

use super::{Experiment, PageSet, PreparedWeb, Start, TournamentError, WebSource};
use crate::{
    clusters::FeaturedWeb,
    new_pages::NewPages,
    notices::{self, NoticeModel},
    oracle::Ideal,
    profiles,
    quality::Quality,
    replay::ReplayWorld,
    truth::GroundTruth,
};

/// A web on which policies run: its ground truth, and the state that every run starts from.
pub struct Dataset {
    pub(super) truth: Arc<GroundTruth>,
    page_set: PageSet,
    pub(super) pages: Pages,
    pub(super) links: Links,
    repository: MemoryRepository,
    /// The observations of the visits before the first cycle.
    first: Vec<Observation>,
    /// The workload, if there is one.
    pub(super) quality: Option<Arc<Quality>>,
    /// The features of pages, if a policy needs them.
    features: Option<Features>,
    /// Whether to compute metrics that need `PageRank`.
    pub(super) weighted: bool,
    /// The share of pages whose server answers "not modified".
    validators: f64,
    /// The pages that can become known, with [`PageSet::Growing`].
    pub(super) new_pages: Option<NewPages>,
    /// Simulated notices, if there are any.
    notices: Option<Vec<(Time, Notice)>>,
    /// Cycles at the beginning in which every page is visited.
    full_cycles: usize,
    /// What pages are worth by what the user says.
    weights: Weights,
}

impl Dataset {
    /// Loads a web for replay in cycles of this length, with every page held at the start.
    ///
    /// A trace is read in full every time. [`PreparedWeb`] has a cache and takes other settings.
    ///
    /// # Errors
    /// If the web cannot be read, or the temporary folder cannot be written.
    pub fn load(source: &WebSource, cycle: Span) -> Result<Self, TournamentError> {
        let experiment = Experiment::new(source.clone(), cycle);
        let readings = TemporaryFolder::new();
        let web = PreparedWeb::open(source, &readings.0)?;
        web.read(&|_, _| ())?;
        // The texts are not needed once versions have been compared.
        Self::new(web.load(&experiment)?.truth, experiment.pages, &experiment.start)
    }

    /// Prepares the state at the start of a run.
    ///
    /// # Errors
    /// If none of the seed addresses is in the web.
    pub fn new(
        truth: Arc<GroundTruth>,
        page_set: PageSet,
        start: &Start,
    ) -> Result<Self, TournamentError> {
        Self::with_features(truth, page_set, start, None)
    }

    /// The same with features, which are updated by every visit.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_features(
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
        let dataset = Self {
            truth,
            page_set,
            pages,
            links: Links::default(),
            repository: MemoryRepository::default(),
            first: vec![],
            quality: None,
            features,
            weighted: true,
            validators: 0.0,
            new_pages,
            notices: None,
            full_cycles: 0,
            weights: Weights::default(),
        };
        match start {
            Start::Empty(_) => Ok(dataset),
            Start::Synchronised => dataset.synchronised(),
        }
    }

    /// Sets the workload, so that runs also measure the quality of search results.
    #[must_use]
    pub fn with_workload(self, quality: Option<Arc<Quality>>) -> Self {
        Self { quality, ..self }
    }

    /// Visits every page in the first cycles of every run, whatever its budget.
    #[must_use]
    pub fn with_full_cycles(self, full_cycles: usize) -> Self {
        Self { full_cycles, ..self }
    }

    /// Sends simulated notices to the policy.
    #[must_use]
    pub fn with_notices(self, model: NoticeModel, seed: u64) -> Self {
        Self { notices: Some(notices::simulate(&self.truth, model, seed)), ..self }
    }

    /// Whether to compute the metrics that need `PageRank`: those weighted by it, and those of the
    /// blended ranking.
    #[must_use]
    pub fn weighted(self, weighted: bool) -> Self {
        Self { weighted, ..self }
    }

    /// The web in which this share of the pages is answered "not modified" where nothing changed. It
    /// matters for budgets in bytes.
    #[must_use]
    pub fn with_validators(self, share: f64) -> Self {
        Self { validators: share, ..self }
    }

    /// Sets what pages are worth by what the user says.
    #[must_use]
    pub fn with_weights(self, weights: Weights) -> Self {
        Self { weights, ..self }
    }

    /// Visits every known page, so that all are held.
    fn synchronised(mut self) -> Result<Self, TournamentError> {
        let world = ReplayWorld::new(Arc::clone(&self.truth));
        let mut crawl = Crawl {
            admits: Box::new(self.admits()),
            pages: self.pages.clone(),
            instruments: instruments(self.features.take(), None, None),
            ..Crawl::new(world, Box::new(Nothing), self.repository, self.truth.comparison().clone())
        };
        self.first = crawl.hold_linked()?;
        let Crawl { pages, links, repository, mut instruments, .. } = crawl;
        if let Some(features) = instruments.find_mut::<Features>() {
            // The fit to the pages at the start is the same for all runs.
            features.begin_cycle(&pages, &links);
            self.features = Some(std::mem::take(features));
        }
        (self.pages, self.links, self.repository) = (pages, links, repository);
        Ok(self)
    }

    /// Which linked addresses become pages: those in the web, or with [`PageSet::Fixed`] those
    /// alive at the start.
    fn admits(&self) -> impl Fn(&str) -> bool + use<> {
        let (truth, page_set) = (Arc::clone(&self.truth), self.page_set);
        move |address: &str| match truth.find(address) {
            None => false,
            Some(_) if page_set == PageSet::Growing => true,
            Some(page) => truth.reading(page, 0).is_some(),
        }
    }

    /// The number of pages alive at the start.
    pub fn pages_at_start(&self) -> usize {
        self.truth.alive(0)
    }

    /// The bytes of all pages held at the start, as a replay counts them.
    pub fn bytes_at_start(&self) -> u64 {
        let held = self.pages.numbers().filter_map(|page| self.repository.held(page).ok()?);
        held.map(|held| costs::estimated_bytes(held.counts.text_bytes)).sum()
    }

    /// The state of a crawl before its first cycle.
    pub fn at_start(&self) -> FeaturedWeb {
        let (pages, links) = (self.pages.clone(), self.links.clone());
        let mut features = self.features();
        features.begin_cycle(&pages, &links);
        FeaturedWeb::new(pages, links, features)
    }

    /// The final state of a crawl that visited every page in every cycle.
    ///
    /// # Errors
    /// If the loop fails, which does not happen in a replay.
    pub fn at_end(&self) -> Result<FeaturedWeb, TournamentError> {
        let features = self.features();
        let mut web = self.run_to_end(Box::new(Ideal), None, Budget::UNLIMITED, Some(features))?;
        let mut features = web.instruments.find_mut().map(std::mem::take).unwrap_or_default();
        Features::begin_cycle(&mut features, &web.pages, &web.links);
        Ok(FeaturedWeb::new(web.pages, web.links, features))
    }

    /// A copy of the features at the start; empty if the dataset has none.
    pub(crate) fn features(&self) -> Features {
        self.features.as_ref().map(Features::copy).unwrap_or_default()
    }

    /// Shows the pages that are held at the start to an instrument.
    fn restored<I: Instrument>(&self, mut instrument: I) -> I {
        for page in self.pages.numbers() {
            if let Ok(Some(held)) = self.repository.held(page) {
                instrument.restore_page(page, Saved::Held(&held));
            }
        }
        instrument
    }

    /// Runs a policy through all cycles. With a workload, the impact of visits is measured by
    /// `measure`.
    ///
    /// # Errors
    /// If the loop fails, which does not happen in a replay.
    pub fn run_to_end(
        &self,
        policy: Box<dyn Policy>,
        measure: Option<Measure>,
        budget: impl Into<Allowance>,
        features: Option<Features>,
    ) -> Result<FinalState, TournamentError> {
        let mut go_on = |_: After<'_>| ControlFlow::Continue(());
        let ended = self.run_cycles(policy, measure, budget.into(), features, &mut go_on)?;
        match ended {
            Some(ended) => Ok(ended),
            None => unreachable!("nothing ends it before the last cycle"),
        }
    }

    /// Runs a policy through all cycles and calls `each` after every one. Returns the final state,
    /// or
    /// `None` if `each` stopped the run.
    pub(super) fn run_cycles(
        &self,
        mut policy: Box<dyn Policy>,
        measure: Option<Measure>,
        allowance: Allowance,
        features: Option<Features>,
        each: &mut dyn FnMut(After<'_>) -> ControlFlow<()>,
    ) -> Result<Option<FinalState>, TournamentError> {
        let grid = self.truth.grid();
        let mut world =
            ReplayWorld::new(Arc::clone(&self.truth)).with_notices(self.notices.as_deref());
        if self.validators > 0.0 {
            world = world.with_validators(self.validators);
        }
        self.first.iter().for_each(|seen| policy.learn(seen));
        let impact = measure.zip(self.quality.as_ref()).map(|(measure, quality)| {
            profiles::impact(Arc::clone(&self.truth), Arc::clone(quality), measure)
        });
        let leaves_out = self.truth.comparison().needs().find::<BoilerplateNeeds>().is_some();
        let fragments = Fragments::needed(&policy.needs())
            .map(|empty| if leaves_out { empty.without_template() } else { empty })
            .map(|empty| self.restored(empty));
        let mut instruments = instruments(features, impact, fragments);
        if !self.weights.is_empty() {
            instruments.insert(self.weights.clone());
        }
        if !matches!(allowance, Allowance::Visits(_)) {
            instruments.insert(self.restored(Costs::default()));
        }
        let mut crawl = Crawl {
            instruments,
            admits: Box::new(self.admits()),
            interval: Some(grid.cycle),
            // As in a live crawl. With fixed pages not: in the papers, no page comes back.
            revisits_gone: self.page_set == PageSet::Growing,
            pages: self.pages.clone(),
            links: self.links.clone(),
            ..Crawl::new(world, policy, self.repository.clone(), self.truth.comparison().clone())
        };
        for number in 1..=grid.cycles {
            crawl.world.wait_until(grid.instant(number));
            let is_full = number <= self.full_cycles;
            let allowance = if is_full { Budget::UNLIMITED.into() } else { allowance };
            let cycle = crawl.cycle(allowance, &mut |_| {})?;
            let Crawl { pages, links, .. } = &crawl;
            if each(After { number, pages, links, log: &cycle.log }).is_break() {
                return Ok(None);
            }
        }
        let Crawl { pages, links, instruments, .. } = crawl;
        Ok(Some(FinalState { pages, links, instruments }))
    }

    /// The pages known at the start.
    pub fn pages(&self) -> &Pages {
        &self.pages
    }

    /// The links known at the start.
    pub fn links(&self) -> &Links {
        &self.links
    }
}

/// A folder for the readings of a trace, removed on drop.
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
        // A synthetic web creates no folder, and a folder that remains does no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The state at the end of a run.
#[derive(Debug)]
pub struct FinalState {
    /// Every known page.
    pub pages: Pages,
    /// The known links.
    pub links: Links,
    /// The instruments with their measurements.
    pub instruments: Instruments,
}

fn instruments(
    features: Option<Features>,
    impact: Option<Impact>,
    fragments: Option<Fragments>,
) -> Instruments {
    let mut instruments = Instruments::default();
    if let Some(features) = features {
        instruments.insert(features);
    }
    if let Some(impact) = impact {
        instruments.insert(impact);
    }
    if let Some(fragments) = fragments {
        instruments.insert(fragments);
    }
    instruments
}

/// The state just after the visits of a cycle.
pub(super) struct After<'c> {
    /// Its number, from 1 on.
    pub(super) number: usize,
    pub(super) pages: &'c Pages,
    pub(super) links: &'c Links,
    pub(super) log: &'c [Observation],
}

/// Plans nothing. Used for the visits before the first cycle, which need no policy.
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
