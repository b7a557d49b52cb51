//! Reads held snapshots back from the archive.
use crawl::Snapshot;
use extract::read::response::{self, Headers};

use crate::StoreError;
use crate::folder::Folder;
use warc::{HttpResponse, Record, RecordLocation, read_at};

/// Where the payload of a held snapshot is.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// Address of the page.
    pub(crate) address: String,
    /// `Content-Type` header.
    pub(crate) content_type: String,
    /// Name of the WARC file.
    pub(crate) file: String,
    /// Position in the file.
    pub(crate) place: RecordLocation,
}

impl Source {
    /// Reads the WARC record.
    pub(crate) fn record(&self, folder: &Folder) -> Result<Record, StoreError> {
        Ok(read_at(&folder.warc(&self.file), self.place)?)
    }

    /// Reads the snapshot with its links and content.
    pub(crate) fn read(&self, folder: &Folder, limit: usize) -> Result<Snapshot, StoreError> {
        let record = self.record(folder)?;
        let damaged = |flaw: String| {
            let flaw = format!("the record at byte {}: {flaw}", self.place.offset);
            StoreError::damaged(&folder.warc(&self.file), flaw)
        };
        let response = record.http_response();
        let response = response.ok_or_else(|| damaged("it has no HTTP response".to_owned()))?;
        read_response(&self.address, &self.content_type, &response, limit).map_err(damaged)
    }
}

/// Parses a response as it was parsed when it was fetched.
pub(crate) fn read_response(
    address: &str,
    content_type: &str,
    response: &HttpResponse<'_>,
    limit: usize,
) -> Result<Snapshot, String> {
    let header = |name: &str| response.header(name).unwrap_or_default().to_owned();
    let tags =
        response.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("X-Robots-Tag"));
    let headers = Headers {
        content_type: content_type.to_owned(),
        content_encoding: header("Content-Encoding"),
        location: header("Location"),
        robots_tags: tags.map(|(_, value)| value.to_string()).collect(),
    };
    let read = response::response(address, response.status, &headers, response.body, limit);
    read.map_err(|error| error.to_string())
}
