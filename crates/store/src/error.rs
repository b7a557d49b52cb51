//! Errors of the store. Messages say what to do where something can be done.
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use warc::cdxj;

/// Error while opening, reading or writing a data folder.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no data folder.
    #[error("{} is not a Sanderling data folder: it has no sanderling.db", folder.display())]
    Missing {
        /// Folder.
        folder: PathBuf,
    },
    /// The folder holds other files.
    #[error("{} is not a Sanderling data folder: it holds {what}. Nothing was changed", folder.display())]
    Foreign {
        /// Folder.
        folder: PathBuf,
        /// What it holds.
        what: String,
    },
    /// A later version wrote the database.
    #[error(
        "{} was written by a later version of Sanderling: it has schema {found}, and this version \
         supports up to schema {known}. Nothing was changed",
        path.display()
    )]
    Newer {
        /// Database.
        path: PathBuf,
        /// Its schema version.
        found: u32,
        /// Latest supported schema version.
        known: u32,
    },
    /// Another process writes to it.
    #[error("{} is in use by {}", folder.display(), process_name(*process))]
    Locked {
        /// Folder.
        folder: PathBuf,
        /// ID of that process, if known.
        process: Option<u32>,
    },
    /// A file is corrupt, or the data is inconsistent.
    #[error("{} is damaged: {flaw}", path.display())]
    Damaged {
        /// File.
        path: PathBuf,
        /// What is wrong.
        flaw: String,
    },
    /// A record of the archive is damaged. All others can be read.
    #[error(
        "{} is damaged: the record at byte {offset}: {flaw}. `sanderling verify` names every damaged \
         record, and `sanderling repair` goes on without them",
        path.display()
    )]
    DamagedRecord {
        /// WARC file.
        path: PathBuf,
        /// Where the record begins.
        offset: u64,
        /// What is wrong.
        flaw: String,
    },
    /// The disk or the quota is full. Acknowledged visits are safe.
    #[error("no space left to {doing}")]
    DiskFull {
        /// What was being done.
        doing: String,
        /// Cause.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// SQLite failed.
    #[error("cannot {doing}")]
    Database {
        /// What was being done.
        doing: String,
        /// Cause.
        #[source]
        source: rusqlite::Error,
    },
    /// I/O error.
    #[error("cannot {action} {}", path.display())]
    File {
        /// What was being done.
        action: &'static str,
        /// File or folder.
        path: PathBuf,
        /// Cause.
        #[source]
        source: io::Error,
    },
    /// A WARC file cannot be read or written.
    #[error(transparent)]
    Warc(warc::Error),
    /// A CDXJ index cannot be read or written.
    #[error(transparent)]
    Cdxj(cdxj::Error),
    /// The writer stopped after an earlier error. Open the data folder again to continue from the
    /// last acknowledged visit.
    #[error("the writer stopped after an earlier error; open the data folder again")]
    Stopped,
}

impl StoreError {
    /// Whether the data folder cannot be written.
    pub fn is_read_only(&self) -> bool {
        use ErrorCode::{CannotOpen, PermissionDenied, ReadOnly};
        match self {
            Self::Database { source, .. } => {
                matches!(source.sqlite_error_code(), Some(CannotOpen | PermissionDenied | ReadOnly))
            }
            Self::File { source, .. } => matches!(
                source.kind(),
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
            ),
            _ => false,
        }
    }

    /// Whether something in the data folder is damaged.
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::Damaged { .. } | Self::DamagedRecord { .. })
    }

    /// Whether the disk is full.
    pub fn is_full(&self) -> bool {
        matches!(self, Self::DiskFull { .. })
    }

    pub(crate) fn file(action: &'static str, path: &Path, source: io::Error) -> Self {
        if warc::is_full(&source) {
            let doing = format!("{action} {}", path.display());
            return Self::DiskFull { doing, source: source.into() };
        }
        Self::File { action, path: path.to_owned(), source }
    }

    pub(crate) fn damaged(path: &Path, flaw: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), flaw: flaw.into() }
    }

    pub(crate) fn damaged_record(path: &Path, offset: u64, flaw: impl Into<String>) -> Self {
        Self::DamagedRecord { path: path.to_owned(), offset, flaw: flaw.into() }
    }

    /// Maps an error of SQLite while `doing` something with the database at `path`.
    pub(crate) fn sql(doing: &str, path: &Path, source: rusqlite::Error) -> Self {
        match source.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::DiskFull {
                doing: format!("{doing} {}", path.display()),
                source: source.into(),
            },
            Some(ErrorCode::DatabaseCorrupt) => Self::damaged(path, source.to_string()),
            Some(ErrorCode::NotADatabase) => {
                Self::damaged(path, "not an SQLite database, or its header is overwritten")
            }
            _ if is_wrong_value(&source) => Self::damaged(path, source.to_string()),
            _ => Self::Database { doing: format!("{doing} {}", path.display()), source },
        }
    }
}

impl From<warc::Error> for StoreError {
    fn from(error: warc::Error) -> Self {
        match error {
            warc::Error::Full { action, path, source } => Self::file(action, &path, source),
            warc::Error::Short { path, found, committed } => Self::damaged(
                &path,
                format!("it has {found} bytes, but {committed} bytes were acknowledged"),
            ),
            warc::Error::File { path, source, .. } if source.kind() == io::ErrorKind::NotFound => {
                Self::damaged(&path, "it is missing, but the log refers to it")
            }
            warc::Error::Truncated { path, offset } => {
                Self::damaged_record(&path, offset, "the file ends inside it")
            }
            warc::Error::Damaged { path, offset, source } => {
                Self::damaged_record(&path, offset, source.to_string())
            }
            warc::Error::Malformed { path, offset, flaw } => {
                Self::damaged_record(&path, offset, flaw.to_string())
            }
            other => Self::Warc(other),
        }
    }
}

impl From<cdxj::Error> for StoreError {
    fn from(error: cdxj::Error) -> Self {
        match error {
            cdxj::Error::Full { action, path, source } => Self::file(action, &path, source),
            cdxj::Error::Line { ref path, .. } => Self::damaged(path, error.to_string()),
            other => Self::Cdxj(other),
        }
    }
}

impl From<StoreError> for crawl::Error {
    fn from(error: StoreError) -> Self {
        Self::Repository(Box::new(error))
    }
}

/// Whether the database has a value that this program does not write.
fn is_wrong_value(error: &rusqlite::Error) -> bool {
    matches!(
        error,
        rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::InvalidColumnType(..)
    )
}

fn process_name(process: Option<u32>) -> String {
    process.map_or_else(|| "another process".to_owned(), |id| format!("process {id}"))
}
