//! Exchanges to write, and what was written read back.
#![allow(clippy::unwrap_used, reason = "a helper of a test fails as the test does")]
use std::io::Cursor;
use std::path::Path;

use warc::{
    Error, FileNames, HttpExchange, PayloadDigest, Record, RecordId, Settings, Timestamp,
    WarcReader,
};

/// The middle of November 2026.
pub(crate) const NOON: Timestamp = Timestamp::from_millis(1_794_744_000_123);

pub(crate) fn exchange<'a>(address: &'a str, body: &'a [u8]) -> HttpExchange<'a> {
    HttpExchange {
        address,
        at: NOON,
        request_head: b"GET / HTTP/1.1\r\nHost: example.com\r\n\r\n",
        response_head: b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n",
        body,
        remote: Some([192, 0, 2, 7].into()),
        truncated: None,
    }
}

pub(crate) fn id(number: u128) -> RecordId {
    RecordId::from_bits(number)
}

pub(crate) fn payload(exchange: &HttpExchange<'_>) -> PayloadDigest {
    PayloadDigest::compute(exchange.body)
}

pub(crate) fn settings(limit: u64) -> Settings {
    Settings {
        names: FileNames::new("test", "host", 42),
        limit,
        ..Settings::for_this_process("test", "sanderling/test")
    }
}

pub(crate) fn records(bytes: &[u8]) -> Result<Vec<Record>, Error> {
    WarcReader::new(Path::new("some.warc"), Cursor::new(bytes))?.collect()
}

pub(crate) fn only_record(bytes: &[u8]) -> Record {
    let mut records = records(bytes).unwrap();
    assert_eq!(records.len(), 1);
    records.remove(0)
}
