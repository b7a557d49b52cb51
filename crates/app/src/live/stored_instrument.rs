//! Instruments that are stored with the pages, such as fragments and boilerplate: loaded when a crawl
//! continues.
use std::marker::PhantomData;

use crawl::{ChangeDetector, Instrument, Instruments, Needs};
use extract::detect::main_text::BoilerplateNeeds;
use instruments::fragments::Fragments;
use store::{Store, View};

use super::features::with_bar;
use crate::failure::Failure;

/// What the progress bar says about fragments.
pub(super) const FRAGMENTS: &str = "reading pages for fragments";
/// What the progress bar says about boilerplate.
pub(super) const BOILERPLATE: &str = "reading pages for boilerplate";
/// What the progress bar says about costs.
pub(super) const COSTS: &str = "reading pages for their sizes";

/// The fragments that a policy needs. Where the detector leaves out boilerplate, they do, too.
pub(super) fn fragments(needs: &Needs, detector: &dyn ChangeDetector) -> Option<Fragments> {
    let fragments = Fragments::needed(needs)?;
    let leaves_out = detector.needs().find::<BoilerplateNeeds>().is_some();
    Some(if leaves_out { fragments.without_template() } else { fragments })
}

/// Loads an instrument of a crawl once.
#[derive(Debug)]
pub(super) struct StoredInstrument<I> {
    what: &'static str,
    is_loaded: bool,
    instrument: PhantomData<fn() -> I>,
}

impl<I: Instrument> StoredInstrument<I> {
    /// Adds the instrument if it is needed. Nothing is loaded yet. `what` is what the progress bar says.
    pub(super) fn new(
        needed: Option<I>,
        what: &'static str,
        instruments: &mut Instruments,
    ) -> Self {
        let is_loaded = needed.is_none();
        if let Some(instrument) = needed {
            instruments.insert(instrument);
        }
        Self { what, is_loaded, instrument: PhantomData }
    }

    /// Loads the stored states the first time, with a progress bar. Pages of a folder that has none yet
    /// are read from the archive. Returns false if `is_stopped` ended that early.
    pub(super) fn prepare(
        &mut self,
        store: &Store,
        instruments: &mut Instruments,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<bool, Failure> {
        if !self.is_loaded
            && let Some(instrument) = instruments.find_mut::<I>()
        {
            let load = |goes_on: &mut dyn FnMut(usize, usize) -> bool| {
                store.load_instrument(instrument, goes_on)
            };
            self.is_loaded = with_bar(self.what, is_stopped, load)?;
        }
        Ok(self.is_loaded)
    }
}

/// Adds the instrument as a policy would see it if it planned now.
pub(super) fn insert_current<I: Instrument>(
    needed: Option<I>,
    what: &'static str,
    instruments: &mut Instruments,
    view: &View,
) -> Result<(), Failure> {
    if let Some(mut instrument) = needed {
        with_bar(what, &|| false, |goes_on| view.load_instrument(&mut instrument, goes_on))?;
        instruments.insert(instrument);
    }
    Ok(())
}
