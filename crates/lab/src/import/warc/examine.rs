//! What one record says about a page.
use flow::read::address;
use flow::{Digest, Time};
use store::warc::{PayloadDigest, Record, RecordKind, read_date};

use super::MAX_BODY_BYTES;
use super::payload::{self, Unreadable};

/// Why a capture adds nothing to the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Reason {
    /// Its address is none of the web, or longer than 2,000 bytes.
    Address,
    /// It has no date.
    Date,
    /// It holds no response of HTTP.
    NoResponse,
    /// The page led elsewhere, which does not say what it holds.
    Redirect,
    /// A status that says neither what a page holds nor that it is gone.
    Status,
    /// Its body is not whole.
    CutShort,
    /// Its body is not what its headers say.
    Undecodable,
    /// It says that a content came again which no file holds.
    NoOriginal,
    /// There is another capture of the page at the same instant.
    SameInstant,
    /// It is of a page with a version above the largest body.
    TooLarge,
    /// The page was not there, and had not been before.
    NeverThere,
    /// It is after the window, or a later one says what was there at its start.
    OutsideWindow,
}

impl Reason {
    /// The reason in a few words, to come after "captures".
    pub fn words(self) -> &'static str {
        match self {
            Self::Address => "of addresses not of the web, or too long",
            Self::Date => "without a date",
            Self::NoResponse => "without a response of HTTP",
            Self::Redirect => "that led elsewhere",
            Self::Status => "with a status that says nothing of the page",
            Self::CutShort => "with a body cut short",
            Self::Undecodable => "with a body that cannot be decoded",
            Self::NoOriginal => "of a content that these files do not hold",
            Self::SameInstant => "at the same instant as another of the page",
            Self::TooLarge => "of pages with a version above 1 MiB",
            Self::NeverThere => "of pages that were not there yet, or never",
            Self::OutsideWindow => "outside the window",
        }
    }
}

/// What a record is to us.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Finding {
    /// Not a capture: a request, a description.
    Other,
    /// A capture that says nothing.
    Skipped(Reason),
    /// A capture that says something.
    Capture(Capture),
}

/// A page at an instant.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Capture {
    /// The canonical address.
    pub(super) url: String,
    pub(super) at: Time,
    pub(super) shows: Shows,
}

/// What a capture shows.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Shows {
    Content {
        status: u16,
        mime: String,
        /// `None` where it is larger than we take.
        body: Option<Vec<u8>>,
        /// What revisits call this content.
        payload: Digest,
    },
    Gone(u16),
    Again(Again),
}

/// That a content came again, and what is said of which.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Again {
    pub(super) payload: Option<Digest>,
    /// Address and time of the capture that holds it.
    pub(super) original: Option<(String, Time)>,
    /// Whether the server said so: then it is what was there before, if nothing else is said.
    pub(super) not_modified: bool,
}

pub(super) fn examine(record: &Record) -> Finding {
    let kind = record.kind();
    if !matches!(kind, RecordKind::Response | RecordKind::Revisit | RecordKind::Resource) {
        return Finding::Other;
    }
    let shown = || -> Result<Capture, Reason> {
        let url = record.target().and_then(address::canonical).ok_or(Reason::Address)?;
        let at = record.date().ok_or(Reason::Date)?;
        let shows = match kind {
            RecordKind::Response => response(record)?,
            RecordKind::Revisit => revisit(record)?,
            _ => resource(record)?,
        };
        Ok(Capture { url, at, shows })
    };
    shown().map_or_else(Finding::Skipped, Finding::Capture)
}

/// What a response of this status is evidence of: that the page is there, or gone.
fn is_there(status: u16) -> Result<bool, Reason> {
    match status {
        // Without content by definition, or with a part of it.
        204..=206 => Err(Reason::Status),
        200..=299 => Ok(true),
        404 | 410 => Ok(false),
        300..=399 => Err(Reason::Redirect),
        _ => Err(Reason::Status),
    }
}

fn response(record: &Record) -> Result<Shows, Reason> {
    let http = record.http_response().ok_or(Reason::NoResponse)?;
    if !is_there(http.status)? {
        return Ok(Shows::Gone(http.status));
    }
    let body = match payload::body(&http, MAX_BODY_BYTES) {
        Ok(_) | Err(Unreadable::Broken) if record.truncated().is_some() => {
            return Err(Reason::CutShort);
        }
        Ok(body) => Some(body.into_owned()),
        Err(Unreadable::TooLarge) => None,
        Err(Unreadable::Broken) => return Err(Reason::Undecodable),
    };
    let mime = http.header("Content-Type").unwrap_or_default().to_owned();
    let payload = payload_key(record).unwrap_or_else(|| key_of(PayloadDigest::of(http.body)));
    Ok(Shows::Content { status: http.status, mime, body, payload })
}

/// A revisit holds the head of a response at most.
fn revisit(record: &Record) -> Result<Shows, Reason> {
    let status = record.http_response().map(|http| http.status);
    if let Some(status) = status.filter(|&status| status != 304)
        && !is_there(status)?
    {
        return Ok(Shows::Gone(status));
    }
    let address = record
        .field("WARC-Refers-To-Target-URI")
        .map(|text| text.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).unwrap_or(text));
    let address = address.or_else(|| record.target()).and_then(address::canonical);
    let date = record.field("WARC-Refers-To-Date").and_then(read_date);
    let profile = record.field("WARC-Profile").unwrap_or_default();
    Ok(Shows::Again(Again {
        payload: payload_key(record),
        original: address.zip(date),
        not_modified: profile.ends_with("/server-not-modified") || status == Some(304),
    }))
}

/// A resource is content alone, without the protocol that brought it.
fn resource(record: &Record) -> Result<Shows, Reason> {
    let is_large = record.block.len() > MAX_BODY_BYTES;
    if record.truncated().is_some() && !is_large {
        return Err(Reason::CutShort);
    }
    Ok(Shows::Content {
        status: 200,
        mime: record.field("Content-Type").unwrap_or_default().to_owned(),
        body: (!is_large).then(|| record.block.clone()),
        payload: payload_key(record).unwrap_or_else(|| key_of(PayloadDigest::of(&record.block))),
    })
}

/// The digest that a record gives for its payload. All spellings of a SHA-1 are one; others are
/// taken as they are written.
fn payload_key(record: &Record) -> Option<Digest> {
    let text = record.field("WARC-Payload-Digest")?;
    Some(record.payload_digest().map_or_else(|| Digest::of(text.as_bytes()), key_of))
}

fn key_of(digest: PayloadDigest) -> Digest {
    Digest::of(digest.bytes())
}
