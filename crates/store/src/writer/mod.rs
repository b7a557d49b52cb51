//! Batches onto the disk: first the archive, then the log, then the indexes.
//!
//! The order is what makes a crash harmless. Records are appended and synced before the
//! transaction that names their places; so whatever the log names is there, and what is there
//! without being named is cut off when the data folder is opened again.
mod archive;
mod before;
pub(crate) mod files;
pub(crate) mod index;
mod instruments;
mod rows;

use rusqlite::Connection;

use self::archive::Archived;
use self::files::Files;
use crate::batch::Batch;
use crate::folder::Folder;
use crate::options::{Options, Stage};
use crate::{StoreError, schema};
use warc::{Settings, WarcWriter};

/// Who writes, as WARC files tell it.
const SOFTWARE: &str = concat!("sanderling/", env!("CARGO_PKG_VERSION"));
/// What the names of WARC files begin with.
const PREFIX: &str = "sanderling";

/// Owns everything that is written. Lives on a thread of its own.
pub(crate) struct Writer {
    folder: Folder,
    connection: Connection,
    warc: WarcWriter,
    files: Files,
    options: Options,
    /// Bits by which the names of this repository's records differ from those of any other.
    identity: Vec<u8>,
    next_observation: i64,
    next_robots: i64,
    batches: u64,
}

impl Writer {
    /// Opens the database and the archive, and brings the archive and its indexes in line with what
    /// was committed.
    pub(crate) fn open(folder: &Folder, options: &Options) -> Result<Self, StoreError> {
        let path = folder.database();
        let connection = schema::open(&path)?;
        folder.make()?;
        let error = |e| StoreError::sql("read", &path, e);
        let files = Files::load(&connection).map_err(error)?;
        let settings = Settings {
            limit: options.roll_bytes,
            level: options.level,
            more: options.about.clone(),
            ..Settings::for_this_process(PREFIX, SOFTWARE)
        };
        let warc = WarcWriter::open(&folder.archive(), settings, &files.known())?;
        let identity = identity(&connection).map_err(|e| StoreError::sql("write", &path, e))?;
        let next = |table: &str| {
            let select = format!("SELECT coalesce(max(no), 0) + 1 FROM {table}");
            connection.query_row(&select, (), |row| row.get(0)).map_err(error)
        };
        let (next_observation, next_robots) = (next("observation")?, next("robots_record")?);
        if let Some(pages) = options.trial.max_pages {
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
        writer.files.forget_missing_indexes(folder);
        writer.index()?;
        Ok(writer)
    }

    /// Writes a batch: all of it lasts when this returns, or none of it is in the log.
    pub(crate) fn write(&mut self, batch: &Batch) -> Result<(), StoreError> {
        if batch.is_empty() {
            return Ok(());
        }
        self.batches += 1;
        let path = self.folder.database();
        let decided = before::decide(&self.connection, batch)
            .map_err(|e| StoreError::sql("read", &path, e))?;
        let first_file = self.files.count().saturating_sub(1);
        let archived = self.archive(batch, &decided)?;
        self.pass(Stage::Appended)?;
        self.warc.sync()?;
        self.pass(Stage::Synced)?;
        self.commit(batch, &decided, &archived, first_file)
            .map_err(|e| StoreError::sql("write", &path, e))?;
        self.next_observation += batch.visits.len() as i64;
        self.pass(Stage::Committed)?;
        // Files that are closed will not grow any more; a long crawl need not wait for the end.
        self.index_first(self.files.count().saturating_sub(1))
    }

    /// Writes the indexes that lack something.
    pub(crate) fn index(&mut self) -> Result<(), StoreError> {
        self.index_first(self.files.count())
    }

    fn index_first(&mut self, count: usize) -> Result<(), StoreError> {
        index::bring_up_to_date(&mut self.connection, &self.folder, &mut self.files, count)
    }

    fn commit(
        &mut self,
        batch: &Batch,
        decided: &[before::Decided],
        archived: &Archived,
        first_file: usize,
    ) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction()?;
        rows::write(&transaction, batch, decided, archived)?;
        self.files.save(&transaction, first_file)?;
        transaction.commit()
    }

    /// Where a test may end the writer as a crash would.
    fn pass(&self, stage: Stage) -> Result<(), StoreError> {
        let ends = self.options.trial.stop_after == Some((self.batches, stage));
        if ends { Err(StoreError::GivenUp) } else { Ok(()) }
    }
}

/// The bits that belong to this repository alone, made when there are none yet.
fn identity(connection: &Connection) -> rusqlite::Result<Vec<u8>> {
    let select = "SELECT value FROM meta WHERE key = 'identity'";
    connection.execute(
        "INSERT OR IGNORE INTO meta VALUES ('identity', lower(hex(randomblob(16))))",
        (),
    )?;
    connection.query_row(select, (), |row| row.get::<_, String>(0)).map(String::into_bytes)
}
