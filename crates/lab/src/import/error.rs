//! Import errors. Each message is one line and says what to do, if anything can be done.
use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::warc::CaptureError;
use crate::trace::TraceError;

/// Why an import failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The git program is missing.
    #[error("the program `git` cannot be started; install it, or add its folder to PATH")]
    NoGit(#[source] io::Error),
    /// The path is not a folder.
    #[error("{}: is not a folder; REPO is a clone of the repository, bare or not", path.display())]
    NoFolder {
        /// The given path.
        path: PathBuf,
        /// The system's error.
        #[source]
        source: io::Error,
    },
    /// The folder is not a repository.
    #[error("{}: is not a git repository ({message})", path.display())]
    NoRepository {
        /// What was given.
        path: PathBuf,
        /// The message of git.
        message: String,
    },
    /// The repository has no commits.
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
        /// The given branch.
        branch: String,
        /// Some branches that exist.
        known: String,
    },
    /// The commit is not there.
    #[error(
        "{}: does not have the commit {commit}; get it with: git -C {} fetch origin {commit}",
        path.display(),
        path.display()
    )]
    NoCommit {
        /// The repository.
        path: PathBuf,
        /// The given commit.
        commit: String,
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
        /// The given text.
        text: String,
        /// Why it is none.
        #[source]
        source: jiff::Error,
    },
    /// The window has no length, or ends outside what can be written as a date.
    #[error("a window of {weeks} weeks is not possible here; choose 1 or more, as in --weeks 52")]
    Weeks {
        /// The given number.
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
        /// The given folder.
        root: String,
        /// The folders that exist.
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
    /// An object of the history is missing.
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
        /// The last line of its error output.
        message: String,
    },
    /// Reading from or writing to a git command failed.
    #[error("{}: git {command} broke off", path.display())]
    Pipe {
        /// The repository.
        path: PathBuf,
        /// The command.
        command: String,
        /// The system's error.
        #[source]
        source: io::Error,
    },
    /// Unexpected output of a git command.
    #[error("{}: git {command} answered {answer:?}, which is not understood", path.display())]
    Answer {
        /// The repository.
        path: PathBuf,
        /// The command.
        command: String,
        /// The beginning of its output.
        answer: String,
    },
    /// Captures cannot be made into a trace.
    #[error(transparent)]
    Captures(#[from] CaptureError),
    /// The trace cannot be written.
    #[error(transparent)]
    Trace(#[from] TraceError),
}
