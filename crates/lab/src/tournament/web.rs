//! A web made ready to run on.
use std::{path::Path, sync::Arc};

use crawl::{Needs, PageId, Policy};
use extract::detect;
use instruments::features::{FeatureNeeds, Features};

use super::{
    Experiment, TournamentError, WebSource,
    joined::{self, Joined},
};
use crate::{
    compare::{Comparison, Texts},
    grid::Grid,
    history::{History, Window},
    library::library,
    readings::{CachedTrace, Progress},
    results::WebFacts,
    synthetic::{SyntheticTexts, SyntheticWeb},
    truth::GroundTruth,
};

/// A web that is known to be there, but not in memory yet.
#[derive(Clone, Debug)]
pub struct PreparedWeb {
    source: Prepared,
    /// The name used in results.
    pub name: String,
    /// What tells this web from every other.
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
    /// What is really so on it.
    pub truth: Arc<GroundTruth>,
    /// The change rates of its pages per day, where it is made up and they are known.
    pub rates: Option<Vec<(PageId, f64)>>,
    /// The texts of its pages.
    pub texts: Arc<dyn Texts>,
}

impl LoadedWeb {
    /// What features are made from as these policies want them, with the words of all texts that a run
    /// can meet; nothing where none of them looks at features.
    ///
    /// # Errors
    /// When the texts cannot be read.
    pub fn features(&self, policies: &[&dyn Policy]) -> Result<Option<Features>, TournamentError> {
        let needs = policies.iter().fold(Needs::none(), |needs, policy| needs.and(&policy.needs()));
        let Some(needs) = needs.find::<FeatureNeeds>() else { return Ok(None) };
        Ok(Some(self.all_features()?.with_look_back(needs.look_back)))
    }

    /// What features are made from, whoever looks at them.
    ///
    /// # Errors
    /// When the texts cannot be read.
    pub fn all_features(&self) -> Result<Features, TournamentError> {
        let library = library(&self.truth, self.texts.as_ref()).map_err(|source| {
            TournamentError::Texts { web: self.truth.history().name.clone(), source }
        })?;
        Ok(Features::default().with_word_counts(Arc::new(library)))
    }
}

impl PreparedWeb {
    /// The web that an experiment names. Cheap: nothing is read yet but the addresses of traces that
    /// are to be one web.
    ///
    /// # Errors
    /// When a file is not a trace, or traces that are to be one web have a page in common.
    pub fn open(source: &WebSource, cache: &Path) -> Result<Self, TournamentError> {
        match source {
            WebSource::Trace(path) => {
                let trace = CachedTrace::open(path, cache)?;
                let (name, fingerprint) = (trace.name(), format!("{:032x}", trace.fingerprint));
                let window = trace.window;
                Ok(Self { source: Prepared::Trace(trace), name, fingerprint, window })
            }
            WebSource::Together(paths) => {
                let joined = Joined::open(paths, cache)?;
                let (fingerprint, window) = (joined.fingerprint(), joined.window());
                let name = joined::NAME.to_owned();
                Ok(Self { source: Prepared::Together(joined), name, fingerprint, window })
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

    /// Reads what has not been read yet.
    ///
    /// # Errors
    /// When a trace cannot be read.
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
    /// When a trace cannot be read.
    pub fn has_pages_at_start(&self) -> Result<bool, TournamentError> {
        match &self.source {
            Prepared::Trace(trace) => Ok(trace.has_pages_at_start()?),
            Prepared::Together(joined) => joined.has_pages_at_start(),
            // Every synthetic web begins with its hubs.
            Prepared::Synthetic(_) => Ok(true),
        }
    }

    /// Whether the true change rates of its pages are known.
    pub fn has_rates(&self) -> bool {
        matches!(&self.source, Prepared::Synthetic(web) if web.rates().is_some())
    }

    /// Whether any of these addresses is a page of it at any time.
    ///
    /// # Errors
    /// When the cache was damaged since it was prepared.
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
    /// When the web's time is too short for them.
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

    /// Brings the web into memory and works out the truth about it.
    ///
    /// # Errors
    /// When the cache was damaged since it was prepared.
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
        let comparison = Comparison::new(&history, texts.as_ref(), grid, detector)
            .map_err(|source| TournamentError::Texts { web: self.name.clone(), source })?;
        Ok(LoadedWeb { truth: Arc::new(GroundTruth::new(history, comparison, grid)), rates, texts })
    }
}

fn has_any(history: &History, addresses: &[String]) -> bool {
    let is_page =
        |address: &String| history.pages.binary_search_by(|page| page.address.cmp(address)).is_ok();
    addresses.iter().any(is_page)
}

/// A history in numbers.
pub fn facts(history: &History) -> WebFacts {
    let at_start =
        |page: &&crate::history::PageHistory| page.reading(history.window.start).is_some();
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
