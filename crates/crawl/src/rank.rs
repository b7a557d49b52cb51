//! `PageRank` on the link graph of the held pages.
use std::sync::Arc;

use crate::{Links, PageNo, Pages, State};

/// The probability that the random surfer follows a link instead of jumping to a random page.
pub const DAMPING: f64 = 0.85;
/// Iteration stops when the ranks, which sum to 1, change by less than this in total.
const TOLERANCE: f64 = 1e-10;
/// Far more than needed (about 140 sweeps from a cold start).
const MOST_SWEEPS: usize = 1_000;

/// The rank of every page, by page number. Ranks sum to 1 over held pages and are 0 elsewhere.
///
/// Links from and to pages that are not held do not count. From a page without links the surfer
/// jumps to a random page. `start` is an earlier result to start from; it changes the running time,
/// not the result.
pub fn page_rank(pages: &Pages, links: &Links, start: &[f64]) -> Vec<f64> {
    let held: Vec<PageNo> =
        pages.numbers().filter(|&page| pages.state(page) == State::Held).collect();
    let mut ranks = vec![0.0; pages.len()];
    if held.is_empty() {
        return ranks;
    }
    let graph = IncomingLinks::new(&held, pages, links);
    let mut rank: Vec<f64> =
        held.iter().map(|page| start.get(page.index()).copied().unwrap_or(0.0)).collect();
    let sum: f64 = rank.iter().sum();
    if sum > 0.0 {
        let least = (1.0 - DAMPING) / held.len() as f64;
        for rank in &mut rank {
            *rank = (*rank / sum).max(least);
        }
    } else {
        rank.fill(1.0 / held.len() as f64);
    }
    for _ in 0..MOST_SWEEPS {
        if graph.sweep(&mut rank) < TOLERANCE {
            break;
        }
    }
    let sum: f64 = rank.iter().sum();
    for (page, rank) in held.iter().zip(&rank) {
        ranks[page.index()] = rank / sum;
    }
    ranks
}

/// The ranks of all pages, computed again only when links change.
#[derive(Clone, Debug, Default)]
pub struct PageRank {
    ranks: Arc<Vec<f64>>,
    revision: Option<u64>,
}

impl PageRank {
    /// Updates the ranks from a cold start. Their last bits do not depend on earlier ranks, so a
    /// crawl that was stopped and resumed has the same ones. Returns whether they were computed.
    pub fn update(&mut self, pages: &Pages, links: &Links) -> bool {
        self.refresh(pages, links, false)
    }

    /// Updates the ranks from the earlier ones, which is faster.
    pub fn update_warm(&mut self, pages: &Pages, links: &Links) -> bool {
        self.refresh(pages, links, true)
    }

    fn refresh(&mut self, pages: &Pages, links: &Links, warm: bool) -> bool {
        if self.revision == Some(links.revision()) {
            return false;
        }
        let start: &[f64] = if warm { &self.ranks } else { &[] };
        self.ranks = Arc::new(page_rank(pages, links, start));
        self.revision = Some(links.revision());
        true
    }

    /// By page number, as of the last update.
    pub fn ranks(&self) -> &Arc<Vec<f64>> {
        &self.ranks
    }
}

/// The incoming links of the held pages, in compressed sparse row format.
struct IncomingLinks {
    /// Where the sources of each page begin.
    begins: Vec<u32>,
    sources: Vec<u32>,
    out_degrees: Vec<u32>,
}

impl IncomingLinks {
    fn new(held: &[PageNo], pages: &Pages, links: &Links) -> Self {
        const ABSENT: u32 = u32::MAX;
        let mut dense = vec![ABSENT; pages.len()];
        for (number, page) in held.iter().enumerate() {
            dense[page.index()] = number as u32;
        }
        let mut begins = vec![0_u32; held.len() + 1];
        let mut out_degrees = vec![0_u32; held.len()];
        let targets = |from: PageNo| {
            let others = links.of(from).iter().filter(move |&&to| to != from);
            others.map(|to| dense[to.index()]).filter(|&to| to != ABSENT)
        };
        for (number, &page) in held.iter().enumerate() {
            for to in targets(page) {
                begins[to as usize + 1] += 1;
                out_degrees[number] += 1;
            }
        }
        for number in 0..held.len() {
            begins[number + 1] += begins[number];
        }
        let mut next = begins.clone();
        let mut sources = vec![0; begins[held.len()] as usize];
        for (number, &page) in held.iter().enumerate() {
            for to in targets(page) {
                sources[next[to as usize] as usize] = number as u32;
                next[to as usize] += 1;
            }
        }
        Self { begins, sources, out_degrees }
    }

