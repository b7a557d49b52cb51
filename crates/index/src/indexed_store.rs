//! A repository and its index, written together.
use std::sync::Arc;
use std::time::{Duration, Instant};

use crawl::{
    LogEntry, Observation, Outcome, PageNo, Repository, Snapshot, Time, Update, Validators,
};
use store::Store;

use crate::{Index, IndexDocument};

/// How often the index is committed during a crawl. Searches see committed pages only.
#[derive(Clone, Copy, Debug)]
pub struct CommitInterval {
    /// Commit after this many changed pages. Each commit creates a segment, and small segments must
    /// be merged.
    pub pages: usize,
    /// Commit after this time if anything changed: the maximum age of search results.
    pub wait: Duration,
}

impl Default for CommitInterval {
    fn default() -> Self {
        Self { pages: 5_000, wait: Duration::from_secs(10) }
    }
}

/// A store and its index. The index is never ahead of the durable log. Its position tells what it
/// lacks after a crash. Without an index, only the store is written.
pub struct IndexedStore {
    /// Closed first: it reads the database, and the store leaves one file if nobody else does.
    index: Option<Index>,
    store: Store,
    interval: CommitInterval,
    committed: Instant,
    /// Whether the index was up to date when this was created. If not, it keeps its position until
    /// [`catch_up`](Index::catch_up).
    in_step: bool,
}

impl std::fmt::Debug for IndexedStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IndexedStore").field("index", &self.index).finish_non_exhaustive()
    }
}

impl IndexedStore {
    /// Combines a store and its index, which should be up to date.
    pub fn new(store: Store, index: Option<Index>) -> Self {
        let in_step = index.as_ref().is_some_and(|index| {
            index.position() == store.acknowledged() && index.partial().is_none()
        });
        Self {
            store,
            index,
            interval: CommitInterval::default(),
            committed: Instant::now(),
            in_step,
        }
    }

    /// Sets how often the index is committed.
    #[must_use]
    pub fn with_commit_interval(mut self, interval: CommitInterval) -> Self {
        self.interval = interval;
        self
    }

    /// The store.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The store, for everything but visits.
    pub fn store_mut(&mut self) -> &mut Store {
        &mut self.store
    }

    /// The index, if there is one.
    pub fn index(&self) -> Option<&Index> {
        self.index.as_ref()
    }

    /// The index, for writing.
    pub fn index_mut(&mut self) -> Option<&mut Index> {
        self.index.as_mut()
    }

    /// Splits into store and index.
    pub fn into_parts(self) -> (Store, Option<Index>) {
        (self.store, self.index)
    }

    /// Commits the store, then the index.
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

/// Indexes the result of a visit.
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
        _ => index.versions().changed(seen.page).unwrap_or(seen.at),
    };
    Ok(index.put(&IndexDocument { page: seen.page, address, first_seen, changed, snapshot })?)
}

impl Repository for IndexedStore {
    fn held(&self, page: PageNo) -> crawl::Result<Option<Arc<Snapshot>>> {
        self.store.held(page)
    }

    fn read_held(&self, page: PageNo) -> crawl::Result<Option<Arc<Snapshot>>> {
        self.store.read_held(page)
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
        if pending >= self.interval.pages
            || (pending > 0 && self.committed.elapsed() >= self.interval.wait)
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
