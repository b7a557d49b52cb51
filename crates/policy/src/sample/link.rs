//! Distance by links, LB of Tan 2007, eq. 1: how many links one has to follow.
//!
//! A page reached from the sample by h out-links is at h, one from which h links lead to the sample is at
//! -h, and a sibling, which shares a parent with the sample, is at 0, even if there is a path to it. If both
//! directions lead to a page the shorter one counts, and of equal ones the out-links (`docs/papers.md`
//! A2.2-5). All other pages are infinitely far.
//!
//! Departures: links between hosts count like those within one (the paper draws a graph for each site); a
//! page's link to itself does not count. Out-links are those held now, so those of a sample are as just
//! found; in-links are those at the start of the cycle.
use crawl::{Known, PageNo};

use super::{BATCH, CHANCE, COUNT, Neighbourhood, Sampling, granularity};
use crate::PolicyEntry;

pub(crate) const ENTRY: PolicyEntry = PolicyEntry {
    is_random: |_| true,
    parameters: &[
        granularity("3", "how many links away: out-links above 0, in-links below"),
        BATCH,
        CHANCE,
        COUNT,
    ],
    ..PolicyEntry::new(
        "link-sample",
        "single pages at random, and those within some links of one that has changed",
        |seed, parameters| {
            Box::new(Sampling::new("link-sample", seed, parameters, Hops::default()))
        },
    )
};

/// A mark holds a number of hops in this many bits, and above them the search it belongs to.
const HOP_BITS: u32 = 5;

/// Distances by links.
#[derive(Clone, Debug, Default)]
struct Hops {
    incoming: Incoming,
    /// The pages that the latest search found, as siblings or in either direction.
    siblings: Marks,
    outwards: Marks,
    inwards: Marks,
}

/// Who links to each page: one array, and where each page's part of it begins.
#[derive(Clone, Debug, Default)]
struct Incoming {
    revision: Option<u64>,
    begins: Vec<u32>,
    sources: Vec<PageNo>,
}

/// The hops in which the latest search found each page; cleared by starting another search.
#[derive(Clone, Debug, Default)]
struct Marks {
    search: u32,
    of: Vec<u32>,
}

impl Neighbourhood for Hops {
    fn prepare(&mut self, known: &Known<'_>) {
        if self.incoming.revision != Some(known.links.revision()) {
            self.incoming = Incoming::new(known);
        }
        for marks in [&mut self.siblings, &mut self.outwards, &mut self.inwards] {
            *marks = Marks { search: 0, of: vec![0; known.pages.len()] };
        }
    }

    fn within(&mut self, seed: PageNo, d: i32, known: &Known<'_>) -> Vec<(i32, PageNo)> {
        let Self { incoming, siblings, outwards, inwards } = self;
        let others = |page: PageNo| known.links.of(page).iter().filter(move |&&to| to != page);
        siblings.forget();
        siblings.put(seed, 0);
        let mut near = vec![];
        for &parent in incoming.of(seed) {
            for &child in others(parent) {
                if siblings.put(child, 0) {
                    near.push((0, child));
                }
            }
        }
        if d == 0 {
            return near;
        }
        let limit = d.unsigned_abs();
        // Out-links are followed as far as in-links even where in-links are wanted, to know which are shorter.
        // The other way round one hop less will do, as in-links must be shorter to count.
        let inward_limit = if d > 0 { limit - 1 } else { limit };
        let out = outwards.search(seed, limit, |page| others(page));
        let back = inwards.search(seed, inward_limit, |page| incoming.of(page).iter());
        let (found, other) = if d > 0 { (out, inwards) } else { (back, outwards) };
        for (hops, page) in found {
            let other_hops = other.hops(page).unwrap_or(u32::MAX);
            let is_nearer = if d > 0 { hops <= other_hops } else { hops < other_hops };
            if is_nearer && siblings.hops(page).is_none() {
                near.push((d.signum() * hops as i32, page));
            }
        }
        near
    }
}

