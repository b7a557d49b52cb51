//! The archive read back: WARC files, as they are and in gzip, and the lines of an index.
#![no_main]
use std::io::{Cursor, Write};
use std::path::Path;

use flate2::{Compression, write::GzEncoder};
use libfuzzer_sys::fuzz_target;
use warc::cdxj::{CdxjEntry, CdxjReader};
use warc::{Record, WarcReader};

/// A file that says more of itself is not believed.
const BLOCK_LIMIT: u64 = 100_000;

fuzz_target!(|bytes: &[u8]| {
    let plain = records(bytes);
    // In one member and in two: a record may lie across them.
    let half = bytes.len() / 2;
    let members = [gzip(&bytes[..half]), gzip(&bytes[half..])].concat();
    for packed in [gzip(bytes), members] {
        // Bytes that begin as gzip does are unpacked once, not twice.
        if !bytes.starts_with(b"\x1f\x8b") {
            let packed = records(&packed);
            assert_eq!(packed.len(), plain.len());
            assert!(packed.iter().zip(&plain).all(|(a, b)| a.block == b.block));
        }
    }
    for entry in CdxjReader::new(Path::new("x.cdxj"), Cursor::new(bytes)).flatten() {
        assert!(CdxjEntry::parse(&entry.to_string()).is_ok());
    }
});

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    out.write_all(bytes).and_then(|()| out.finish()).expect("memory can be written to")
}

/// The records before the first error, each looked at from all sides.
fn records(bytes: &[u8]) -> Vec<Record> {
    let Ok(reader) = WarcReader::new(Path::new("x.warc"), Cursor::new(bytes)) else {
        return Vec::new();
    };
    let mut records = Vec::new();
    let mut failed = false;
    for record in reader.with_block_limit(BLOCK_LIMIT) {
        assert!(!failed, "there is nothing after an error");
        match record {
            Ok(record) => records.push(record),
            Err(error) => failed = !error.to_string().is_empty(),
        }
    }
    for record in &records {
        assert!(record.block.len() as u64 <= BLOCK_LIMIT);
        let _ = (record.kind(), record.id(), record.target(), record.date());
        let _ = (record.payload_digest(), record.block_is_intact(), record.truncated());
        let _ = record.as_original();
        if let Some(http) = record.http_response() {
            let _ = (http.media_type(), http.header("content-type"));
        }
        if let Some(location) = record.location {
            assert!(location.offset + location.length <= bytes.len() as u64);
        }
        if let Some(entry) = CdxjEntry::from_record(record, "x.warc") {
            let read = CdxjEntry::parse(&entry.to_string()).expect("what we write is read back");
            assert_eq!(
                (read.url, read.offset, read.length),
                (entry.url, entry.offset, entry.length)
            );
        }
    }
    records
}
