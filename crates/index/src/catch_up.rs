//! Updates an index to the end of the log, after a crash or for a new index.
//!
//! Both work the same way. Pages whose held snapshot changed after the index's position are read
//! back from the archive, in page order, and indexed. A new index is at position 0, so all pages
//! are. Each commit records the page number it reached, so that little is lost if the process is
//! killed.
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crawl::{PageNo, Time, page_rank};
use rayon::prelude::*;
use store::{HeldPage, View};
use tantivy::TantivyDocument;
use tracing::{debug, info};

use crate::analysis::Analysis;
use crate::commit_payload::Partial;
use crate::document;
use crate::indexed_versions::IndexedVersions;
use crate::ranks::Ranks;
use crate::schema::Fields;
use crate::{Index, IndexDocument, IndexError};

/// Pages read in parallel. All of them are in memory at once.
const READ_PAGES: usize = 256;
/// Pages per commit: what is lost if the process is killed. Each commit creates a segment.
const COMMIT_PAGES: usize = 20_000;

/// Result of [`catch_up()`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaughtUp {
    /// Log position of the index.
    pub position: u64,
    /// Number of indexed pages.
    pub pages: u64,
    /// Number of pages that were read because their held snapshot changed or was removed.
    pub checked: u64,
    /// Why the old index was discarded, if it was.
    pub rebuild_reason: Option<String>,
    /// Pages that cannot be found because their record in the archive is damaged, and what is wrong.
    pub unreadable: Vec<(String, String)>,
}

/// Updates the index of the data folder `folder` to the end of the log and recomputes `PageRank`.
/// Calls `progress` with the number of pages done and the total.
///
/// # Errors
/// If another process writes the index, or on I/O errors.
pub fn catch_up(folder: &Path, progress: &dyn Fn(usize, usize)) -> Result<CaughtUp, IndexError> {
    Index::open(folder)?.catch_up(progress)
}

impl Index {
    /// Updates the index to the end of the log and recomputes `PageRank`. Resumes an interrupted
    /// run. Calls `progress` with the number of pages done and the total.
    ///
    /// # Errors
    /// On I/O errors.
    pub fn catch_up(&mut self, progress: &dyn Fn(usize, usize)) -> Result<CaughtUp, IndexError> {
        self.catch_up_by(progress, COMMIT_PAGES)
    }

    /// Like [`catch_up`](Self::catch_up) with a commit every `commit_pages`; for tests.
    ///
    /// # Errors
    /// On I/O errors.
    #[doc(hidden)]
    pub fn catch_up_by(
        &mut self,
        progress: &dyn Fn(usize, usize),
        commit_pages: usize,
    ) -> Result<CaughtUp, IndexError> {
        // A crawl may append to the log meanwhile. The next call handles that.
        let log_ends = self.view().position()?;
        let (start, from) = (Instant::now(), self.position());
        let (mut checked, mut unreadable) = (0, vec![]);
        while self.position() < log_ends {
            checked += self.advance(log_ends, progress, commit_pages, &mut unreadable)?;
        }
        let ms = start.elapsed().as_millis();
        info!(from, to = log_ends, checked, pages = self.pages(), ms, "search index caught up");
        self.rank()?;
        Ok(CaughtUp {
            position: self.position(),
            pages: self.pages(),
            checked: checked as u64,
            rebuild_reason: self.rebuild_reason().map(str::to_owned),
            unreadable,
        })
    }

    /// Builds the index again from the archive. Searches find the old one until the new one is whole; if this
    /// is interrupted, the old one stays.
    ///
    /// # Errors
    /// On I/O errors.
    pub fn rebuild(&mut self, progress: &dyn Fn(usize, usize)) -> Result<CaughtUp, IndexError> {
        self.empty()?;
        // One commit, at the end.
        self.catch_up_by(progress, usize::MAX)
    }