impl Incoming {
    fn new(known: &Known<'_>) -> Self {
        let links = || {
            known.pages.numbers().flat_map(|from| {
                let others = known.links.of(from).iter().filter(move |&&to| to != from);
                others.map(move |&to| (from, to))
            })
        };
        let mut begins = vec![0_u32; known.pages.len() + 1];
        for (_, to) in links() {
            begins[to.index() + 1] += 1;
        }
        for page in 0..known.pages.len() {
            begins[page + 1] += begins[page];
        }
        let mut next = begins.clone();
        let mut sources = vec![PageNo(0); begins[known.pages.len()] as usize];
        for (from, to) in links() {
            sources[next[to.index()] as usize] = from;
            next[to.index()] += 1;
        }
        Self { revision: Some(known.links.revision()), begins, sources }
    }

    /// The pages that link to a page; none if it became known later.
    fn of(&self, page: PageNo) -> &[PageNo] {
        match self.begins.get(page.index()..page.index() + 2) {
            Some(&[begin, end]) => &self.sources[begin as usize..end as usize],
            _ => &[],
        }
    }
}

impl Marks {
    fn forget(&mut self) {
        self.search += 1;
    }

    /// Marks a page. Whether it was unmarked; pages that became known later cannot be marked.
    fn put(&mut self, page: PageNo, hops: u32) -> bool {
        let search = self.search;
        let mark = self.of.get_mut(page.index()).filter(|mark| **mark >> HOP_BITS != search);
        mark.map(|mark| *mark = search << HOP_BITS | hops).is_some()
    }

    /// The hops in which a page was found.
    fn hops(&self, page: PageNo) -> Option<u32> {
        let mark = self.of.get(page.index()).filter(|mark| **mark >> HOP_BITS == self.search);
        mark.map(|mark| mark & ((1 << HOP_BITS) - 1))
    }

