//! Errors of loading a trace.
use std::{io, path::PathBuf};

use crate::trace::TraceError;

/// Why a trace could not be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadingsError {
    /// The trace is invalid.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The trace cannot be opened.
    #[error("{}: cannot be read", path.display())]
    Open {
        /// The trace file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The cache cannot be written.
    #[error("{}: cannot be written; name another folder for readings with --cache", folder.display())]
    Cache {
        /// The cache folder.
        folder: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// A file of the cache is damaged.
    #[error("{}: is damaged; remove it, and the trace will be read again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
}
