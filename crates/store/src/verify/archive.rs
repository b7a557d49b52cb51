//! Checks that the archive contains exactly the records of the log, and that the CDXJ indexes list
//! them.
//!
//! A damaged record ends a WARC file for most readers. Here the log says where the next one begins, so one
//! flipped bit costs one record.
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crawl::{PageNo, Time};
use rusqlite::Row;
use rustc_hash::FxHashSet;

use super::content::{self, CheckedRecord};
use super::{Damage, Verified};
use crate::column::{Named, RecordForm};
use crate::view::View;
use crate::warc_types::timestamp;
use crate::writer::cdxj;
use crate::writer::files::FileRow;
use crate::{StoreError, body_limit, held, schema};
use warc::cdxj::{CdxjEntry, CdxjReader};
use warc::{PayloadDigest, Record, RecordId, RecordKind, RecordLocation, WarcReader};

/// Records checked in parallel, and the most bytes of their blocks.
const CHUNK: usize = 256;
const CHUNK_BYTES: usize = 8 << 20;

/// A record according to the log.
pub(super) struct Expected {
    pub(super) address: String,
    began: Time,
    pub(super) payload: PayloadDigest,
    pub(super) form: RecordForm,
    length: u64,
    pub(super) content_type: String,
    /// The page whose held snapshot this is.
    holds: Option<PageNo>,
}

/// The check of the whole archive.
struct Archive<'v> {
    view: &'v View,
    limit: usize,
    /// Responses that revisits may refer to.
    originals: FxHashSet<RecordId>,
    /// Addresses of responses that are damaged or lost: revisits of them cannot be checked.
    unreadable: FxHashSet<String>,
    damage: Vec<Damage>,
}

/// The check of one file.
struct FileCheck<'v> {
    file: &'v FileRow,
    path: PathBuf,
    expected: BTreeMap<u64, Expected>,
    /// Records that are known to be lost.
    lost: BTreeSet<u64>,
    /// The response or revisit whose request comes next.
    answer: Option<RecordId>,
    /// What its CDXJ index must have.
    lines: Vec<String>,
    chunk: Vec<CheckedRecord>,
}

pub(super) fn check(
    view: &View,
    files: &[FileRow],
    verified: &mut Verified,
) -> Result<Vec<Damage>, StoreError> {
    let limit = body_limit::recorded(view.connection()).map_err(|e| view.error(e))?;
    let mut archive = Archive {
        view,
        limit,
        originals: FxHashSet::default(),
        unreadable: FxHashSet::default(),
        damage: vec![],
    };
    for (place, file) in files.iter().enumerate() {
        let expected = expected(view, file, files.get(place + 1)).map_err(|e| view.error(e))?;
        let mut check = FileCheck {
            file,
            path: view.folder().warc(&file.name),
            expected,
            lost: lost(view, file).map_err(|e| view.error(e))?,
            answer: None,
            lines: vec![],
            chunk: vec![],
        };
        let before = archive.damage.len();
        archive.check_file(&mut check, verified)?;
        let damaged = archive.damage[before..].iter().filter_map(|damage| damage.offset).collect();
        if let Some(flaw) = check_index(view, files, place, check.lines, &damaged)? {
            let path = view.folder().cdxj(&file.name);
            archive.damage.push(Damage {
                path,
                offset: None,
                address: None,
                page: None,
                flaw,
                file: file.no,
            });
        }
        verified.files += 1;
        verified.bytes += file.bytes;
    }
    check_no_other_files(&view.folder().archive(), files)?;
    Ok(archive.damage)
}

