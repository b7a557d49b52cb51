//! What comes back from a visit: capture, snapshot, observation.
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Exchange, Fault, HostNo, Note, PageNo, Reason, Span, Time, Validators};

/// A 128-bit fingerprint of some bytes. Equal bytes have equal digests; it tells contents apart,
/// it does not protect against someone who forges them.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Digest(pub u128);

impl Digest {
    /// The digest of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(xxhash_rust::xxh3::xxh3_128(bytes))
    }
}

/// What the world is asked to fetch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The page, as the capture will name it again.
    pub page: PageNo,
    /// Where it is.
    pub address: String,
    /// What the held snapshot came with, so that the server can say it is still right.
    pub validators: Option<Validators>,
}

/// What a world hands over while it fetches.
#[derive(Clone, Debug)]
pub enum Arrival {
    /// The answer to a request.
    Capture(Capture),
    /// Something to be remembered of a host.
    Note(Note),
}

/// One answer at one instant.
#[derive(Clone, Debug)]
pub struct Capture {
    /// The page that was requested.
    pub page: PageNo,
    /// When the answer came.
    pub at: Time,
    /// The answer.
    pub answer: Answer,
    /// What was said on the wire, where there is a wire and something was said.
    pub exchange: Option<Box<Exchange>>,
}

impl Capture {
    /// An answer without a wire.
    pub fn new(page: PageNo, at: Time, answer: Answer) -> Self {
        Self { page, at, answer, exchange: None }
    }
}

/// How the web replied.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A body, already read: reading is pure and heavy, so worlds do it where they fetch.
    Content(Arc<Snapshot>),
    /// The server vouches that the held snapshot is still right.
    NotModified,
    /// There is no page there now (404). Servers say so by mistake, too.
    Missing,
    /// The page is said to be no more (410).
    Gone,
    /// It could not be told.
    Failed(Fault),
    /// It was not asked for: the time was up, or the host must be left alone.
    Unreached,
}

/// What kind of content a snapshot was read from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// HTML.
    #[default]
    Html,
    /// Plain text.
    Text,
    /// A sitemap or an index of sitemaps.
    Sitemap,
    /// An RSS or Atom feed.
    Feed,
    /// XML of some other kind.
    Xml,
    /// Anything else; only its bytes are compared.
    Other,
    /// A redirect: its one link is where it leads.
    Moved,
}

impl Form {
    /// Whether people read such pages and look for them, not only machines.
    pub fn is_for_people(self) -> bool {
        match self {
            Self::Html | Self::Text => true,
            Self::Sitemap | Self::Feed | Self::Xml | Self::Other | Self::Moved => false,
        }
    }
}

/// A capture made readable.
///
/// Marks, counts and links are small and always there. The content itself is `None` where the
/// world keeps it elsewhere: a replay has compared the texts before the run and leaves them on disk.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// What it was read from.
    pub form: Form,
    /// Fingerprints by which detectors compare snapshots without their texts.
    pub marks: Marks,
    /// How much of what it holds.
    pub counts: Counts,
    /// The links it shows.
    pub links: Arc<LinkList>,
    /// What it asks of those who read it by machine.
    pub directives: Directives,
    /// Title and text.
    pub content: Option<Arc<Content>>,
}

impl Snapshot {
    /// Takes in what the header `X-Robots-Tag` asks for, beside what the page itself does.
    pub fn restrict(&mut self, directives: &Directives) {
        self.directives.noindex |= directives.noindex;
        if directives.nofollow && !self.directives.nofollow {
            self.directives.nofollow = true;
            self.links = Arc::new(self.links.unfollowed());
        }
    }
}

/// What a page asks of those who read it by machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Directives {
    /// Not to be found by searching.
    pub noindex: bool,
    /// None of its links is to be followed.
    pub nofollow: bool,
    /// The address it gives as its own, where that is another.
    pub canonical: Option<Arc<str>>,
}

/// What a reader sees of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// The title, white space folded.
    pub title: String,
    /// The visible text, white space folded.
    pub text: String,
    /// The language it says it is in, as a tag such as `en-GB`; empty where it does not say.
    pub language: String,
    /// Where the headings are in the text, in order.
    pub headings: Vec<Place>,
    /// Where the words of links are in the text, in order.
    pub anchors: Vec<Place>,
}

/// A part of a text: where it begins and where it ends, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The first byte.
    pub from: u32,
    /// The byte after the last.
    pub to: u32,
}

impl Place {
    /// That part of `text`; nothing where it is no part of it.
    pub fn of(self, text: &str) -> &str {
        text.get(self.from as usize..self.to as usize).unwrap_or_default()
    }
}

/// Fingerprints of one snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marks {
    /// Of the bytes as they came.
    pub body: Digest,
    /// Of title and visible text; for forms that have no text, of the bytes.
    pub text: Digest,
    /// 64-bit similarity fingerprint of the words: near texts differ in few bits.
    pub simhash: u64,
    /// The smallest shingle hashes, ascending: a sample of the text's shingle set.
    pub sketch: Arc<[u32]>,
}

