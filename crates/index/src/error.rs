//! What can go wrong with an index.
use std::io;
use std::path::{Path, PathBuf};

/// Why an index could not be used. It can always be built anew: the repository holds everything.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// There is none yet.
    #[error("{} has no search index yet", folder.display())]
    Missing {
        /// The data folder.
        folder: PathBuf,
    },
    /// Another process writes it.
    #[error("another process is writing the search index in {}", folder.display())]
    InUse {
        /// The data folder.
        folder: PathBuf,
    },
    /// It is no longer as it was written, belongs to another repository, or was made by another
    /// version. Whoever opens it to write begins it anew.
    #[error("the search index in {} cannot be used: {why}", folder.display())]
    Unusable {
        /// The data folder.
        folder: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// It was to be committed for an observation that the log does not have for good yet.
    #[error(
        "the search index in {} may not run ahead of the log: {position} is after {durable}",
        folder.display()
    )]
    Ahead {
        /// The data folder.
        folder: PathBuf,
        /// The observation.
        position: u64,
        /// The last one that lasts.
        durable: u64,
    },
    /// The engine failed.
    #[error("cannot {doing} the search index in {}", folder.display())]
    Engine {
        /// What was being done.
        doing: &'static str,
        /// The data folder.
        folder: PathBuf,
        /// Why.
        source: tantivy::TantivyError,
    },
    /// The file system refused.
    #[error("cannot {doing} {}", path.display())]
    File {
        /// What was tried.
        doing: &'static str,
        /// On what.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The repository failed.
    #[error(transparent)]
    Store(#[from] store::StoreError),
}

impl IndexError {
    /// Whether building the index anew would help.
    pub fn is_mended_by_rebuilding(&self) -> bool {
        matches!(self, Self::Missing { .. } | Self::Unusable { .. })
    }

    /// An error of the engine while `doing` something; used as the argument of `map_err`.
    pub(crate) fn engine(
        doing: &'static str,
        folder: &Path,
    ) -> impl FnOnce(tantivy::TantivyError) -> Self {
        let folder = folder.to_owned();
        move |source| Self::Engine { doing, folder, source }
    }

    /// An error of the file system while `doing` something with `path`, likewise.
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
