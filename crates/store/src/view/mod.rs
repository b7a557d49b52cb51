//! Read-only access to a data folder.
mod archive;
mod captures;
mod changes;
mod corpus;
mod follow;
mod held;
mod hosts;
mod instruments;
mod page;
mod totals;

use std::path::Path;
use std::sync::Arc;

use crawl::{HostState, Observation, RobotsCopy};
use rusqlite::{Connection, Row};

pub use self::archive::ArchiveFile;
pub use self::captures::{Body, CaptureRow};
pub use self::changes::{ChangeRow, Version};
pub use self::corpus::{CorpusChange, HeldBody};
pub use self::follow::Followed;
pub use self::held::{Brief, HeldDigest, HeldPage};
pub use self::hosts::{HostSummary, HostVisit};
pub use self::page::{HeldView, PageView, VisitRow};
pub use self::totals::{CycleSummary, FaultCount, LeftOut, Outcomes, Totals};
use crate::folder::Folder;
use crate::load::{self, Loaded};
use crate::{StoreError, schema};
use warc::Position;

/// A data folder, open read-only. It takes no lock and may be used while another process writes.
/// Each method reads one consistent state.
pub struct View {
    folder: Folder,
    connection: Connection,
}

impl View {
    /// Opens the data folder `folder`.
    ///
    /// # Errors
    /// If it is missing, damaged or of a later version.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let folder = Folder::new(folder);
        if !folder.has_database() {
            return Err(StoreError::Missing { folder: folder.root().to_owned() });
        }
        let connection = schema::open_to_read(&folder.database())?;
        Ok(Self { folder, connection })
    }

    /// Loads pages and links.
    ///
    /// # Errors
    /// If the database cannot be read or is damaged.
    pub fn load(&self) -> Result<Loaded, StoreError> {
        load::load(&self.connection, &self.folder)
    }

    /// The last copy of each robots.txt, by origin.
    ///
    /// # Errors
    /// If the database cannot be read or is damaged.
    pub fn robots(&self) -> Result<Vec<RobotsCopy>, StoreError> {
        load::robots(&self.connection, &self.folder)
    }

    /// Politeness state of each host, by name.
    ///
    /// # Errors
    /// If the database cannot be read or is damaged.
    pub fn host_states(&self) -> Result<Vec<HostState>, StoreError> {
        load::host_states(&self.connection, &self.folder)
    }

    /// Value of a key, if it was set.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn get(&self, key: &str) -> Result<Option<String>, StoreError> {
        load::get(&self.connection, &self.folder, key)
    }

    /// Replays the log from the beginning.
    ///
    /// # Errors
    /// If the database cannot be read or is damaged.
    pub fn replay(&self, each: &mut dyn FnMut(&Observation)) -> Result<(), StoreError> {
        load::replay(&self.connection, &self.folder, each)
    }

    pub(crate) fn folder(&self) -> &Folder {
        &self.folder
    }

    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Maps an error of SQLite.
    pub(crate) fn error(&self, source: rusqlite::Error) -> StoreError {
        StoreError::sql("read", &self.folder.database(), source)
    }
}

/// Position of a record: file name, offset and length from column `first` on.
fn position(row: &Row<'_>, first: usize) -> rusqlite::Result<Option<Position>> {
    let Some(file) = row.get::<_, Option<Arc<str>>>(first)? else { return Ok(None) };
    Ok(Some(Position { file, offset: row.get(first + 1)?, length: row.get(first + 2)? }))
}
