//! What is held, read again from the archive.
use flow::Snapshot;
use flow::read::{self, coding, directives};

use crate::StoreError;
use crate::folder::Folder;
use crate::warc::{HttpResponse, Place, Record, read_at};

/// Where the payload of a held snapshot is, and how it is to be read.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// The page.
    pub(crate) address: String,
    /// The header `Content-Type`.
    pub(crate) content_type: String,
    /// The name of the WARC file.
    pub(crate) file: String,
    /// Where it is in there.
    pub(crate) place: Place,
}

impl Source {
    /// The record itself.
    pub(crate) fn record(&self, folder: &Folder) -> Result<Record, StoreError> {
        Ok(read_at(&folder.warc(&self.file), self.place)?)
    }

    /// The snapshot with its links and its content.
    pub(crate) fn read(&self, folder: &Folder, limit: usize) -> Result<Snapshot, StoreError> {
        let record = self.record(folder)?;
        let damaged = |flaw: String| {
            let flaw = format!("the record at byte {}: {flaw}", self.place.offset);
            StoreError::damaged(&folder.warc(&self.file), flaw)
        };
        let response = record.http_response();
        let response = response.ok_or_else(|| damaged("it holds no response".to_owned()))?;
        read_response(&self.address, &self.content_type, &response, limit).map_err(damaged)
    }
}

/// The snapshot of a response, as it was read when it came.
pub(crate) fn read_response(
    address: &str,
    content_type: &str,
    response: &HttpResponse<'_>,
    limit: usize,
) -> Result<Snapshot, String> {
    let mut snapshot = if (300..400).contains(&response.status) {
        let location = response.header("Location").ok_or("it leads nowhere")?;
        read::moved(address, location).ok_or("it leads off the web")?
    } else {
        let codings = response.header("Content-Encoding").unwrap_or_default();
        let body = coding::decode(codings, response.body, limit).map_err(|e| e.to_string())?;
        read_body(address, content_type, &body, limit)
    };
    for (name, value) in &response.headers {
        if name.eq_ignore_ascii_case("X-Robots-Tag") {
            snapshot.restrict(&directives::of_header(value));
        }
    }
    Ok(snapshot)
}

/// Reads a body; that of a file in gzip, as sitemaps often are, by what is inside.
fn read_body(address: &str, content_type: &str, body: &[u8], limit: usize) -> Snapshot {
    if is_zipped(address, content_type, body)
        && let Ok(inside) = coding::decode("gzip", body, limit)
    {
        return read::read(address, "", &inside);
    }
    read::read(address, content_type, body)
}

fn is_zipped(address: &str, content_type: &str, body: &[u8]) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    let may_be = ["application/gzip", "application/x-gzip", "application/octet-stream", ""];
    let path = address.split('?').next().unwrap_or_default().as_bytes();
    path.last_chunk().is_some_and(|end: &[u8; 3]| end.eq_ignore_ascii_case(b".gz"))
        && coding::is_gzip(body)
        && may_be.iter().any(|kind| essence.eq_ignore_ascii_case(kind))
}
