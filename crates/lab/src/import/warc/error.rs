//! Why captures cannot be made into a trace.
use std::io;
use std::path::PathBuf;

use store::{cdxj, warc};
use thiserror::Error;

/// What is wrong with the files that were given, or with the window that was asked for.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// Something that was named is not there, or not for us to read.
    #[error("{}: cannot be opened", path.display())]
    Open {
        /// What was given.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// A folder has nothing of use in it.
    #[error("{}: has no files in it whose names end in .warc, .warc.gz or .cdxj", path.display())]
    NoneInFolder {
        /// The folder.
        path: PathBuf,
    },
    /// A file has nothing in it.
    #[error("{}: is empty, not a {kind}", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
        /// What it should be.
        kind: &'static str,
    },
    /// A file is of another kind.
    #[error("{}: is not a WARC file, compressed or not", path.display())]
    NotWarc {
        /// The file.
        path: PathBuf,
    },
    /// A file may be of the right kind, but nothing in it can be read.
    #[error("{}: not one record in it can be read", path.display())]
    NoRecord {
        /// The file.
        path: PathBuf,
        /// What is wrong with the first.
        #[source]
        source: warc::Error,
    },
    /// A file is no index.
    #[error("{}: is not a CDXJ index", path.display())]
    NotIndex {
        /// The file.
        path: PathBuf,
        /// What is wrong with its first line.
        #[source]
        source: cdxj::Error,
    },
    /// An index names a file that cannot be found.
    #[error(
        "{}: names the WARC file {name:?}, which is neither next to it nor in ../archive",
        index.display()
    )]
    NoWarc {
        /// The index.
        index: PathBuf,
        /// What it names.
        name: String,
    },
    /// The machine failed to read a WARC file.
    #[error(transparent)]
    Read(warc::Error),
    /// The machine failed to read an index.
    #[error(transparent)]
    ReadIndex(cdxj::Error),
    /// A record that was there at first is not there any more.
    #[error("{}: the record at byte {offset} changed while the trace was made", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// Where the record begins.
        offset: u64,
    },
    /// No record says anything about a page.
    #[error(
        "these files hold {captures} captures, and none of them shows a page or that one is gone"
    )]
    NoEvidence {
        /// Records that could have.
        captures: usize,
    },
    /// All captures are of one day.
    #[error(
        "all captures are of one day ({day}, in UTC), so no change can lie between two days; \
         for a shorter window choose --from and --weeks"
    )]
    OneDay {
        /// The day.
        day: String,
    },
    /// The window begins before the captures do.
    #[error(
        "the captures begin on {first}, after the window's start on {start}; choose a later --from"
    )]
    TooEarly {
        /// The first capture.
        first: String,
        /// The window's start.
        start: String,
    },
    /// There are no captures inside the window.
    #[error("there are no captures between {start} and {end}; they go from {first} to {last}")]
    NoneInside {
        /// The window's start.
        start: String,
        /// Its end.
        end: String,
        /// The first capture.
        first: String,
        /// The last one.
        last: String,
    },
    /// All pages in the window were gone or too large.
    #[error("no page is there between {start} and {end}; {too_large} were left out as too large")]
    NoPages {
        /// The window's start.
        start: String,
        /// Its end.
        end: String,
        /// Pages with a version above the limit.
        too_large: usize,
    },
}
