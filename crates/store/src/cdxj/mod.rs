//! CDXJ: the index that tools find captures in WARC files by.
//!
//! One line for each response or revisit, sorted by its key, then its date:
//!
//! ```text
//! com,example)/ 20170730223850 {"url": "http://example.com/", "mime": "text/html", "status": "200",
//!   "digest": "sha1:…", "length": "1242", "offset": "784", "filename": "example.warc.gz"}
//! ```
//!
//! This is what cdxj-indexer writes, down to the numbers as strings; pywb reads it.

mod entry;
mod error;
mod file;
mod host;
mod session;
mod surt;
mod write;

pub use entry::{Entry, REVISIT};
pub use error::{Error, Flaw};
pub use file::CdxjReader;
pub use surt::surt;
pub use write::{IndexWriter, write};
