//! Checks the blocks of records: their digests, and that held pages parse as they did.
use std::sync::{Mutex, PoisonError};

use crawl::{Form, Snapshot};
use extract::read::coding::Undecodable;
use extract::read::response::{Unreadable, is_gzip_name};
use rayon::prelude::*;

use super::archive::Expected;
use crate::column::RecordForm;
use crate::read_back::{read_file, read_response};
use crate::summary::Summary;
use warc::{HttpResponse, PayloadDigest, Record};

/// Bodies that are longer when decoded are parsed one at a time. A few kilobytes can become gigabytes, and
/// there may be many cores.
const PARALLEL_BYTES: usize = 4 << 20;

/// A record to check.
pub(super) struct CheckedRecord {
    pub(super) record: Record,
    pub(super) expected: Expected,
    /// The held snapshot that it must parse to.
    pub(super) summary: Option<Summary>,
}

/// Checks blocks in parallel. Returns the places of those that are wrong, and what is wrong.
pub(super) fn check(records: &[CheckedRecord], limit: usize) -> Vec<(usize, String)> {
    let room = Mutex::new(());
    let flaw = |(place, checked): (usize, &CheckedRecord)| {
        check_one(checked, limit, &room).err().map(|flaw| (place, flaw))
    };
    records.par_iter().enumerate().filter_map(flaw).collect()
}

fn check_one(checked: &CheckedRecord, limit: usize, room: &Mutex<()>) -> Result<(), String> {
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
    let again = parse(expected, &response, limit, room).map_err(|error| error.to_string())?;
    if agrees(summary, &again) || is_old_file(summary, expected, &response, limit) {
        Ok(())
    } else {
        Err(format!("{} parses differently from the held snapshot", expected.address))
    }
}

/// Parses a response; one at a time if it is long.
fn parse(
    expected: &Expected,
    response: &HttpResponse<'_>,
    limit: usize,
    room: &Mutex<()>,
) -> Result<Snapshot, Unreadable> {
    let read = |limit| read_response(&expected.address, &expected.content_type, response, limit);
    if !is_gzip_name(&expected.address) {
        let short = read(limit.min(PARALLEL_BYTES));
        if !matches!(short, Err(Unreadable::Undecodable(Undecodable::TooLong(_)))) {
            return short;
        }
    }
    let _one = room.lock().unwrap_or_else(PoisonError::into_inner);
    read(limit)
}

fn agrees(summary: &Summary, again: &Snapshot) -> bool {
    // Earlier versions did not read PDF.
    let is_old_pdf = (summary.form, again.form) == (Form::Other, Form::Pdf)
        && summary.fingerprints.body == again.fingerprints.body;
    is_old_pdf || Summary::from_snapshot(again) == *summary
}

/// Whether an earlier version did not look into a gzip file, because its content was too long for it.
fn is_old_file(
    summary: &Summary,
    expected: &Expected,
    response: &HttpResponse<'_>,
    limit: usize,
) -> bool {
    is_gzip_name(&expected.address)
        && read_file(&expected.address, &expected.content_type, response, limit)
            .is_ok_and(|again| Summary::from_snapshot(&again) == *summary)
}
