//! The captures that lists name: the page, the time and what it showed.
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crawl::Time;
use extract::read::address;
use warc::PayloadDigest;
use warc::cdxj::{self, Capture, CaptureReader, REVISIT};

use crate::import::ImportError;
use crate::import::names::Names;
use crate::import::warc::{CaptureError, MOST_WARNINGS, Reason, is_there};

/// The captures read so far.
#[derive(Debug, Default)]
pub(super) struct Listed {
    pages: Names,
    digests: Names,
    mimes: Names,
    captures: Vec<ListedCapture>,
    /// Lines that name a capture, with evidence or without.
    pub(super) count: usize,
    pub(super) skipped: BTreeMap<Reason, usize>,
    pub(super) unchanged: usize,
    pub(super) malformed: usize,
    pub(super) warnings: Vec<String>,
    /// The first line that could not be read.
    first_error: Option<cdxj::Error>,
}

/// A capture with evidence.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListedCapture {
    pub(super) page: u32,
    pub(super) at: Time,
    /// `None` for a revisit that does not say of what.
    pub(super) shown: Option<Shown>,
}

/// What a page showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    Content { digest: u32, mime: u32, status: u16 },
    Gone(u16),
}

impl Shown {
    pub(super) fn is_gone(self) -> bool {
        matches!(self, Self::Gone(_))
    }

    pub(super) fn is_same(self, other: Self) -> bool {
        match (self, other) {
            (Self::Gone(_), Self::Gone(_)) => true,
            (Self::Content { digest: one, .. }, Self::Content { digest: other, .. }) => {
                one == other
            }
            _ => false,
        }
    }
}

impl Listed {
    /// Adds the captures of a file. Lines that cannot be read are counted.
    pub(super) fn take(&mut self, path: &Path) -> Result<(), ImportError> {
        for line in CaptureReader::open(path).map_err(CaptureError::ReadIndex)? {
            match line {
                Ok(capture) => {
                    self.count += 1;
                    if let Err(reason) = self.add(&capture) {
                        self.skip(reason, 1);
                    }
                }
                // A file that is cut off loses its end only.
                Err(error) => self.damage(error),
            }
        }
        Ok(())
    }

    /// Refuses files in which nothing can be read.
    pub(super) fn check(&mut self, files: &[PathBuf]) -> Result<(), ImportError> {
        if self.count > 0 {
            return Ok(());
        }
        let path = files.first().cloned().unwrap_or_default();
        Err(match self.first_error.take() {
            Some(source) => CaptureError::NotList { lines: self.malformed, source },
            None => CaptureError::Empty { path, kind: "list of captures" },
        }
        .into())
    }

    fn add(&mut self, capture: &Capture) -> Result<(), Reason> {
        let url = address::canonical(&capture.url).ok_or(Reason::Address)?;
        let shown = self.shown(capture)?;
        let page = self.pages.number(&url);
        let at = Time::from_millis(capture.at.millis());
        self.captures.push(ListedCapture { page, at, shown });
        Ok(())
    }

    fn shown(&mut self, capture: &Capture) -> Result<Option<Shown>, Reason> {
        let is_revisit = capture.mime == REVISIT;
        let status = match capture.status {
            Some(304) | None if is_revisit => 200,
            Some(status) => status,
            None => return Err(Reason::Status),
        };
        if !is_there(status)? {
            return Ok(Some(Shown::Gone(status)));
        }
        let Some(digest) = &capture.digest else {
            return if is_revisit { Ok(None) } else { Err(Reason::NoDigest) };
        };
        let digest = self.digests.number(&normal(digest));
        let mime = self.mimes.number(if is_revisit { "" } else { &capture.mime });
        Ok(Some(Shown::Content { digest, mime, status }))
    }

    /// Counts captures that add nothing.
    pub(super) fn skip(&mut self, reason: Reason, count: usize) {
        if count > 0 {
            *self.skipped.entry(reason).or_default() += count;
        }
    }

    fn damage(&mut self, error: cdxj::Error) {
        self.malformed += 1;
        if self.warnings.len() < MOST_WARNINGS {
            let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
            self.warnings.push(format!("{error}{}", cause.unwrap_or_default()));
        }
        self.first_error.get_or_insert(error);
    }

    /// Sorts the captures by address and time. Those of one page at one instant keep their order.
    pub(super) fn sort(&mut self) {
        let rank = self.pages.rank();
        self.captures.sort_by_key(|capture| (rank[capture.page as usize], capture.at));
    }

    /// The captures in sorted order.
    pub(super) fn captures(&self) -> &[ListedCapture] {
        &self.captures
    }

    pub(super) fn url(&self, page: u32) -> &str {
        self.pages.name(page)
    }

    pub(super) fn digest(&self, digest: u32) -> &str {
        self.digests.name(digest)
    }

    pub(super) fn mime(&self, mime: u32) -> &str {
        self.mimes.name(mime)
    }
}

/// A digest with its algorithm. All spellings of a SHA-1 are one; archives write it with and without its
/// name. Other digests stay as they are written.
fn normal(text: &str) -> String {
    let named = if text.contains(':') { text.to_owned() } else { format!("sha1:{text}") };
    PayloadDigest::parse(&named).map_or_else(|| text.to_owned(), |digest| digest.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_spellings_of_a_digest_are_one() {
        let written = "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ";
        let hex = "da39a3ee5e6b4b0d3255bfef95601890afd80709";
        for text in [written, &written.to_lowercase(), hex, &format!("sha1:{written}")] {
            assert_eq!(normal(text), format!("sha1:{written}"), "{text}");
        }
        assert_eq!(normal("md5:x"), "md5:x");
        assert_eq!(normal("ABC"), "ABC");
    }
}
