//! The index that writes.
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use crawl::PageNo;
use instruments::impact::{Impact, Measure};
use store::View;
use tantivy::directory::MmapDirectory;
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy};
use tantivy::{IndexSettings, IndexWriter, TantivyDocument, Term};
use text::words::Language;
use text::workload::PreparedWorkload;

use crate::document::{self, Entry};
use crate::folder::{self, Lock};
use crate::impact::{self, Preparation};
use crate::known::Known;
use crate::opened;
use crate::ranks::Ranks;
use crate::reflects::{Partial, Reflects};
use crate::schema::{self, Fields};
use crate::{IndexError, analysis};

/// What the thread that indexes holds in memory before it writes a segment. Larger ones are merged
/// less; this is a good part of what a crawl takes itself.
const WRITER_BYTES: usize = 64 << 20;
/// A segment is merged, however large, when this part of its pages has been replaced or removed:
/// these still take space and time, and count in BM25.
const MOST_REMOVED: f32 = 0.3;

/// Merges are waited for so long when an index is closed. Most take less than a second.
const MERGE_WAIT: Duration = Duration::from_secs(3);

const WRITER_IS_THERE: &str = "it is taken when the index is dropped, and not before";

/// The index of a data folder, to be written. One process at a time has it; a
/// [`Searcher`](crate::Searcher) reads it beside that.
///
/// What is put is found after the next commit. Dropping an index forgets what was not committed.
pub struct Index {
    folder: PathBuf,
    /// The repository, to see that the log is there before the index says that it reflects it.
    view: View,
    fields: Fields,
    /// There until it is dropped.
    writer: Option<IndexWriter>,
    reflects: Reflects,
    known: Known,
    begun_anew: Option<String>,
    /// How many pages were put or removed since the last commit.
    pending: usize,
    /// The last observation of which something may have been put since then.
    put_reach: u64,
    preparation: Preparation,
    lock: Option<Lock>,
}

impl Index {
    /// Opens the index of the data folder at `folder`, which must have a repository. Where there is no
    /// index yet, it is made; one that cannot be used is thrown away and begun anew, at position 0
    /// ([`begun_anew`](Self::begun_anew) says why). Either way, [`catch_up`](Self::catch_up) fills it.
    ///
    /// # Errors
    /// When another process writes it, or the repository or the disk refuses.
    pub fn open(folder: &Path) -> Result<Self, IndexError> {
        let view = View::open(folder)?;
        let lock = Lock::take(folder)?;
        let (opened, begun_anew) = match opened::open(folder, &view) {
            Ok(opened) => (opened, None),
            Err(error) if error.is_mended_by_rebuilding() => {
                let why = match error {
                    IndexError::Unusable { why, .. } => Some(why),
                    _ => None,
                };
                folder::clear(folder, &lock)?;
                make(folder, view.identity()?)?;
                (opened::open(folder, &view)?, why)
            }
            Err(error) => return Err(error),
        };
        let writer = writer(&opened.index, folder)?;
        Ok(Self {
            folder: folder.to_owned(),
            view,
            fields: opened.fields,
            writer: Some(writer),
            reflects: opened.reflects,
            known: Known::of(&opened.rows),
            begun_anew,
            pending: 0,
            put_reach: 0,
            preparation: Preparation::default(),
            lock: Some(lock),
        })
    }

    /// Why the index that was there had to be thrown away; `None` where it was not.
    pub fn begun_anew(&self) -> Option<&str> {
        self.begun_anew.as_deref()
    }

    /// The position of the log that the last commit reflects: everything up to it is in the index.
    pub fn position(&self) -> u64 {
        self.reflects.position
    }

    /// How many pages are in it, with what was put and is not committed yet.
    pub fn pages(&self) -> u64 {
        self.known.len() as u64
    }

    /// How many pages were put or removed since the last commit.
    pub fn pending(&self) -> usize {
        self.pending
    }

