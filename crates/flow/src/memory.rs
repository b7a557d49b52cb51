//! A repository in memory, for runs of the lab and for tests.
use std::sync::Arc;

use crate::{Kept, Observation, Outcome, PageNo, Repository, Result, Snapshot};

/// Holds the latest snapshots and the log of one crawl, for as long as it lives.
#[derive(Clone, Debug, Default)]
pub struct MemoryRepository {
    held: Vec<Option<Arc<Snapshot>>>,
    log: Vec<Observation>,
}

impl Repository for MemoryRepository {
    fn held(&self, page: PageNo) -> Result<Option<Arc<Snapshot>>> {
        Ok(self.held.get(page.index()).cloned().flatten())
    }

    fn keep(&mut self, kept: Kept<'_>) -> Result<()> {
        let Kept { seen, new, .. } = kept;
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

    fn play_log(&self, each: &mut dyn FnMut(&Observation)) -> Result<()> {
        self.log.iter().for_each(each);
        Ok(())
    }

    fn commit(&mut self) -> Result<()> {
        Ok(())
    }
}
