//! A repository with its index: what is kept is put into both.
use std::sync::Arc;
use std::time::{Duration, Instant};

use flow::features::Models;
use flow::{
    Kept, Links, Note, Observation, Outcome, PageNo, Pages, Repository, Snapshot, Validators,
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
/// and what it lacks after a crash is known by its position.
#[derive(Debug)]
pub struct Indexed<'a> {
    store: Stored<'a>,
    index: &'a mut Index,
    pace: Pace,
    committed: Instant,
    /// Whether everything the store had when this was made is in the index. Where it is not, the
    /// index keeps its position, so that whoever brings it up knows what it lacks.
    in_step: bool,
}

/// The store, which has nothing to say of itself.
struct Stored<'a>(&'a mut Store);

impl std::fmt::Debug for Stored<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Store")
    }
}

impl<'a> Indexed<'a> {
    /// Joins a store and its index, which should have been brought up.
    pub fn new(store: &'a mut Store, index: &'a mut Index) -> Self {
        let in_step = index.position() == store.acknowledged() && index.partial().is_none();
        Self {
            store: Stored(store),
            index,
            pace: Pace::default(),
            committed: Instant::now(),
            in_step,
        }
    }

    /// Commits the index at another pace than the default.
    #[must_use]
    pub fn at_pace(mut self, pace: Pace) -> Self {
        self.pace = pace;
        self
    }

    /// The store.
    pub fn store(&mut self) -> &mut Store {
        self.store.0
    }

    /// Puts what a visit brought.
    fn put(
        &mut self,
        seen: &Observation,
        new: Option<&Arc<Snapshot>>,
        kept: &Page<'_>,
    ) -> flow::Result<()> {
        if seen.outcome == Outcome::Gone {
            self.index.remove(seen.page);
            return Ok(());
        }
        let Some(new) = new else { return Ok(()) };
        let changed = match seen.outcome {
            Outcome::First | Outcome::Changed(_) => seen.at,
            _ => self.index.known().changed(seen.page).unwrap_or(seen.at),
        };
        let entry = Entry {
            page: seen.page,
            address: kept.address,
            first_seen: kept.first_seen,
            changed,
            snapshot: new,
        };
        Ok(self.index.put(&entry)?)
    }

    /// Commits both, the store first.
    fn commit_both(&mut self) -> flow::Result<()> {
        self.store.0.commit()?;
        let position = self.store.0.acknowledged();
        if self.in_step {
            self.index.commit(position)?;
        } else {
            self.index.checkpoint(position, None)?;
        }
        self.committed = Instant::now();
        Ok(())
    }
}

/// What `Pages` tells of the page that was visited.
struct Page<'a> {
    address: &'a str,
    first_seen: flow::Time,
}

impl Repository for Indexed<'_> {
    fn held(&self, page: PageNo) -> flow::Result<Option<Arc<Snapshot>>> {
        self.store.0.held(page)
    }

    fn validators(&self, page: PageNo) -> flow::Result<Option<Validators>> {
        self.store.0.validators(page)
    }

    fn begin_cycle(&mut self, pages: &Pages, links: &Links) -> flow::Result<()> {
        self.index.begin_cycle(pages, links);
        Ok(())
    }

    fn impact(
        &mut self,
        page: PageNo,
        address: &str,
        outcome: Outcome,
        new: Option<&Arc<Snapshot>>,
    ) -> flow::Result<Option<f32>> {
        Ok(self.index.impact(page, address, outcome, new.map(Arc::as_ref)))
    }

    fn exposures(&self) -> &[f32] {
        self.index.exposures()
    }

    fn keep(&mut self, kept: Kept<'_>) -> flow::Result<()> {
        let (seen, new, pages) = (kept.seen, kept.new, kept.pages);
        self.store.0.keep(kept)?;
        let first_seen = pages.record(seen.page).first_seen;
        self.put(seen, new, &Page { address: pages.address(seen.page), first_seen })?;
        let pending = self.index.pending();
        if pending >= self.pace.pages || (pending > 0 && self.committed.elapsed() >= self.pace.wait)
        {
            self.commit_both()?;
        }
        Ok(())
    }

    fn keep_models(&mut self, models: &Models) -> flow::Result<()> {
        self.store.0.keep_models(models)
    }

    fn remember(&mut self, note: Note) -> flow::Result<()> {
        self.store.0.remember(note)
    }

    fn play_log(&self, each: &mut dyn FnMut(&Observation)) -> flow::Result<()> {
        self.store.0.play_log(each)
    }

    fn commit(&mut self) -> flow::Result<()> {
        self.commit_both()
    }
}
