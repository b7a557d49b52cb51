//! One line of a CDXJ index.
use std::fmt::{self, Display};

use serde_json::{Map, Value};

use super::{Flaw, surt};
use crate::{Record, RecordKind, Timestamp};

/// The media type of a revisit in an index.
pub const REVISIT: &str = "warc/revisit";

/// One capture and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CdxjEntry {
    /// The key: the address with its host reversed, see [`surt()`].
    pub key: String,
    /// When it was captured. A line keeps whole seconds.
    pub at: Timestamp,
    /// The address.
    pub url: String,
    /// The media type without parameters, or [`REVISIT`]; empty if unknown.
    pub mime: String,
    /// The HTTP status.
    pub status: Option<u16>,
    /// The digest of the payload with the name of its algorithm, `sha1:…`; empty if unknown. pywb writes
    /// it without that name, so both are accepted.
    pub digest: String,
    /// The compressed length of the record.
    pub length: u64,
    /// The first byte of the record.
    pub offset: u64,
    /// The name of the file, without a folder.
    pub filename: String,
}

impl CdxjEntry {
    /// The entry of a record in `filename`, as cdxj-indexer makes it. `None` for records that are not
    /// indexed: other types than response and revisit, and records that cannot be read alone.
    pub fn from_record(record: &Record, filename: &str) -> Option<Self> {
        let is_revisit = match record.kind() {
            RecordKind::Response => false,
            RecordKind::Revisit => true,
            _ => return None,
        };
        let (url, location) = (record.target()?, record.location?);
        let http = record.http_response();
        let mime = match &http {
            _ if is_revisit => REVISIT,
            Some(http) => http.media_type(),
            None => "",
        };
        Some(Self {
            key: surt(url),
            at: record.date()?,
            url: url.to_owned(),
            mime: mime.to_owned(),
            status: http.as_ref().map(|http| http.status),
            digest: record.field("WARC-Payload-Digest").unwrap_or_default().to_owned(),
            length: location.length,
            offset: location.offset,
            filename: filename.to_owned(),
        })
    }

    /// Parses a line.
    ///
    /// # Errors
    ///
    /// If it lacks its key, date, address or location. Other fields are ignored.
    pub fn parse(line: &str) -> Result<Self, Flaw> {
        let mut parts = line.trim_ascii_end().splitn(3, ' ');
        let (Some(key), Some(date), Some(json)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(Flaw::Parts);
        };
        let at = Timestamp::parse_digits(date).ok_or(Flaw::Date)?;
        let fields: Map<String, Value> =
            serde_json::from_str(json).map_err(|e| Flaw::Json(e.to_string()))?;
        let text = |name: &'static str| match fields.get(name) {
            Some(Value::String(text)) => Some(text.clone()),
            // Some writers leave numbers as numbers.
            Some(Value::Number(number)) => Some(number.to_string()),
            _ => None,
        };
        let needed = |name: &'static str| text(name).ok_or(Flaw::Field(name));
        let number = |name| needed(name)?.parse().map_err(|_| Flaw::Field(name));
        // A status of `-` means that there is none.
        let status = text("status").filter(|status| status != "-").map(|status| status.parse());
        Ok(Self {
            key: key.to_owned(),
            at,
            url: needed("url")?,
            mime: text("mime").unwrap_or_default(),
            status: status.transpose().map_err(|_| Flaw::Field("status"))?,
            digest: text("digest").unwrap_or_default(),
            length: number("length")?,
            offset: number("offset")?,
            filename: needed("filename")?,
        })
    }
}

/// The line, without its line break.
impl Display for CdxjEntry {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A key may be a raw address, and a space in it would end the key.
        let key = self.key.replace([' ', '\t', '\r', '\n'], "%20");
        write!(out, "{key} {} {{\"url\": {}", self.at.digits(14), quoted(&self.url))?;
        if !self.mime.is_empty() {
            write!(out, ", \"mime\": {}", quoted(&self.mime))?;
        }
        if let Some(status) = self.status {
            write!(out, ", \"status\": \"{status}\"")?;
        }
        if !self.digest.is_empty() {
            write!(out, ", \"digest\": {}", quoted(&self.digest))?;
        }
        let (length, offset) = (self.length, self.offset);
        write!(out, ", \"length\": \"{length}\", \"offset\": \"{offset}\"")?;
        write!(out, ", \"filename\": {}}}", quoted(&self.filename))
    }
}

fn quoted(text: &str) -> Value {
    Value::from(text)
}
