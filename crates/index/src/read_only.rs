//! The folder of an index: it may be only read, such as one on a read-only disk or of another user, and it may become
//! full.
//!
//! Tantivy locks the folder while it opens the files of a commit, so that a writer does not delete them
//! meanwhile. Where nobody can write the folder there is nothing to lock, and no file for it can be made.
//!
//! Tantivy writes in threads of its own. When one fails, it says only that a thread failed, so a full disk is noted here.
use std::fs;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, Directory, DirectoryLock, FileHandle, Lock, MmapDirectory, TerminatingWrite,
    WatchCallback, WatchHandle, WritePtr,
};

use crate::folder::LOCK;

/// A folder that needs no lock where it cannot be written, and notes that its disk was full.
#[derive(Clone, Debug)]
pub(crate) struct SearchDirectory {
    inner: Box<dyn Directory>,
    folder: PathBuf,
    fullness: Fullness,
}

/// Whether a file could not be written because the disk or the quota was full.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fullness(Arc<AtomicBool>);

impl Fullness {
    pub(crate) fn was_met(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    fn note<T>(&self, written: io::Result<T>) -> io::Result<T> {
        if written.as_ref().is_err_and(is_full) {
            self.0.store(true, Ordering::SeqCst);
        }
        written
    }
}

/// A file whose errors are noted.
struct Noted {
    inner: WritePtr,
    fullness: Fullness,
}

impl Write for Noted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.fullness.note(self.inner.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.fullness.note(self.inner.flush())
    }
}

impl TerminatingWrite for Noted {
    fn terminate_ref(&mut self, token: AntiCallToken) -> io::Result<()> {
        self.fullness.note(self.inner.terminate_ref(token))
    }
}

impl SearchDirectory {
    pub(crate) fn open(folder: &Path) -> tantivy::Result<Self> {
        Ok(Self::over(Box::new(MmapDirectory::open(folder)?), folder))
    }

    fn over(inner: Box<dyn Directory>, folder: &Path) -> Self {
        Self { inner, folder: folder.to_owned(), fullness: Fullness::default() }
    }

    pub(crate) fn fullness(&self) -> Fullness {
        self.fullness.clone()
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
        let inner = self.inner.open_write(path).inspect_err(|error| {
            if let OpenWriteError::IoError { io_error, .. } = error {
                let _ = self.fullness.note(Err::<(), _>(io_error.kind().into()));
            }
        })?;
        // What is given is buffered already.
        let noted = Noted { inner, fullness: self.fullness.clone() };
        Ok(BufWriter::with_capacity(0, Box::new(noted)))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.inner.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.fullness.note(self.inner.atomic_write(path, data))?;
        // Tantivy renames a temporary file, which only its owner can read. Whoever can read the other
        // files can read this one, too.
        match fs::metadata(self.folder.join(LOCK)) {
            Ok(like) => fs::set_permissions(self.folder.join(path), like.permissions()),
            Err(_) => Ok(()),
        }
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.fullness.note(self.inner.sync_directory())
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

/// Whether an error says that no space is left.
pub(crate) fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::sync::atomic::AtomicUsize;

    use tantivy::directory::RamDirectory;
    use tantivy::schema::{STORED, Schema};
    use tantivy::{IndexSettings, IndexWriter, TantivyDocument};

    use super::*;
    use crate::IndexError;

    /// A disk with room for some writes.
    #[derive(Clone, Debug)]
    struct SmallDisk {
        inner: RamDirectory,
        room: Arc<AtomicUsize>,
    }

    struct SmallFile(WritePtr, Arc<AtomicUsize>);

    impl Write for SmallFile {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let take = |room: usize| room.checked_sub(1);
            match self.1.fetch_update(Ordering::SeqCst, Ordering::SeqCst, take) {
                Ok(_) => self.0.write(bytes),
                Err(_) => Err(ErrorKind::StorageFull.into()),
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            self.0.flush()
        }
    }

    impl TerminatingWrite for SmallFile {
        fn terminate_ref(&mut self, token: AntiCallToken) -> io::Result<()> {
            self.0.terminate_ref(token)
        }
    }

    impl Directory for SmallDisk {
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
            let file = SmallFile(self.inner.open_write(path)?, Arc::clone(&self.room));
            Ok(BufWriter::with_capacity(1, Box::new(file)))
        }

        fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
            self.inner.atomic_read(path)
        }

        fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
            self.inner.atomic_write(path, data)
        }

        fn sync_directory(&self) -> io::Result<()> {
            self.inner.sync_directory()
        }

        fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
            self.inner.watch(callback)
        }
    }

    #[test]
    fn a_disk_that_is_full_when_a_thread_of_tantivy_writes_is_said() {
        let room = Arc::new(AtomicUsize::new(usize::MAX));
        let disk = SmallDisk { inner: RamDirectory::create(), room: Arc::clone(&room) };
        let folder = Path::new("data");
        let directory = SearchDirectory::over(Box::new(disk), folder);
        let fullness = directory.fullness();
        let mut schema = Schema::builder();
        let field = schema.add_u64_field("number", STORED);
        let settings = IndexSettings::default();
        let index = tantivy::Index::create(directory, schema.build(), settings).unwrap();
        let mut writer: IndexWriter = index.writer_with_num_threads(1, 15_000_000).unwrap();
        let mut add = |number: u64| {
            let mut document = TantivyDocument::default();
            document.add_u64(field, number);
            writer.add_document(document)?;
            writer.commit()
        };
        add(1).unwrap();
        assert!(!fullness.was_met());
        room.store(3, Ordering::SeqCst);
        let source = add(2).unwrap_err();
        let error = IndexError::writing("add to", folder, &fullness)(source);
        assert!(error.is_full(), "{error:?}");
        assert!(error.to_string().contains("no space left"), "{error}");
    }

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
