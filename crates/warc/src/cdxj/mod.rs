//! CDXJ: the index with which tools find captures in WARC files.
//!
//! One line for each response or revisit, sorted by its key, then its date:
//!
//! ```text
//! com,example)/ 20170730223850 {"url": "http://example.com/", "mime": "text/html", "status": "200",
//!   "digest": "sha1:…", "length": "1242", "offset": "784", "filename": "example.warc.gz"}
//! ```
//!
//! The format is that of cdxj-indexer, down to numbers as strings; pywb reads it.
//!
//! [`CaptureReader`] reads what web archives publish about their captures, in this format or in the older
//! CDX.

mod captures;
mod entry;
mod error;
mod host;
mod reader;
mod session;
mod surt;
mod writer;

pub use captures::{Capture, CaptureReader};
pub use entry::{CdxjEntry, REVISIT};
pub use error::{Error, Flaw};
pub use reader::CdxjReader;
pub use surt::surt;
pub use writer::{IndexWriter, write};
