//! Checking that everything in a data folder agrees with everything else.
//!
//! The log is the truth. Pages must be what the log makes of them; every record that the log names
//! must be in the archive as it says, and nothing else may be; the indexes must list exactly these
//! records; what is held must read from the archive as it was read when it came; and states of
//! instruments must be those that were written.
mod archive;
mod instruments;
mod log;

use std::path::Path;

use crate::folder::Folder;
use crate::lock::Lock;
use crate::view::View;
use crate::writer::files::Files;
use crate::{StoreError, load};

/// What was checked, and found to agree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Pages.
    pub pages: u64,
    /// Observations in the log.
    pub observations: u64,
    /// Responses in the archive.
    pub responses: u64,
    /// Revisits in the archive.
    pub revisits: u64,
    /// WARC files.
    pub files: u64,
    /// Their bytes, each of which belongs to a record that is known.
    pub bytes: u64,
    /// Held snapshots that were read again from the archive and came out the same.
    pub read_again: u64,
    /// States of pages that instruments keep.
    pub page_states: u64,
}

/// Reads everything in the data folder at `folder` and checks that it agrees. Takes the lock, since
/// nothing agrees while it is being written.
///
/// # Errors
/// [`StoreError::Damaged`] with the first flaw, or why something could not be read.
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

/// Has SQLite check its own file.
fn check_database(view: &View) -> Result<(), StoreError> {
    let found: String = view
        .connection()
        .query_row("PRAGMA quick_check(1)", (), |row| row.get(0))
        .map_err(|e| view.error(e))?;
    if found == "ok" { Ok(()) } else { Err(flaw(view, found)) }
}

/// A flaw of the database.
fn flaw(view: &View, flaw: impl Into<String>) -> StoreError {
    StoreError::damaged(&view.folder().database(), flaw)
}
