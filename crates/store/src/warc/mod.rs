//! WARC 1.1: what was fetched, in the format every web archive reads.
//!
//! An [`Encoder`] turns an exchange into records, each a gzip member of its own; it touches no file
//! and may run on any thread. A [`WarcWriter`] puts ready members into files. A [`WarcReader`] reads
//! the files of others as well as ours.
//!
//! The format is ISO 28500:2017, <https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/>.

mod date;
mod digest;
mod encode;
mod error;
mod http;
mod known;
mod name;
mod reader;
mod record;
mod record_id;
mod unpack;
mod writer;

pub(crate) use date::{digits, read_digits};
pub use date::{read_date, write_date};
pub use digest::PayloadDigest;
pub use encode::{DEFAULT_LEVEL, Encoder, Original, Profile, Warcinfo};
pub(crate) use error::is_full;
pub use error::{Error, Flaw};
pub use http::HttpResponse;
pub use known::{KnownFile, Tidied};
pub use name::{FileNames, machine_name};
pub use reader::{DEFAULT_BLOCK_LIMIT, WarcReader, read_at};
pub use record::{Place, Record, RecordKind};
pub use record_id::RecordId;
pub use writer::{DEFAULT_FILE_LIMIT, Position, Settings, WarcWriter};
