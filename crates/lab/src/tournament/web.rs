//! Opening and loading the web of an experiment.
use std::{path::Path, sync::Arc};

use crawl::{Content, Needs, PageId, Policy};
use extract::detect;
use instruments::features::{FeatureNeeds, Features};
use text::workload::Workload;

use super::{Experiment, TournamentError, WebSource, joined::Joined};
use crate::{
    compare::{Comparison, Texts, TextsError},
    grid::Grid,
    history::{History, PageHistory, Window},
    readings::{CachedTrace, Progress},
    results::WebFacts,
    synthetic::{SyntheticTexts, SyntheticWeb},
    truth::GroundTruth,
    word_counts::count_words,
};

/// A web that was found, but is not in memory yet.
#[derive(Clone, Debug)]
pub struct PreparedWeb {
    source: Prepared,
    /// The name used in results.
    pub name: String,
    /// Identifies the web: the digest of a trace, or the parameters of a synthetic web.
    pub fingerprint: String,
    window: Window,
}

#[derive(Clone, Debug)]
enum Prepared {
    Trace(CachedTrace),
    Together(Joined),
    Synthetic(SyntheticWeb),
}

/// A web in memory.
pub struct LoadedWeb {
    /// The ground truth.
    pub truth: Arc<GroundTruth>,
    /// The true change rates of its pages per day, if they are known.
    pub rates: Option<Vec<(PageId, f64)>>,
    /// The texts of its pages.
    pub texts: Arc<dyn Texts>,
}

impl LoadedWeb {
    /// The features that these policies need, with the word counts of all texts that a run can see;
    /// `None` if none of them needs features.
    ///
    /// # Errors
    /// If the texts cannot be read.
    pub fn features(&self, policies: &[&dyn Policy]) -> Result<Option<Features>, TournamentError> {
        let needs = policies.iter().fold(Needs::none(), |needs, policy| needs.and(&policy.needs()));
        let Some(needs) = needs.find::<FeatureNeeds>() else { return Ok(None) };
        Ok(Some(self.all_features()?.with_look_back(needs.look_back)))
    }

    /// The inputs of all features.
    ///
    /// # Errors
    /// If the texts cannot be read.
    pub fn all_features(&self) -> Result<Features, TournamentError> {
        let word_counts = count_words(&self.truth, self.texts.as_ref()).map_err(|source| {
            TournamentError::Texts { web: self.truth.history().name.clone(), source }
        })?;
        Ok(Features::default().with_word_counts(Arc::new(word_counts)))
    }
}

impl PreparedWeb {
    /// Opens the web of an experiment. Only for joined webs are traces read, for their addresses.
    ///
    /// # Errors
    /// If a file is not a trace, or traces of a joined web have a page in common.
    pub fn open(source: &WebSource, cache: &Path) -> Result<Self, TournamentError> {
        match source {
            WebSource::Trace(path) => {
                let trace = CachedTrace::open(path, cache)?;
                let (name, fingerprint) = (trace.name(), format!("{:032x}", trace.fingerprint));
                let window = trace.window;
                Ok(Self { source: Prepared::Trace(trace), name, fingerprint, window })
            }
            WebSource::Together(paths) => Ok(Self::joined(Joined::open(paths, cache)?)),
            WebSource::Repository(repository) => {
                Ok(Self::joined(Joined::open_repository(repository, cache)?))
            }
            WebSource::Synthetic(spec) => {
                let web = SyntheticWeb::new(*spec);
                let fingerprint = format!("{spec:?}");
                let window = web.window();
                Ok(Self {
                    source: Prepared::Synthetic(web),
                    name: spec.name(),
                    fingerprint,
                    window,
                })
            }
        }
    }

    fn joined(joined: Joined) -> Self {
        let (fingerprint, window) = (joined.fingerprint(), joined.window());
        let name = joined.name.clone();
        Self { source: Prepared::Together(joined), name, fingerprint, window }
    }

    /// Reads the traces that are not in the cache.
    ///
    /// # Errors
    /// If a trace cannot be read.
    pub fn read(&self, progress: &Progress<'_>) -> Result<(), TournamentError> {
        match &self.source {
            Prepared::Trace(trace) => Ok(trace.read(progress)?),
            Prepared::Together(joined) => joined.read(progress),
            Prepared::Synthetic(_) => Ok(()),
        }
    }

    /// Whether any page is alive at the start.
    ///
    /// # Errors
    /// If a trace cannot be read.
    pub fn has_pages_at_start(&self) -> Result<bool, TournamentError> {
        match &self.source {
            Prepared::Trace(trace) => Ok(trace.has_pages_at_start()?),
            Prepared::Together(joined) => joined.has_pages_at_start(),
            // The hubs of every synthetic web exist from the start.
            Prepared::Synthetic(_) => Ok(true),
        }
    }

