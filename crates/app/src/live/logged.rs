//! Logs every observation of a crawl.
use std::{
    ops::{Deref, DerefMut},
    sync::Arc,
};

use crawl::{
    Error, LogEntry, Observation, PageNo, Repository, Result, Snapshot, Update, Validators,
};
use index::IndexedStore;
use tracing::debug;

use super::{events::Events, why::reason_name};

/// The repository of a live crawl. It logs each observation with its URL, which observers of the loop
/// do not see, and writes it as an event, if these are asked for.
pub(crate) struct LoggedStore(pub(super) IndexedStore, pub(super) Events);

impl Deref for LoggedStore {
    type Target = IndexedStore;

    fn deref(&self) -> &IndexedStore {
        &self.0
    }
}

impl DerefMut for LoggedStore {
    fn deref_mut(&mut self) -> &mut IndexedStore {
        &mut self.0
    }
}

impl Repository for LoggedStore {
    fn held(&self, page: PageNo) -> Result<Option<Arc<Snapshot>>> {
        self.0.held(page)
    }

    fn read_held(&self, page: PageNo) -> Result<Option<Arc<Snapshot>>> {
        self.0.read_held(page)
    }

    fn validators(&self, page: PageNo) -> Result<Option<Validators>> {
        self.0.validators(page)
    }

    fn append(&mut self, entry: LogEntry<'_>) -> Result<()> {
        let Observation { page, outcome, reason, ref fault, .. } = *entry.seen;
        debug!(
            url = entry.pages.address(page),
            outcome = store::outcome_name(outcome),
            reason = reason_name(reason),
            fault = fault.as_ref().map(tracing::field::display),
            "observation"
        );
        let (address, seen) = (entry.pages.address(page), entry.seen);
        self.1
            .visit(address, seen)
            .map_err(|failure| Error::Repository(failure.to_string().into()))?;
        self.0.append(entry)
    }

    fn remember(&mut self, update: Update) -> Result<()> {
        self.0.remember(update)
    }

    fn replay(&self, each: &mut dyn FnMut(&Observation)) -> Result<()> {
        self.0.replay(each)
    }

    fn commit(&mut self) -> Result<()> {
        self.0.commit()
    }
}
