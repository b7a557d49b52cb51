//! Instruments: they measure pages beside the loop.
//!
//! The loop shows every visit to every instrument before it logs the visit. Policies read
//! instruments through [`Known::instruments`](crate::Known::instruments). Repositories store their
//! state as bytes under the instrument's name. So a new instrument changes neither the loop nor the
//! schema of the store.
use std::{any::Any, fmt::Debug, sync::Arc};

use crate::{Cost, HostNo, Links, Outcome, PageNo, Pages, Result, Snapshot, Time};

/// Measures pages while a crawl runs. Must be deterministic: same calls, same results.
pub trait Instrument: Any + Debug + Send + Sync {
    /// The name that its state is stored under.
    fn name(&self) -> &'static str;

    /// Updates what depends on more than one page. Returns whether the [state](Self::state) of the
    /// instrument as a whole has changed.
    fn begin_cycle(&mut self, cycle: &CycleStart<'_>) -> bool;

    /// Measures one visit, just before it is logged.
    ///
    /// # Errors
    /// When the data that it measures with cannot be read.
    fn visited(&mut self, visit: &Visited<'_>) -> Result<Recorded>;

    /// What a visit to a page of this host is expected to cost; `None` where it does not measure
    /// costs.
    fn expected_cost(&self, _page: PageNo, _host: HostNo) -> Option<Cost> {
        None
    }

    /// An independent copy, for simulations.
    fn fork(&self) -> Box<dyn Instrument>;

    /// Its state as a whole, to be stored; empty where it has none.
    fn state(&self) -> Vec<u8> {
        vec![]
    }

    /// Its state for one page, to be stored; `None` where it has none.
    fn page_state(&self, _page: PageNo) -> Option<Vec<u8>> {
        None
    }

    /// Restores the state as a whole. Bytes that cannot be decoded are ignored; the instrument
    /// computes the state again.
    fn restore(&mut self, _state: &[u8]) {}

    /// Restores the state of one page. Returns false where the bytes cannot be decoded.
    fn restore_page(&mut self, _page: PageNo, _saved: Saved<'_>) -> bool {
        true
    }
}

/// The start of a cycle.
#[derive(Clone, Copy, Debug)]
pub struct CycleStart<'a> {
    /// Every known page.
    pub pages: &'a Pages,
    /// The link graph.
    pub links: &'a Links,
    /// Whether the policy plans this cycle. [`Crawl::follow`](crate::Crawl::follow) does not ask it.
    pub has_plans: bool,
}

/// A visit, as an instrument sees it.
#[derive(Clone, Copy, Debug)]
pub struct Visited<'a> {
    /// The page.
    pub page: PageNo,
    /// Its host.
    pub host: HostNo,
    /// Its address.
    pub address: &'a str,
    /// When the answer came.
    pub at: Time,
    /// What was found.
    pub outcome: Outcome,
    /// The new snapshot, if any.
    pub new: Option<&'a Arc<Snapshot>>,
    /// Whether the page links to an address that it did not link to before.
    pub shows_new_link: bool,
    /// What it cost.
    pub cost: Cost,
}

/// What an instrument measured of a visit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Recorded {
    /// The effect of the visit on search results. It becomes part of the observation.
    pub impact: Option<f32>,
    /// Whether the [page's state](Instrument::page_state) is new and must be stored.
    pub has_new_state: bool,
}

/// The source that a page's state is restored from.
#[derive(Clone, Copy, Debug)]
pub enum Saved<'a> {
    /// The stored bytes.
    State(&'a [u8]),
    /// The held snapshot, where no state was stored.
    Held(&'a Snapshot),
}

/// The instruments of a crawl.
#[derive(Debug, Default)]
pub struct Instruments(Vec<Box<dyn Instrument>>);

impl Instruments {
    /// No instruments.
    pub const NONE: &'static Self = &Self(vec![]);

    /// Adds an instrument. It replaces one of the same type.
    pub fn insert<I: Instrument>(&mut self, instrument: I) {
        self.0.retain(|other| !(&**other as &dyn Any).is::<I>());
        self.0.push(Box::new(instrument));
    }

    /// These and one more.
    #[must_use]
    pub fn with<I: Instrument>(mut self, instrument: I) -> Self {
        self.insert(instrument);
        self
    }

    /// The instrument of this type.
    pub fn find<I: Instrument>(&self) -> Option<&I> {
        self.0.iter().find_map(|instrument| (&**instrument as &dyn Any).downcast_ref())
    }

    /// The instrument of this type, mutable.
    pub fn find_mut<I: Instrument>(&mut self) -> Option<&mut I> {
        self.0.iter_mut().find_map(|instrument| (&mut **instrument as &mut dyn Any).downcast_mut())
    }

    /// All instruments.
    pub fn iter(&self) -> impl Iterator<Item = &dyn Instrument> {
        self.0.iter().map(|instrument| &**instrument)
    }

    /// All instruments, mutable.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut (dyn Instrument + 'static)> {
        self.0.iter_mut().map(|instrument| &mut **instrument)
    }

    /// Independent copies.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self(self.iter().map(Instrument::fork).collect())
    }

    /// Starts a cycle. Returns the instruments whose state as a whole has changed.
    pub fn begin_cycle(&mut self, cycle: &CycleStart<'_>) -> Vec<&dyn Instrument> {
        let mut changed = vec![];
        for instrument in &mut self.0 {
            if instrument.begin_cycle(cycle) {
                changed.push(&**instrument);
            }
        }
        changed
    }

    /// Shows a visit to all instruments. Returns its impact and the new states of the page.
    pub(crate) fn visited(&mut self, visit: &Visited<'_>) -> Result<(Option<f32>, States<'_>)> {
        let mut impact = None;
        let mut states = vec![];
        for instrument in &mut self.0 {
            let recorded = instrument.visited(visit)?;
            impact = impact.or(recorded.impact);
            if recorded.has_new_state {
                states.push(&**instrument);
            }
        }
        Ok((impact, States { page: visit.page, instruments: states }))
    }
}

/// New states of one page. They are only encoded where a repository stores them.
#[derive(Clone, Debug)]
pub struct States<'a> {
    page: PageNo,
    instruments: Vec<&'a dyn Instrument>,
}

impl States<'_> {
    /// No state of a page is new.
    pub fn none(page: PageNo) -> Self {
        Self { page, instruments: vec![] }
    }

    /// The name of each instrument and its encoded state.
    pub fn encoded(&self) -> impl Iterator<Item = (&'static str, Vec<u8>)> {
        self.instruments
            .iter()
            .filter_map(|instrument| Some((instrument.name(), instrument.page_state(self.page)?)))
    }
}
