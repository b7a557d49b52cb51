//! Why an import fails. Every text is one line that says what to do about it, where something can
//! be done.
use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::warc::CaptureError;
use crate::trace::TraceError;

/// Why a trace cannot be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The git program is not there.
    #[error("the program `git` cannot be started; install it, or add its folder to PATH")]
    NoGit(#[source] io::Error),
    /// The path is not a folder.
    #[error("{}: is not a folder; REPO is a clone of the repository, bare or not", path.display())]
    NoFolder {
        /// What was given.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The folder is not a repository.
    #[error("{}: is not a git repository ({message})", path.display())]
    NoRepository {
        /// What was given.
        path: PathBuf,
        /// What git said.
        message: String,
    },
    /// Nothing was ever committed.
    #[error("{}: has no commits", path.display())]
    NoCommits {
        /// The repository.
        path: PathBuf,
    },
    /// The branch is not there.
    #[error("{}: has no branch {branch:?}; it has {known}", path.display())]
    NoBranch {
        /// The repository.
        path: PathBuf,
        /// What was asked for.
        branch: String,
        /// Some that it has, in words.
        known: String,
    },
    /// The base is not an address that paths can be added to.
    #[error("base {0:?} is not an address as in https://example.org/")]
    Base(String),
    /// The root leaves the repository.
    #[error("root {0:?} is not a folder inside the repository, as in content or docs/html")]
    Root(String),
    /// The date cannot be read.
    #[error("{text:?} is not a date as in 2024-01-31 or 2024-01-31T12:00:00Z")]
    Date {
        /// What was given.
        text: String,
        /// Why it is none.
        #[source]
        source: jiff::Error,
    },
    /// The window has no length, or ends outside what can be written as a date.
    #[error("a window of {weeks} weeks is not possible here; choose 1 or more, as in --weeks 52")]
    Weeks {
        /// What was asked for.
        weeks: u32,
    },
    /// The window begins before the history does.
    #[error(
        "{}: the history begins on {first}, after the window's start on {start}; \
         choose a later --from or fewer --weeks ({weeks} at most up to the last commit)",
        path.display()
    )]
    TooEarly {
        /// The repository.
        path: PathBuf,
        /// The first commit's time.
        first: String,
        /// The window's start.
        start: String,
        /// The whole weeks between the first and the last commit.
        weeks: i64,
    },
    /// The history has nothing inside the window.
    #[error(
        "{}: has no commits between {start} and {end}; its history goes from {first} to {last}",
        path.display()
    )]
    NoChanges {
        /// The repository.
        path: PathBuf,
        /// The window's start.
        start: String,
        /// The window's end.
        end: String,
        /// The first commit's time.
        first: String,
        /// The last commit's time.
        last: String,
    },
    /// The root is nowhere in the window.
    #[error("{}: has no folder {root:?} in this window; at its top it has {known}", path.display())]
    NoRoot {
        /// The repository.
        path: PathBuf,
        /// What was asked for.
        root: String,
        /// What there is, in words.
        known: String,
    },
    /// There are files, but none is a page.
    #[error(
        "{}: has no pages (such as .html or .xml) below {root:?} in this window; \
         is this the branch that holds the published site?",
        path.display()
    )]
    NoPages {
        /// The repository.
        path: PathBuf,
        /// The root.
        root: String,
    },
    /// An object that the history names is not there.
    #[error(
        "{}: object {object} is missing; in a partial clone, fetch everything first \
         (git fetch --refetch --no-filter)",
        path.display()
    )]
    NoObject {
        /// The repository.
        path: PathBuf,
        /// Its id.
        object: String,
    },
    /// A git command failed.
    #[error("{}: git {command} failed: {message}", path.display())]
    Git {
        /// The repository.
        path: PathBuf,
        /// The command.
        command: String,
        /// The last thing it said.
        message: String,
    },
    /// A git command cannot be talked to.
    #[error("{}: git {command} broke off", path.display())]
    Pipe {
        /// The repository.
        path: PathBuf,
        /// The command.
        command: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// A git command said something that makes no sense.
    #[error("{}: git {command} answered {answer:?}, which is not understood", path.display())]
    Answer {
        /// The repository.
        path: PathBuf,
        /// The command.
        command: String,
        /// The beginning of its answer.
        answer: String,
    },
    /// Captures cannot be made into a trace.
    #[error(transparent)]
    Captures(#[from] CaptureError),
    /// The trace cannot be written.
    #[error(transparent)]
    Trace(#[from] TraceError),
}