/// How much of what a page holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Words of visible text.
    pub words: u32,
    /// Images.
    pub images: u32,
    /// Tables.
    pub tables: u32,
    /// Different e-mail addresses.
    pub emails: u32,
    /// Bytes of visible text.
    pub text_bytes: u32,
}

/// The links of a snapshot, in order of appearance, each address once.
///
/// Many versions of a page share one list, so lists carry a digest and are compared by it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkList {
    digest: u64,
    links: Vec<Link>,
}

/// An address seen inside a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Link {
    /// The canonical address.
    pub address: Arc<str>,
    /// When a sitemap or feed says that the page there changed.
    pub date: Option<Time>,
    /// Whether the page lets us follow it. A link that is not to be followed makes no page known.
    pub follow: bool,
}

impl Link {
    /// A link to `address`, to be followed.
    pub fn to(address: impl Into<Arc<str>>) -> Self {
        Self { address: address.into(), date: None, follow: true }
    }
}

impl LinkList {
    /// A list of `links`; of links to the same address only the first is kept, to be followed if
    /// any of them is.
    pub fn new(mut links: Vec<Link>) -> Self {
        let mut seen = rustc_hash::FxHashSet::default();
        if links.iter().any(|link| !link.follow) {
            let followed = links.iter().filter(|link| link.follow);
            let followed: rustc_hash::FxHashSet<_> =
                followed.map(|link| Arc::clone(&link.address)).collect();
            for link in &mut links {
                link.follow = followed.contains(&link.address);
            }
        }
        links.retain(|link| seen.insert(Arc::clone(&link.address)));
        let mut hasher = xxhash_rust::xxh3::Xxh3::new();
        for link in &links {
            hasher.update(link.address.as_bytes());
            hasher.update(&[u8::from(!link.follow)]);
            hasher.update(&link.date.map_or(i64::MIN, Time::millis).to_le_bytes());
        }
        Self { digest: hasher.digest(), links }
    }

    /// The same links, none of them to be followed.
    #[must_use]
    pub fn unfollowed(&self) -> Self {
        let unfollowed = |link: &Link| Link { follow: false, ..link.clone() };
        Self::new(self.links.iter().map(unfollowed).collect())
    }

    /// Equal for equal lists.
    pub fn digest(&self) -> u64 {
        self.digest
    }

    /// The links in order of appearance.
    pub fn links(&self) -> &[Link] {
        &self.links
    }
}

/// What one visit taught us. The only thing a policy learns from; the only thing the log holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// The page visited.
    pub page: PageNo,
    /// Its host.
    pub host: HostNo,
    /// The number of the cycle that it belongs to; visits before the first cycle count to that.
    pub cycle: u32,
    /// When.
    pub at: Time,
    /// Why it was visited.
    pub reason: Reason,
    /// What was found.
    pub outcome: Outcome,
    /// Why it failed, where it did.
    pub fault: Option<Fault>,
    /// Time since the last visit that told us something; `None` at the first.
    pub since: Option<Span>,
    /// Links shown by this visit to pages first seen in this cycle, and new links to pages that were
    /// not there when last looked for. Every page that shows such a link is credited, not only the
    /// first.
    pub leads: Vec<PageNo>,
    /// Dates this snapshot gives for changes of other pages (sitemap lastmod, feed entry).
    pub signals: Vec<Signal>,
    /// What it did to the answers that searchers get, as a share of what all of them are worth
    /// ([`impact`](crate::impact)); `None` where it was not measured, or taught nothing.
    pub impact: Option<f32>,
}

/// Outside evidence that a page changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signal {
    /// The page the signal is about.
    pub page: PageNo,
    /// When it is said to have changed.
    pub changed: Time,
}

/// What a visit found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// The page is held for the first time.
    First,
    /// Nothing that matters changed.
    Same,
    /// It changed, by this much in (0, 1].
    Changed(f32),
    /// It was not found, for the first time: not believed before it is said again.
    Missing,
    /// It is no more.
    Gone,
    /// We could not tell. Evidence of nothing; never counted as [`Same`](Self::Same).
    Failed,
    /// It was not asked for in time. Evidence of nothing, and no visit of the budget.
    Unreached,
    /// It was not asked for, because robots.txt or our own rules forbid it. Evidence of nothing, and
    /// no visit of the budget.
    Refused,
}

impl Observation {
    /// Whether a refresh found a difference to what was held: new content, or that it is gone.
    /// `None` where the visit compares nothing: a first visit, or one that failed.
    pub fn changed(&self) -> Option<bool> {
        match self.outcome {
            _ if self.reason == Reason::First => None,
            Outcome::Changed(_) | Outcome::Gone => Some(true),
            Outcome::Same => Some(false),
            Outcome::First
            | Outcome::Missing
            | Outcome::Failed
            | Outcome::Unreached
            | Outcome::Refused => None,
        }
    }

    /// Whether the page was asked for: only then is it a visit of the budget.
    pub fn was_asked(&self) -> bool {
        !matches!(self.outcome, Outcome::Unreached | Outcome::Refused)
    }
}
