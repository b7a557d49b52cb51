//! The traits between the parts, on one screen.
use std::sync::Arc;

use crate::{
    Arrival, Budget, Error, Exchange, Known, Links, Note, Observation, Outcome, PageNo, Pages,
    Plan, Request, Snapshot, Time, Validators,
    features::{Facts, Models},
    impact::Measure,
};

/// A result that can stop the crawl. What stops one visit is an
/// [`Outcome`], not an error.
pub type Result<T> = std::result::Result<T, Error>;

/// Where pages come from: the live web, a recorded one, or a made-up one. Owns the clock.
pub trait World {
    /// The instant it is now in this world.
    fn now(&self) -> Time;

    /// Lets time pass. The live web sleeps; a replay jumps.
    fn wait_until(&mut self, then: Time);

    /// Fetches and reads `requests`, handing over each capture as it arrives: exactly one for each
    /// request, [`Answer::Failed`](crate::Answer::Failed) where it could not be finished. What
    /// `arrive` returns is requested too, so that a crawl can follow links without waiting for the
    /// slowest host.
    ///
    /// Politeness, robots, retries and concurrency are the world's own affair.
    ///
    /// # Errors
    /// When the world as a whole fails or is interrupted, or `arrive` fails.
    fn fetch(
        &mut self,
        requests: Vec<Request>,
        arrive: &mut dyn FnMut(Arrival) -> Result<Vec<Request>>,
    ) -> Result<()>;

    /// The hosts that must be left alone for longer than this cycle will last.
    fn resting(&self) -> Vec<String> {
        vec![]
    }
}

/// Decides which pages to visit. Deterministic: same seed, same calls, same plans.
pub trait Policy: Send {
    /// The name used in configuration, reports and the dashboard.
    fn name(&self) -> &'static str;

    /// Chooses at most `budget` visits among [`Known::due`].
    ///
    /// Called again within the cycle, after [`learn`](Self::learn), until the budget is spent or
    /// the plan is empty; so a policy may spend a little, look, and then spend the rest.
    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan;

    /// Whether it looks at [`Known::features`], which are kept up only then.
    fn needs_features(&self) -> bool {
        false
    }

    /// How many of the last visits of each page it looks back on, in the features' facts, where it does.
    fn looks_back(&self) -> usize {
        0
    }

    /// How it wants the impact of visits to be measured, where it looks at that.
    fn measure(&self) -> Option<Measure> {
        None
    }

    /// What it predicts of a page, where it predicts at all: for those who want to know why.
    fn foresee(&mut self, _known: &Known<'_>, _page: PageNo) -> Option<Foresight> {
        None
    }

    /// Takes in one observation. Also how a policy is rebuilt at start: the log is played to it.
    fn learn(&mut self, _seen: &Observation) {}
}

/// What a policy predicts of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct Foresight {
    /// The chance that it has changed since it was last seen.
    pub chance: f64,
    /// From how many of its visits that was learned; 0 where it is told by change rates alone.
    pub visits: usize,
    /// The other pages that were asked, with their weights, the heaviest first.
    pub experts: Vec<(PageNo, f64)>,
}

/// Says how different two snapshots of one page are.
pub trait ChangeDetector: Send + Sync {
    /// The name used in configuration and reports.
    fn name(&self) -> &'static str;

    /// 0 when nothing that matters changed, up to 1 when nothing stayed.
    fn change(&self, old: &Snapshot, new: &Snapshot) -> f32;

    /// Whether it compares [`Snapshot::content`], not only its marks. A world that leaves the
    /// content on disk must compare such snapshots beforehand.
    fn reads_content(&self) -> bool {
        false
    }

    /// A value that is equal for two snapshots exactly when their change is 0; `None` where there
    /// is no such value, because being the same is not transitive for this detector.
    fn identity(&self, snapshot: &Snapshot) -> Option<u128>;
}

/// Holds the latest snapshot of each page and the log of all observations.
pub trait Repository {
    /// What is held of a page.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn held(&self, page: PageNo) -> Result<Option<Arc<Snapshot>>>;

    /// What the held snapshot of a page came with.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn validators(&self, _page: PageNo) -> Result<Option<Validators>> {
        Ok(None)
    }

    /// Makes ready for a cycle what depends on more than one page.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn begin_cycle(&mut self, _pages: &Pages, _links: &Links) -> Result<()> {
        Ok(())
    }

    /// What a visit does to the answers that searchers get, where that is measured; asked for just
    /// before the visit is [kept](Self::keep). `new` is the snapshot that it brought, if any.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn impact(
        &mut self,
        _page: PageNo,
        _address: &str,
        _outcome: Outcome,
        _new: Option<&Arc<Snapshot>>,
    ) -> Result<Option<f32>> {
        Ok(None)
    }

    /// By page number, the share of all looks at search results that falls on it; empty where that is
    /// not measured.
    fn exposures(&self) -> &[f32] {
        &[]
    }

    /// Appends an observation to the log and, both or neither, replaces the held snapshot by the
    /// new one where there is one; a page observed as gone is no longer held.
    ///
    /// # Errors
    /// When the store cannot be written.
    fn keep(&mut self, kept: Kept<'_>) -> Result<()>;

    /// Remembers the clusters of words that features are made from.
    ///
    /// # Errors
    /// When the store cannot be written.
    fn keep_models(&mut self, _models: &Models) -> Result<()> {
        Ok(())
    }

    /// Remembers something about a host.
    ///
    /// # Errors
    /// When the store cannot be written.
    fn remember(&mut self, _note: Note) -> Result<()> {
        Ok(())
    }

    /// Plays the log from the beginning.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn play_log(&self, each: &mut dyn FnMut(&Observation)) -> Result<()>;

    /// Makes everything kept so far durable.
    ///
    /// # Errors
    /// When the store cannot be written.
    fn commit(&mut self) -> Result<()>;
}

/// What a visit leaves behind, handed to the repository.
#[derive(Debug)]
pub struct Kept<'a> {
    /// What was observed.
    pub seen: &'a Observation,
    /// The snapshot that replaces the held one.
    pub new: Option<&'a Arc<Snapshot>>,
    /// What features of the page are made from, where they are kept up and are new.
    pub facts: Option<&'a Facts>,
    /// What was said on the wire.
    pub exchange: Option<Box<Exchange>>,
    /// Every known page, those included that became known by this visit.
    pub pages: &'a Pages,
    /// Who links to whom, after this visit.
    pub links: &'a Links,
}
