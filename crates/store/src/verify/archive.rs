//! Checks that the archive contains exactly the records of the log, and that the CDXJ indexes list
//! them.
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crawl::{Form, PageNo, Time};
use rayon::prelude::*;
use rusqlite::Row;
use rustc_hash::FxHashSet;

use super::Verified;
use crate::StoreError;
use crate::column::{Named, RecordForm};
use crate::held;
use crate::read_back::read_response;
use crate::summary::Summary;
use crate::view::View;
use crate::warc_types::timestamp;
use crate::writer::cdxj;
use crate::writer::files::FileRow;
use warc::cdxj::{CdxjEntry, CdxjReader};
use warc::{PayloadDigest, Record, RecordId, RecordKind, RecordLocation, WarcReader};

/// More than any crawl accepts.
const BODY_LIMIT: usize = 1 << 30;
/// Records checked in parallel.
const CHUNK: usize = 256;

/// A record according to the log.
struct Expected {
    address: String,
    began: Time,
    payload: PayloadDigest,
    form: RecordForm,
    length: u64,
    content_type: String,
    /// The page whose held snapshot this is.
    holds: Option<PageNo>,
}

/// A record to check.
struct CheckedRecord {
    record: Record,
    expected: Expected,
    summary: Option<Summary>,
}

pub(super) fn check(
    view: &View,
    files: &[FileRow],
    verified: &mut Verified,
) -> Result<(), StoreError> {
    let mut originals = FxHashSet::default();
    for (place, file) in files.iter().enumerate() {
        let expected = expected(view, file, files.get(place + 1)).map_err(|e| view.error(e))?;
        let lines = check_file(view, file, expected, &mut originals, verified)?;
        check_index(view, files, place, lines)?;
    }
    check_no_other_files(&view.folder().archive(), files)
}

/// The records of a file according to the log, by offset.
fn expected(
    view: &View,
    file: &FileRow,
    next: Option<&FileRow>,
) -> rusqlite::Result<BTreeMap<u64, Expected>> {
    let mut all = BTreeMap::new();
    let mut take = |select: &str, first: i64, end: i64| -> rusqlite::Result<()> {
        let mut select = view.connection().prepare(select)?;
        let rows = select.query_map((first, end, file.no), expected_row)?;
        for row in rows {
            let (offset, expected) = row?;
            all.insert(offset, expected);
        }
        Ok(())
    };
    take(
        "SELECT observation.offset, page.address, began, payload, record, length, mime, \
         snapshot.page FROM observation JOIN page ON page.no = observation.page \
         LEFT JOIN snapshot ON snapshot.page = page.no \
             AND snapshot.observation = observation.no \
         WHERE observation.no >= ?1 AND observation.no < ?2 AND file = ?3",
        file.first_observation,
        next.map_or(i64::MAX, |next| next.first_observation),
    )?;
    take(
        "SELECT offset, address, began, payload, 'response', length, mime, NULL \
         FROM robots_record WHERE no >= ?1 AND no < ?2 AND file = ?3",
        file.first_robots,
        next.map_or(i64::MAX, |next| next.first_robots),
    )?;
    Ok(all)
}

fn expected_row(row: &Row<'_>) -> rusqlite::Result<(u64, Expected)> {
    let form = row.get_ref(4)?.as_str().ok().and_then(RecordForm::by_name);
    let expected = Expected {
        address: row.get(1)?,
        began: Time::from_millis(row.get(2)?),
        payload: PayloadDigest::from_bytes(row.get(3)?),
        form: form.ok_or_else(|| crate::summary::bad(4, "a kind of record"))?,
        length: row.get(5)?,
        content_type: row.get(6)?,
        holds: row.get::<_, Option<u32>>(7)?.map(PageNo),
    };
    Ok((row.get(0)?, expected))
}

/// Reads a whole file. Returns the lines that its CDXJ index must have.
fn check_file(
    view: &View,
    file: &FileRow,
    mut expected: BTreeMap<u64, Expected>,
    originals: &mut FxHashSet<RecordId>,
    verified: &mut Verified,
) -> Result<Vec<String>, StoreError> {
    let path = view.folder().warc(&file.name);
    let flaw = |what: String| StoreError::damaged(&path, what);
    let found = fs::metadata(&path).map_err(|e| StoreError::file("find", &path, e))?.len();
    if found != file.bytes {
        return Err(flaw(format!("it has {found} bytes, but the log has {}", file.bytes)));
    }
    let (mut end, mut answer, mut lines, mut chunk) = (0, None, vec![], vec![]);
    for record in WarcReader::open(&path)? {
        let record = record?;
        let at = format!("the record at byte {end}");
        let place =
            record.location.ok_or_else(|| flaw(format!("{at} is not a separate gzip member")))?;
        if place.offset != end {
            return Err(flaw(format!(
                "between bytes {end} and {} there is no record",
                place.offset
            )));
        }
        end = place.offset + place.length;
        lines.extend(CdxjEntry::from_record(&record, &file.name).map(|entry| entry.to_string()));
        match record.kind() {
            RecordKind::Warcinfo if place.offset == 0 => {}
            RecordKind::Request if answer.is_some() && concurrent(&record) == answer => {
                answer = None;
            }
            RecordKind::Response | RecordKind::Revisit => {
                let expected = expected.remove(&place.offset);
                let expected = expected.ok_or_else(|| flaw(format!("{at} is not in the log")))?;
                answer = record.id();
                check_form(&record, &expected, originals)
                    .map_err(|e| flaw(format!("{at}: {e}")))?;
                match expected.form {
                    RecordForm::Response => verified.responses += 1,
                    RecordForm::Revisit => verified.revisits += 1,
                }
                let summary = match expected.holds {
                    None => None,
                    Some(page) => {
                        verified.read_again += 1;
                        let summary = held::load_summary(view.connection(), page);
                        Some(summary.map_err(|e| view.error(e))?)
                    }
                };
                chunk.push(CheckedRecord { record, expected, summary });
                if chunk.len() == CHUNK {
                    check_contents(&path, &chunk)?;
                    chunk.clear();
                }
            }
            kind => return Err(flaw(format!("{at}: unexpected record type {kind:?}"))),
        }
    }
    check_contents(&path, &chunk)?;
    if end != file.bytes {
        return Err(flaw(format!("there is no record after byte {end}")));
    }
    if let Some(offset) = expected.keys().next() {
        return Err(flaw(format!(
            "the record at byte {offset} is in the log, but not in the file"
        )));
    }
    verified.files += 1;
    verified.bytes += file.bytes;
    Ok(lines)
}

