//! One line of an index.
use std::fmt::{self, Display};

use flow::Time;
use serde_json::{Map, Value};

use super::{Flaw, surt};
use crate::warc::{Record, RecordKind, digits, read_digits};

/// The media type that stands in an index for a revisit.
pub const REVISIT: &str = "warc/revisit";

/// Where one capture is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What it is looked up by: the address with its host turned around, see [`surt()`].
    pub key: String,
    /// When it was captured. A line keeps whole seconds of it.
    pub at: Time,
    /// The address.
    pub url: String,
    /// The media type without parameters, or [`REVISIT`]; empty where it is not known.
    pub mime: String,
    /// The status of HTTP.
    pub status: Option<u16>,
    /// The digest of the payload with the name of its algorithm, `sha1:…`; empty where it is not
    /// known. pywb writes it without that name, so both are read.
    pub digest: String,
    /// How many bytes of the file the record takes.
    pub length: u64,
    /// The first of them.
    pub offset: u64,
    /// The name of the file, without a folder.
    pub filename: String,
}

impl Entry {
    /// The entry of a record in `filename`, as cdxj-indexer makes it. `None` for records that are
    /// not indexed: those without content of their own, and those that cannot be read alone.
    pub fn of(record: &Record, filename: &str) -> Option<Self> {
        let is_revisit = match record.kind() {
            RecordKind::Response => false,
            RecordKind::Revisit => true,
            _ => return None,
        };
        let (url, place) = (record.target()?, record.place?);
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
            length: place.length,
            offset: place.offset,
            filename: filename.to_owned(),
        })
    }

    /// Reads a line.
    ///
    /// # Errors
    ///
    /// Where it lacks what an entry needs: key, date, address and place. What else it has is passed
    /// over.
    pub fn read(line: &str) -> Result<Self, Flaw> {
        let mut parts = line.trim_ascii_end().splitn(3, ' ');
        let (Some(key), Some(date), Some(json)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(Flaw::Parts);
        };
        let at = read_digits(date).ok_or(Flaw::Date)?;
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
        // A status of `-` says that there is none.
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

/// The line, without its end.
impl Display for Entry {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A key that could not be made is the address as it is; a space in it would be a boundary.
        let key = self.key.replace([' ', '\t', '\r', '\n'], "%20");
        write!(out, "{key} {} {{\"url\": {}", digits(self.at, 14), quoted(&self.url))?;
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
