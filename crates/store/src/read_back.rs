//! Reads held snapshots back from the archive.
use crawl::{Digest, Snapshot};
use extract::read::response::{self, Headers, Unreadable};

use crate::folder::Folder;
use crate::{StoreError, body_limit};
use warc::{HttpResponse, Record, RecordLocation, WarcReader};

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
    /// Reads the WARC record. `limit` is that of a body.
    pub(crate) fn record(&self, folder: &Folder, limit: usize) -> Result<Record, StoreError> {
        let path = folder.warc(&self.file);
        let reader = WarcReader::open_at(&path, self.place.offset)?;
        let mut reader = reader.with_block_limit(body_limit::block_limit(limit));
        let record = reader.next().transpose()?;
        record.filter(|record| record.location == Some(self.place)).ok_or_else(|| {
            let flaw = "it does not have the length that the log gives";
            StoreError::damaged_record(&path, self.place.offset, flaw)
        })
    }

    /// Reads the snapshot with its links and content. A body is at most `limit` bytes long.
    pub(crate) fn read(&self, folder: &Folder, limit: usize) -> Result<Snapshot, StoreError> {
        let record = self.record(folder, limit)?;
        let damaged = |flaw: String| {
            StoreError::damaged_record(&folder.warc(&self.file), self.place.offset, flaw)
        };
        let response = record.http_response();
        let response = response.ok_or_else(|| damaged("it has no HTTP response".to_owned()))?;
        let read = read_response(&self.address, &self.content_type, &response, limit);
        read.map_err(|error| damaged(error.to_string()))
    }
}

/// Parses a response as it was parsed when it was fetched.
pub(crate) fn read_response(
    address: &str,
    content_type: &str,
    response: &HttpResponse<'_>,
    limit: usize,
) -> Result<Snapshot, Unreadable> {
    let headers = headers(content_type, response);
    response::response(address, response.status, &headers, response.body, limit)
}

/// Parses a gzip file without a look inside, as earlier versions did where its content was too long.
pub(crate) fn read_file(
    address: &str,
    content_type: &str,
    response: &HttpResponse<'_>,
    limit: usize,
) -> Result<Snapshot, Unreadable> {
    response::file(address, &headers(content_type, response), response.body, limit)
}

/// The digest of a body that is long when decoded; `None` if it is not.
pub(crate) fn long_digest(
    address: &str,
    content_type: &str,
    response: &HttpResponse<'_>,
) -> Result<Option<Digest>, Unreadable> {
    response::long_digest(address, &headers(content_type, response), response.body)
}

fn headers(content_type: &str, response: &HttpResponse<'_>) -> Headers {
    let header = |name: &str| response.header(name).unwrap_or_default().to_owned();
    let tags =
        response.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("X-Robots-Tag"));
    Headers {
        content_type: content_type.to_owned(),
        content_encoding: header("Content-Encoding"),
        location: header("Location"),
        robots_tags: tags.map(|(_, value)| value.to_string()).collect(),
    }
}
