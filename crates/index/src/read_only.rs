//! A folder of an index that may be only read, such as one on a read-only disk or of another user.
//!
//! Tantivy locks the folder while it opens the files of a commit, so that a writer does not delete them
//! meanwhile. Where nobody can write the folder there is nothing to lock, and no file for it can be made.
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    Directory, DirectoryLock, FileHandle, Lock, MmapDirectory, WatchCallback, WatchHandle, WritePtr,
};

use crate::folder::LOCK;

/// A folder that needs no lock where it cannot be written.
#[derive(Clone, Debug)]
pub(crate) struct SearchDirectory {
    inner: MmapDirectory,
    folder: PathBuf,
}

impl SearchDirectory {
    pub(crate) fn open(folder: &Path) -> tantivy::Result<Self> {
        Ok(Self { inner: MmapDirectory::open(folder)?, folder: folder.to_owned() })
    }
}

impl Directory for SearchDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.inner.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.inner.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.inner.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        self.inner.open_write(path)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.inner.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.inner.atomic_write(path, data)?;
        // Tantivy renames a temporary file, which only its owner can read. Whoever can read the other
        // files can read this one, too.
        match fs::metadata(self.folder.join(LOCK)) {
            Ok(like) => fs::set_permissions(self.folder.join(path), like.permissions()),
            Err(_) => Ok(()),
        }
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.inner.sync_directory()
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        match self.inner.acquire_lock(lock) {
            Err(LockError::IoError(error)) if is_read_only(&error) => {
                Ok(DirectoryLock::from(Box::new(())))
            }
            other => other,
        }
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.inner.watch(callback)
    }
}

/// Whether an error says that the place cannot be written.
pub(crate) fn is_read_only(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_list_of_segments_can_be_read_by_whoever_can_read_the_rest() {
        let folder = tempfile::tempdir().unwrap();
        let lock = folder.path().join(LOCK);
        fs::write(&lock, "").unwrap();
        fs::set_permissions(&lock, fs::Permissions::from_mode(0o644)).unwrap();
        let directory = SearchDirectory::open(folder.path()).unwrap();
        directory.atomic_write(Path::new("meta.json"), b"{}").unwrap();
        let mode = fs::metadata(folder.path().join("meta.json")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o644);
    }
}