impl Archive<'_> {
    /// Reads a whole file.
    fn check_file(
        &mut self,
        check: &mut FileCheck<'_>,
        verified: &mut Verified,
    ) -> Result<(), StoreError> {
        let file = check.file;
        let found = fs::metadata(&check.path);
        let found = found.map_err(|e| StoreError::file("find", &check.path, e))?.len();
        if found != file.bytes {
            let flaw = format!("it has {found} bytes, but the log has {}", file.bytes);
            return Err(StoreError::damaged(&check.path, flaw));
        }
        let mut next = 0;
        while next < file.bytes {
            if check.lost.contains(&next) {
                verified.lost += 1;
                next = self.skip(check, next);
                continue;
            }
            let before = next;
            let reader = WarcReader::open_at(&check.path, next)?;
            let reader = reader.with_block_limit(body_limit::block_limit(self.limit));
            for record in reader {
                let end = match record {
                    Ok(record) => self.check_record(check, next, record, verified)?,
                    Err(error) if error.damaged_record().is_some() => Err(StoreError::from(error)),
                    Err(error) => return Err(error.into()),
                };
                match end {
                    Ok(end) => next = end,
                    Err(error) => {
                        let flaw = match error {
                            StoreError::DamagedRecord { flaw, .. } => flaw,
                            other => other.to_string(),
                        };
                        self.report(check, next, flaw);
                        next = self.skip(check, next);
                        break;
                    }
                }
                if next >= file.bytes || check.lost.contains(&next) {
                    break;
                }
            }
            if next == before {
                self.report(check, next, "no record begins here".to_owned());
                next = self.skip(check, next);
            }
        }
        self.check_contents(check);
        if let Some(&offset) = check.expected.keys().next() {
            let flaw = "it is in the log, but not in the file".to_owned();
            self.report(check, offset, flaw);
        }
        Ok(())
    }

    /// Checks the head of a record that begins at `start`. Returns its end, or what is wrong.
    fn check_record(
        &mut self,
        check: &mut FileCheck<'_>,
        start: u64,
        record: Record,
        verified: &mut Verified,
    ) -> Result<Result<u64, StoreError>, StoreError> {
        let flaw = |what: &str| Ok(Err(StoreError::damaged_record(&check.path, start, what)));
        let Some(place) = record.location else {
            return flaw("it is not a separate gzip member");
        };
        if place.offset != start {
            return flaw("no record begins here");
        }
        let end = place.offset + place.length;
        let line = CdxjEntry::from_record(&record, &check.file.name);
        match record.kind() {
            RecordKind::Warcinfo if start == 0 => {}
            RecordKind::Request
                if check.answer.is_some() && concurrent(&record) == check.answer =>
            {
                check.answer = None;
            }
            RecordKind::Response | RecordKind::Revisit => {
                let Some(expected) = check.expected.get(&start) else {
                    return flaw("it is not in the log");
                };
                if let Err(what) = self.check_form(&record, expected) {
                    return flaw(&what);
                }
                let Some(expected) = check.expected.remove(&start) else {
                    return flaw("it is not in the log");
                };
                check.answer = record.id();
                match expected.form {
                    RecordForm::Response => verified.responses += 1,
                    RecordForm::Revisit => verified.revisits += 1,
                }
                let summary = match expected.holds {
                    None => None,
                    Some(page) => {
                        verified.read_again += 1;
                        let summary = held::load_summary(self.view.connection(), page);
                        Some(summary.map_err(|e| self.view.error(e))?)
                    }
                };
                check.chunk.push(CheckedRecord { record, expected, summary });
                let bytes: usize = check.chunk.iter().map(|it| it.record.block.len()).sum();
                if check.chunk.len() == CHUNK || bytes >= CHUNK_BYTES {
                    self.check_contents(check);
                }
            }
            kind => return flaw(&format!("unexpected record type {kind:?}")),
        }
        check.lines.extend(line.map(|entry| entry.to_string()));
        Ok(Ok(end))
    }

    /// Checks the blocks of the records read so far.
    fn check_contents(&mut self, check: &mut FileCheck<'_>) {
        let chunk = std::mem::take(&mut check.chunk);
        for (number, flaw) in content::check(&chunk, self.limit) {
            let CheckedRecord { record, expected, .. } = &chunk[number];
            let offset = record.location.map_or(0, |place| place.offset);
            self.damage.push(Damage {
                path: check.path.clone(),
                offset: Some(offset),
                address: Some(expected.address.clone()),
                page: expected.holds,
                flaw,
                file: check.file.no,
            });
            self.unreadable.insert(expected.address.clone());
        }
    }

    /// Notes that the record at `offset` is damaged.
    fn report(&mut self, check: &FileCheck<'_>, offset: u64, flaw: String) {
        let expected = check.expected.get(&offset);
        self.damage.push(Damage {
            path: check.path.clone(),
            offset: Some(offset),
            address: expected.map(|expected| expected.address.clone()),
            page: expected.and_then(|expected| expected.holds),
            flaw,
            file: check.file.no,
        });
    }

    /// Where the next record begins after one at `offset` that cannot be read. The log has the length of
    /// answers, and where the next answer is after a request.
    fn skip(&mut self, check: &mut FileCheck<'_>, offset: u64) -> u64 {
        check.answer = None;
        if let Some(expected) = check.expected.remove(&offset) {
            self.unreadable.insert(expected.address);
            // Its request follows, but what it belongs to cannot be checked.
            let request = offset + expected.length;
            return check.after_request(request);
        }
        check.after_request(offset)
    }

    /// Checks the header fields of a record.
    fn check_form(&mut self, record: &Record, expected: &Expected) -> Result<(), String> {
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
            self.originals.insert(id);
            return Ok(());
        }
        let original = record.field("WARC-Refers-To").and_then(RecordId::parse);
        if original.is_some_and(|original| self.originals.contains(&original))
            || self.unreadable.contains(&expected.address)
        {
            Ok(())
        } else {
            Err("it refers to a missing response".to_owned())
        }
    }
}

