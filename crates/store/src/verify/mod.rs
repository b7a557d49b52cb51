//! Checks the consistency of a data folder.
//!
//! The log is the ground truth. Replaying it must give the stored pages. The archive must contain
//! exactly the records that the log names. The CDXJ indexes must list exactly these records.
//! Parsing the archive again must give the held snapshots. Instrument states must be intact.
mod archive;
mod content;
mod instruments;
mod log;

use std::path::{Path, PathBuf};

use crawl::PageNo;

use crate::folder::Folder;
use crate::lock::Lock;
use crate::view::View;
use crate::writer::files::Files;
use crate::{StoreError, load, schema};

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
    /// Records that are known to be lost.
    pub lost: u64,
}

/// A damaged file, or a damaged record in one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The file.
    pub path: PathBuf,
    /// Where the record begins; `None` if the file as a whole is meant.
    pub offset: Option<u64>,
    /// The address of the record, if the log has it. A request is not in the log.
    pub address: Option<String>,
    /// The page whose held snapshot is in the record.
    pub page: Option<PageNo>,
    /// What is wrong.
    pub flaw: String,
    /// Number of the WARC file.
    pub(crate) file: i64,
}

impl Damage {
    fn into_error(self) -> StoreError {
        match self.offset {
            Some(offset) => StoreError::DamagedRecord { path: self.path, offset, flaw: self.flaw },
            None => StoreError::Damaged { path: self.path, flaw: self.flaw },
        }
    }
}

/// Checks everything in the data folder `folder`. Takes the lock, because nothing may be written
/// meanwhile.
///
/// # Errors
/// [`StoreError::Damaged`] or [`StoreError::DamagedRecord`] for the first inconsistency; I/O errors.
pub fn verify(folder: &Path) -> Result<Verified, StoreError> {
    let (verified, damage) = examine(folder)?;
    match damage.into_iter().next() {
        Some(first) => Err(first.into_error()),
        None => Ok(verified),
    }
}

/// Like [`verify`], but a damaged record or CDXJ index does not end the check: all are returned, in the
/// order of the archive.
///
/// # Errors
/// [`StoreError::Damaged`] if the database or a whole WARC file is damaged; I/O errors.
pub fn examine(folder: &Path) -> Result<(Verified, Vec<Damage>), StoreError> {
    let view = View::open(folder)?;
    let folder = Folder::new(folder);
    let _lock = Lock::take_to_read(folder.root(), &folder.lock())?;
    schema::check_integrity(view.connection(), &folder.database(), "integrity_check")?;
    let mut verified = Verified::default();
    let loaded = load::load(view.connection(), &folder)?;
    log::check(&view, &loaded, &mut verified)?;
    drop(loaded);
    instruments::check(&view, &mut verified)?;
    let files = Files::load(view.connection()).map_err(|e| view.error(e))?;
    let damage = archive::check(&view, files.rows(), &mut verified)?;
    Ok((verified, damage))
}

/// Error for an inconsistency in the database.
fn flaw(view: &View, flaw: impl Into<String>) -> StoreError {
    StoreError::damaged(&view.folder().database(), flaw)
}
