//! The link graph of the known pages.
use rustc_hash::FxHashMap;

use crate::{Link, PageNo, Pages, Snapshot, Time};

/// The list number of a page that is not held.
const NONE: u32 = u32::MAX;

/// The links of every held page, as page numbers.
///
/// Most link lists occur on several pages or versions of a page. So a list is converted to page
/// numbers once and then found by its digest. All lists are in one allocation.
#[derive(Clone, Debug, Default)]
pub struct Links {
    targets: Vec<PageNo>,
    /// Where each list ends among the targets.
    ends: Vec<usize>,
    digests: Vec<u64>,
    by_digest: FxHashMap<u64, u32>,
    /// By page, the number of its list.
    shown: Vec<u32>,
    revision: u64,
}

impl Links {
    /// The pages that `page` links to, each once, in order of page number. Includes the page itself
    /// where it links to itself.
    pub fn of(&self, page: PageNo) -> &[PageNo] {
        match self.shown.get(page.index()) {
            None | Some(&NONE) => &[],
            Some(&list) => self.list(list as usize),
        }
    }

    fn list(&self, list: usize) -> &[PageNo] {
        let start = list.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.targets[start..self.ends[list]]
    }

    /// The pages that `page` links to and that are not in list number `before`.
    pub(crate) fn added_since(
        &self,
        page: PageNo,
        before: Option<u32>,
    ) -> impl Iterator<Item = PageNo> {
        let before = before.map_or(&[][..], |list| self.list(list as usize));
        self.of(page).iter().copied().filter(|to| before.binary_search(to).is_err())
    }

    /// A number that grows whenever the links of a page change. Equal revisions of one `Links` are
    /// equal graphs.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Records the links of a new snapshot of `page`. Addresses that `admits` accepts become known
    /// pages. Returns whether the list differs from the previous one.
    pub(crate) fn apply(
        &mut self,
        page: PageNo,
        snapshot: &Snapshot,
        pages: &mut Pages,
        now: Time,
        admits: &dyn Fn(&str) -> bool,
    ) -> bool {
        let digest = snapshot.links.digest();
        let list = if let Some(&list) = self.by_digest.get(&digest) {
            list
        } else {
            let mut targets: Vec<PageNo> = snapshot
                .links
                .links()
                .iter()
                .filter_map(|link| target(pages, link, now, admits))
                .collect();
            targets.sort_unstable();
            targets.dedup();
            self.push_list(digest, &targets)
        };
        if self.shown.len() < pages.len() {
            self.shown.resize(pages.len(), NONE);
        }
        let before = std::mem::replace(&mut self.shown[page.index()], list);
        self.revision += u64::from(before != list);
        before != list
    }

    fn push_list(&mut self, digest: u64, targets: &[PageNo]) -> u32 {
        let list = self.ends.len() as u32;
        self.targets.extend_from_slice(targets);
        self.ends.push(self.targets.len());
        self.digests.push(digest);
        self.by_digest.insert(digest, list);
        list
    }

    /// The lists from number `first` on, each with its digest, for a repository to store.
    pub fn lists_from(&self, first: u32) -> impl Iterator<Item = (u64, &[PageNo])> {
        let lists = first as usize..self.ends.len();
        lists.map(|list| (self.digests[list], self.list(list)))
    }

    /// The number of the list of `page`, if the page is held.
    pub fn list_of(&self, page: PageNo) -> Option<u32> {
        self.shown.get(page.index()).copied().filter(|&list| list != NONE)
    }

    /// Restores the next list from a repository.
    pub fn restore_list(&mut self, digest: u64, targets: &[PageNo]) {
        self.push_list(digest, targets);
    }

    /// Restores the list number of the next page, in order of page number. Returns whether that list
    /// exists.
    pub fn restore_shown(&mut self, list: Option<u32>) -> bool {
        self.shown.push(list.unwrap_or(NONE));
        list.is_none_or(|list| (list as usize) < self.ends.len())
    }

    /// Removes the links of a page that is gone.
    pub(crate) fn forget(&mut self, page: PageNo) {
        if let Some(shown) = self.shown.get_mut(page.index()).filter(|shown| **shown != NONE) {
            *shown = NONE;
            self.revision += 1;
        }
    }
}