    /// Whether the true change rates of its pages are known.
    pub fn has_rates(&self) -> bool {
        matches!(&self.source, Prepared::Synthetic(web) if web.rates().is_some())
    }

    /// Whether any of these addresses is a page of the web at any time.
    ///
    /// # Errors
    /// If the cache was damaged in the meantime.
    pub fn has_any(&self, addresses: &[String]) -> Result<bool, TournamentError> {
        Ok(match &self.source {
            Prepared::Trace(trace) => has_any(&trace.load()?.0, addresses),
            Prepared::Together(joined) => has_any(&joined.load()?.0, addresses),
            Prepared::Synthetic(web) => addresses.iter().any(|address| web.has_page(address)),
        })
    }

    /// The cycles of an experiment on this web.
    ///
    /// # Errors
    /// If the window of the web is too short for them.
    pub fn grid(&self, experiment: &Experiment) -> Result<Grid, TournamentError> {
        let all = Grid::within(self.window, experiment.cycle);
        let cycles = experiment.cycles.unwrap_or(all.cycles);
        if all.cycles == 0 || cycles > all.cycles {
            return Err(TournamentError::TooShort {
                web: self.name.clone(),
                days: self.window.length().days(),
                cycles: cycles.max(1),
                cycle_days: experiment.cycle.days(),
            });
        }
        if experiment.warm_up >= cycles {
            return Err(TournamentError::AllWarmUp { web: self.name.clone(), cycles });
        }
        Ok(Grid { cycles, ..all })
    }

    /// Loads the web and computes its ground truth.
    ///
    /// # Errors
    /// If the cache was damaged in the meantime.
    pub fn load(&self, experiment: &Experiment) -> Result<LoadedWeb, TournamentError> {
        let grid = self.grid(experiment)?;
        let detector = detect::by_name(&experiment.detector)
            .ok_or_else(|| TournamentError::UnknownDetector(experiment.detector.clone()))?;
        let (history, texts, rates): (_, Arc<dyn Texts>, _) = match &self.source {
            Prepared::Trace(trace) => {
                let (history, texts) = trace.load()?;
                (Arc::new(history), texts, None)
            }
            Prepared::Together(joined) => {
                let (history, texts) = joined.load()?;
                (Arc::new(history), texts, None)
            }
            Prepared::Synthetic(web) => {
                let history = Arc::new(web.history());
                let texts = SyntheticTexts { web: web.clone(), history: Arc::clone(&history) };
                (history, Arc::new(texts), web.rates())
            }
        };
        let (history, texts) = if experiment.paper.only_changed {
            changed_pages(&history, texts)
        } else {
            (history, texts)
        };
        let comparison = Comparison::new(&history, texts.as_ref(), grid, detector)
            .map_err(|source| TournamentError::Texts { web: self.name.clone(), source })?;
        Ok(LoadedWeb { truth: Arc::new(GroundTruth::new(history, comparison, grid)), rates, texts })
    }
}

/// The pages that are there all the time and change at least once, and their texts.
fn changed_pages(history: &History, texts: Arc<dyn Texts>) -> (Arc<History>, Arc<dyn Texts>) {
    let changes = |page: &PageHistory| {
        let first = page.versions.first().and_then(|version| version.reading);
        page.reading(history.window.start).is_some()
            && page.versions.iter().all(|version| version.reading.is_some())
            && page.versions.iter().any(|version| version.reading != first)
    };
    let chosen: Vec<usize> =
        (0..history.pages.len()).filter(|&page| changes(&history.pages[page])).collect();
    let pages = chosen.iter().map(|&page| history.pages[page].clone()).collect();
    (Arc::new(History { pages, ..history.clone() }), Arc::new(ChosenTexts { texts, chosen }))
}

/// The texts of some pages of a web.
struct ChosenTexts {
    texts: Arc<dyn Texts>,
    chosen: Vec<usize>,
}

impl Texts for ChosenTexts {
    fn contents(&self, page: usize) -> Result<Vec<(u32, Arc<Content>)>, TextsError> {
        self.texts.contents(self.chosen[page])
    }

    fn workload(&self) -> Option<Workload> {
        self.texts.workload()
    }
}

fn has_any(history: &History, addresses: &[String]) -> bool {
    let is_page =
        |address: &String| history.pages.binary_search_by(|page| page.address.cmp(address)).is_ok();
    addresses.iter().any(is_page)
}

/// The description of a history.
pub fn facts(history: &History) -> WebFacts {
    let at_start = |page: &&PageHistory| page.reading(history.window.start).is_some();
    WebFacts {
        trace: history.name.clone(),
        source: history.source.clone(),
        pages_at_start: history.pages.iter().filter(at_start).count(),
        pages: history.pages.len(),
        versions: history
            .pages
            .iter()
            .map(|page| page.versions.iter().filter(|version| version.reading.is_some()).count())
            .sum(),
        workload: None,
    }
}
