//! The index writer.
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crawl::PageNo;
use instruments::impact::{Impact, Measure};
use store::View;
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy};
use tantivy::{IndexSettings, IndexWriter, TantivyDocument, Term};
use text::words::Language;
use text::workload::PreparedWorkload;
use tracing::{debug, info};

use crate::commit_payload::{CommitPayload, Partial};
use crate::document::{self, IndexDocument};
use crate::folder::{self, Lock};
use crate::impact::{self, SharedAnalysis};
use crate::indexed_versions::IndexedVersions;
use crate::open;
use crate::ranks::Ranks;
use crate::read_only::{Fullness, SearchDirectory};
use crate::schema::{self, Fields};
use crate::{IndexError, analysis};

/// Memory of the indexing thread before it writes a segment. More memory means fewer merges; this
/// is already a large part of what a crawl uses.
const WRITER_BYTES: usize = 64 << 20;
/// Share of deleted documents at which a segment is merged, however large it is. Deleted documents
/// take space and time and count in BM25.
const MAX_DELETED_RATIO: f32 = 0.3;

/// How long to wait for merges when an index is closed. Most take less than a second.
const MERGE_WAIT: Duration = Duration::from_secs(3);

const HAS_WRITER: &str = "the writer is only taken in drop";

/// The index of a data folder, open for writing. One process writes at a time; any number of
/// [`Searcher`](crate::Searcher)s read.
///
/// Changes are visible to searches after the next commit. Uncommitted changes are lost when an
/// index is dropped.
pub struct Index {
    folder: PathBuf,
    /// To check that the log is durable up to the position of a commit.
    view: View,
    fields: Fields,
    /// `Some` until dropped.
    writer: Option<IndexWriter>,
    fullness: Fullness,
    payload: CommitPayload,
    versions: IndexedVersions,
    rebuild_reason: Option<String>,
    /// Pages put or removed since the last commit.
    pending: usize,
    /// Last observation that an uncommitted change may be of.
    put_reach: u64,
    analysis: SharedAnalysis,
    lock: Option<Lock>,
}

impl Index {
    /// Opens the index of the data folder `folder`, which must have a repository. Creates it if it
    /// is missing. Replaces it with an empty one if it cannot be used
    /// ([`rebuild_reason`](Self::rebuild_reason)). Call [`catch_up`](Self::catch_up) to fill it.
    ///
    /// # Errors
    /// If another process writes the index, or on I/O errors.
    pub fn open(folder: &Path) -> Result<Self, IndexError> {
        let view = View::open(folder)?;
        let lock = Lock::take(folder)?;
        let (opened, rebuild_reason) = match open::open(folder, &view) {
            Ok(opened) => (opened, None),
            Err(error) if error.is_fixed_by_rebuild() => {
                let why = match error {
                    IndexError::Unusable { why, .. } => Some(why),
                    _ => None,
                };
                info!(reason = why.as_deref().unwrap_or("missing"), "search index created");
                folder::clear(folder, &lock)?;
                create(folder, view.identity()?)?;
                (open::open(folder, &view)?, why)
            }
            Err(error) => return Err(error),
        };
        let writer = writer(&opened.index, folder, &opened.fullness)?;
        Ok(Self {
            folder: folder.to_owned(),
            view,
            fields: opened.fields,
            writer: Some(writer),
            fullness: opened.fullness,
            payload: opened.payload,
            versions: IndexedVersions::from_rows(&opened.rows),
            rebuild_reason,
            pending: 0,
            put_reach: 0,
            analysis: SharedAnalysis::default(),
            lock: Some(lock),
        })
    }

    /// Why the old index was discarded, if it was.
    pub fn rebuild_reason(&self) -> Option<&str> {
        self.rebuild_reason.as_deref()
    }

    /// Log position of the last commit: all observations up to it are indexed.
    pub fn position(&self) -> u64 {
        self.payload.position
    }

    /// Number of pages, including uncommitted ones.
    pub fn pages(&self) -> u64 {
        self.versions.len() as u64
    }

    /// Number of pages put or removed since the last commit.
    pub fn pending(&self) -> usize {
        self.pending
    }

