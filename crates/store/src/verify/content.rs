//! Checks the blocks of records: their digests, and that held pages parse as they did.
use crawl::{Digest, Form, Snapshot};
use extract::read::coding::Undecodable;
use extract::read::response::{LONG_BODY, Unreadable, is_gzip_name};
use rayon::prelude::*;

use super::archive::Expected;
use crate::column::RecordForm;
use crate::read_back::{long_digest, read_file, read_response};
use crate::summary::Summary;
use warc::{HttpResponse, PayloadDigest, Record};

/// A record to check.
pub(super) struct CheckedRecord {
    pub(super) record: Record,
    pub(super) expected: Expected,
    /// The held snapshot that it must parse to.
    pub(super) summary: Option<Summary>,
}

/// Checks blocks in parallel. Returns the places of those that are wrong, and what is wrong.
pub(super) fn check(records: &[CheckedRecord], limit: usize) -> Vec<(usize, String)> {
    let flaw = |(place, checked): (usize, &CheckedRecord)| {
        check_one(checked, limit).err().map(|flaw| (place, flaw))
    };
    records.par_iter().enumerate().filter_map(flaw).collect()
}

fn check_one(checked: &CheckedRecord, limit: usize) -> Result<(), String> {
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
    let is_same = match parse(expected, &response, limit).map_err(|error| error.to_string())? {
        Parsed::Whole(again) => agrees(summary, &again),
        Parsed::Long(body) => summary.fingerprints.body == body,
    };
    if is_same || is_old_file(summary, expected, &response, limit) {
        Ok(())
    } else {
        Err(format!("{} parses differently from the held snapshot", expected.address))
    }
}

/// A response that was read again.
enum Parsed {
    Whole(Box<Snapshot>),
    /// The digest of a long body. A few kilobytes can become gigabytes, and there may be many cores, so that
    /// such a body is decoded piece by piece and never held.
    Long(Digest),
}

fn parse(
    expected: &Expected,
    response: &HttpResponse<'_>,
    limit: usize,
) -> Result<Parsed, Unreadable> {
    let Expected { address, content_type, .. } = expected;
    let long = || long_digest(address, content_type, response);
    // Gzip files and sitemaps are read beyond the limit; a file that cannot be unzipped is a file.
    if response.status < 300
        && is_gzip_name(address)
        && let Ok(Some(digest)) = long()
    {
        return Ok(Parsed::Long(digest));
    }
    match read_response(address, content_type, response, limit.min(LONG_BODY)) {
        Err(error @ Unreadable::Undecodable(Undecodable::TooLong(_))) => {
            long()?.map(Parsed::Long).ok_or(error)
        }
        Ok(again) => Ok(Parsed::Whole(Box::new(again))),
        Err(error) => Err(error),
    }
}

fn agrees(summary: &Summary, again: &Snapshot) -> bool {
    let is_same_body = summary.fingerprints.body == again.fingerprints.body;
    let forms = (summary.form, again.form);
    // Earlier versions did not read PDF.
    let is_old_pdf = forms == (Form::Other, Form::Pdf) && is_same_body;
    // Earlier versions read more of a sitemap than it may have.
    let is_old_sitemap =
        forms == (Form::Sitemap, Form::Sitemap) && again.left_out.is_some() && is_same_body;
    is_old_pdf || is_old_sitemap || Summary::from_snapshot(again) == *summary
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
