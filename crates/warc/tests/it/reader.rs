//! Files of others, files cut short, and files that are no WARC at all.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails as the test does")]

use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;

use crate::common::{exchange, id, payload, records};
use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use warc::{Encoder, Error, Flaw, RecordKind, RecordLocation, WarcReader, read_at};

/// Two records as an older writer would leave them: WARC/1.0, an address in brackets, a field that
/// goes on in the next line.
const OLD: &str = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: <http://a.example/>\r\n\
    WARC-Date: 2010-01-02T03:04:05Z\r\nX-Long: one\r\n two\r\ncontent-length: 24\r\n\r\n\
    HTTP/1.0 200 OK\r\n\r\nhello\r\n\r\n\
    WARC/1.0\r\nWARC-Type: metadata\r\nContent-Length: 0\r\n\r\n\r\n\r\n";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn member(body: &[u8]) -> Vec<u8> {
    let exchange = exchange("http://example.com/", body);
    Encoder::default().response(&exchange, id(1), payload(&exchange))
}

fn flaw(bytes: &[u8]) -> (u64, Flaw) {
    match records(bytes) {
        Err(Error::Malformed { path, offset, flaw }) => {
            assert_eq!(path, Path::new("some.warc"));
            (offset, flaw)
        }
        other => panic!("not malformed: {other:?}"),
    }
}

fn truncated_at(bytes: &[u8]) -> Option<u64> {
    match records(bytes) {
        Err(Error::Truncated { offset, .. }) => Some(offset),
        _ => None,
    }
}

#[test]
fn uncompressed_files_are_read() {
    let records = records(OLD.as_bytes()).unwrap();
    assert_eq!(records.len(), 2);
    assert_eq!(records[0].target(), Some("http://a.example/"));
    assert_eq!(records[0].field("x-long"), Some("one two"));
    assert_eq!(records[0].http_response().unwrap().body, b"hello");
    assert_eq!(records[1].kind(), RecordKind::Metadata);
    let second = OLD.rfind("WARC/1.0").unwrap() as u64;
    assert_eq!(records[0].location, Some(RecordLocation { offset: 0, length: second }));
    let rest = OLD.len() as u64 - second;
    assert_eq!(records[1].location, Some(RecordLocation { offset: second, length: rest }));
}

#[test]
fn files_compressed_as_a_whole_are_read_but_their_records_have_no_place() {
    let records = records(&gzip(OLD.as_bytes())).unwrap();
    assert_eq!(records.len(), 2);
    assert_eq!(records[0].http_response().unwrap().body, b"hello");
    assert_eq!(records.iter().map(|record| record.location).collect::<Vec<_>>(), [None, None]);
}

#[test]
fn records_that_lie_across_members_are_read() {
    let (first, second) = OLD.as_bytes().split_at(100);
    let records = records(&[gzip(first), gzip(second)].concat()).unwrap();
    assert_eq!(records.len(), 2);
    assert_eq!(records[0].http_response().unwrap().body, b"hello");
    assert_eq!(records[0].location, None);
}

#[test]
fn careless_line_ends_are_taken() {
    let text = OLD.replace("\r\n", "\n").replace("length: 24", "length: 22");
    assert_eq!(records(text.as_bytes()).unwrap().len(), 2);
    let no_end = "WARC/1.1\r\nContent-Length: 2\r\n\r\nab";
    assert_eq!(records(no_end.as_bytes()).unwrap()[0].block, b"ab");
}

#[test]
fn an_empty_file_has_no_records() {
    assert_eq!(records(b"").unwrap(), []);
    assert_eq!(records(b"\r\n\r\n").unwrap(), []);
    assert_eq!(records(&gzip(b"")).unwrap(), []);
}

#[test]
fn a_record_is_read_from_its_place_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.warc.gz");
    let (first, second) = (member(b"first"), member(b"second"));
    fs::write(&path, [first.as_slice(), &second].concat()).unwrap();
    let location = RecordLocation { offset: first.len() as u64, length: second.len() as u64 };
    let record = read_at(&path, location).unwrap();
    assert_eq!(record.http_response().unwrap().body, b"second");
    assert_eq!(record.location, Some(location));

    let behind = RecordLocation { offset: location.offset + location.length, length: 10 };
    assert!(matches!(read_at(&path, behind), Err(Error::Truncated { .. })));
    let short = RecordLocation { length: location.length - 1, ..location };
    assert!(matches!(read_at(&path, short), Err(Error::Truncated { .. })));
    let gone = read_at(&folder.path().join("gone"), location);
    assert!(matches!(gone, Err(Error::File { action: "open", .. })));
}