    /// The other pages found from `start` in at most `limit` hops, with the hops, nearest first.
    fn search<'a, I: Iterator<Item = &'a PageNo>>(
        &mut self,
        start: PageNo,
        limit: u32,
        next: impl Fn(PageNo) -> I,
    ) -> Vec<(u32, PageNo)> {
        self.forget();
        self.put(start, 0);
        let mut found = vec![(0, start)];
        let mut at = 0;
        while let Some(&(hops, page)) = found.get(at).filter(|found| found.0 < limit) {
            for &to in next(page) {
                if self.put(to, hops + 1) {
                    found.push((hops + 1, to));
                }
            }
            at += 1;
        }
        found.remove(0);
        found
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::sample::{is_selected, tests::Web};

    fn addresses(count: u32) -> Vec<String> {
        (0..count).map(|number| format!("http://a.example/{number}")).collect()
    }

    fn web(count: u32, edges: &[(u32, u32)]) -> Web {
        let addresses = addresses(count);
        Web::linked(&addresses.iter().map(String::as_str).collect::<Vec<_>>(), edges)
    }

    /// The page numbers within `d` of `seed`, with their distance.
    fn within(web: &Web, seed: u32, d: i32) -> Vec<(u32, i32)> {
        let mut hops = Hops::default();
        hops.prepare(&web.known());
        let found = hops.within(PageNo(seed), d, &web.known());
        let mut found: Vec<_> = found.into_iter().map(|(at, page)| (page.0, at)).collect();
        found.sort_unstable();
        found
    }

    /// Fig. 1 of the paper as its text describes it: page 0 is the sample.
    fn tree() -> Web {
        let edges = [
            (1, 2),
            (1, 3),
            (12, 1),
            (2, 0),
            (2, 4),
            (2, 5),
            (0, 6),
            (0, 7),
            (0, 10),
            // A path to a sibling, and a longer way to page 10.
            (6, 5),
            (6, 8),
            (7, 9),
            (7, 10),
            (8, 11),
        ];
        web(14, &edges)
    }

    #[test]
    fn with_one_hop_the_papers_pages_are_visited() {
        assert_eq!(within(&tree(), 0, 1), [(4, 0), (5, 0), (6, 1), (7, 1), (10, 1)]);
    }

    #[test]
    fn all_distances_of_the_papers_tree() {
        let siblings = [(4, 0), (5, 0)];
        let outwards = [(4, 0), (5, 0), (6, 1), (7, 1), (8, 2), (9, 2), (10, 1), (11, 3)];
        assert_eq!(within(&tree(), 0, 0), siblings);
        assert_eq!(within(&tree(), 0, 3), outwards);
        assert_eq!(within(&tree(), 0, 20), outwards);
        assert_eq!(within(&tree(), 0, -1), [(2, -1), (4, 0), (5, 0)]);
        assert_eq!(within(&tree(), 0, -2), [(1, -2), (2, -1), (4, 0), (5, 0)]);
        // Page 3 is reached in neither direction, page 13 by nothing at all.
        assert_eq!(within(&tree(), 0, -20), [(1, -2), (2, -1), (4, 0), (5, 0), (12, -3)]);
    }

    #[test]
    fn the_shorter_direction_counts_and_of_equal_ones_the_out_links() {
        // 0 -> 1 -> 0; 0 -> 2 -> 3 and 3 -> 0; 0 -> 4 and 4 -> 5 -> 0.
        let web = web(6, &[(0, 1), (1, 0), (0, 2), (2, 3), (3, 0), (0, 4), (4, 5), (5, 0)]);
        let outwards = within(&web, 0, 5);
        assert!(outwards.contains(&(1, 1)) && !within(&web, 0, -5).contains(&(1, -1)));
        // Page 3 takes two out-links but only one in-link, page 4 the other way round.
        assert!(!outwards.iter().any(|&(page, _)| page == 3));
        assert!(within(&web, 0, -1).contains(&(3, -1)));
        assert!(outwards.contains(&(4, 1)));
    }

    #[test]
    fn a_link_to_itself_makes_no_page_its_own_parent() {
        // Page 1 would be a sibling of page 0, and so would what it links to.
        let web = web(3, &[(1, 1), (1, 0), (0, 0), (0, 2)]);
        assert_eq!(within(&web, 0, 0), []);
        assert_eq!(within(&web, 0, 1), [(2, 1)]);
        assert_eq!(within(&web, 0, -1), [(1, -1)]);
    }

    #[test]
    fn a_page_that_became_known_since_is_no_neighbour() {
        let mut grown = web(2, &[(0, 1)]);
        let mut hops = Hops::default();
        hops.prepare(&grown.known());
        grown.pages.insert("http://a.example/later", grown.known().now);
        assert_eq!(hops.within(PageNo(2), 3, &grown.known()), []);
        assert_eq!(hops.within(PageNo(0), 3, &grown.known()), [(1, PageNo(1))]);
    }

    /// The distances from page 0 by the definition of eq. 1, by brute force.
    fn by_definition(count: u32, edges: &[(u32, u32)]) -> BTreeMap<u32, i32> {
        let edges: Vec<_> = edges.iter().copied().filter(|(from, to)| from != to).collect();
        let hops = |reversed: bool| {
            let mut at = BTreeMap::from([(0, 0)]);
            for _ in 0..count {
                for &(from, to) in &edges {
                    let (from, to) = if reversed { (to, from) } else { (from, to) };
                    if let Some(&hops) = at.get(&from) {
                        let shortest = at.entry(to).or_insert(hops + 1);
                        *shortest = (*shortest).min(hops + 1);
                    }
                }
            }
            at
        };
        let (out, back) = (hops(false), hops(true));
        let links = |from: u32, to: u32| edges.contains(&(from, to));
        (1..count)
            .filter_map(|page| {
                let distance = match (out.get(&page), back.get(&page)) {
                    _ if (0..count).any(|parent| links(parent, 0) && links(parent, page)) => 0,
                    (None, None) => return None,
                    (Some(&out), None) => out,
                    (None, Some(&back)) => -back,
                    (Some(&out), Some(&back)) => {
                        if back < out {
                            -back
                        } else {
                            out
                        }
                    }
                };
                Some((page, distance))
            })
            .collect()
    }

    proptest! {
        #[test]
        fn distances_are_as_defined(
            count in 2_u32..12,
            edges in prop::collection::vec((0_u32..12, 0_u32..12), 0..30),
            d in -6_i32..=6,
        ) {
            let edges: Vec<_> = edges.into_iter().map(|(a, b)| (a % count, b % count)).collect();
            let all = by_definition(count, &edges);
            let expected: Vec<_> = all.into_iter().filter(|&(_, at)| is_selected(at, d)).collect();
            prop_assert_eq!(within(&web(count, &edges), 0, d), expected);
        }
    }
}
