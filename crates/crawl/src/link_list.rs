//! The links on one snapshot.
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::Time;

/// The links of a snapshot, in order of appearance, each address once.
///
/// Many versions of a page share one list, so lists carry a digest and are compared by it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkList {
    digest: u64,
    links: Vec<Link>,
}

/// A link on a page.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Link {
    /// The canonical address of the target.
    pub address: Arc<str>,
    /// When the target changed, according to a sitemap or feed.
    pub date: Option<Time>,
    /// Whether a crawler may follow it. A `nofollow` link does not make its target known.
    pub follow: bool,
}

impl Link {
    /// A link to `address` that may be followed.
    pub fn to(address: impl Into<Arc<str>>) -> Self {
        Self { address: address.into(), date: None, follow: true }
    }
}

impl LinkList {
    /// Makes a list of `links`. Of several links to one address the first is kept; it may be
    /// followed if any of them may.
    pub fn new(mut links: Vec<Link>) -> Self {
        if links.iter().any(|link| !link.follow) {
            let followed = links.iter().filter(|link| link.follow);
            let followed: FxHashSet<_> = followed.map(|link| Arc::clone(&link.address)).collect();
            for link in &mut links {
                link.follow = followed.contains(&link.address);
            }
        }
        let mut seen = FxHashSet::default();
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

    /// A hash of the list. Equal lists have equal digests.
    pub fn digest(&self) -> u64 {
        self.digest
    }

    /// The links in order of appearance.
    pub fn links(&self) -> &[Link] {
        &self.links
    }
}