#[test]
fn a_tail_cut_off_anywhere_is_told_from_damage() {
    let (first, second) = (member(b"first"), member(b"second"));
    let file = [first.as_slice(), &second].concat();
    for length in first.len() + 1..file.len() {
        assert_eq!(truncated_at(&file[..length]), Some(first.len() as u64), "{length}");
    }
    let read = WarcReader::new(Path::new("x"), Cursor::new(&file[..file.len() - 1])).unwrap();
    assert_eq!(read.flatten().count(), 1);
    // Inside the block of an uncompressed record.
    assert_eq!(truncated_at(&OLD.as_bytes()[..155]), Some(0));
}

#[test]
fn damage_is_found_by_the_checksum() {
    let (first, mut second) = (member(b"first"), member(b"second"));
    let checksum = second.len() - 8;
    second[checksum] ^= 1;
    let file = [first.as_slice(), &second].concat();
    let error = records(&file).unwrap_err();
    assert!(matches!(error, Error::Damaged { offset, .. } if offset == first.len() as u64));
    let garbage = [first.as_slice(), b"no gzip"].concat();
    let error = records(&garbage).unwrap_err();
    assert!(matches!(error, Error::Damaged { offset, .. } if offset == first.len() as u64));
}

#[test]
fn what_is_no_record_is_said_with_its_place() {
    assert_eq!(flaw(b"<html>\r\n\r\n"), (0, Flaw::Version));
    assert_eq!(flaw(&[b'x'; 1000]), (0, Flaw::Version));
    assert_eq!(flaw(b"WARC/1.1\r\nno field\r\n\r\n"), (0, Flaw::Field));
    assert_eq!(flaw(b"WARC/1.1\r\n folded\r\n\r\n"), (0, Flaw::Field));
    assert_eq!(flaw(b"WARC/1.1\r\nA: b\r\n\r\n"), (0, Flaw::NoLength));
    assert_eq!(flaw(b"WARC/1.1\r\nContent-Length: -1\r\n\r\n"), (0, Flaw::NoLength));
    let second = format!("{OLD}WARC?");
    assert_eq!(flaw(format!("{second}\n").as_bytes()), (OLD.len() as u64, Flaw::Version));
}

#[test]
fn a_length_beyond_the_limit_is_an_error_and_takes_no_memory() {
    let huge = format!("WARC/1.1\r\nContent-Length: {}\r\n\r\n", u64::MAX);
    assert!(matches!(flaw(huge.as_bytes()), (0, Flaw::BlockLength { length: u64::MAX, .. })));
    let path = Path::new("some.warc");
    let limited = WarcReader::new(path, Cursor::new(OLD)).unwrap().with_block_limit(23);
    let error = limited.last().unwrap().unwrap_err();
    let text = "the record at byte 0 of some.warc: its block of 24 bytes is longer than 23";
    assert_eq!(error.to_string(), text);
    let mut head = b"WARC/1.1\r\nA: ".to_vec();
    head.resize(2 << 20, b'a');
    assert!(matches!(flaw(&head), (0, Flaw::HeadLength(_))));
}

#[test]
fn there_is_nothing_after_an_error() {
    let mut reader = WarcReader::new(Path::new("x"), Cursor::new("junk\nWARC/1.1\n")).unwrap();
    assert!(reader.next().unwrap().is_err());
    assert!(reader.next().is_none());
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_fall_over(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        let _ = records(&bytes);
        let _ = records(&gzip(&bytes));
        let _ = records(&[b"WARC/1.0\r\n".as_slice(), &bytes].concat());
        let _ = records(&[b"\x1F\x8B\x08".as_slice(), &bytes].concat());
    }

    #[test]
    fn no_change_to_a_file_makes_the_reader_fall_over(
        body in prop::collection::vec(any::<u8>(), 0..300),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
    ) {
        for file in [[member(&body), member(&body)].concat(), OLD.repeat(2).into_bytes()] {
            let mut file = file;
            for (at, byte) in &changes {
                let at = at.index(file.len());
                file[at] = *byte;
            }
            let _ = records(&file);
            file.truncate(cut.index(file.len()));
            let _ = records(&file);
        }
    }

    #[test]
    fn a_record_handed_over_is_the_one_that_was_written(
        at in any::<prop::sample::Index>(), bit in 0_u8..8,
    ) {
        let mut file = member(b"some body that is long enough to be changed somewhere");
        let at = at.index(file.len());
        file[at] ^= 1_u8 << bit;
        // The header of a gzip member has bytes that do not matter: flags of time and system.
        for record in records(&file).unwrap_or_default() {
            prop_assert_eq!(record.block_is_intact(), Some(true));
        }
    }
}