impl FileCheck<'_> {
    /// The first answer in the log after `offset`; else the end of the file.
    fn after_request(&self, offset: u64) -> u64 {
        let next = self.expected.range(offset..).next().map(|(&offset, _)| offset);
        next.unwrap_or(self.file.bytes)
    }
}

/// The records of a file that are known to be lost, by offset.
fn lost(view: &View, file: &FileRow) -> rusqlite::Result<BTreeSet<u64>> {
    let table = schema::names(view.connection())?.lost_record;
    let mut select =
        view.connection().prepare(&format!("SELECT offset FROM {table} WHERE file = ?1"))?;
    select.query_map((file.no,), |row| row.get(0))?.collect()
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

fn concurrent(record: &Record) -> Option<RecordId> {
    RecordId::parse(record.field("WARC-Concurrent-To")?)
}

/// Checks that the CDXJ index of a file lists its records, sorted. Returns what is wrong. The log also has
/// the `damaged` ones.
fn check_index(
    view: &View,
    files: &[FileRow],
    place: usize,
    mut lines: Vec<String>,
    damaged: &BTreeSet<u64>,
) -> Result<Option<String>, StoreError> {
    let path = view.folder().cdxj(&files[place].name);
    lines.sort_unstable();
    let mut logged = vec![];
    let mut add = |entry: CdxjEntry| {
        if !damaged.contains(&entry.offset) {
            logged.push(entry.to_string());
        }
        true
    };
    cdxj::each_entry(view.connection(), files, place, &mut add).map_err(|e| view.error(e))?;
    logged.sort_unstable();
    if damaged.is_empty() && logged != lines {
        return Ok(Some("the log and the archive have different entries for it".to_owned()));
    }
    let listed = || -> Result<Vec<String>, StoreError> {
        let mut listed = vec![];
        for entry in CdxjReader::open(&path)? {
            let entry = entry?;
            if !damaged.contains(&entry.offset) {
                listed.push(entry.to_string());
            }
        }
        Ok(listed)
    };
    Ok(match listed() {
        Ok(listed) if listed == logged => None,
        Ok(_) => {
            let flaw = "its entries differ from the records of its WARC file, or are not sorted";
            Some(flaw.to_owned())
        }
        Err(error) => Some(error.to_string()),
    })
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
