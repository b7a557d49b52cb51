//! Index files: what cdxj-indexer would have written, and what becomes of flaws.
use std::fs;
use std::io::Cursor;
use std::path::Path;

use crate::common::{exchange, id, only_record, payload};
use proptest::prelude::*;
use tempfile::tempdir;
use warc::cdxj::{CdxjEntry, CdxjReader, Error, Flaw, surt, write};
use warc::{Encoder, HttpExchange, Profile, Timestamp};

fn entry(url: &str, at: i64, offset: u64) -> CdxjEntry {
    CdxjEntry {
        key: surt(url),
        at: Timestamp::from_millis(at),
        url: url.to_owned(),
        mime: "text/html".to_owned(),
        status: Some(200),
        digest: "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ".to_owned(),
        length: 1242,
        offset,
        filename: "a.warc.gz".to_owned(),
    }
}

fn read(text: &str) -> Vec<Result<CdxjEntry, Error>> {
    CdxjReader::new(Path::new("index.cdxj"), Cursor::new(text)).collect()
}

#[test]
fn a_line_is_what_cdxj_indexer_writes() {
    let entry = entry("http://www.example.com/Path?b&a", 1_501_454_330_999, 784);
    assert_eq!(
        entry.to_string(),
        "com,example)/path?a&b 20170730223850 {\"url\": \"http://www.example.com/Path?b&a\", \
         \"mime\": \"text/html\", \"status\": \"200\", \
         \"digest\": \"sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ\", \"length\": \"1242\", \
         \"offset\": \"784\", \"filename\": \"a.warc.gz\"}"
    );
}

#[test]
fn entries_come_from_responses_and_revisits() {
    let exchange = exchange("http://example.com/", b"hello");
    let mut encoder = Encoder::default();
    let response = encoder.response(&exchange, id(1), payload(&exchange));
    let record = only_record(&response);
    let entry = CdxjEntry::from_record(&record, "a.warc.gz").unwrap();
    assert_eq!(entry.mime, "text/html");
    assert_eq!(entry.status, Some(200));
    assert_eq!(entry.digest, "sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N");
    assert_eq!((entry.offset, entry.length), (0, response.len() as u64));

    let not_modified =
        HttpExchange { response_head: b"HTTP/1.1 304 Not Modified\r\n\r\n", body: b"", ..exchange };
    let original = record.as_original().unwrap();
    let revisit = encoder.revisit(&not_modified, id(2), Profile::NotModified, &original);
    let entry = CdxjEntry::from_record(&only_record(&revisit), "a.warc.gz").unwrap();
    assert_eq!((entry.mime.as_str(), entry.status), ("warc/revisit", None));

    let request = only_record(&encoder.request(&exchange, id(3), id(1)));
    assert_eq!(CdxjEntry::from_record(&request, "a.warc.gz"), None);
}

#[test]
fn an_index_is_sorted_and_reads_back() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("index.cdxj");
    let entries = [
        entry("http://b.example/", 2000, 1),
        entry("http://a.example/z", 1000, 2),
        entry("http://a.example/", 5000, 3),
        entry("http://a.example/", 4000, 4),
    ];
    write(&path, entries.clone()).unwrap();
    let offsets: Vec<u64> =
        CdxjReader::open(&path).unwrap().map(|entry| entry.unwrap().offset).collect();
    assert_eq!(offsets, [4, 3, 2, 1]);
    let text = fs::read_to_string(&path).unwrap();
    let mut sorted: Vec<&str> = text.lines().collect();
    sorted.sort_unstable();
    assert_eq!(text.lines().collect::<Vec<_>>(), sorted);

    // Written again, it is replaced, and nothing else is left in the folder.
    write(&path, entries[..1].to_vec()).unwrap();
    assert_eq!(CdxjReader::open(&path).unwrap().count(), 1);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn an_index_that_cannot_be_replaced_is_left_alone() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("index.cdxj");
    fs::create_dir_all(path.join("in the way")).unwrap();
    let error = write(&path, [entry("http://b.example/", 2000, 1)]).unwrap_err();
    assert!(matches!(error, Error::File { action: "replace", .. }));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn the_indexes_of_others_are_read() {
    let text = "!meta 0 {\"format\": \"cdxj\"}\n\n\
        com,example)/ 20170730223850 {\"url\":\"http://example.com/\",\"status\":200,\"mime\":\"unk\",\
        \"digest\":\"3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ\",\"length\":10,\"offset\":\"5\",\
        \"filename\":\"x.warc.gz\",\"languages\":\"eng\"}\r\n";
    let entry = read(text).remove(0).unwrap();
    assert_eq!((entry.status, entry.length, entry.offset), (Some(200), 10, 5));
    assert_eq!(entry.at, Timestamp::from_millis(1_501_454_330_000));
}

#[test]
fn flaws_are_said_with_their_line() {
    let good = entry("http://b.example/", 2000, 1).to_string();
    let bad = [
        ("com,example)/", Flaw::Parts),
        ("com,example)/ 2017 {}", Flaw::Date),
        ("com,example)/ 20170730223850 {}", Flaw::Field("url")),
        (&good.replace("\"200\"", "\"many\""), Flaw::Field("status")),
        (&good.replace("\"1242\"", "\"-1\""), Flaw::Field("length")),
    ];
    for (line, expected) in bad {
        let read = read(&format!("{good}\n{line}\n{good}\n"));
        assert_eq!(read.len(), 3);
        match &read[1] {
            Err(Error::Line { line: 2, flaw, .. }) => assert_eq!(*flaw, expected),
            other => panic!("{other:?}"),
        }
    }
    let error = read("a 20170730223850 {x\n").remove(0).unwrap_err();
    assert!(
        error.to_string().starts_with("line 1 of index.cdxj: its object is invalid JSON: key must")
    );
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_fall_over(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = CdxjReader::new(Path::new("x"), Cursor::new(&bytes)).count();
        let line = [b"com,example)/ 20170730223850 {".as_slice(), &bytes, b"}"].concat();
        let _ = CdxjReader::new(Path::new("x"), Cursor::new(&line)).count();
    }

    #[test]
    fn any_entry_reads_back(
        url in "[!-~]{1,60}", seconds in 0_i64..4_000_000_000, mime in ".{0,20}",
        status in any::<Option<u16>>(), digest in "[!-~]{0,40}", length: u64, offset: u64,
        filename in ".{1,30}",
    ) {
        let at = Timestamp::from_millis(seconds * 1000);
        let key = surt(&url);
        let entry = CdxjEntry { key, at, url, mime, status, digest, length, offset, filename };
        prop_assert_eq!(CdxjEntry::parse(&entry.to_string()), Ok(entry));
    }
}
