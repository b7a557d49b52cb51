//! Snapshots: captures in parsed form.
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::LinkList;

/// A 128-bit hash of some bytes (XXH3). It identifies content; it is not cryptographic.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Digest(pub u128);

impl Digest {
    /// The digest of `bytes`.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self(xxhash_rust::xxh3::xxh3_128(bytes))
    }
}

/// What kind of content a snapshot was parsed from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// HTML.
    #[default]
    Html,
    /// Plain text.
    Text,
    /// A sitemap or a sitemap index.
    Sitemap,
    /// An RSS or Atom feed.
    Feed,
    /// Any other XML.
    Xml,
    /// Anything else. Only its bytes are compared.
    Other,
    /// A redirect. Its only link is the target.
    Moved,
    /// PDF whose text can be read.
    Pdf,
}

impl Form {
    /// Whether people read and search for such pages, not only machines.
    pub fn is_for_people(self) -> bool {
        match self {
            Self::Html | Self::Text | Self::Pdf => true,
            Self::Sitemap | Self::Feed | Self::Xml | Self::Other | Self::Moved => false,
        }
    }
}

/// A capture in parsed form.
///
/// Fingerprints, counts and links are small and always present. The content is `None` where the
/// world keeps it elsewhere: a replay compares texts before the run and leaves them on disk.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// The kind of content.
    pub form: Form,
    /// Fingerprints by which detectors compare snapshots without their texts.
    pub fingerprints: Fingerprints,
    /// Counts of words, images and so on.
    pub counts: Counts,
    /// Hashes of the text runs between tags, in order, the title first. The host is part of each
    /// hash. Empty where the form has no runs.
    pub runs: Arc<[u32]>,
    /// The dates in the text.
    pub dates: TextDates,
    /// The links on the page.
    pub links: Arc<LinkList>,
    /// A hash for each of these links: its text and what follows it up to the next link, wherever the page
    /// shows it. Empty where the form has no such texts.
    pub link_texts: Arc<[u32]>,
    /// Robots directives and the canonical address.
    pub directives: Directives,
    /// Title and text.
    pub content: Option<Arc<Content>>,
    /// What of the page was not read, in words; `None` if nothing was left out.
    pub left_out: Option<&'static str>,
}

impl Snapshot {
    /// The runs of the text, without the title, and where each ends in the text.
    pub fn text_runs(&self) -> impl Iterator<Item = (u32, usize)> {
        let ends = self.content.as_ref().map_or(&[][..], |content| &content.run_ends);
        let first = self.runs.len().saturating_sub(ends.len());
        self.runs[first..].iter().copied().zip(ends.iter().map(|end| *end as usize))
    }

    /// Adds the directives of an `X-Robots-Tag` header to those of the page itself.
    pub fn restrict(&mut self, directives: &Directives) {
        self.directives.noindex |= directives.noindex;
        if directives.nofollow && !self.directives.nofollow {
            self.directives.nofollow = true;
            self.links = Arc::new(self.links.unfollowed());
        }
    }
}

/// What a page asks of crawlers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Directives {
    /// Keep the page out of search results.
    pub noindex: bool,
    /// Follow none of its links.
    pub nofollow: bool,
    /// The canonical address, where it differs from the page's own.
    pub canonical: Option<Arc<str>>,
}

/// What a reader sees of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// The title, white space folded.
    pub title: String,
    /// The visible text, white space folded.
    pub text: String,
    /// The declared language as a tag such as `en-GB`; empty where the page declares none.
    pub language: String,
    /// The headings, as ranges of the text, in order.
    pub headings: Vec<TextRange>,
    /// The anchor texts of links, as ranges of the text, in order.
    pub anchors: Vec<TextRange>,
    /// Where each of the last [`Snapshot::runs`] ends in the text; the one before them is the title.
    /// Empty for plain text. Only search and the comparison of versions need it, so the lab's cache
    /// of texts leaves it out.
    #[serde(skip)]
    pub run_ends: Vec<u32>,
}

/// A byte range of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextRange {
    /// The first byte.
    pub from: u32,
    /// The byte after the last.
    pub to: u32,
}

impl TextRange {
    /// This part of `text`; empty where the range does not fit the text.
    pub fn slice(self, text: &str) -> &str {
        text.get(self.from as usize..self.to as usize).unwrap_or_default()
    }
}

/// Fingerprints of one snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprints {
    /// Of the raw bytes.
    pub body: Digest,
    /// Of title and visible text; of the bytes where there is no text.
    pub text: Digest,
    /// 64-bit simhash of the words: similar texts differ in few bits.
    pub simhash: u64,
    /// The smallest shingle hashes, ascending: a sample of the text's shingle set.
    pub sketch: Arc<[u32]>,
}

/// Counts of what a page contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Words of visible text.
    pub words: u32,
    /// Images.
    pub images: u32,
    /// Tables.
    pub tables: u32,
    /// Distinct e-mail addresses.
    pub emails: u32,
    /// Bytes of visible text.
    pub text_bytes: u32,
}

/// The dates that a text names, such as `2026-11-16`, `16 November 2026` or a year alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextDates {
    /// The latest date with a day, in days since 1970-01-01; `None` where there is none.
    pub latest_day: Option<u16>,
    /// The latest year, in a date or alone; 0 where there is none.
    pub latest_year: u16,
    /// The number of dates with a day.
    pub count: u16,
}