    /// Puts a page, in place of what the index has of it. One that is not to be found is removed:
    /// one that nobody reads (a redirect, a sitemap), asks not to be found, or gives another address as
    /// its own. One that is in the index as it is costs nothing.
    ///
    /// # Errors
    /// When the engine fails; the index must then be opened again.
    pub fn put(&mut self, entry: &Entry<'_>) -> Result<(), IndexError> {
        if !document::is_findable(entry.snapshot) {
            self.remove(entry.page);
            return Ok(());
        }
        if self.known.has(entry.page, entry.snapshot.fingerprints.text, entry.changed) {
            return Ok(());
        }
        let terms = self.preparation.take(entry.page, entry.snapshot, entry.address);
        self.put_document(entry, document::document(entry, &terms, &self.fields))
    }

    /// The languages that pages are in, as of the last commit.
    ///
    /// # Errors
    /// When the engine fails.
    pub fn languages(&self) -> Result<Vec<Language>, IndexError> {
        let languages = || {
            opened::languages(
                &opened::reader(self.writer().index().clone())?.1.searcher(),
                &self.fields,
            )
        };
        languages().map_err(IndexError::engine("read", &self.folder))
    }

    /// The instrument that measures what visits do to the answers to a workload. Of the pages that are
    /// there it knows what was committed. It shares the analysis of pages with this index, so a page
    /// that was measured is to be [put](Self::put) or [removed](Self::remove) next.
    ///
    /// # Errors
    /// When the engine fails.
    pub fn impact(
        &self,
        workload: &PreparedWorkload,
        measure: Measure,
    ) -> Result<Impact, IndexError> {
        let read = || {
            let (_, reader) = opened::reader(self.writer().index().clone())?;
            let (known, preparation) = (self.known.clone(), self.preparation.clone());
            impact::instrument(
                &reader.searcher(),
                &self.fields,
                known,
                preparation,
                workload,
                measure,
            )
        };
        read().map_err(IndexError::engine("read", &self.folder))
    }

    /// Removes a page, where it is in the index.
    pub fn remove(&mut self, page: PageNo) {
        if self.known.remove(page) {
            self.delete(page);
            self.pending += 1;
        }
    }

    /// Makes last what was put and removed, and that everything up to the observation `position` is
    /// in the index. The repository is committed first.
    ///
    /// # Errors
    /// [`IndexError::Ahead`] where the log does not reach that far for good; when the engine fails.
    pub fn commit(&mut self, position: u64) -> Result<(), IndexError> {
        self.commit_as(position, position, None)
    }

    /// Makes last what was put and removed, but not that everything is in up to any later
    /// observation than before; nothing is in it after the observation `reach`.
    pub(crate) fn checkpoint(
        &mut self,
        reach: u64,
        partial: Option<Partial>,
    ) -> Result<(), IndexError> {
        let partial = partial.or(self.reflects.partial);
        self.commit_as(self.reflects.position, reach, partial)
    }

    /// Tells that what was put is of observations up to this one.
    pub(crate) fn reach(&mut self, reach: u64) {
        self.put_reach = self.put_reach.max(reach);
    }

    /// Sets the ranks of the pages, by page number: they sum to 1 over held pages and are 0 for
    /// others, as [`crawl::page_rank`] gives them. Searchers take them up by themselves.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn set_ranks(&mut self, ranks: &[f64]) -> Result<(), IndexError> {
        Ranks::of(ranks, self.reflects.position).write(&self.folder)
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn view(&self) -> &View {
        &self.view
    }

    pub(crate) fn known(&self) -> &Known {
        &self.known
    }

    pub(crate) fn fields(&self) -> Fields {
        self.fields
    }

    pub(crate) fn partial(&self) -> Option<Partial> {
        self.reflects.partial
    }

