//! How a command fails: one line on standard error, and an exit code by cause.
use std::{
    error::Error as StdError,
    fmt::{self, Display},
    io,
    path::Path,
    process::ExitCode,
};

use index::IndexError;
use lab::{
    corpus::CorpusError, import::ImportError, readings::ReadingsError, tournament::TournamentError,
};
use papers::ReproduceError;
use store::StoreError;
use web::WebError;

/// How the system says that a process has too many open files (EMFILE).
const TOO_MANY_FILES: &str = "(os error 24)";

/// Why a command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Invalid flags, settings or files. Exit code 2.
    Input(String),
    /// An internal or I/O error. Exit code 1.
    Internal(String),
    /// The data folder is in use by another process. Exit code 3.
    InUse(String),
    /// Not a Sanderling data folder, one of a newer version, or a damaged one. It was not changed. Exit
    /// code 4.
    Data(String),
    /// The disk is full. Acknowledged work is kept. Exit code 5.
    DiskFull(String),
    /// No page could be fetched. Exit code 6.
    Unreachable(String),
    /// The work is done, but seeds gave nothing. Exit code 7.
    Seeds(String),
    /// A part of the budget is left, and every host that it could be spent on must be left alone. Exit
    /// code 8.
    Waiting(String),
    /// Interrupted by the user. Finished work is kept. Exit code 130, as shells expect.
    Interrupted(String),
}

impl Failure {
    /// An error of the command line, in one line.
    pub(crate) fn from_clap(error: &clap::Error) -> Self {
        let text = error.render().to_string();
        let lines: Vec<&str> = text
            .lines()
            .map(str::trim)
            .take_while(|line| !line.starts_with("Usage:"))
            .filter(|line| !line.is_empty() && !line.starts_with("For more information"))
            .collect();
        let line = lines.join(" ").replace(" tip: ", "; tip: ");
        Self::Input(line.strip_prefix("error: ").unwrap_or(&line).to_owned())
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Input(_) => 2,
            Self::Internal(_) => 1,
            Self::InUse(_) => 3,
            Self::Data(_) => 4,
            Self::DiskFull(_) => 5,
            Self::Unreachable(_) => 6,
            Self::Seeds(_) => 7,
            Self::Waiting(_) => 8,
            Self::Interrupted(_) => 130,
        })
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(why)
            | Self::Internal(why)
            | Self::InUse(why)
            | Self::Data(why)
            | Self::DiskFull(why)
            | Self::Unreachable(why)
            | Self::Seeds(why) => write!(f, "error: {why}"),
            // Nothing is wrong with it: it is too early.
            Self::Waiting(what) => f.write_str(what),
            Self::Interrupted(what) => write!(f, "interrupted: {what}"),
        }
    }
}

/// The error of a file that cannot be read or written.
pub(crate) fn file_error(verb: &str, path: &Path, error: &io::Error) -> String {
    format!("{}: cannot be {verb}: {error}", path.display())
}

/// An error with its causes, in one line.
pub(crate) fn with_causes(error: &dyn StdError) -> String {
    let mut line = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        // Some errors repeat their cause in their own text.
        if !line.contains(&text) {
            line.push_str(": ");
            line.push_str(&text);
        }
        cause = error.source();
    }
    if line.contains(TOO_MANY_FILES) {
        line.push_str("; this process may not open more: raise the limit with ulimit -n 4096");
    }
    line.replace('\n', " ")
}

impl From<TournamentError> for Failure {
    fn from(error: TournamentError) -> Self {
        let line = with_causes(&error);
        match error {
            TournamentError::Readings(error) => error.into(),
            TournamentError::TooShort { .. }
            | TournamentError::AllWarmUp { .. }
            | TournamentError::UnknownDetector(_)
            | TournamentError::Policy(_)
            | TournamentError::UnknownRates(_)
            | TournamentError::NoPages(_)
            | TournamentError::SameName(_)
            | TournamentError::SharedAddress { .. }
            | TournamentError::NoSeed { .. } => Self::Input(line),
            _ => Self::Internal(line),
        }
    }
}

impl From<ReproduceError> for Failure {
    fn from(error: ReproduceError) -> Self {
        let line = with_causes(&error);
        match error {
            ReproduceError::Tournament(error) => error.into(),
            ReproduceError::Part { source, .. } => match Self::from(source) {
                Self::Input(_) => Self::Input(line),
                _ => Self::Internal(line),
            },
            _ => Self::Input(line),
        }
    }
}

impl From<ReadingsError> for Failure {
    fn from(error: ReadingsError) -> Self {
        let line = with_causes(&error);
        match error {
            ReadingsError::Trace(_) | ReadingsError::Open { .. } => Self::Input(line),
            _ => Self::Internal(line),
        }
    }
}

impl From<ImportError> for Failure {
    fn from(error: ImportError) -> Self {
        let line = with_causes(&error);
        match error {
            ImportError::NoGit(_)
            | ImportError::Git { .. }
            | ImportError::Pipe { .. }
            | ImportError::Answer { .. }
            | ImportError::Trace(_) => Self::Internal(line),
            _ => Self::Input(line),
        }
    }
}

impl From<CorpusError> for Failure {
    fn from(error: CorpusError) -> Self {
        Self::Input(with_causes(&error))
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let line = with_causes(&error);
        match error {
            StoreError::Locked { .. } => Self::InUse(line),
            StoreError::Missing { .. } => {
                Self::Input(format!("{line}; start a crawl with: sanderling crawl URL"))
            }
            StoreError::Foreign { .. }
            | StoreError::Newer { .. }
            | StoreError::Damaged { .. }
            | StoreError::DamagedRecord { .. } => Self::Data(line),
            StoreError::DiskFull { .. } => Self::DiskFull(line),
            _ => Self::Internal(line),
        }
    }
}

impl From<WebError> for Failure {
    fn from(error: WebError) -> Self {
        let line = with_causes(&error);
        match error {
            WebError::Start(_) => Self::Internal(line),
            _ => Self::Input(line),
        }
    }
}

impl From<crawl::Error> for Failure {
    fn from(error: crawl::Error) -> Self {
        match error {
            crawl::Error::Repository(source) => match source.downcast::<StoreError>() {
                Ok(error) => (*error).into(),
                Err(source) => match source.downcast::<IndexError>() {
                    Ok(error) => (*error).into(),
                    Err(source) => Self::Internal(with_causes(source.as_ref())),
                },
            },
            error => Self::Internal(with_causes(&error)),
        }
    }
}
