//! One row of a trace, and the rules that hold for it and for its place among the others.
use crawl::Time;
use jiff::Timestamp;

use super::Flaw;

/// The largest body a trace can hold. Parquet counts the bytes of a page of a column in 31 bits, so
/// a single value must stay well below that.
const MAX_BODY_BYTES: usize = 1 << 30;

/// One row of a trace: a page's content from an instant on. How exactly that instant is known is
/// beside it, in [`Head::after`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The page's address.
    pub url: String,
    /// When this content appeared.
    pub at: Time,
    /// The status of HTTP: 2xx with a body, or another when the page vanished.
    pub status: u16,
    /// The media type.
    pub mime: String,
    /// The content; `None` when the page vanished.
    pub body: Option<Vec<u8>>,
}

/// A row without its body, for those who ask only when something happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The page's address.
    pub url: String,
    /// When this content appeared, or was first seen.
    pub at: Time,
    /// `None` where it appeared exactly at `at`. Else it is not known when between this instant and
    /// `at` it did.
    pub after: Option<Time>,
    /// The status of HTTP: 2xx while the page is there.
    pub status: u16,
    /// The media type.
    pub mime: String,
}

/// Whether a page that answers with `status` is there and has a body.
pub(super) fn has_body(status: u16) -> bool {
    (200..=299).contains(&status)
}

/// Checks rows one after the other, as they are read or written.
#[derive(Debug, Default)]
pub(super) struct RowCheck {
    url: String,
    at: Option<Time>,
}

impl RowCheck {
    /// Checks everything that does not need the body, and remembers the row's place.
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

    /// Checks a whole row.
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

/// Whether `url` has the scheme of a web page and a host after it.
fn is_http(url: &str) -> bool {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    rest.is_some_and(|rest| rest.starts_with(|first: char| !matches!(first, '/' | '?' | '#')))
}
