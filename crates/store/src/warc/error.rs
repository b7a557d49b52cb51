//! What can go wrong with a WARC file: always with its path, and where it is about a record, its
//! place.
use std::io;
use std::path::{Path, PathBuf};

/// A WARC file that cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file system refused.
    #[error("cannot {action} {}", path.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// The disk is full, or the user's share of it. What was committed is safe.
    #[error("no space left to {action} {}", path.display())]
    Full {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// In the words of the system.
        #[source]
        source: io::Error,
    },
    /// A file lost bytes that were committed: not ours to repair.
    #[error("{} has {found} bytes, but {committed} were committed", path.display())]
    Short {
        /// The file.
        path: PathBuf,
        /// Its length.
        found: u64,
        /// What it should at least be.
        committed: u64,
    },
    /// The file ends inside a record: its writer was stopped, or the copy was.
    #[error("{} ends inside the record at byte {offset}", path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Where the record begins.
        offset: u64,
    },
    /// The compressed bytes are not what was written.
    #[error("{} is damaged in the record at byte {offset}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where the record begins.
        offset: u64,
        /// What the decompressor met.
        #[source]
        source: io::Error,
    },
    /// What is there is no record.
    #[error("the record at byte {offset} of {}: {flaw}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Where the record begins.
        offset: u64,
        /// Why it is none.
        flaw: Flaw,
    },
}

/// Why bytes are no record that we take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Flaw {
    /// It does not begin with `WARC/`.
    #[error("it does not begin with a version of WARC")]
    Version,
    /// A line of its head has no colon.
    #[error("a line of its head is no field")]
    Field,
    /// Its head is longer than we take.
    #[error("its head is longer than {0} bytes")]
    HeadLength(usize),
    /// It does not say how long its block is.
    #[error("it has no length, or one that is no number")]
    NoLength,
    /// Its block is longer than we take.
    #[error("its block of {length} bytes is longer than {limit}")]
    BlockLength {
        /// What it says of itself.
        length: u64,
        /// What we take.
        limit: u64,
    },
}

impl Error {
    /// The error of `action` on `path`; a full disk is told apart.
    pub(super) fn file(action: &'static str, path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        if is_full(&source) {
            Self::Full { action, path, source }
        } else {
            Self::File { action, path, source }
        }
    }

    /// Whether making space would help.
    pub fn is_full(&self) -> bool {
        matches!(self, Self::Full { .. })
    }
}

/// Whether the system says that there is no space.
pub(crate) fn is_full(source: &io::Error) -> bool {
    matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}
