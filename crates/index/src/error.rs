//! Errors of the index.
use std::io;
use std::path::{Path, PathBuf};

use crate::read_only::Fullness;

/// Error of the index. It can always be rebuilt from the repository.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// There is no index.
    #[error("{} has no search index", folder.display())]
    Missing {
        /// Data folder.
        folder: PathBuf,
    },
    /// Another process writes the index.
    #[error("another process is writing the search index in {}", folder.display())]
    InUse {
        /// Data folder.
        folder: PathBuf,
    },
    /// The index is damaged, belongs to another repository, or was written by another version.
    /// [`Index::open`](crate::Index::open) rebuilds it.
    #[error("the search index in {} cannot be used: {why}", folder.display())]
    Unusable {
        /// Data folder.
        folder: PathBuf,
        /// Reason.
        why: String,
    },
    /// A commit was refused because its log position is not durable yet.
    #[error(
        "cannot commit the search index in {} at position {position}: the log is durable up to {durable}",
        folder.display()
    )]
    Ahead {
        /// Data folder.
        folder: PathBuf,
        /// Position of the commit.
        position: u64,
        /// Last durable position.
        durable: u64,
    },
    /// The disk or the quota is full.
    #[error("no space left to {doing} the search index in {}", folder.display())]
    DiskFull {
        /// What was being done.
        doing: &'static str,
        /// Data folder.
        folder: PathBuf,
        /// Cause.
        source: tantivy::TantivyError,
    },
    /// Tantivy failed.
    #[error("cannot {doing} the search index in {}", folder.display())]
    Engine {
        /// What was being done.
        doing: &'static str,
        /// Data folder.
        folder: PathBuf,
        /// Cause.
        source: tantivy::TantivyError,
    },
    /// I/O error.
    #[error("cannot {doing} {}", path.display())]
    File {
        /// What was being done.
        doing: &'static str,
        /// File or folder.
        path: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// The repository failed.
    #[error(transparent)]
    Store(#[from] store::StoreError),
}

impl IndexError {
    /// Whether rebuilding the index fixes the error.
    pub fn is_fixed_by_rebuild(&self) -> bool {
        matches!(self, Self::Missing { .. } | Self::Unusable { .. })
    }

    /// Whether the data folder cannot be written.
    pub fn is_read_only(&self) -> bool {
        match self {
            Self::File { source, .. } => crate::read_only::is_read_only(source),
            Self::Store(error) => error.is_read_only(),
            _ => false,
        }
    }

    /// Whether the disk or the quota is full.
    pub fn is_full(&self) -> bool {
        match self {
            Self::DiskFull { .. } => true,
            Self::File { source, .. } => crate::read_only::is_full(source),
            Self::Store(error) => error.is_full(),
            _ => false,
        }
    }

    /// Maps an error of tantivy while it writes; an argument of `map_err`.
    pub(crate) fn writing(
        doing: &'static str,
        folder: &Path,
        fullness: &Fullness,
    ) -> impl FnOnce(tantivy::TantivyError) -> Self {
        let (folder, is_full) = (folder.to_owned(), fullness.was_met());
        move |source| {
            if is_full {
                Self::DiskFull { doing, folder, source }
            } else {
                Self::Engine { doing, folder, source }
            }
        }
    }

    /// Maps an error of tantivy; an argument of `map_err`.
    pub(crate) fn engine(
        doing: &'static str,
        folder: &Path,
    ) -> impl FnOnce(tantivy::TantivyError) -> Self {
        let folder = folder.to_owned();
        move |source| Self::Engine { doing, folder, source }
    }

    /// Maps an I/O error; an argument of `map_err`.
    pub(crate) fn file(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { doing, path, source }
    }

    pub(crate) fn unusable(folder: &Path, why: impl Into<String>) -> Self {
        Self::Unusable { folder: folder.to_owned(), why: why.into() }
    }
}

impl From<IndexError> for crawl::Error {
    fn from(error: IndexError) -> Self {
        Self::Repository(Box::new(error))
    }
}