    /// Puts what [`document::document`] made of a page that may be found.
    pub(crate) fn put_document(
        &mut self,
        entry: &Entry<'_>,
        document: TantivyDocument,
    ) -> Result<(), IndexError> {
        if self.known.insert(entry.page, entry.snapshot.fingerprints.text, entry.changed) {
            self.delete(entry.page);
        }
        let added = self.writer().add_document(document);
        added.map_err(IndexError::engine("add to", &self.folder))?;
        self.pending += 1;
        Ok(())
    }

    fn writer(&self) -> &IndexWriter {
        self.writer.as_ref().expect(WRITER_IS_THERE)
    }

    fn delete(&self, page: PageNo) {
        self.writer().delete_term(Term::from_field_u64(self.fields.page, u64::from(page.0)));
    }

    fn commit_as(
        &mut self,
        position: u64,
        reach: u64,
        partial: Option<Partial>,
    ) -> Result<(), IndexError> {
        let reach = reach.max(self.put_reach).max(self.reflects.reach);
        let durable = self.view.position()?;
        if reach > durable {
            return Err(IndexError::Ahead {
                folder: self.folder.clone(),
                position: reach,
                durable,
            });
        }
        let reflects = Reflects {
            position,
            reach,
            reach_mark: self.view.fingerprint(reach)?,
            partial,
            ..self.reflects.clone()
        };
        if self.pending == 0 && reflects == self.reflects {
            return Ok(());
        }
        let commit = |writer: &mut IndexWriter| {
            let mut commit = writer.prepare_commit()?;
            commit.set_payload(&reflects.written());
            commit.commit()
        };
        let writer = self.writer.as_mut().expect(WRITER_IS_THERE);
        commit(writer).map_err(IndexError::engine("commit", &self.folder))?;
        self.reflects = reflects;
        self.pending = 0;
        Ok(())
    }
}

/// Merges that were begun go on in the background and write files, so the lock is held until they are
/// done. They are waited for a little; a program that ends then gives them up, and nothing is lost.
impl Drop for Index {
    fn drop(&mut self) {
        let (Some(writer), lock) = (self.writer.take(), self.lock.take()) else { return };
        let (done, is_done) = mpsc::channel();
        std::thread::spawn(move || {
            // What was committed is there, merged or not.
            let _ = writer.wait_merging_threads();
            drop(lock);
            // Nobody may be waiting any more.
            let _ = done.send(());
        });
        let _ = is_done.recv_timeout(MERGE_WAIT);
    }
}

/// Makes an empty index, which reflects an empty log.
fn make(folder: &Path, identity: String) -> Result<(), IndexError> {
    let make = || {
        let directory = MmapDirectory::open(folder::search(folder))?;
        let settings = IndexSettings::default();
        let index = tantivy::Index::create(directory, schema::schema().0, settings)?;
        index.tokenizers().register(analysis::NAME, analysis::Lines);
        let mut writer: IndexWriter = index.writer_with_num_threads(1, WRITER_BYTES)?;
        let mut commit = writer.prepare_commit()?;
        commit.set_payload(&Reflects::nothing(identity).written());
        commit.commit()?;
        Ok(())
    };
    make().map_err(IndexError::engine("make", folder))
}

fn writer(index: &tantivy::Index, folder: &Path) -> Result<IndexWriter, IndexError> {
    let options = IndexWriterOptions::builder()
        .memory_budget_per_thread(WRITER_BYTES)
        .num_worker_threads(1)
        .num_merge_threads(1)
        .build();
    let writer = index.writer_with_options(options);
    let writer: IndexWriter = writer.map_err(IndexError::engine("open", folder))?;
    let mut policy = LogMergePolicy::default();
    policy.set_del_docs_ratio_before_merge(MOST_REMOVED);
    writer.set_merge_policy(Box::new(policy));
    Ok(writer)
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Index")
            .field("folder", &self.folder)
            .field("reflects", &self.reflects)
            .finish_non_exhaustive()
    }
}