fn concurrent(record: &Record) -> Option<RecordId> {
    RecordId::parse(record.field("WARC-Concurrent-To")?)
}

/// Checks the header fields of a record.
fn check_form(
    record: &Record,
    expected: &Expected,
    originals: &mut FxHashSet<RecordId>,
) -> Result<(), String> {
    let form = match record.kind() {
        RecordKind::Response => RecordForm::Response,
        _ => RecordForm::Revisit,
    };
    let Some(id) = record.id() else { return Err("it has no WARC-Record-ID".to_owned()) };
    if form != expected.form
        || record.location.map(|RecordLocation { length, .. }| length) != Some(expected.length)
    {
        return Err("its type or length differs from the log".to_owned());
    }
    if record.target() != Some(&expected.address) {
        return Err(format!("its target is {:?}, not {}", record.target(), expected.address));
    }
    if record.date() != Some(timestamp(expected.began))
        || record.payload_digest() != Some(expected.payload)
    {
        return Err("its date or payload digest differs from the log".to_owned());
    }
    if form == RecordForm::Response {
        originals.insert(id);
        return Ok(());
    }
    let original = record.field("WARC-Refers-To").and_then(RecordId::parse);
    if original.is_some_and(|original| originals.contains(&original)) {
        Ok(())
    } else {
        Err("it refers to a missing response".to_owned())
    }
}

/// Checks the blocks of records in parallel.
fn check_contents(path: &Path, records: &[CheckedRecord]) -> Result<(), StoreError> {
    records.par_iter().try_for_each(|checked| {
        let offset = checked.record.location.map_or(0, |place| place.offset);
        check_content(checked).map_err(|what| {
            StoreError::damaged(path, format!("the record at byte {offset}: {what}"))
        })
    })
}

fn check_content(checked: &CheckedRecord) -> Result<(), String> {
    let CheckedRecord { record, expected, summary } = checked;
    if record.block_is_intact() != Some(true) {
        return Err("its block digest is wrong".to_owned());
    }
    if expected.form == RecordForm::Revisit && record.block.is_empty() {
        return Ok(());
    }
    let response = record.http_response().ok_or("it has no HTTP response")?;
    if expected.form == RecordForm::Response
        && PayloadDigest::compute(response.body) != expected.payload
    {
        return Err("its payload digest is wrong".to_owned());
    }
    let Some(summary) = summary else { return Ok(()) };
    let again = read_response(&expected.address, &expected.content_type, &response, BODY_LIMIT)?;
    // Earlier versions did not read PDF.
    let is_old_pdf = (summary.form, again.form) == (Form::Other, Form::Pdf)
        && summary.fingerprints.body == again.fingerprints.body;
    if is_old_pdf || Summary::from_snapshot(&again) == *summary {
        Ok(())
    } else {
        Err(format!("{} parses differently from the held snapshot", expected.address))
    }
}

/// Checks that the CDXJ index of a file lists its records, sorted.
fn check_index(
    view: &View,
    files: &[FileRow],
    place: usize,
    mut lines: Vec<String>,
) -> Result<(), StoreError> {
    let path = view.folder().cdxj(&files[place].name);
    lines.sort_unstable();
    let mut logged = vec![];
    let mut add = |entry: CdxjEntry| {
        logged.push(entry.to_string());
        true
    };
    cdxj::each_entry(view.connection(), files, place, &mut add).map_err(|e| view.error(e))?;
    logged.sort_unstable();
    if logged != lines {
        return Err(StoreError::damaged(
            &path,
            "the log and the archive have different entries for it",
        ));
    }
    let listed = CdxjReader::open(&path)?.map(|entry| entry.map(|entry| entry.to_string()));
    if listed.collect::<Result<Vec<String>, _>>()? == lines {
        Ok(())
    } else {
        Err(StoreError::damaged(
            &path,
            "its entries differ from the records of its WARC file, or are not sorted",
        ))
    }
}

fn check_no_other_files(folder: &Path, files: &[FileRow]) -> Result<(), StoreError> {
    let known: FxHashSet<&str> = files.iter().map(|file| file.name.as_str()).collect();
    for entry in fs::read_dir(folder).map_err(|e| StoreError::file("list", folder, e))? {
        let entry = entry.map_err(|e| StoreError::file("list", folder, e))?;
        if !entry.file_name().to_str().is_some_and(|name| known.contains(name)) {
            return Err(StoreError::damaged(&entry.path(), "it is not in the log"));
        }
    }
    Ok(())
}
