//! WARC files and CDXJ indexes, written and read back.
mod cdxj;
mod cdxj_never_panics;
mod common;
mod encode;
mod reader;
mod surt;
mod writer;
