//! In-memory table of the indexed version of each page, 16 bytes per page.
//!
//! It saves deletions of pages that are new, and indexing pages that did not change.
use crawl::{Digest, PageNo, Time};

use crate::open::Row;

/// The indexed version of each page.
#[derive(Clone, Debug, Default)]
pub(crate) struct IndexedVersions {
    slots: Vec<Slot>,
    count: usize,
}

/// Half a digest is enough to tell versions of one page apart. It is 0 if the page is not indexed.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    digest_half: u64,
    changed: i64,
}

impl IndexedVersions {
    pub(crate) fn from_rows(rows: &[Row]) -> Self {
        let mut versions = Self::default();
        for row in rows {
            versions.insert(row.page, row.digest, row.changed);
        }
        versions
    }

    /// Number of indexed pages.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    pub(crate) fn contains(&self, page: PageNo) -> bool {
        self.slot(page).is_some()
    }

    /// When the indexed version was new or changed.
    pub(crate) fn changed(&self, page: PageNo) -> Option<Time> {
        self.slot(page).map(|slot| Time::from_millis(slot.changed))
    }

    /// Whether this text and change time are indexed.
    pub(crate) fn has_version(&self, page: PageNo, digest: Digest, changed: Time) -> bool {
        self.slot(page).is_some_and(|slot| {
            slot.digest_half == digest_half(digest) && slot.changed == changed.millis()
        })
    }

    /// Whether this text is indexed.
    pub(crate) fn has_text(&self, page: PageNo, digest: Digest) -> bool {
        self.slot(page).is_some_and(|slot| slot.digest_half == digest_half(digest))
    }

    /// Sets the version of a page. Returns whether the page was indexed.
    pub(crate) fn insert(&mut self, page: PageNo, digest: Digest, changed: Time) -> bool {
        if self.slots.len() <= page.index() {
            self.slots.resize(page.index() + 1, Slot::default());
        }
        let slot = Slot { digest_half: digest_half(digest), changed: changed.millis() };
        let was = std::mem::replace(&mut self.slots[page.index()], slot);
        self.count += usize::from(was.digest_half == 0);
        was.digest_half != 0
    }

    /// Removes a page. Returns whether it was indexed.
    pub(crate) fn remove(&mut self, page: PageNo) -> bool {
        let is_there = self.contains(page);
        if is_there {
            self.slots[page.index()] = Slot::default();
            self.count -= 1;
        }
        is_there
    }

    fn slot(&self, page: PageNo) -> Option<Slot> {
        self.slots.get(page.index()).copied().filter(|slot| slot.digest_half != 0)
    }
}

fn digest_half(digest: Digest) -> u64 {
    (digest.0 as u64).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_known_until_they_are_removed() {
        let mut versions = IndexedVersions::default();
        let (page, at) = (PageNo(7), Time::from_millis(5));
        assert!(!versions.remove(page));
        // A digest whose half is 0 must not look like a missing page.
        assert!(!versions.insert(page, Digest(0), at));
        assert!(versions.has_version(page, Digest(0), at));
        assert!(versions.insert(page, Digest(9), at));
        assert!(!versions.has_version(page, Digest(8), at));
        assert!(!versions.has_version(page, Digest(9), Time::from_millis(6)));
        assert_eq!((versions.len(), versions.changed(page)), (1, Some(at)));
        assert!(versions.remove(page));
        assert_eq!((versions.len(), versions.contains(page)), (0, false));
    }
}
