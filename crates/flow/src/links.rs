//! Who links to whom, among known pages.
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::{PageNo, Pages, Snapshot, Time};

/// A page of which no list of links is held.
const NONE: u32 = u32::MAX;

/// The links of every held page, as page numbers.
///
/// Most pages of a site show lists that other pages, or their own earlier versions, show too: a
/// list is turned into page numbers once, and then told by its digest.
#[derive(Clone, Debug, Default)]
pub struct Links {
    lists: Vec<Arc<[PageNo]>>,
    by_digest: FxHashMap<u64, u32>,
    shown: Vec<u32>,
    revision: u64,
}

impl Links {
    /// The pages that `page` links to: each once, in order of page number; itself too
    /// where it does.
    pub fn of(&self, page: PageNo) -> &[PageNo] {
        match self.shown.get(page.index()) {
            None | Some(&NONE) => &[],
            Some(&list) => &self.lists[list as usize],
        }
    }

    /// Goes up whenever any page comes to show other links: equal revisions of one `Links` are
    /// equal graphs.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Takes in the links of a new snapshot of `page`. Addresses that `admits` lets through become
    /// known pages. Returns the list's pages where the list differs from the one held before.
    pub(crate) fn absorb(
        &mut self,
        page: PageNo,
        snapshot: &Snapshot,
        pages: &mut Pages,
        now: Time,
        admits: &dyn Fn(&str) -> bool,
    ) -> Option<Arc<[PageNo]>> {
        let digest = snapshot.links.digest();
        let list = if let Some(&list) = self.by_digest.get(&digest) {
            list
        } else {
            let mut targets: Vec<PageNo> = snapshot
                .links
                .links()
                .iter()
                .filter_map(|link| target(pages, &link.address, now, admits))
                .collect();
            targets.sort_unstable();
            targets.dedup();
            self.lists.push(targets.into());
            let list = self.lists.len() as u32 - 1;
            self.by_digest.insert(digest, list);
            list
        };
        if self.shown.len() < pages.len() {
            self.shown.resize(pages.len(), NONE);
        }
        let before = std::mem::replace(&mut self.shown[page.index()], list);
        (before != list).then(|| {
            self.revision += 1;
            Arc::clone(&self.lists[list as usize])
        })
    }

    /// Forgets the links of a page that is gone.
    pub(crate) fn forget(&mut self, page: PageNo) {
        if let Some(shown) = self.shown.get_mut(page.index()) {
            *shown = NONE;
            self.revision += 1;
        }
    }
}

/// The page at `address`: known already, or made known now if it is admitted.
fn target(
    pages: &mut Pages,
    address: &str,
    now: Time,
    admits: &dyn Fn(&str) -> bool,
) -> Option<PageNo> {
    pages.find(address).or_else(|| admits(address).then(|| pages.admit(address, now)))
}
