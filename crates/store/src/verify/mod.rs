//! Checks the consistency of a data folder.
//!
//! The log is the ground truth. Replaying it must give the stored pages. The archive must contain
//! exactly the records that the log names. The CDXJ indexes must list exactly these records.
//! Parsing the archive again must give the held snapshots. Instrument states must be intact.
mod archive;
mod instruments;
mod log;

use std::path::Path;

use crate::folder::Folder;
use crate::lock::Lock;
use crate::view::View;
use crate::writer::files::Files;
use crate::{StoreError, load};

/// What was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Pages.
    pub pages: u64,
    /// Observations in the log.
    pub observations: u64,
    /// Response records.
    pub responses: u64,
    /// Revisit records.
    pub revisits: u64,
    /// WARC files.
    pub files: u64,
    /// Bytes of the WARC files.
    pub bytes: u64,
    /// Held snapshots that were parsed again from the archive with the same result.
    pub read_again: u64,
    /// Page states of instruments.
    pub page_states: u64,
}

/// Checks everything in the data folder `folder`. Takes the lock, because nothing may be written
/// meanwhile.
///
/// # Errors
/// [`StoreError::Damaged`] for the first inconsistency; I/O errors.
pub fn verify(folder: &Path) -> Result<Verified, StoreError> {
    let view = View::open(folder)?;
    let folder = Folder::new(folder);
    let _lock = Lock::take(folder.root(), &folder.lock())?;
    check_database(&view)?;
    let mut verified = Verified::default();
    let loaded = load::load(view.connection(), &folder)?;
    log::check(&view, &loaded, &mut verified)?;
    instruments::check(&view, &mut verified)?;
    let files = Files::load(view.connection()).map_err(|e| view.error(e))?;
    archive::check(&view, files.rows(), &mut verified)?;
    Ok(verified)
}

/// Runs SQLite's own check.
fn check_database(view: &View) -> Result<(), StoreError> {
    let found: String = view
        .connection()
        .query_row("PRAGMA quick_check(1)", (), |row| row.get(0))
        .map_err(|e| view.error(e))?;
    if found == "ok" { Ok(()) } else { Err(flaw(view, found)) }
}

/// Error for an inconsistency in the database.
fn flaw(view: &View, flaw: impl Into<String>) -> StoreError {
    StoreError::damaged(&view.folder().database(), flaw)
}
