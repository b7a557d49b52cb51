//! What can go wrong with a data folder. A message says what to do where something can be done.
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use warc::cdxj;

/// A data folder that cannot be opened, read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no data folder where one should be read.
    #[error("{} is not a Sanderling data folder: it has no sanderling.db", folder.display())]
    Missing {
        /// Where it was looked for.
        folder: PathBuf,
    },
    /// The folder is used for something else.
    #[error("{} is not a Sanderling data folder: it holds {what}. Nothing was changed", folder.display())]
    Foreign {
        /// The folder.
        folder: PathBuf,
        /// What is there.
        what: String,
    },
    /// A later version wrote it.
    #[error(
        "{} was written by a later version of Sanderling: it needs one that knows schema {found}, \
         this one knows schema {known}. Nothing was changed",
        path.display()
    )]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its schema.
        found: u32,
        /// The latest schema that we know.
        known: u32,
    },
    /// Another process writes to it.
    #[error("{} is in use by {}", folder.display(), process_name(*process))]
    Locked {
        /// The folder.
        folder: PathBuf,
        /// Who holds it, if that can be told.
        process: Option<u32>,
    },
    /// Something that was written is no longer as it was written.
    #[error("{} is damaged: {flaw}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        flaw: String,
    },
    /// The disk is full, or the user's share of it. What was acknowledged is safe.
    #[error("no space left to {doing}")]
    DiskFull {
        /// What was tried.
        doing: String,
        /// In the words of the system.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// SQLite refused.
    #[error("cannot {doing}")]
    Database {
        /// What was tried.
        doing: String,
        /// Why not.
        #[source]
        source: rusqlite::Error,
    },
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
    /// The archive cannot be read or written.
    #[error(transparent)]
    Warc(warc::Error),
    /// An index of the archive cannot be read or written.
    #[error(transparent)]
    Cdxj(cdxj::Error),
    /// Writing failed before, and was given up. Opening the data folder again begins with what
    /// was acknowledged.
    #[error("the repository was given up after an earlier failure")]
    GivenUp,
}

impl StoreError {
    /// Whether making space would help.
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

    /// The error of SQLite while `doing` something with the database at `path`.
    pub(crate) fn sql(doing: &str, path: &Path, source: rusqlite::Error) -> Self {
        match source.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::DiskFull {
                doing: format!("{doing} {}", path.display()),
                source: source.into(),
            },
            Some(ErrorCode::DatabaseCorrupt) => Self::damaged(path, source.to_string()),
            Some(ErrorCode::NotADatabase) => {
                Self::damaged(path, "it is no database of SQLite, or its beginning is overwritten")
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
                format!("it has {found} bytes, but {committed} were written and acknowledged"),
            ),
            warc::Error::File { path, source, .. } if source.kind() == io::ErrorKind::NotFound => {
                Self::damaged(&path, "it is gone, but the log refers to it")
            }
            other => Self::Warc(other),
        }
    }
}

impl From<cdxj::Error> for StoreError {
    fn from(error: cdxj::Error) -> Self {
        match error {
            cdxj::Error::Full { action, path, source } => Self::file(action, &path, source),
            other => Self::Cdxj(other),
        }
    }
}

impl From<StoreError> for crawl::Error {
    fn from(error: StoreError) -> Self {
        Self::Repository(Box::new(error))
    }
}

/// Whether the database holds a value that we would not have written.
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
