//! The sampled pages of one host, and on how many of them each run is.
use std::collections::BTreeMap;

use crawl::{PageId, PageNo};
use rustc_hash::FxHashMap;

/// The most pages of a host that are sampled.
pub(super) const MOST_PAGES: usize = 64;
/// Boilerplate is only told from main text where at least this many pages are sampled.
pub(super) const FEWEST_PAGES: usize = 10;
/// The most marks of a host that are kept after they ceased to be boilerplate.
const MOST_FORMER: usize = 4_096;
/// More halvings than this are not needed for any number of pages.
const HIGHEST_LEVEL: u8 = 63;

/// A sample of the held pages of a host.
///
/// At level 0 every page is in it. Where there are too many, the level rises and only the pages with
/// the smaller half of all page IDs stay. So the sample does not depend on the order of visits, and a
/// page that is not in it never has to be read again.
#[derive(Clone, Debug, Default)]
pub(super) struct HostSample {
    level: u8,
    /// By page, its marks in ascending order.
    pages: BTreeMap<PageNo, (PageId, Box<[u32]>)>,
    /// By mark, the number of sampled pages with it. Only looked up, or sorted before it shows.
    counts: FxHashMap<u32, u32>,
    /// The marks that are boilerplate, ascending.
    boilerplate: Vec<u32>,
    /// The marks that were boilerplate, the last ones last. Pages that were not visited since the
    /// template changed still have them.
    former: Vec<u32>,
    /// Whether the counts are newer than the boilerplate.
    is_stale: bool,
}

impl HostSample {
    pub(super) fn level(&self) -> u8 {
        self.level
    }

    pub(super) fn boilerplate(&self) -> &[u32] {
        &self.boilerplate
    }

    /// The marks that were boilerplate and are no longer.
    pub(super) fn former(&self) -> &[u32] {
        &self.former
    }

    /// Sets what was found before a restart.
    pub(super) fn restore(&mut self, level: u8, boilerplate: Vec<u32>, former: Vec<u32>) {
        (self.boilerplate, self.former) = (boilerplate, former);
        self.is_stale = true;
        self.raise(level);
    }

    /// The marks of a page; `None` where it is not sampled.
    pub(super) fn marks(&self, page: PageNo) -> Option<&[u32]> {
        self.pages.get(&page).map(|(_, marks)| &**marks)
    }

    /// Sets the marks of a page that may be sampled.
    pub(super) fn put(&mut self, page: PageNo, id: PageId, marks: impl FnOnce() -> Vec<u32>) {
        self.remove(page);
        if !self.samples(id) {
            return;
        }
        let marks = marks().into_boxed_slice();
        if marks.is_empty() {
            // A feed or an image has no text runs, so it is no page of the template.
            return;
        }
        self.is_stale = true;
        for &mark in &marks {
            *self.counts.entry(mark).or_default() += 1;
        }
        self.pages.insert(page, (id, marks));
        while self.pages.len() > MOST_PAGES && self.level < HIGHEST_LEVEL {
            self.raise(self.level + 1);
        }
    }

    /// Whether pages with this ID are sampled.
    pub(super) fn samples(&self, id: PageId) -> bool {
        id.0 <= u64::MAX >> self.level
    }

    /// Raises the level to at least `level` and removes the pages that are no longer sampled.
    pub(super) fn raise(&mut self, level: u8) {
        if level <= self.level {
            return;
        }
        self.level = level.min(HIGHEST_LEVEL);
        let pages = self.pages.iter().filter(|(_, (id, _))| !self.samples(*id));
        let left_out: Vec<PageNo> = pages.map(|(page, _)| *page).collect();
        for page in left_out {
            self.remove(page);
        }
    }

    pub(super) fn remove(&mut self, page: PageNo) {
        let Some((_, marks)) = self.pages.remove(&page) else { return };
        self.is_stale = true;
        for mark in marks {
            if let Some(count) = self.counts.get_mut(&mark) {
                *count -= 1;
                if *count == 0 {
                    self.counts.remove(&mark);
                }
            }
        }
    }

    /// Decides anew which marks are boilerplate. Returns whether any other is than before.
    pub(super) fn update(&mut self) -> bool {
        if !std::mem::take(&mut self.is_stale) {
            return false;
        }
        let pages = self.pages.len();
        if pages < FEWEST_PAGES {
            self.former.clear();
            return !std::mem::take(&mut self.boilerplate).is_empty();
        }
        let found = self.counts.iter().filter(|(mark, count)| {
            let was = self.boilerplate.binary_search(mark).is_ok();
            is_boilerplate(**count as usize, pages, was)
        });
        let mut now: Vec<u32> = found.map(|(mark, _)| *mark).collect();
        now.sort_unstable();
        if now == self.boilerplate {
            return false;
        }
        let before = std::mem::replace(&mut self.boilerplate, now);
        self.former.extend(before);
        let now = &self.boilerplate;
        self.former.retain(|mark| now.binary_search(mark).is_err());
        let too_many = self.former.len().saturating_sub(MOST_FORMER);
        self.former.drain(..too_many);
        true
    }
}

/// Becomes boilerplate on more than half of the pages; ceases to be on less than two fifths, so that a
/// run on about half of the pages does not change sides with every visit.
fn is_boilerplate(count: usize, pages: usize, was: bool) -> bool {
    if was { 5 * count >= 2 * pages } else { 2 * count > pages }
}
