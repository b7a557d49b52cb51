//! The pages that each reading of a history links to, as page numbers, computed once.
//!
//! Many readings share a list of links, so each list is stored once. All lists share one
//! allocation.
use crawl::Link;
use rustc_hash::FxHashMap;

use crate::truth::GroundTruth;

/// A reading that no page shows.
const NONE: u32 = u32::MAX;

/// The links of every reading of a history that stay on its host.
///
/// Links to other sites are ignored, as in the paper. So are nofollow links: they make no page
/// known.
#[derive(Debug, Default)]
pub struct SiteLinks {
    targets: Vec<u32>,
    /// Where each list ends among the targets.
    ends: Vec<usize>,
    /// By reading, its list.
    lists: Vec<u32>,
}

impl SiteLinks {
    /// The links of all readings of a truth's history.
    pub fn new(truth: &GroundTruth) -> Self {
        let history = truth.history();
        let hosts = hosts(truth);
        let mut links = Self { lists: vec![NONE; history.readings.len()], ..Self::default() };
        let mut known: FxHashMap<(u64, u32), u32> = FxHashMap::default();
        for (page, &host) in history.pages.iter().zip(&hosts) {
            for reading in page.versions.iter().filter_map(|version| version.reading) {
                if links.lists[reading as usize] != NONE {
                    continue;
                }
                let shown = &history.readings[reading as usize].links;
                let list = known.entry((shown.digest(), host)).or_insert_with(|| {
                    let on_host = |page: &usize| hosts[*page] == host;
                    let target = |link: &Link| {
                        truth.find(&link.address).filter(on_host).map(|page| page as u32)
                    };
                    let followed = shown.links().iter().filter(|link| link.follow);
                    links.push(followed.filter_map(target).collect())
                });
                links.lists[reading as usize] = *list;
            }
        }
        links
    }

    fn push(&mut self, mut targets: Vec<u32>) -> u32 {
        targets.sort_unstable();
        targets.dedup();
        self.targets.append(&mut targets);
        self.ends.push(self.targets.len());
        self.ends.len() as u32 - 1
    }

    /// The pages that a reading links to, by their numbers in the history: ascending and unique. A
    /// link to its own page counts.
    pub fn targets(&self, reading: u32) -> &[u32] {
        self.lists.get(reading as usize).map_or(&[], |&list| self.list(list))
    }

    fn list(&self, list: u32) -> &[u32] {
        if list == NONE {
            return &[];
        }
        let start = (list as usize).checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.targets[start..self.ends[list as usize]]
    }
}

/// By page, the number of its host.
pub fn hosts(truth: &GroundTruth) -> Vec<u32> {
    let mut numbers: FxHashMap<&str, u32> = FxHashMap::default();
    let pages = &truth.history().pages;
    let host = |address: &str| -> usize {
        let rest = address.find("://").map_or(0, |scheme| scheme + 3);
        address[rest..].find(['/', '?', '#']).map_or(address.len(), |end| rest + end)
    };
    pages
        .iter()
        .map(|page| {
            let next = numbers.len() as u32;
            *numbers.entry(&page.address[..host(&page.address)]).or_insert(next)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discovery::testing::truth;

    #[test]
    fn links_are_numbers_of_pages_on_the_same_host_that_may_be_followed() {
        let shown = vec!["http://a/3", "http://b/1", "http://a/2", "!http://a/4", "http://a/9"];
        let truth = truth(&[
            ("http://a/1", vec![Some(shown.clone())]),
            ("http://a/2", vec![Some(vec![])]),
            ("http://a/3", vec![Some(shown.clone())]),
            ("http://a/4", vec![Some(vec![])]),
            ("http://b/1", vec![Some(shown)]),
        ]);
        let links = SiteLinks::new(&truth);
        let of = |page: usize| links.targets(truth.reading(page, 0).unwrap());
        // Pages 0 and 2 of host a show one list, which names page 2 itself; page 4 of host b keeps only
        // the link to itself of the same addresses.
        assert_eq!((of(0), of(2), of(1), of(4)), (&[1, 2][..], &[1, 2][..], &[][..], &[4][..]));
        assert_eq!((links.ends.len(), links.targets.len()), (3, 3));
        assert_eq!(hosts(&truth), [0, 0, 0, 0, 1]);
    }

    #[test]
    fn a_reading_that_does_not_exist_links_to_nothing() {
        let links = SiteLinks::new(&truth(&[("http://a/1", vec![Some(vec![])])]));
        assert_eq!((links.targets(0), links.targets(7)), (&[][..], &[][..]));
    }
}
