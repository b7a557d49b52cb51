//! One row of a trace, and its validation.
use crawl::Time;
use jiff::Timestamp;

use super::Flaw;

/// The maximum size of a body. Parquet has 31 bits for the size of a page of a column, so a single
/// value must be well below that.
const MAX_BODY_BYTES: usize = 1 << 30;

/// One row of a trace: the content of a page from an instant on. [`Head::after`] has the precision
/// of that instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The address of the page.
    pub url: String,
    /// The time at which this content appeared.
    pub at: Time,
    /// The HTTP status: 2xx with a body, or another if the page vanished.
    pub status: u16,
    /// The media type.
    pub mime: String,
    /// The content; `None` if the page vanished.
    pub body: Option<Vec<u8>>,
}

/// A row without its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The address of the page.
    pub url: String,
    /// The time at which this content appeared or was first seen.
    pub at: Time,
    /// The earliest time at which it can have appeared; `None` if `at` is exact.
    pub after: Option<Time>,
    /// The HTTP status: 2xx while the page exists.
    pub status: u16,
    /// The media type.
    pub mime: String,
}

/// Whether a page with this status exists and has a body.
pub(super) fn has_body(status: u16) -> bool {
    (200..=299).contains(&status)
}

/// Validates rows in order, as they are read or written.
#[derive(Debug, Default)]
pub(super) struct RowCheck {
    url: String,
    at: Option<Time>,
}

impl RowCheck {
    /// Validates everything except the body, and the order of rows.
    pub(super) fn head(
        &mut self,
        url: &str,
        at: Time,
        after: Option<Time>,
        status: u16,
    ) -> Result<(), Flaw> {
        if !is_http(url) {
            return Err(Flaw::NotHttp(url.to_owned()));
        }
        if Timestamp::from_millisecond(at.millis()).is_err() {
            return Err(Flaw::TimeRange);
        }
        if after.is_some_and(|after| Timestamp::from_millisecond(after.millis()).is_err()) {
            return Err(Flaw::AfterRange);
        }
        if after.is_some_and(|after| after >= at) {
            return Err(Flaw::AfterAt);
        }
        if !(100..=599).contains(&status) {
            return Err(Flaw::Status(i64::from(status)));
        }
        if let Some(before) = self.at {
            if *url < *self.url {
                return Err(Flaw::UrlBefore(url.to_owned()));
            }
            if *url == *self.url && at < before {
                return Err(Flaw::TimeBefore(url.to_owned()));
            }
            if *url == *self.url && at == before {
                return Err(Flaw::TimeTwice(url.to_owned()));
            }
            if *url == *self.url && after.is_some_and(|after| after < before) {
                return Err(Flaw::AfterBefore(url.to_owned()));
            }
        }
        self.url.clear();
        self.url.push_str(url);
        self.at = Some(at);
        Ok(())
    }

    /// Validates a whole row.
    pub(super) fn row(&mut self, row: &Row, after: Option<Time>) -> Result<(), Flaw> {
        self.head(&row.url, row.at, after, row.status)?;
        match &row.body {
            None if has_body(row.status) => Err(Flaw::NoBody(row.status)),
            Some(_) if !has_body(row.status) => Err(Flaw::Body(row.status)),
            Some(body) if body.len() > MAX_BODY_BYTES => Err(Flaw::BodySize(body.len())),
            _ => Ok(()),
        }
    }
}

/// Whether `url` is http or https and has a host.
fn is_http(url: &str) -> bool {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    rest.is_some_and(|rest| rest.starts_with(|first: char| !matches!(first, '/' | '?' | '#')))
}
