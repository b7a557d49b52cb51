//! Shared fragments for policies that need them: loaded when a crawl continues.
use crawl::{Instruments, Needs};
use instruments::fragments::Fragments;
use store::{Store, View};

use super::features::with_bar;
use crate::failure::Failure;

/// What the progress bar says.
const READING: &str = "reading pages for fragments";

/// Loads the fragments of a crawl once.
#[derive(Debug)]
pub(super) struct FragmentStore {
    is_loaded: bool,
}

impl FragmentStore {
    /// Adds the instrument if it is needed. Nothing is loaded yet.
    pub(super) fn new(needs: &Needs, instruments: &mut Instruments) -> Self {
        let fragments = Fragments::needed(needs);
        let is_loaded = fragments.is_none();
        if let Some(fragments) = fragments {
            instruments.insert(fragments);
        }
        Self { is_loaded }
    }

    /// Loads the stored fragments the first time, with a progress bar. Pages of a folder that has none
    /// yet are read from the archive. Returns false if `is_stopped` ended that early.
    pub(super) fn prepare(
        &mut self,
        store: &Store,
        instruments: &mut Instruments,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<bool, Failure> {
        if !self.is_loaded
            && let Some(fragments) = instruments.find_mut::<Fragments>()
        {
            let load = |goes_on: &mut dyn FnMut(usize, usize) -> bool| {
                store.load_instrument(fragments, goes_on)
            };
            self.is_loaded = with_bar(READING, is_stopped, load)?;
        }
        Ok(self.is_loaded)
    }
}

/// Adds the fragments that a policy would see if it planned now.
pub(super) fn insert_current(
    instruments: &mut Instruments,
    needs: &Needs,
    view: &View,
) -> Result<(), Failure> {
    FragmentStore::new(needs, instruments);
    if let Some(fragments) = instruments.find_mut::<Fragments>() {
        with_bar(READING, &|| false, |goes_on| view.load_instrument(fragments, goes_on))?;
    }
    Ok(())
}
