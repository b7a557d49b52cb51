//! Files: how they are named, when the next begins, and what is left of them after a crash.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails as the test does")]

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use crate::common::{NOON, exchange, id, payload, settings};
use tempfile::tempdir;
use warc::{
    CommittedFile, Encoder, Error, Record, RecordKind, RecordLocation, WarcReader, WarcWriter,
    read_at,
};

const NO_LIMIT: u64 = u64::MAX;

fn member(number: u32) -> Vec<u8> {
    let (address, body) = (format!("http://example.com/{number}"), number.to_le_bytes());
    let exchange = exchange(&address, &body);
    Encoder::default().response(&exchange, id(number.into()), payload(&exchange))
}

fn read(path: &Path) -> Vec<Record> {
    WarcReader::open(path).unwrap().collect::<Result<_, _>>().unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_file_begins_with_a_record_about_itself() {
    let folder = tempdir().unwrap();
    let archive = folder.path().join("archive");
    let mut writer = WarcWriter::open(&archive, settings(NO_LIMIT), &[]).unwrap();
    assert_eq!(names(&archive), Vec::<String>::new());
    let position = writer.append(&member(1), NOON).unwrap();
    writer.sync().unwrap();
    assert_eq!(&*position.file, "test-20261115120000123-00000-42~host~0.warc.gz");
    let records = read(&archive.join(&*position.file));
    assert_eq!(records[0].kind(), RecordKind::Warcinfo);
    assert_eq!(records[0].field("WARC-Filename"), Some(&*position.file));
    assert_eq!(records.len(), 2);
    let location = RecordLocation { offset: position.offset, length: position.length };
    assert_eq!(records[1].location, Some(location));
    assert_eq!(read_at(&archive.join(&*position.file), location).unwrap(), records[1]);
}

#[test]
fn the_next_file_begins_before_one_would_grow_over_the_limit() {
    let folder = tempdir().unwrap();
    let limit = 3000;
    let mut writer = WarcWriter::open(folder.path(), settings(limit), &[]).unwrap();
    let positions: Vec<_> =
        (0..20).map(|number| writer.append(&member(number), NOON).unwrap()).collect();
    let grown = writer.sync().unwrap();
    let found = names(folder.path());
    assert!(found.len() > 2);
    assert_eq!(grown.iter().map(|file| file.name.clone()).collect::<Vec<_>>(), found);
    for file in &grown {
        let length = fs::metadata(folder.path().join(&file.name)).unwrap().len();
        assert_eq!(length, file.length);
        assert!(length <= limit);
    }
    for (number, position) in positions.iter().enumerate() {
        let location = RecordLocation { offset: position.offset, length: position.length };
        let record = read_at(&folder.path().join(&*position.file), location).unwrap();
        assert_eq!(record.target(), Some(&*format!("http://example.com/{number}")));
    }
    assert_eq!(writer.sync().unwrap(), []);
}

#[test]
fn a_record_larger_than_the_limit_has_a_file_of_its_own() {
    let folder = tempdir().unwrap();
    let mut writer = WarcWriter::open(folder.path(), settings(10), &[]).unwrap();
    for number in 0..3 {
        writer.append(&member(number), NOON).unwrap();
    }
    let names = names(folder.path());
    assert_eq!(names.len(), 3);
    for name in names {
        assert_eq!(read(&folder.path().join(name)).len(), 2);
    }
}

#[test]
fn a_writer_goes_on_where_the_last_one_committed() {
    let folder = tempdir().unwrap();
    let mut writer = WarcWriter::open(folder.path(), settings(NO_LIMIT), &[]).unwrap();
    writer.append(&member(1), NOON).unwrap();
    let known = writer.sync().unwrap();
    drop(writer);
    let mut writer = WarcWriter::open(folder.path(), settings(NO_LIMIT), &known).unwrap();
    assert_eq!(*writer.recovered(), warc::Recovered::default());
    let position = writer.append(&member(2), NOON).unwrap();
    assert_eq!((&*position.file, position.offset), (&*known[0].name, known[0].length));
    assert_eq!(writer.sync().unwrap()[0].length, position.offset + position.length);
    assert_eq!(read(&folder.path().join(&*position.file)).len(), 3);
}

#[test]
fn a_full_file_is_not_continued() {
    let folder = tempdir().unwrap();
    let mut writer = WarcWriter::open(folder.path(), settings(NO_LIMIT), &[]).unwrap();
    writer.append(&member(1), NOON).unwrap();
    let known = writer.sync().unwrap();
    let mut writer = WarcWriter::open(folder.path(), settings(known[0].length), &known).unwrap();
    let position = writer.append(&member(2), NOON).unwrap();
    assert_eq!(&*position.file, "test-20261115120000123-00001-42~host~0.warc.gz");
}

#[test]
fn what_was_not_committed_is_cleared_away() {
    let folder = tempdir().unwrap();
    let mut writer = WarcWriter::open(folder.path(), settings(1500), &[]).unwrap();
    writer.append(&member(1), NOON).unwrap();
    let known = writer.sync().unwrap();
    for number in 2..10 {
        writer.append(&member(number), NOON).unwrap();
    }
    drop(writer);
    // The last append was stopped in the middle.
    let last = names(folder.path()).pop().unwrap();
    let mut torn = OpenOptions::new().append(true).open(folder.path().join(last)).unwrap();
    torn.write_all(&member(10)[..50]).unwrap();
    fs::write(folder.path().join("someone-elses.warc.gz"), b"precious").unwrap();

    let writer = WarcWriter::open(folder.path(), settings(1500), &known).unwrap();
    assert_eq!(writer.recovered().cut, [known[0].name.clone()]);
    assert!(!writer.recovered().removed.is_empty());
    assert_eq!(names(folder.path()), ["someone-elses.warc.gz", &known[0].name]);
    assert_eq!(read(&folder.path().join(&known[0].name)).len(), 2);
}

#[test]
fn a_file_that_lost_committed_bytes_is_an_error_and_nothing_is_touched() {
    let folder = tempdir().unwrap();
    let mut writer = WarcWriter::open(folder.path(), settings(NO_LIMIT), &[]).unwrap();
    writer.append(&member(1), NOON).unwrap();
    let mut known = writer.sync().unwrap();
    known[0].length += 1;
    let stray = settings(NO_LIMIT).names.name(NOON, 77);
    fs::write(folder.path().join(&stray), b"").unwrap();

    let error = WarcWriter::open(folder.path(), settings(NO_LIMIT), &known).unwrap_err();
    assert!(matches!(error, Error::Short { found, committed, .. } if found + 1 == committed));
    let gone = CommittedFile { name: "gone.warc.gz".to_owned(), length: 1 };
    let error = WarcWriter::open(folder.path(), settings(NO_LIMIT), &[gone]).unwrap_err();
    assert!(matches!(error, Error::File { action: "find", .. }));
    assert!(names(folder.path()).contains(&stray));
}

#[test]
fn no_file_is_written_over() {
    let folder = tempdir().unwrap();
    let mut first = WarcWriter::open(folder.path(), settings(NO_LIMIT), &[]).unwrap();
    let one = first.append(&member(1), NOON).unwrap();
    let known = first.sync().unwrap();
    // Another writer of the same name and instant, which does not continue the file.
    let mut second = WarcWriter::open(folder.path(), settings(1), &known).unwrap();
    let two = second.append(&member(2), NOON).unwrap();
    assert_ne!(one.file, two.file);
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_told_apart() {
    // A device that is always full stands in for the file that is continued.
    let folder = tempdir().unwrap();
    std::os::unix::fs::symlink("/dev/full", folder.path().join("full.warc.gz")).unwrap();
    let known = [CommittedFile { name: "full.warc.gz".to_owned(), length: 0 }];
    let mut writer = WarcWriter::open(folder.path(), settings(NO_LIMIT), &known).unwrap();
    let error = writer.append(&member(1), NOON).unwrap_err();
    assert!(error.is_full());
    assert!(error.to_string().contains("full.warc.gz"));
}
