//! A repository with its index: what is appended is put into both.
use std::sync::Arc;
use std::time::{Duration, Instant};

use crawl::{
    LogEntry, Observation, Outcome, PageNo, Repository, Snapshot, Time, Update, Validators,
};
use store::Store;

use crate::{Entry, Index};

/// When the index is committed while a crawl runs. Until then, what was put is not found.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// After so many pages that were put or removed: each commit makes a segment, and small ones
    /// must be merged.
    pub pages: usize,
    /// After so long, where there is anything to commit: how old answers may be.
    pub wait: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self { pages: 5_000, wait: Duration::from_secs(10) }
    }
}

/// A store and its index, exactly in step: the index is never ahead of what the store has for good,
/// and what it lacks after a crash is known by its position. Without an index it is the store alone.
pub struct IndexedStore {
    store: Store,
    index: Option<Index>,
    pace: Pace,
    committed: Instant,
    /// Whether everything the store had when this was made is in the index. Where it is not, the
    /// index keeps its position, so that it is known what it lacks.
    in_step: bool,
}

impl std::fmt::Debug for IndexedStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IndexedStore").field("index", &self.index).finish_non_exhaustive()
    }
}

impl IndexedStore {
    /// Joins a store and its index, which should have caught up with it.
    pub fn new(store: Store, index: Option<Index>) -> Self {
        let in_step = index.as_ref().is_some_and(|index| {
            index.position() == store.acknowledged() && index.partial().is_none()
        });
        Self { store, index, pace: Pace::default(), committed: Instant::now(), in_step }
    }

    /// Commits the index at another pace than the default.
    #[must_use]
    pub fn at_pace(mut self, pace: Pace) -> Self {
        self.pace = pace;
        self
    }

    /// The store.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The store, for what is not about visits.
    pub fn store_mut(&mut self) -> &mut Store {
        &mut self.store
    }

    /// The index, where there is one.
    pub fn index(&self) -> Option<&Index> {
        self.index.as_ref()
    }

    /// The index, to be written.
    pub fn index_mut(&mut self) -> Option<&mut Index> {
        self.index.as_mut()
    }

    /// Takes the two apart.
    pub fn into_parts(self) -> (Store, Option<Index>) {
        (self.store, self.index)
    }

    /// Commits both, the store first.
    fn commit_both(&mut self) -> crawl::Result<()> {
        self.store.commit()?;
        let Some(index) = &mut self.index else { return Ok(()) };
        let position = self.store.acknowledged();
        if self.in_step {
            index.commit(position)?;
        } else {
            index.checkpoint(position, None)?;
        }
        self.committed = Instant::now();
        Ok(())
    }
}

/// Puts what a visit brought.
fn put(
    index: &mut Index,
    seen: &Observation,
    new: Option<&Arc<Snapshot>>,
    address: &str,
    first_seen: Time,
) -> crawl::Result<()> {
    if seen.outcome == Outcome::Gone {
        index.remove(seen.page);
        return Ok(());
    }
    let Some(snapshot) = new else { return Ok(()) };
    let changed = match seen.outcome {
        Outcome::First | Outcome::Changed(_) => seen.at,
        _ => index.known().changed(seen.page).unwrap_or(seen.at),
    };
    Ok(index.put(&Entry { page: seen.page, address, first_seen, changed, snapshot })?)
}

impl Repository for IndexedStore {
    fn held(&self, page: PageNo) -> crawl::Result<Option<Arc<Snapshot>>> {
        self.store.held(page)
    }

    fn validators(&self, page: PageNo) -> crawl::Result<Option<Validators>> {
        self.store.validators(page)
    }

    fn append(&mut self, entry: LogEntry<'_>) -> crawl::Result<()> {
        let (seen, new, pages) = (entry.seen, entry.new, entry.pages);
        self.store.append(entry)?;
        let Some(index) = &mut self.index else { return Ok(()) };
        put(index, seen, new, pages.address(seen.page), pages.first_seen(seen.page))?;
        let pending = index.pending();
        if pending >= self.pace.pages || (pending > 0 && self.committed.elapsed() >= self.pace.wait)
        {
            self.commit_both()?;
        }
        Ok(())
    }

    fn remember(&mut self, update: Update) -> crawl::Result<()> {
        self.store.remember(update)
    }

    fn replay(&self, each: &mut dyn FnMut(&Observation)) -> crawl::Result<()> {
        self.store.replay(each)
    }

    fn commit(&mut self) -> crawl::Result<()> {
        self.commit_both()
    }
}
