//! Why readings could not be had.
use std::{io, path::PathBuf};

use crate::trace::TraceError;

/// Why readings could not be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadingsError {
    /// The trace is not what a trace must be.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The trace cannot be opened.
    #[error("{}: cannot be read", path.display())]
    Open {
        /// The trace file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The cache cannot be written.
    #[error("{}: cannot be written; name another folder for readings with --cache", folder.display())]
    Cache {
        /// The cache folder.
        folder: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A file of the cache is not what was written there.
    #[error("{}: is damaged; remove it, and the trace will be read again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
}
