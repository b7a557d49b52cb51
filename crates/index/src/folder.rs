//! Paths and the lock of an index.
use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use crate::IndexError;

/// Tantivy's list of segments. Without it there is no index.
const META: &str = "meta.json";
/// Our own lock file, because tantivy's is deleted with the index.
pub(crate) const LOCK: &str = "lock";

/// Folder of the index in the data folder `folder`.
pub(crate) fn search_folder(folder: &Path) -> PathBuf {
    folder.join("search")
}

pub(crate) fn meta(folder: &Path) -> PathBuf {
    search_folder(folder).join(META)
}

pub(crate) fn ranks(folder: &Path) -> PathBuf {
    search_folder(folder).join("ranks")
}

/// Exclusive lock on an index. The operating system releases it when the process ends.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of the index in the data folder `folder`, without waiting.
    pub(crate) fn take(folder: &Path) -> Result<Self, IndexError> {
        let search = search_folder(folder);
        fs::create_dir_all(&search).map_err(IndexError::file("create", &search))?;
        let path = search.join(LOCK);
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
        let file = file.map_err(IndexError::file("open", &path))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(IndexError::InUse { folder: folder.to_owned() }),
            Err(TryLockError::Error(source)) => Err(IndexError::file("lock", &path)(source)),
        }
    }
}

/// Deletes an index except its lock. Searchers keep the files open and continue.
pub(crate) fn clear(folder: &Path, _held: &Lock) -> Result<(), IndexError> {
    let search = search_folder(folder);
    // First, so that a partly deleted index does not look like an index after a crash.
    remove(&search.join(META))?;
    for entry in fs::read_dir(&search).map_err(IndexError::file("list", &search))? {
        let entry = entry.map_err(IndexError::file("list", &search))?;
        if entry.file_name() != LOCK {
            remove(&entry.path())?;
        }
    }
    Ok(())
}

fn remove(path: &Path) -> Result<(), IndexError> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(IndexError::file("remove", path)(e))
        }
        _ => Ok(()),
    }
}
