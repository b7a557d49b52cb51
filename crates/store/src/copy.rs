//! Copies a data folder while another process may write it.
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

use crate::folder::Folder;
use crate::options::Options;
use crate::view::View;
use crate::{QueryLog, Store, StoreError, private, schema};

/// Copies the data folder `from` to `to`, which must be empty or missing: the database as of one instant, the
/// WARC files up to there, CDXJ indexes and the query log. The search index is left out; it can be built
/// again. Returns the number of copied bytes.
///
/// # Errors
/// If `to` has anything in it, or on I/O errors.
pub fn copy(from: &Path, to: &Path) -> Result<u64, StoreError> {
    let view = View::open(from)?;
    let target = Folder::new(to);
    let has_files = fs::read_dir(to).is_ok_and(|mut entries| entries.next().is_some());
    if has_files {
        let what = "other files already".to_owned();
        return Err(StoreError::Foreign { folder: to.to_owned(), what });
    }
    private::create_folder(to).map_err(|e| StoreError::file("create", to, e))?;
    target.create()?;
    // The database first: the archive is never behind it.
    schema::copy(view.connection(), &view.folder().database(), &target.database())?;
    let copied = View::open(to)?;
    let mut bytes = 0;
    for file in copied.archive(&mut |_| false)? {
        let name = file.path.file_name().unwrap_or_default();
        let source = view.folder().archive().join(name);
        bytes += copy_start(&source, &file.path, file.bytes)?;
    }
    drop(copied);
    if let Some(log) = QueryLog::open_to_read(from)? {
        log.copy(to)?;
    }
    // Writes the CDXJ indexes.
    Store::open(to, Options { body_limit: 0, ..Options::default() })?.finish()?;
    Ok(bytes)
}

/// Copies the first `length` bytes of a file.
fn copy_start(from: &Path, to: &Path, length: u64) -> Result<u64, StoreError> {
    let source = File::open(from).map_err(|e| StoreError::file("open", from, e))?;
    let write = || -> io::Result<u64> {
        let mut file = File::create_new(to)?;
        let bytes = io::copy(&mut source.take(length), &mut file)?;
        file.sync_all()?;
        Ok(bytes)
    };
    write().map_err(|e| StoreError::file("write", to, e))
}
