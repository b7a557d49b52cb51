//! Writes batches: first the archive, then the log, then the CDXJ indexes.
//!
//! This order makes crashes safe. Records are appended and synced before the transaction that
//! refers to them. So every record in the log exists, and records that are not in the log are moved
//! aside when the data folder is opened again.
mod archive;
pub(crate) mod cdxj;
mod deduplicate;
pub(crate) mod files;
mod instruments;
mod rows;

use std::time::Instant;

use rusqlite::Connection;
use tracing::debug;

use self::archive::Archived;
use self::files::Files;
use crate::batch::Batch;
use crate::folder::Folder;
use crate::options::{Options, Stage};
use crate::{StoreError, body_limit, schema};
use warc::{SetAside, Settings, WarcWriter};

/// For warcinfo records.
const SOFTWARE: &str = concat!("sanderling/", env!("CARGO_PKG_VERSION"));
/// Prefix of WARC file names.
const PREFIX: &str = "sanderling";

/// Writes the database and the archive, on its own thread.
pub(crate) struct Writer {
    folder: Folder,
    connection: Connection,
    warc: WarcWriter,
    files: Files,
    options: Options,
    /// Makes record IDs globally unique.
    identity: Vec<u8>,
    next_observation: i64,
    next_robots: i64,
    batches: u64,
}

impl Writer {
    /// Opens the database and the archive, and recovers from an interrupted write.
    pub(crate) fn open(folder: &Folder, options: &mut Options) -> Result<Self, StoreError> {
        let path = folder.database();
        let connection = schema::open(&path, |connection| {
            let files = Files::load(connection).map_err(|e| StoreError::sql("read", &path, e))?;
            files.check_lengths(folder)
        })?;
        folder.create()?;
        let error = |e| StoreError::sql("read", &path, e);
        options.body_limit = body_limit::record(&connection, options.body_limit)
            .map_err(|e| StoreError::sql("write", &path, e))?;
        let files = Files::load(&connection).map_err(error)?;
        let settings = Settings {
            limit: options.warc_file_bytes,
            level: options.compression_level,
            more: options.warcinfo.clone(),
            set_aside: Some(folder.set_aside()),
            room: options.fault_injection.archive_room,
            ..Settings::for_this_process(PREFIX, SOFTWARE)
        };
        let warc = WarcWriter::open(&folder.archive(), settings, &files.committed())?;
        let identity = identity(&connection).map_err(|e| StoreError::sql("write", &path, e))?;
        let next = |table: &str| {
            let select = format!("SELECT coalesce(max(no), 0) + 1 FROM {table}");
            connection.query_row(&select, (), |row| row.get(0)).map_err(error)
        };
        let (next_observation, next_robots) = (next("observation")?, next("robots_record")?);
        if let Some(pages) = options.fault_injection.max_pages {
            connection.pragma_update(None, "max_page_count", pages).map_err(error)?;
        }
        let mut writer = Self {
            folder: folder.clone(),
            connection,
            warc,
            files,
            options: options.clone(),
            identity,
            next_observation,
            next_robots,
            batches: 0,
        };
        writer.files.reset_missing_cdxj(folder);
        // Their indexes list records that were after the end of the log.
        let recovered = writer.warc.recovered().clone();
        writer.files.reset_cdxj(&recovered.cut);
        for name in &recovered.removed {
            cdxj::remove(folder, name)?;
        }
        writer.write_cdxj()?;
        Ok(writer)
    }

    /// What was after the end of the log and is kept.
    pub(crate) fn set_aside(&self) -> &[SetAside] {
        &self.warc.recovered().set_aside
    }

    /// Leaves one database file. What cannot be done now is done when the folder is next opened.
    pub(crate) fn close(self) {
        if let Err(error) = schema::close(&self.connection) {
            debug!(%error, "the write-ahead log stays");
        }
    }

    /// Writes a batch. It is durable when this returns; on errors nothing of it is in the log.
    pub(crate) fn write(&mut self, batch: &Batch) -> Result<(), StoreError> {
        if batch.is_empty() {
            return Ok(());
        }
        self.batches += 1;
        let mut steps = Steps::new();
        let path = self.folder.database();
        let contexts = deduplicate::visit_contexts(&self.connection, batch)
            .map_err(|e| StoreError::sql("read", &path, e))?;
        let read_ms = steps.next_millis();
        let first_file = self.files.count().saturating_sub(1);
        let archived = self.archive(batch, &contexts)?;
        let append_ms = steps.next_millis();
        self.stop_if_injected(Stage::Appended)?;
        self.warc.sync()?;
        let sync_ms = steps.next_millis();
        self.stop_if_injected(Stage::Synced)?;
        self.commit(batch, &contexts, &archived, first_file)
            .map_err(|e| StoreError::sql("write", &path, e))?;
        let commit_ms = steps.next_millis();
        let (visits, pages, bytes) = (batch.visits.len(), batch.pages.len(), batch.bytes);
        debug!(visits, pages, bytes, read_ms, append_ms, sync_ms, commit_ms, "batch written");
        self.next_observation += batch.visits.len() as i64;
        self.stop_if_injected(Stage::Committed)?;
        // Closed files do not grow, so they can be indexed now.
        self.write_cdxj_of_first(self.files.count().saturating_sub(1))
    }

    /// Updates stale CDXJ indexes.
    pub(crate) fn write_cdxj(&mut self) -> Result<(), StoreError> {
        self.write_cdxj_of_first(self.files.count())
    }

    fn write_cdxj_of_first(&mut self, count: usize) -> Result<(), StoreError> {
        cdxj::update_stale(&mut self.connection, &self.folder, &mut self.files, count)
    }

    fn commit(
        &mut self,
        batch: &Batch,
        contexts: &[deduplicate::VisitContext],
        archived: &Archived,
        first_file: usize,
    ) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction()?;
        rows::write(&transaction, batch, contexts, archived)?;
        self.files.save(&transaction, first_file)?;
        transaction.commit()
    }

    /// Simulates a crash in tests.
    fn stop_if_injected(&self, stage: Stage) -> Result<(), StoreError> {
        let ends = self.options.fault_injection.stop_after == Some((self.batches, stage));
        if ends { Err(StoreError::Stopped) } else { Ok(()) }
    }
}

/// Times the steps of a batch, to log which one is slow.
struct Steps(Instant);

impl Steps {
    fn new() -> Self {
        Self(Instant::now())
    }

    /// Milliseconds since the last call.
    fn next_millis(&mut self) -> u128 {
        let last = std::mem::replace(&mut self.0, Instant::now());
        (self.0 - last).as_millis()
    }
}

/// The random identity of this repository, created on first use.
fn identity(connection: &Connection) -> rusqlite::Result<Vec<u8>> {
    let select = "SELECT value FROM meta WHERE key = 'identity'";
    connection.execute(
        "INSERT OR IGNORE INTO meta VALUES ('identity', lower(hex(randomblob(16))))",
        (),
    )?;
    connection.query_row(select, (), |row| row.get::<_, String>(0)).map(String::into_bytes)
}
