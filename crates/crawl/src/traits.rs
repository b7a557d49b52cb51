//! The traits between the parts of a crawl.
use std::sync::Arc;

use crate::{
    Arrival, Budget, Error, Exchange, Expectation, HostUpdate, Instruments, Known, Links, Needs,
    Notice, Observation, PageNo, Pages, Plan, Request, Signal, Snapshot, States, Time, Validators,
};

/// A result whose error stops the crawl. A failed visit is an [`Outcome`](crate::Outcome), not an
/// error.
pub type Result<T> = std::result::Result<T, Error>;

/// Where pages come from: the live web, a replayed trace, a synthetic web or a simulation. A world
/// owns the clock.
pub trait World {
    /// The current time in this world.
    fn now(&self) -> Time;

    /// Lets time pass. The live web sleeps; a replay jumps.
    fn wait_until(&mut self, then: Time);

    /// Fetches and parses `requests`, and hands each capture to `arrive` as it comes: exactly one
    /// per request, [`Answer::Failed`](crate::Answer::Failed) where a fetch failed. Requests that
    /// `arrive` returns are fetched too, so a crawl can follow links without waiting for the
    /// slowest host.
    ///
    /// The world is responsible for politeness, robots.txt, retries and concurrency.
    ///
    /// # Errors
    /// When the world as a whole fails or is interrupted, or `arrive` fails.
    fn fetch(
        &mut self,
        requests: Vec<Request>,
        arrive: &mut dyn FnMut(Arrival) -> Result<Vec<Request>>,
    ) -> Result<()>;

    /// The notices that came since the last call. The loop takes them before each plan.
    fn notices(&mut self) -> Vec<Notice> {
        vec![]
    }

    /// The hosts that back off for longer than this cycle lasts.
    fn backing_off(&self) -> Vec<String> {
        vec![]
    }
}

/// Decides which pages to visit. Must be deterministic: same seed, same calls, same plans.
pub trait Policy: Send {
    /// The name used in settings, reports and the dashboard.
    fn name(&self) -> &'static str;

    /// The instruments that this policy needs.
    fn needs(&self) -> Needs {
        Needs::none()
    }

    /// Chooses at most `budget` visits among [`Known::due`].
    ///
    /// The loop calls it again within the cycle, after [`learn`](Self::learn), until the budget is
    /// spent or the plan is empty. So a policy can spend a part of the budget, learn from the
    /// outcome and then spend the rest.
    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan;

    /// What the last plan expects of a visit. The loop asks it for every planned visit and logs it with the
    /// observation.
    fn expects(&self, _page: PageNo) -> Option<Expectation> {
        None
    }

    /// Learns from one observation. At start the log is replayed through it, so that a policy needs
    /// no storage of its own.
    fn learn(&mut self, _seen: &Observation) {}

    /// Learns notices that came before a plan. [`Observation::signals`] of the next observation has
    /// them again: learning them twice must change nothing.
    fn learn_notices(&mut self, _signals: &[Signal]) {}

    /// What the policy would go by and does not have, and what it does instead: sentences for people,
    /// said at the start of a cycle and in `status`. Data that an instrument would measure is not its
    /// business: who runs the policy knows from [`needs`](Self::needs) what is missing.
    fn lacks(&self, _known: &Known<'_>) -> Vec<String> {
        vec![]
    }

    /// An independent copy that plans the same, for simulations.
    fn fork(&self) -> Box<dyn Policy>;

    /// What the policy believes about a page, for `why` and the dashboard.
    fn explain(&mut self, _known: &Known<'_>, _page: PageNo) -> Explanation {
        Explanation::default()
    }
}

/// What a policy believes about a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explanation {
    /// Whether the page has changed, where the policy predicts that.
    pub prediction: Option<Prediction>,
    /// What it goes by, in sentences for people.
    pub reasons: Vec<String>,
}

/// The predicted change of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// The probability that the page has changed since it was last seen.
    pub probability: f64,
    /// The number of visits of the page in the training set; 0 where it uses change rates only.
    pub visits: usize,
    /// The other pages that were consulted, with their weights, the heaviest first.
    pub experts: Vec<(PageNo, f64)>,
}

/// Measures how different two snapshots of one page are.
pub trait ChangeDetector: Send + Sync {
    /// The name used in settings and reports.
    fn name(&self) -> &'static str;

    /// The instruments that this detector needs.
    fn needs(&self) -> Needs {
        Needs::none()
    }

    /// The size of the change: 0 for no significant change, up to 1 where nothing stayed.
    /// `instruments` contains what it [needs](Self::needs).
    fn change(&self, old: &Snapshot, new: &Snapshot, instruments: &Instruments) -> f32;

    /// Whether it compares [`Snapshot::content`] or [`Snapshot::runs`], not only fingerprints. The
    /// loop then [reads the held snapshot in full](Repository::read_held) where the digests of the
    /// texts differ. Where they are equal, the change must be 0. A world that leaves the content on
    /// disk must compare such snapshots beforehand.
    fn reads_content(&self) -> bool {
        false
    }

    /// A value that two snapshots share exactly when their change is 0. `None` where no such value
    /// exists, because "unchanged" is not transitive for this detector.
    fn identity(&self, snapshot: &Snapshot) -> Option<u128>;
}

/// Stores the latest snapshot of each page and the log of all observations.
pub trait Repository {
    /// The held snapshot of a page, perhaps without its content and text runs.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn held(&self, page: PageNo) -> Result<Option<Arc<Snapshot>>>;

    /// The held snapshot of a page with its content and text runs, which [`held`](Self::held) may
    /// leave out. This can be slow.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn read_held(&self, page: PageNo) -> Result<Option<Arc<Snapshot>>>;

    /// The validators of the held snapshot, for a conditional request; `None` where the server sent
    /// none.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn validators(&self, page: PageNo) -> Result<Option<Validators>>;

    /// Appends an observation to the log and, atomically with it, replaces the held snapshot where
    /// there is a new one. A page observed as gone is no longer held.
    ///
    /// # Errors
    /// When the store cannot be written.
    fn append(&mut self, entry: LogEntry<'_>) -> Result<()>;

    /// Stores an update that does not belong to a visit.
    ///
    /// # Errors
    /// When the store cannot be written.
    fn remember(&mut self, update: Update) -> Result<()>;

    /// Replays the log from the beginning.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn replay(&self, each: &mut dyn FnMut(&Observation)) -> Result<()>;

    /// Makes everything appended so far durable.
    ///
    /// # Errors
    /// When the store cannot be written.
    fn commit(&mut self) -> Result<()>;
}

/// What a repository stores of one visit.
#[derive(Debug)]
pub struct LogEntry<'a> {
    /// The observation.
    pub seen: &'a Observation,
    /// The snapshot that replaces the held one.
    pub new: Option<&'a Arc<Snapshot>>,
    /// New states of instruments for this page.
    pub states: States<'a>,
    /// The HTTP exchange.
    pub exchange: Option<Box<Exchange>>,
    /// Every known page, including those that this visit made known.
    pub pages: &'a Pages,
    /// The link graph after this visit.
    pub links: &'a Links,
}

/// Something to store that does not belong to a visit.
#[derive(Clone, Debug, PartialEq)]
pub enum Update {
    /// News about a host.
    Host(HostUpdate),
    /// The state of an instrument as a whole. It replaces the stored one.
    Instrument {
        /// The name of the instrument.
        name: &'static str,
        /// Its state.
        state: Vec<u8>,
    },
}