    /// One Gauss-Seidel sweep: a step of the power method in which every page already uses the new
    /// ranks of the pages before it, so that fewer sweeps are needed. Returns the total change.
    fn sweep(&self, rank: &mut [f64]) -> f64 {
        let count = rank.len() as f64;
        let mut share: Vec<f64> = rank
            .iter()
            .zip(&self.out_degrees)
            .map(|(rank, &degree)| if degree == 0 { 0.0 } else { rank / f64::from(degree) })
            .collect();
        let mut dangling: f64 = rank
            .iter()
            .zip(&self.out_degrees)
            .filter_map(|(rank, &degree)| (degree == 0).then_some(rank))
            .sum();
        let mut moved = 0.0;
        for page in 0..rank.len() {
            let sources = self.begins[page] as usize..self.begins[page + 1] as usize;
            let followed: f64 =
                self.sources[sources].iter().map(|&source| share[source as usize]).sum();
            let new = (1.0 - DAMPING) / count + DAMPING * (followed + dangling / count);
            let change = new - rank[page];
            moved += change.abs();
            rank[page] = new;
            match self.out_degrees[page] {
                0 => dangling += change,
                degree => share[page] = new / f64::from(degree),
            }
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::{Counts, Fingerprints, Form, Link, LinkList, Outcome, Snapshot, Time};

    /// Pages 0 to `held.len()`, held or only linked, and the links between them.
    fn graph(held: &[bool], edges: &[(usize, usize)]) -> (Pages, Links) {
        let (mut pages, mut links) = (Pages::default(), Links::default());
        let now = Time::from_millis(0);
        let address = |page: usize| format!("http://h.example/{page}");
        for page in 0..held.len() {
            pages.insert(&address(page), now);
        }
        for (from, &held) in held.iter().enumerate() {
            let page = PageNo(from as u32);
            let to = edges.iter().filter(|edge| edge.0 == from).map(|edge| edge.1);
            let link = |to: usize| Link::to(address(to));
            let snapshot = Snapshot {
                form: Form::Html,
                fingerprints: Fingerprints::default(),
                counts: Counts::default(),
                links: Arc::new(LinkList::new(to.map(link).collect())),
                ..Snapshot::default()
            };
            links.apply(page, &snapshot, &mut pages, now, &|_| true);
            if held {
                pages.apply(page, now, Outcome::First);
            }
        }
        (pages, links)
    }

    fn ranks(held: &[bool], edges: &[(usize, usize)]) -> Vec<f64> {
        let (pages, links) = graph(held, edges);
        page_rank(&pages, &links, &[])
    }

    fn assert_near(ranks: &[f64], expected: &[f64]) {
        let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-9;
        let all = ranks.len() == expected.len() && ranks.iter().zip(expected).all(near);
        assert!(all, "{ranks:?} is not {expected:?}");
    }

    #[test]
    fn a_page_linked_from_two_ranks_above_its_partner() {
        // 0 and 1 link to each other and 2 links to 0. With 0.15 / 3 = 0.05 for every page:
        // c = 0.05, b = 0.05 + 0.85 a, a = 0.05 + 0.85 (b + c) = 0.135 + 0.7225 a, so a = 18 / 37.
        let a = 18.0 / 37.0;
        assert_near(&ranks(&[true; 3], &[(0, 1), (1, 0), (2, 0)]), &[a, 0.05 + 0.85 * a, 0.05]);
    }

    #[test]
    fn a_page_without_links_jumps_to_a_random_page() {
        // 0 links to 1, which links nowhere: a = 0.075 + 0.85 b / 2 and a + b = 1, so a = 20 / 57.
        assert_near(&ranks(&[true; 2], &[(0, 1)]), &[20.0 / 57.0, 37.0 / 57.0]);
    }

    #[test]
    fn links_from_and_to_pages_not_held_do_not_count() {
        // As above, with 2 only linked: 0 and 1 would link to it, and it to 0.
        let edges = [(0, 1), (0, 2), (1, 2), (2, 0)];
        assert_near(&ranks(&[true, true, false], &edges), &[20.0 / 57.0, 37.0 / 57.0, 0.0]);
    }

    #[test]
    fn a_link_of_a_page_to_itself_does_not_count() {
        let edges = [(0, 0), (0, 1), (1, 1)];
        assert_near(&ranks(&[true; 2], &edges), &[20.0 / 57.0, 37.0 / 57.0]);
    }

    #[test]
    fn where_nothing_is_held_nothing_ranks() {
        assert_eq!(ranks(&[false; 2], &[(0, 1)]), [0.0; 2]);
        assert_eq!(ranks(&[], &[]), [0.0; 0]);
    }

    #[test]
    fn two_rings_that_never_meet_share_the_rank_by_their_pages() {
        let edges = [(0, 1), (1, 0), (2, 3), (3, 4), (4, 2)];
        assert_near(&ranks(&[true; 5], &edges), &[0.2; 5]);
    }

    /// The definition, step by step: a surfer follows a link or jumps.
    fn power_method(held: &[bool], edges: &[(usize, usize)]) -> Vec<f64> {
        let count = held.iter().filter(|&&held| held).count() as f64;
        let mut rank: Vec<f64> =
            held.iter().map(|&held| if held { 1.0 / count } else { 0.0 }).collect();
        let mut edges: Vec<_> =
            edges.iter().filter(|(from, to)| held[*from] && held[*to] && from != to).collect();
        edges.sort_unstable();
        edges.dedup();
        for _ in 0..250 {
            let mut next = vec![0.0; held.len()];
            for (from, rank) in rank.iter().enumerate() {
                let links = edges.iter().filter(|edge| edge.0 == from).count();
                if links == 0 {
                    for next in &mut next {
                        *next += DAMPING * rank / count;
                    }
                }
                for edge in edges.iter().filter(|edge| edge.0 == from) {
                    next[edge.1] += DAMPING * rank / links as f64;
                }
            }
            for (next, &held) in next.iter_mut().zip(held) {
                *next = if held { *next + (1.0 - DAMPING) / count } else { 0.0 };
            }
            rank = next;
        }
        rank
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn agrees_with_the_power_method_from_any_start_and_sums_to_one(
            held in prop::collection::vec(prop::bool::weighted(0.8), 1..9),
            edges in prop::collection::vec((0_usize..9, 0_usize..9), 0..25),
            start in prop::collection::vec(0.0_f64..1.0, 0..9),
        ) {
            let size = held.len();
            let edges: Vec<_> = edges.into_iter().map(|(a, b)| (a % size, b % size)).collect();
            let (pages, links) = graph(&held, &edges);
            let ranks = page_rank(&pages, &links, &start);
            assert_near(&ranks, &power_method(&held, &edges));
            if held.contains(&true) {
                prop_assert!((ranks.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            }
        }
    }
}
