//! What can go wrong with an index.
use std::path::PathBuf;

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
    /// The repository failed.
    #[error(transparent)]
    Store(#[from] store::StoreError),
}
