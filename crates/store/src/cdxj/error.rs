//! What can go wrong with an index file.
use std::io;
use std::path::PathBuf;

/// An index file that cannot be written or read.
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
    /// The disk is full, or the user's share of it. The index is as it was before.
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
    /// A line is no entry.
    #[error("line {line} of {}: {flaw}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Which line, from 1.
        line: u64,
        /// Why it is none.
        flaw: Flaw,
    },
}

/// Why a line is no entry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Flaw {
    /// It lacks one of its three parts.
    #[error("it is not a key, a date and an object")]
    Parts,
    /// It is longer than we take.
    #[error("it is longer than {0} bytes")]
    Length(usize),
    /// It is no UTF-8.
    #[error("it is no UTF-8")]
    Encoding,
    /// Its date is none.
    #[error("its date is not 14 digits")]
    Date,
    /// Its object cannot be read.
    #[error("its object is no JSON: {0}")]
    Json(String),
    /// A field is missing, or is not what it should be.
    #[error("its field {0} is missing or cannot be read")]
    Field(&'static str),
}