    /// Adds a page or replaces it. Removes it if it is not indexable: a redirect or sitemap,
    /// `noindex`, or another canonical address. Does nothing if this version is already indexed.
    ///
    /// # Errors
    /// If tantivy fails. Then the index must be opened again.
    pub fn put(&mut self, document: &IndexDocument<'_>) -> Result<(), IndexError> {
        if !document::is_indexable(document.snapshot) {
            self.remove(document.page);
            return Ok(());
        }
        if self.versions.has_version(
            document.page,
            document.snapshot.fingerprints.text,
            document.changed,
        ) {
            return Ok(());
        }
        let terms = self.analysis.take_terms(document.page, document.snapshot, document.address);
        let fields = document::to_tantivy(document, &terms, &self.fields);
        self.put_fields(document, fields)
    }

    /// Languages of the pages, as of the last commit.
    ///
    /// # Errors
    /// If tantivy fails.
    pub fn languages(&self) -> Result<Vec<Language>, IndexError> {
        let languages = || {
            open::languages(
                &open::reader(self.writer().index().clone())?.1.searcher(),
                &self.fields,
            )
        };
        languages().map_err(IndexError::engine("read", &self.folder))
    }

    /// Creates the instrument that measures the impact of visits on the results of a workload. It
    /// starts from the committed pages. It shares its analysis with this index, so each measured
    /// page must be [put](Self::put) or [removed](Self::remove) next.
    ///
    /// # Errors
    /// If tantivy fails.
    pub fn impact(
        &self,
        workload: &PreparedWorkload,
        measure: Measure,
    ) -> Result<Impact, IndexError> {
        let read = || {
            let (_, reader) = open::reader(self.writer().index().clone())?;
            let (versions, analysis) = (self.versions.clone(), self.analysis.clone());
            impact::instrument(
                &reader.searcher(),
                &self.fields,
                versions,
                analysis,
                workload,
                measure,
            )
        };
        read().map_err(IndexError::engine("read", &self.folder))
    }

    /// Removes a page, if it is indexed.
    pub fn remove(&mut self, page: PageNo) {
        if self.versions.remove(page) {
            self.delete(page);
            self.pending += 1;
        }
    }

    /// Commits all changes and the claim that all observations up to `position` are indexed. Commit
    /// the repository first.
    ///
    /// # Errors
    /// [`IndexError::Ahead`] if the log is not durable up to `position`; if tantivy fails.
    pub fn commit(&mut self, position: u64) -> Result<(), IndexError> {
        self.commit_as(position, position, None)
    }

    /// Commits all changes without advancing the position. `reach` is the last observation that the
    /// changes may be of.
    pub(crate) fn checkpoint(
        &mut self,
        reach: u64,
        partial: Option<Partial>,
    ) -> Result<(), IndexError> {
        let partial = partial.or(self.payload.partial);
        self.commit_as(self.payload.position, reach, partial)
    }

    /// Removes every page, from the next commit on.
    pub(crate) fn empty(&mut self) -> Result<(), IndexError> {
        let emptied = self.writer().delete_all_documents();
        emptied.map_err(IndexError::writing("empty", &self.folder, &self.fullness))?;
        self.versions = IndexedVersions::from_rows(&[]);
        self.payload = CommitPayload { position: 0, partial: None, ..self.payload.clone() };
        self.pending += 1;
        Ok(())
    }

    /// Records that the changes may be of observations up to this one.
    pub(crate) fn reach(&mut self, reach: u64) {
        self.put_reach = self.put_reach.max(reach);
    }