    /// Updates the index to the target of an interrupted run, or to `log_ends`. Returns the number
    /// of pages read.
    fn advance(
        &mut self,
        log_ends: u64,
        progress: &dyn Fn(usize, usize),
        commit_pages: usize,
        unreadable: &mut Vec<(String, String)>,
    ) -> Result<usize, IndexError> {
        let position = self.position();
        let Partial { below, to } = self.partial().unwrap_or(Partial { below: 0, to: log_ends });
        // Changes after `to` on pages below `below` are handled by the next step.
        let mut pages = self.view().pages_changed_since(position)?;
        let all = pages.len();
        pages.retain(|page| page.0 >= below);
        let done = all - pages.len();
        let changes = self.view().last_changes(position)?;
        let readers = Readers { folder: self.folder().to_owned(), idle: Mutex::new(vec![]) };
        let (read_pages, mut uncommitted) = (READ_PAGES.min(commit_pages), 0);
        progress(done, all);
        for (number, chunk) in pages.chunks(read_pages).enumerate() {
            let (versions, fields) = (self.versions(), self.fields());
            let read = |&page: &PageNo| readers.read(page, &changes, versions, fields);
            let read: Result<Vec<Read>, IndexError> = chunk.par_iter().map(read).collect();
            for read in read? {
                match read {
                    Read::New { held, changed, document } => {
                        self.put_fields(&index_document(&held, changed), document)?;
                    }
                    Read::Unchanged => {}
                    Read::NotIndexable(page) => self.remove(page),
                    Read::Unreadable(page, address, flaw) => {
                        self.remove(page);
                        unreadable.push((address, flaw));
                    }
                }
            }
            progress(done + number * read_pages + chunk.len(), all);
            uncommitted += chunk.len();
            // The pages read may be as recent as the log is now.
            let reach = self.view().position()?;
            self.reach(reach);
            if let (true, Some(last)) = (uncommitted >= commit_pages, chunk.last()) {
                self.checkpoint(reach, Some(Partial { below: last.0 + 1, to }))?;
                uncommitted = 0;
            }
        }
        self.commit(to)?;
        Ok(pages.len())
    }

    /// Recomputes `PageRank` unless it is of this position.
    fn rank(&mut self) -> Result<(), IndexError> {
        let ranks = Ranks::read(self.folder());
        if ranks.as_ref().is_some_and(|ranks| ranks.position == self.position()) {
            return Ok(());
        }
        let started = Instant::now();
        let loaded = self.view().load()?;
        let start = ranks.map(|ranks| ranks.start()).unwrap_or_default();
        self.set_ranks(&page_rank(&loaded.pages, &loaded.links, &start))?;
        debug!(pages = loaded.pages.len(), ms = started.elapsed().as_millis(), "PageRank computed");
        Ok(())
    }
}

/// Result of reading a page back.
enum Read {
    /// To be indexed.
    New { held: Box<HeldPage>, changed: Time, document: TantivyDocument },
    /// Already indexed.
    Unchanged,
    /// No longer held, or not indexable.
    NotIndexable(PageNo),
    /// Its record is damaged: the address, and what is wrong.
    Unreadable(PageNo, String, String),
}

fn index_document(held: &HeldPage, changed: Time) -> IndexDocument<'_> {
    IndexDocument {
        page: held.page,
        address: &held.address,
        first_seen: held.first_seen,
        changed,
        snapshot: &held.snapshot,
    }
}

/// Pool of readers, one per thread.
struct Readers {
    folder: PathBuf,
    idle: Mutex<Vec<Reader>>,
}

struct Reader {
    view: View,
    analysis: Analysis,
}

impl Readers {
    /// Reads a page back and builds its document. `changes` has the change times after the index's
    /// position; the index has earlier ones.
    fn read(
        &self,
        page: PageNo,
        changes: &[(PageNo, Time)],
        versions: &IndexedVersions,
        fields: Fields,
    ) -> Result<Read, IndexError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut reader = match idle {
            Some(reader) => reader,
            None => Reader { view: View::open(&self.folder)?, analysis: Analysis::default() },
        };
        let read = reader.read(page, changes, versions, fields);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(reader);
        read
    }
}

impl Reader {
    fn read(
        &mut self,
        page: PageNo,
        changes: &[(PageNo, Time)],
        versions: &IndexedVersions,
        fields: Fields,
    ) -> Result<Read, IndexError> {
        let mut held = self.view.held(page)?;
        if let Some(held) = &mut held
            && let Some(flaw) = held.damage.take()
        {
            return Ok(Read::Unreadable(page, std::mem::take(&mut held.address), flaw));
        }
        // A record that is known to be lost.
        let held = held.filter(|held| held.snapshot.content.is_some());
        let Some(held) = held.filter(|held| document::is_indexable(&held.snapshot)) else {
            return Ok(Read::NotIndexable(page));
        };
        let since = changes.binary_search_by_key(&page, |change| change.0).ok();
        let since = since.map(|place| changes[place].1);
        let last = since.or_else(|| versions.changed(page)).unwrap_or(held.at);
        if versions.has_version(page, held.snapshot.fingerprints.text, last) {
            return Ok(Read::Unchanged);
        }
        let terms = self.analysis.terms(&held.snapshot, &held.address);
        let document = document::to_tantivy(&index_document(&held, last), &terms, &fields);
        Ok(Read::New { held: Box::new(held), changed: last, document })
    }
}
