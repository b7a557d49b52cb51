//! Why captures cannot become a trace.
use std::io;
use std::path::PathBuf;

use thiserror::Error;
use {warc, warc::cdxj};

/// Problems of the input files or of the requested window.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// An input does not exist or cannot be read.
    #[error("{}: cannot be opened", path.display())]
    Open {
        /// The given path.
        path: PathBuf,
        /// The system's error.
        #[source]
        source: io::Error,
    },
    /// A folder has no usable files.
    #[error("{}: has no files in it whose names end in .warc, .warc.gz or .cdxj", path.display())]
    NoneInFolder {
        /// The folder.
        path: PathBuf,
    },
    /// A file is empty.
    #[error("{}: is empty, not a {kind}", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
        /// The expected kind.
        kind: &'static str,
    },
    /// A file has another kind.
    #[error("{}: is not a WARC file, compressed or not", path.display())]
    NotWarc {
        /// The file.
        path: PathBuf,
    },
    /// No record of a file can be read.
    #[error("{}: not one record in it can be read", path.display())]
    NoRecord {
        /// The file.
        path: PathBuf,
        /// The error of the first record.
        #[source]
        source: warc::Error,
    },
    /// A file is not an index.
    #[error("{}: is not a CDXJ index", path.display())]
    NotIndex {
        /// The file.
        path: PathBuf,
        /// The error of its first line.
        #[source]
        source: cdxj::Error,
    },
    /// No line of the given lists of captures can be read.
    #[error("none of {lines} lines is one of CDX or CDXJ")]
    NotList {
        /// The lines.
        lines: usize,
        /// The error of the first one.
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
        /// The name in the index.
        name: String,
    },
    /// Reading a WARC file failed.
    #[error(transparent)]
    Read(warc::Error),
    /// Reading an index failed.
    #[error(transparent)]
    ReadIndex(cdxj::Error),
    /// A record has changed or disappeared during the import.
    #[error("{}: the record at byte {offset} changed while the trace was made", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// The offset of the record.
        offset: u64,
    },
    /// No capture shows a page or that one is gone.
    #[error(
        "these files hold {captures} captures, and none of them shows a page or that one is gone"
    )]
    NoEvidence {
        /// The number of captures.
        captures: usize,
    },
    /// All captures are from one day.
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
