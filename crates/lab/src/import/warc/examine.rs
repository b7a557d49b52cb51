//! What one record shows of a page.
use crawl::{Digest, Time};
use extract::read::address;
use warc::{PayloadDigest, Record, RecordKind, Timestamp};

use super::MAX_BODY_BYTES;
use super::payload::{self, Unreadable};

/// Why a capture adds nothing to the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Reason {
    /// Its address is not HTTP(S), or is longer than 2,000 bytes.
    Address,
    /// It has no date.
    Date,
    /// It has no HTTP response.
    NoResponse,
    /// A redirect, which does not show the page's content.
    Redirect,
    /// A status that shows neither a page's content nor that it is gone.
    Status,
    /// Its body is truncated.
    CutShort,
    /// Its body does not match its headers.
    Undecodable,
    /// It has no digest, in a list of captures without bodies.
    NoDigest,
    /// A revisit of a content that no file has.
    NoOriginal,
    /// Another capture of the page has the same time.
    SameInstant,
    /// Its page has a version above the size limit.
    TooLarge,
    /// The page did not exist, and had not existed before.
    NeverThere,
    /// It is after the window, or a later one shows the state at the window's start.
    OutsideWindow,
}

impl Reason {
    /// The reason in a few words, to follow "captures".
    pub fn words(self) -> &'static str {
        match self {
            Self::Address => "of addresses not of the web, or too long",
            Self::Date => "without a date",
            Self::NoResponse => "without a response of HTTP",
            Self::Redirect => "that led elsewhere",
            Self::Status => "with a status that says nothing of the page",
            Self::CutShort => "with a body cut short",
            Self::Undecodable => "with a body that cannot be decoded",
            Self::NoDigest => "without a digest",
            Self::NoOriginal => "of a content that these files do not hold",
            Self::SameInstant => "at the same instant as another of the page",
            Self::TooLarge => "of pages with a version above 1 MiB",
            Self::NeverThere => "of pages that were not there yet, or never",
            Self::OutsideWindow => "outside the window",
        }
    }
}

/// What a record shows.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Finding {
    /// Not a capture, such as a request or metadata.
    Other,
    /// A capture without evidence.
    Skipped(Reason),
    /// A capture with evidence.
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
        /// `None` if it is larger than the limit.
        body: Option<Vec<u8>>,
        /// The digest by which revisits refer to this content.
        payload: Digest,
    },
    Gone(u16),
    Again(Again),
}

/// A revisit, and what it says about the original.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Again {
    pub(super) payload: Option<Digest>,
    /// Address and time of the original capture.
    pub(super) original: Option<(String, Time)>,
    /// Whether the server reported it (304): then the content is the previous one, unless stated
    /// otherwise.
    pub(super) not_modified: bool,
}

pub(super) fn examine(record: &Record) -> Finding {
    let kind = record.kind();
    if !matches!(kind, RecordKind::Response | RecordKind::Revisit | RecordKind::Resource) {
        return Finding::Other;
    }
    let shown = || -> Result<Capture, Reason> {
        let url = record.target().and_then(address::canonical).ok_or(Reason::Address)?;
        let at = record.date().map(time).ok_or(Reason::Date)?;
        let shows = match kind {
            RecordKind::Response => response(record)?,
            RecordKind::Revisit => revisit(record)?,
            _ => resource(record)?,
        };
        Ok(Capture { url, at, shows })
    };
    shown().map_or_else(Finding::Skipped, Finding::Capture)
}

/// What a status is evidence of: that the page exists, or is gone.
pub(in crate::import) fn is_there(status: u16) -> Result<bool, Reason> {
    match status {
        // No content by definition, or only a part of it.
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
    let payload = payload_key(record).unwrap_or_else(|| key_of(PayloadDigest::compute(http.body)));
    Ok(Shows::Content { status: http.status, mime, body, payload })
}

/// A revisit has at most the head of a response.
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
    let date = record.field("WARC-Refers-To-Date").and_then(Timestamp::parse).map(time);
    let profile = record.field("WARC-Profile").unwrap_or_default();
    Ok(Shows::Again(Again {
        payload: payload_key(record),
        original: address.zip(date),
        not_modified: profile.ends_with("/server-not-modified") || status == Some(304),
    }))
}

/// A resource is content without a protocol.
fn resource(record: &Record) -> Result<Shows, Reason> {
    let is_large = record.block.len() > MAX_BODY_BYTES;
    if record.truncated().is_some() && !is_large {
        return Err(Reason::CutShort);
    }
    Ok(Shows::Content {
        status: 200,
        mime: record.field("Content-Type").unwrap_or_default().to_owned(),
        body: (!is_large).then(|| record.block.clone()),
        payload: payload_key(record)
            .unwrap_or_else(|| key_of(PayloadDigest::compute(&record.block))),
    })
}

/// The payload digest of a record. All spellings of a SHA-1 are normalised; other digests are used
/// as written.
fn payload_key(record: &Record) -> Option<Digest> {
    let text = record.field("WARC-Payload-Digest")?;
    Some(record.payload_digest().map_or_else(|| Digest::from_bytes(text.as_bytes()), key_of))
}

fn key_of(digest: PayloadDigest) -> Digest {
    Digest::from_bytes(digest.bytes())
}

fn time(at: Timestamp) -> Time {
    Time::from_millis(at.millis())
}
