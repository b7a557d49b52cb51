//! Errors of index files.
use std::io;
use std::path::PathBuf;

/// An index file cannot be written or read.
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
    /// The disk or the quota is full. The index is unchanged.
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
    /// A line is not an entry.
    #[error("line {line} of {}: {flaw}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Which line, from 1.
        line: u64,
        /// What is wrong.
        flaw: Flaw,
    },
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Flaw {
    /// It lacks one of its three parts.
    #[error("it is not a key, a date and an object")]
    Parts,
    /// It has another number of fields than the formats that are known.
    #[error("it has {0} fields; without a header, lines of CDX have 7, 9, 10 or 11")]
    Fields(usize),
    /// It has another number of fields than the header names.
    #[error("it has {found} fields, and the header names {named}")]
    FieldCount {
        /// The fields of the line.
        found: usize,
        /// Those of the header.
        named: usize,
    },
    /// It is a header that does not name the address, the date or the digest.
    #[error("its header does not name the fields a, b and k (address, date, digest)")]
    Header,
    /// It is too long.
    #[error("it is longer than {0} bytes")]
    Length(usize),
    /// It is invalid UTF-8.
    #[error("it is invalid UTF-8")]
    Encoding,
    /// Its date is invalid.
    #[error("its date is not 14 digits")]
    Date,
    /// Its object is invalid JSON.
    #[error("its object is invalid JSON: {0}")]
    Json(String),
    /// A field is missing or invalid.
    #[error("its field {0} is missing or invalid")]
    Field(&'static str),
}
