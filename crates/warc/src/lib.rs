//! WARC 1.1 and CDXJ: write and read web archives.
//!
//! - [`Encoder`] turns an [`HttpExchange`] into records. Each record is one gzip member. The encoder
//!   touches no file and runs on any thread.
//! - [`WarcWriter`] appends encoded records to files, starts new files at a size limit, and recovers
//!   after a crash.
//! - [`WarcReader`] reads the files of any writer; [`read_at`] reads one record.
//! - [`cdxj`] writes and reads the index with which replay tools such as pywb find captures.
//!
//! The format is ISO 28500:2017, <https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/>.
//!
//! # Example
//!
//! ```
//! use warc::{
//!     Encoder, HttpExchange, PayloadDigest, RecordId, RecordLocation, Settings, Timestamp,
//!     WarcWriter, read_at,
//! };
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let exchange = HttpExchange {
//!     address: "http://example.com/",
//!     at: Timestamp::from_millis(1_794_744_000_123),
//!     request_head: b"GET / HTTP/1.1\r\nHost: example.com\r\n\r\n",
//!     response_head: b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n",
//!     body: b"hello",
//!     remote: None,
//!     truncated: None,
//! };
//! let payload = PayloadDigest::compute(exchange.body);
//! let record = Encoder::default().response(&exchange, RecordId::from_bits(1), payload);
//!
//! let folder = tempfile::tempdir()?;
//! let settings = Settings::for_this_process("example", "example/1.0");
//! let mut writer = WarcWriter::open(folder.path(), settings, &[])?;
//! let position = writer.append(&record, exchange.at)?;
//! writer.sync()?;
//!
//! let location = RecordLocation { offset: position.offset, length: position.length };
//! let record = read_at(&folder.path().join(&*position.file), location)?;
//! assert_eq!(record.target(), Some("http://example.com/"));
//! assert_eq!(record.date(), Some(exchange.at));
//! assert_eq!(record.http_response().map(|response| response.body), Some(&b"hello"[..]));
//! # Ok(())
//! # }
//! ```

pub mod cdxj;
mod digest;
mod encode;
mod error;
mod exchange;
mod file_names;
mod http_response;
mod members;
mod reader;
mod record;
mod record_id;
mod recovery;
mod timestamp;
pub mod wacz;
mod writer;

pub use digest::PayloadDigest;
pub use encode::{DEFAULT_LEVEL, Encoder, Original, Profile, Warcinfo};
pub use error::{Error, Flaw, is_full};
pub use exchange::{HttpExchange, Truncated};
pub use file_names::{FileNames, machine_name};
pub use http_response::HttpResponse;
pub use reader::{DEFAULT_BLOCK_LIMIT, WarcReader, read_at};
pub use record::{Record, RecordKind, RecordLocation};
pub use record_id::RecordId;
pub use recovery::{CommittedFile, Recovered, SetAside};
pub use timestamp::Timestamp;
pub use writer::{DEFAULT_FILE_LIMIT, Position, Settings, WarcWriter};
