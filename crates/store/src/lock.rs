//! The lock of a data folder.
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use crate::StoreError;

/// Exclusive lock on a data folder. The operating system releases it when the process ends. The
/// file stays, with the ID of the last process that held it.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// The same, or `None` where the folder cannot be written: then nobody else writes it, either.
    pub(crate) fn take_to_read(folder: &Path, path: &Path) -> Result<Option<Self>, StoreError> {
        match Self::take(folder, path) {
            Ok(lock) => Ok(Some(lock)),
            Err(error) if error.is_read_only() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Takes the lock at `path`, without waiting.
    pub(crate) fn take(folder: &Path, path: &Path) -> Result<Self, StoreError> {
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(|e| StoreError::file("open", path, e))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                // The ID is only for the message.
                let _ = file.read_to_string(&mut text);
                let process = text.trim().parse().ok();
                return Err(StoreError::Locked { folder: folder.to_owned(), process });
            }
            Err(TryLockError::Error(source)) => {
                return Err(StoreError::file("lock", path, source));
            }
        }
        let name = |file: &mut File| {
            file.set_len(0)?;
            file.seek(SeekFrom::Start(0))?;
            writeln!(file, "{}", std::process::id())
        };
        name(&mut file).map_err(|e| StoreError::file("write", path, e))?;
        Ok(Self { _file: file })
    }
}
