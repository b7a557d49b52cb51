//! Where an index is, and who may write it.
use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use crate::IndexError;

/// The file that names the segments of an index: without it, there is none.
const META: &str = "meta.json";
/// The file that a writer holds. It is none of tantivy's, because it must outlast an index that is
/// thrown away.
const LOCK: &str = "lock";

/// The index of the data folder at `folder`.
pub(crate) fn search(folder: &Path) -> PathBuf {
    folder.join("search")
}

/// Names the segments.
pub(crate) fn meta(folder: &Path) -> PathBuf {
    search(folder).join(META)
}

/// The ranks of the pages.
pub(crate) fn ranks(folder: &Path) -> PathBuf {
    search(folder).join("ranks")
}

/// Holds an index for this process. The system lets go of it when the process ends, however it
/// ends.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of the index in the data folder at `folder`, at once or not at all.
    pub(crate) fn take(folder: &Path) -> Result<Self, IndexError> {
        let search = search(folder);
        fs::create_dir_all(&search).map_err(IndexError::file("make", &search))?;
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

/// Throws an index away; the lock must be held, and stays. Whoever still reads the index has its
/// files open, and goes on with them.
pub(crate) fn clear(folder: &Path, _held: &Lock) -> Result<(), IndexError> {
    let search = search(folder);
    // First of all, so that a half that is left after a kill is no index.
    remove(&search.join(META))?;
    for entry in fs::read_dir(&search).map_err(IndexError::file("list", &search))? {
        let entry = entry.map_err(IndexError::file("list", &search))?;
        if entry.file_name() != LOCK {
            remove(&entry.path())?;
        }
    }
    Ok(())
}

/// Throws the index of the data folder at `folder` away. The next [`catch_up`](crate::catch_up())
/// builds it anew.
///
/// # Errors
/// When another process writes it, or the disk refuses.
pub fn discard(folder: &Path) -> Result<(), IndexError> {
    clear(folder, &Lock::take(folder)?)
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