    /// Sets the `PageRank` of the pages, by page number, as computed by [`crawl::page_rank`]: they
    /// sum to 1 over held pages and are 0 for others. Searchers reload them.
    ///
    /// # Errors
    /// On I/O errors.
    pub fn set_ranks(&mut self, ranks: &[f64]) -> Result<(), IndexError> {
        Ranks::from_page_rank(ranks, self.payload.position).write(&self.folder)
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn view(&self) -> &View {
        &self.view
    }

    pub(crate) fn versions(&self) -> &IndexedVersions {
        &self.versions
    }

    pub(crate) fn fields(&self) -> Fields {
        self.fields
    }

    pub(crate) fn partial(&self) -> Option<Partial> {
        self.payload.partial
    }

    /// Adds the tantivy document of an indexable page.
    pub(crate) fn put_fields(
        &mut self,
        document: &IndexDocument<'_>,
        fields: TantivyDocument,
    ) -> Result<(), IndexError> {
        if self.versions.insert(
            document.page,
            document.snapshot.fingerprints.text,
            document.changed,
        ) {
            self.delete(document.page);
        }
        let added = self.writer().add_document(fields);
        added.map_err(IndexError::writing("add to", &self.folder, &self.fullness))?;
        self.pending += 1;
        Ok(())
    }

    fn writer(&self) -> &IndexWriter {
        self.writer.as_ref().expect(HAS_WRITER)
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
        let reach = reach.max(self.put_reach).max(self.payload.reach);
        let durable = self.view.position()?;
        if reach > durable {
            return Err(IndexError::Ahead {
                folder: self.folder.clone(),
                position: reach,
                durable,
            });
        }
        let payload = CommitPayload {
            position,
            reach,
            reach_fingerprint: self.view.fingerprint(reach)?,
            partial,
            ..self.payload.clone()
        };
        if self.pending == 0 && payload == self.payload {
            return Ok(());
        }
        let start = Instant::now();
        let commit = |writer: &mut IndexWriter| {
            let mut commit = writer.prepare_commit()?;
            commit.set_payload(&payload.encode());
            commit.commit()
        };
        let writer = self.writer.as_mut().expect(HAS_WRITER);
        commit(writer).map_err(IndexError::writing("commit", &self.folder, &self.fullness))?;
        debug!(
            position,
            changed = self.pending,
            documents = self.versions.len(),
            ms = start.elapsed().as_millis(),
            "search index committed"
        );
        self.payload = payload;
        self.pending = 0;
        Ok(())
    }
}

/// Running merges write files in the background, so the lock is held until they end. Waits a little
/// for them. If the process exits first, the merges are lost but no data is.
impl Drop for Index {
    fn drop(&mut self) {
        let (Some(writer), lock) = (self.writer.take(), self.lock.take()) else { return };
        let (done, is_done) = mpsc::channel();
        std::thread::spawn(move || {
            // Committed segments are valid, merged or not.
            let _ = writer.wait_merging_threads();
            drop(lock);
            // The receiver may have timed out.
            let _ = done.send(());
        });
        let _ = is_done.recv_timeout(MERGE_WAIT);
    }
}

/// Creates an empty index.
fn create(folder: &Path, identity: String) -> Result<(), IndexError> {
    let search = folder::search_folder(folder);
    let directory = SearchDirectory::open(&search).map_err(IndexError::engine("create", folder))?;
    let fullness = directory.fullness();
    let create = || {
        let settings = IndexSettings::default();
        let index = tantivy::Index::create(directory, schema::schema().0, settings)?;
        index.tokenizers().register(analysis::TOKENIZER, analysis::LineTokenizer);
        let mut writer: IndexWriter = index.writer_with_num_threads(1, WRITER_BYTES)?;
        let mut commit = writer.prepare_commit()?;
        commit.set_payload(&CommitPayload::empty(identity).encode());
        commit.commit()?;
        Ok(())
    };
    create().map_err(IndexError::writing("create", folder, &fullness))
}

fn writer(
    index: &tantivy::Index,
    folder: &Path,
    fullness: &Fullness,
) -> Result<IndexWriter, IndexError> {
    let options = IndexWriterOptions::builder()
        .memory_budget_per_thread(WRITER_BYTES)
        .num_worker_threads(1)
        .num_merge_threads(1)
        .build();
    let writer = index.writer_with_options(options);
    let writer: IndexWriter = writer.map_err(IndexError::writing("open", folder, fullness))?;
    let mut policy = LogMergePolicy::default();
    policy.set_del_docs_ratio_before_merge(MAX_DELETED_RATIO);
    writer.set_merge_policy(Box::new(policy));
    Ok(writer)
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Index")
            .field("folder", &self.folder)
            .field("payload", &self.payload)
            .finish_non_exhaustive()
    }
}
