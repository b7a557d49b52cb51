//! A repository in memory, for the lab and for tests.
use std::sync::Arc;

use crate::{
    LogEntry, Observation, Outcome, PageNo, Repository, Result, Snapshot, Update, Validators,
};

/// Keeps the latest snapshots and the log in memory.
#[derive(Clone, Debug, Default)]
pub struct MemoryRepository {
    held: Vec<Option<Arc<Snapshot>>>,
    log: Vec<Observation>,
}

impl MemoryRepository {
    /// The whole log.
    pub fn log(&self) -> &[Observation] {
        &self.log
    }
}

impl Repository for MemoryRepository {
    fn held(&self, page: PageNo) -> Result<Option<Arc<Snapshot>>> {
        Ok(self.held.get(page.index()).cloned().flatten())
    }

    fn read_held(&self, page: PageNo) -> Result<Option<Arc<Snapshot>>> {
        self.held(page)
    }

    fn validators(&self, _page: PageNo) -> Result<Option<Validators>> {
        Ok(None)
    }

    fn append(&mut self, entry: LogEntry<'_>) -> Result<()> {
        let LogEntry { seen, new, .. } = entry;
        let row = seen.page.index();
        if self.held.len() <= row {
            self.held.resize(row + 1, None);
        }
        if seen.outcome == Outcome::Gone {
            self.held[row] = None;
        } else if let Some(new) = new {
            self.held[row] = Some(Arc::clone(new));
        }
        self.log.push(seen.clone());
        Ok(())
    }

    fn replay(&self, each: &mut dyn FnMut(&Observation)) -> Result<()> {
        self.log.iter().for_each(each);
        Ok(())
    }

    fn remember(&mut self, _update: Update) -> Result<()> {
        Ok(())
    }

    fn commit(&mut self) -> Result<()> {
        Ok(())
    }
}
