//! Which pages are in an index, in memory.
//!
//! It saves a deletion for every page that is put for the first time, and the work of putting a page
//! again that has not changed. A page costs 16 bytes.
use crawl::{Digest, PageNo, Time};

use crate::opened::Row;

/// Which pages are in an index.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    slots: Vec<Slot>,
    count: usize,
}

/// What is known of a page. Half of a digest is enough to tell two texts of one page apart; it is 0
/// exactly where the page is not in the index.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    half: u64,
    changed: i64,
}

impl Known {
    pub(crate) fn of(rows: &[Row]) -> Self {
        let mut known = Self::default();
        for row in rows {
            known.insert(row.page, row.digest, row.changed);
        }
        known
    }

    /// How many pages there are.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    pub(crate) fn contains(&self, page: PageNo) -> bool {
        self.slot(page).is_some()
    }

    /// When a page was last found new or changed, by what is in the index.
    pub(crate) fn changed(&self, page: PageNo) -> Option<Time> {
        self.slot(page).map(|slot| Time::from_millis(slot.changed))
    }

    /// Whether a page is there with this text and date.
    pub(crate) fn has(&self, page: PageNo, digest: Digest, changed: Time) -> bool {
        self.slot(page)
            .is_some_and(|slot| slot.half == half(digest) && slot.changed == changed.millis())
    }

    /// Whether a page is there with this text.
    pub(crate) fn has_text(&self, page: PageNo, digest: Digest) -> bool {
        self.slot(page).is_some_and(|slot| slot.half == half(digest))
    }

    /// Adds a page, or replaces what is known of it; says whether it was there.
    pub(crate) fn insert(&mut self, page: PageNo, digest: Digest, changed: Time) -> bool {
        if self.slots.len() <= page.index() {
            self.slots.resize(page.index() + 1, Slot::default());
        }
        let slot = Slot { half: half(digest), changed: changed.millis() };
        let was = std::mem::replace(&mut self.slots[page.index()], slot);
        self.count += usize::from(was.half == 0);
        was.half != 0
    }

    /// Forgets a page; says whether it was there.
    pub(crate) fn remove(&mut self, page: PageNo) -> bool {
        let is_there = self.contains(page);
        if is_there {
            self.slots[page.index()] = Slot::default();
            self.count -= 1;
        }
        is_there
    }

    fn slot(&self, page: PageNo) -> Option<Slot> {
        self.slots.get(page.index()).copied().filter(|slot| slot.half != 0)
    }
}

fn half(digest: Digest) -> u64 {
    (digest.0 as u64).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_known_until_they_are_removed() {
        let mut known = Known::default();
        let (page, at) = (PageNo(7), Time::from_millis(5));
        assert!(!known.remove(page));
        // A digest whose half is 0 must not pass for a page that is not there.
        assert!(!known.insert(page, Digest(0), at));
        assert!(known.has(page, Digest(0), at));
        assert!(known.insert(page, Digest(9), at));
        assert!(!known.has(page, Digest(8), at));
        assert!(!known.has(page, Digest(9), Time::from_millis(6)));
        assert_eq!((known.len(), known.changed(page)), (1, Some(at)));
        assert!(known.remove(page));
        assert_eq!((known.len(), known.contains(page)), (0, false));
    }
}
