//! Bringing an index up to the log: after a crash, or when there is none yet.
//!
//! One way for both: the pages of which something else is held than at the index's position are
//! read back from the archive, in page order, and put. An index that was just begun is at position 0,
//! where nothing was held, so all pages are. Each commit on the way says below which page it is done,
//! so that a kill loses little.
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crawl::{PageNo, Time, page_rank};
use rayon::prelude::*;
use store::{HeldPage, View};
use tantivy::TantivyDocument;

use crate::analysis::Analysis;
use crate::document;
use crate::known::Known;
use crate::ranks::Ranks;
use crate::reflects::Partial;
use crate::schema::Fields;
use crate::{Entry, Index, IndexError};

/// So many pages are read at once, by all cores; they are in memory together.
const READ_PAGES: usize = 256;
/// After so many pages it is committed, so that a kill loses no more. Each commit makes a segment.
const COMMIT_PAGES: usize = 20_000;

/// What it took to bring an index up to the log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaughtUp {
    /// The position of the log that the index reflects now.
    pub position: u64,
    /// How many pages can be found now.
    pub pages: u64,
    /// How many pages were looked at, because something else is held of them, or nothing any more.
    pub touched: u64,
    /// Why the index that was there had to be thrown away.
    pub begun_anew: Option<String>,
}

/// Brings the index of the data folder at `folder` up to its log, and ranks the pages. `progress` is
/// told how many pages are done, of how many.
///
/// # Errors
/// When another process writes the index, or the repository or the disk refuses.
pub fn catch_up(folder: &Path, progress: &dyn Fn(usize, usize)) -> Result<CaughtUp, IndexError> {
    Index::open(folder)?.catch_up(progress)
}

impl Index {
    /// Brings the index up to the log, and ranks the pages. `progress` is told how many pages are
    /// done, of how many. Does nothing where nothing is to be done; goes on where it was interrupted.
    ///
    /// # Errors
    /// When the repository or the disk refuses.
    pub fn catch_up(&mut self, progress: &dyn Fn(usize, usize)) -> Result<CaughtUp, IndexError> {
        self.bring_up_by(progress, COMMIT_PAGES)
    }

    /// The same, with a commit after each `commit_pages`; for tests.
    ///
    /// # Errors
    /// Likewise.
    #[doc(hidden)]
    pub fn bring_up_by(
        &mut self,
        progress: &dyn Fn(usize, usize),
        commit_pages: usize,
    ) -> Result<CaughtUp, IndexError> {
        // A crawler may go on beside this; what it keeps after this instant is left to the next.
        let log_ends = self.view().position()?;
        let mut touched = 0;
        while self.position() < log_ends {
            touched += self.advance(log_ends, progress, commit_pages)?;
        }
        self.rank()?;
        Ok(CaughtUp {
            position: self.position(),
            pages: self.pages(),
            touched: touched as u64,
            begun_anew: self.begun_anew().map(str::to_owned),
        })
    }

    /// Brings the index up to one later position: that which an interrupted run aimed at, or
    /// `log_ends`. Returns how many pages were looked at.
    fn advance(
        &mut self,
        log_ends: u64,
        progress: &dyn Fn(usize, usize),
        commit_pages: usize,
    ) -> Result<usize, IndexError> {
        let position = self.position();
        let Partial { below, to } = self.partial().unwrap_or(Partial { below: 0, to: log_ends });
        // What was touched after `to` below that page is not seen here: the next step sees it.
        let mut touched = self.view().touched(position)?;
        let all = touched.len();
        touched.retain(|page| page.0 >= below);
        let done = all - touched.len();
        let changes = self.view().last_changes(position)?;
        let readers = Readers { folder: self.folder().to_owned(), idle: Mutex::new(vec![]) };
        let (read_pages, mut uncommitted) = (READ_PAGES.min(commit_pages), 0);
        progress(done, all);
        for (number, pages) in touched.chunks(read_pages).enumerate() {
            let (known, fields) = (self.known(), self.fields());
            let read = |&page: &PageNo| readers.read(page, &changes, known, fields);
            let read: Result<Vec<Read>, IndexError> = pages.par_iter().map(read).collect();
            for read in read? {
                match read {
                    Read::New { held, changed, document } => {
                        self.put_document(&entry(&held, changed), document)?;
                    }
                    Read::AsItWas => {}
                    Read::NotFindable(page) => self.remove(page),
                }
            }
            progress(done + number * read_pages + pages.len(), all);
            uncommitted += pages.len();
            // What was read may be as new as the log is by now.
            let reach = self.view().position()?;
            self.reach(reach);
            if let (true, Some(last)) = (uncommitted >= commit_pages, pages.last()) {
                self.checkpoint(reach, Some(Partial { below: last.0 + 1, to }))?;
                uncommitted = 0;
            }
        }
        self.commit(to)?;
        Ok(touched.len())
    }

    /// Ranks the pages, unless they were ranked at this position.
    fn rank(&mut self) -> Result<(), IndexError> {
        let ranks = Ranks::read(self.folder());
        if ranks.as_ref().is_some_and(|ranks| ranks.position == self.position()) {
            return Ok(());
        }
        let loaded = self.view().load()?;
        let start = ranks.map(|ranks| ranks.start()).unwrap_or_default();
        self.set_ranks(&page_rank(&loaded.pages, &loaded.links, &start))
    }
}

/// What became of a page that was read back.
enum Read {
    /// It is to be put.
    New { held: Box<HeldPage>, changed: Time, document: TantivyDocument },
    /// It is in the index as it is.
    AsItWas,
    /// It is not held any more, or not to be found.
    NotFindable(PageNo),
}

fn entry(held: &HeldPage, changed: Time) -> Entry<'_> {
    Entry {
        page: held.page,
        address: &held.address,
        first_seen: held.first_seen,
        changed,
        snapshot: &held.snapshot,
    }
}

/// What it takes to read pages back, for those who do at the same time: each is for one thread.
struct Readers {
    folder: PathBuf,
    idle: Mutex<Vec<Reader>>,
}

/// A view of the repository, and what cuts its pages into terms.
struct Reader {
    view: View,
    analysis: Analysis,
}

impl Readers {
    /// Reads a page back and makes a document of it. `changes` are the dates of change since the
    /// position of the index, which knows earlier ones.
    fn read(
        &self,
        page: PageNo,
        changes: &[(PageNo, Time)],
        known: &Known,
        fields: Fields,
    ) -> Result<Read, IndexError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut reader = match idle {
            Some(reader) => reader,
            None => Reader { view: View::open(&self.folder)?, analysis: Analysis::default() },
        };
        let read = reader.read(page, changes, known, fields);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(reader);
        read
    }
}

impl Reader {
    fn read(
        &mut self,
        page: PageNo,
        changes: &[(PageNo, Time)],
        known: &Known,
        fields: Fields,
    ) -> Result<Read, IndexError> {
        let held = self.view.held(page)?;
        let Some(held) = held.filter(|held| document::is_findable(&held.snapshot)) else {
            return Ok(Read::NotFindable(page));
        };
        let since = changes.binary_search_by_key(&page, |change| change.0).ok();
        let since = since.map(|place| changes[place].1);
        let last = since.or_else(|| known.changed(page)).unwrap_or(held.at);
        if known.has(page, held.snapshot.fingerprints.text, last) {
            return Ok(Read::AsItWas);
        }
        let terms = self.analysis.terms(&held.snapshot, &held.address);
        let document = document::document(&entry(&held, last), &terms, &fields);
        Ok(Read::New { held: Box::new(held), changed: last, document })
    }
}
