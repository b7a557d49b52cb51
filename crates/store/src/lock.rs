//! One writer at a time.
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use crate::StoreError;

/// Holds a data folder for this process. The system lets go of it when the process ends, however
/// it ends; the file stays, with the number of the last process that held it.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock at `path`, at once or not at all.
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
                // Who holds it is good to know, and may not be known.
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