/// The target of `link`, if it is known or may become known now.
fn target(
    pages: &mut Pages,
    link: &Link,
    now: Time,
    admits: &dyn Fn(&str) -> bool,
) -> Option<PageNo> {
    let address = &link.address;
    let admitted = || link.follow && admits(address);
    pages.find(address).or_else(|| admitted().then(|| pages.insert(address, now)))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Counts, Fingerprints, Form, LinkList};

    fn showing(addresses: &[&str]) -> Snapshot {
        let link = |address: &&str| Link::to(*address);
        Snapshot {
            form: Form::Html,
            fingerprints: Fingerprints::default(),
            counts: Counts::default(),
            links: Arc::new(LinkList::new(addresses.iter().map(link).collect())),
            ..Snapshot::default()
        }
    }

    /// Pages "a", "b" and "c", and their links.
    struct Site {
        pages: Pages,
        links: Links,
    }

    impl Site {
        fn new() -> Self {
            let mut pages = Pages::default();
            for address in ["a", "b", "c"] {
                pages.insert(address, Time::from_millis(0));
            }
            Self { pages, links: Links::default() }
        }

        /// Gives `page` links to `addresses`; those that begin with "x" are not admitted. Returns the
        /// targets where the list is another one.
        fn show(&mut self, page: u32, addresses: &[&str]) -> Option<Vec<u32>> {
            let (now, admits) = (Time::from_millis(1), |address: &str| !address.starts_with('x'));
            let snapshot = showing(addresses);
            let differs = self.links.apply(PageNo(page), &snapshot, &mut self.pages, now, &admits);
            differs.then(|| self.of(page))
        }

        fn of(&self, page: u32) -> Vec<u32> {
            self.links.of(PageNo(page)).iter().map(|page| page.0).collect()
        }
    }

    #[test]
    fn links_are_page_numbers_in_order_each_once_and_only_of_admitted_addresses() {
        let mut site = Site::new();
        assert_eq!(site.show(0, &["new", "c", "x.example", "a", "c", "b"]), Some(vec![0, 1, 2, 3]));
        assert_eq!(site.of(0), [0, 1, 2, 3]);
        assert_eq!(site.pages.find("new"), Some(PageNo(3)));
        assert_eq!(site.pages.find("x.example"), None);
        assert_eq!(site.of(1), [0; 0]);
        assert_eq!(site.of(77), [0; 0]);
    }

    #[test]
    fn the_same_list_again_changes_nothing_unless_another_page_shows_it() {
        let mut site = Site::new();
        assert_eq!(site.show(0, &["b", "c"]), Some(vec![1, 2]));
        let revision = site.links.revision();
        assert_eq!(site.show(0, &["b", "c"]), None);
        assert_eq!(site.links.revision(), revision);
        assert_eq!(site.show(1, &["b", "c"]), Some(vec![1, 2]));
        assert_ne!(site.links.revision(), revision);
    }

    #[test]
    fn a_page_without_links_differs_from_one_not_held() {
        // The set of held pages has changed, and with it the graph.
        let mut site = Site::new();
        let revision = site.links.revision();
        assert_eq!(site.show(0, &[]), Some(vec![]));
        assert_ne!(site.links.revision(), revision);
    }

    #[test]
    fn a_page_that_is_gone_links_nowhere_until_it_shows_links_again() {
        let mut site = Site::new();
        site.show(0, &["b"]);
        let revision = site.links.revision();
        site.links.forget(PageNo(0));
        assert_eq!(site.of(0), [0; 0]);
        assert_ne!(site.links.revision(), revision);
        assert_eq!(site.show(0, &["b"]), Some(vec![1]));
    }

    #[test]
    fn forgetting_a_page_that_showed_nothing_changes_nothing() {
        let mut site = Site::new();
        site.show(0, &["b"]);
        let revision = site.links.revision();
        site.links.forget(PageNo(1));
        assert_eq!(site.links.revision(), revision);
    }

    #[test]
    fn restored_links_are_as_they_were() {
        let mut site = Site::new();
        site.show(0, &["b", "c"]);
        site.show(2, &[]);
        let mut again = Links::default();
        for (digest, list) in site.links.lists_from(0) {
            again.restore_list(digest, list);
        }
        assert!((0..3).all(|page| again.restore_shown(site.links.list_of(PageNo(page)))));
        assert_eq!(again.of(PageNo(0)), site.links.of(PageNo(0)));
        assert_eq!(again.list_of(PageNo(1)), None);
        assert_eq!(site.links.lists_from(1).count(), 1);
        assert_eq!(site.links.lists_from(9).count(), 0);
        assert!(!again.restore_shown(Some(7)));
    }
}
