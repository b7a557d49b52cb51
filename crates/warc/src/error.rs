//! Errors of WARC files, with the path and, for a record, its offset.
use std::io;
use std::path::{Path, PathBuf};

/// A WARC file cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An I/O error.
    #[error("cannot {action} {}", path.display())]
    File {
        /// The operation.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The disk or the quota is full. Committed records are safe.
    #[error("no space left to {action} {}", path.display())]
    Full {
        /// The operation.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// A file lost committed bytes.
    #[error("{} has {found} bytes, but {committed} were committed", path.display())]
    Short {
        /// The file.
        path: PathBuf,
        /// Its length.
        found: u64,
        /// Its committed length.
        committed: u64,
    },
    /// The file ends inside a record: its writer or a copy was interrupted.
    #[error("{} ends inside the record at byte {offset}", path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Where the record begins.
        offset: u64,
    },
    /// The compressed data is damaged.
    #[error("{} is damaged in the record at byte {offset}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where the record begins.
        offset: u64,
        /// The error of the decompressor.
        #[source]
        source: io::Error,
    },
    /// Not a valid record.
    #[error("the record at byte {offset} of {}: {flaw}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Where the record begins.
        offset: u64,
        /// What is wrong.
        flaw: Flaw,
    },
}

/// What is wrong with a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Flaw {
    /// It does not begin with `WARC/`.
    #[error("it does not start with a WARC version")]
    Version,
    /// A line of its head has no colon.
    #[error("a line of its head is not a field")]
    Field,
    /// Its head is too long.
    #[error("its head is longer than {0} bytes")]
    HeadLength(usize),
    /// Its `Content-Length` is missing or invalid.
    #[error("its Content-Length is missing or not a number")]
    NoLength,
    /// Its block is too long.
    #[error("its block of {length} bytes is longer than {limit}")]
    BlockLength {
        /// Its stated length.
        length: u64,
        /// The limit.
        limit: u64,
    },
}

impl Error {
    /// The error of `action` on `path`: [`Error::Full`] if there is no space.
    pub(super) fn file(action: &'static str, path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        if is_full(&source) {
            Self::Full { action, path, source }
        } else {
            Self::File { action, path, source }
        }
    }

    /// The offset of the record that is damaged, cut off or malformed; `None` for other errors.
    pub fn damaged_record(&self) -> Option<u64> {
        match self {
            Self::Truncated { offset, .. }
            | Self::Damaged { offset, .. }
            | Self::Malformed { offset, .. } => Some(*offset),
            Self::File { .. } | Self::Full { .. } | Self::Short { .. } => None,
        }
    }

    /// Whether there is no space left.
    pub fn is_full(&self) -> bool {
        matches!(self, Self::Full { .. })
    }
}

/// Whether an I/O error means that there is no space left.
pub fn is_full(source: &io::Error) -> bool {
    matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}
