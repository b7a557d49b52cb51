//! The traits between the parts, on one screen.
use std::sync::Arc;

use crate::{Budget, Capture, Error, Known, Observation, PageNo, Plan, Request, Snapshot, Time};

/// A result that can stop the crawl. What stops one visit is an
/// [`Outcome`](crate::Outcome), not an error.
pub type Result<T> = std::result::Result<T, Error>;

/// Where pages come from: the live web, a recorded one, or a made-up one. Owns the clock.
pub trait World {
    /// The instant it is now in this world.
    fn now(&self) -> Time;

    /// Lets time pass. The live web sleeps; a replay jumps.
    fn wait_until(&mut self, then: Time);

    /// Fetches and reads `requests`, handing over each capture as it arrives: exactly one for each
    /// request, [`Answer::Failed`](crate::Answer::Failed) where it could not be finished.
    ///
    /// Politeness, robots, retries and concurrency are the world's own affair.
    ///
    /// # Errors
    /// When the world as a whole fails, or `arrive` does.
    fn fetch(
        &mut self,
        requests: &[Request],
        arrive: &mut dyn FnMut(Capture) -> Result<()>,
    ) -> Result<()>;
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

    /// Takes in one observation. Also how a policy is rebuilt at start: the log is played to it.
    fn learn(&mut self, _seen: &Observation) {}
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

    /// Appends an observation to the log and, both or neither, replaces the held snapshot by
    /// `new` where there is one; a page observed as gone is no longer held.
    ///
    /// # Errors
    /// When the store cannot be written.
    fn keep(&mut self, seen: &Observation, new: Option<&Arc<Snapshot>>) -> Result<()>;

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
