//! `PageRank` on the link graph of what is held.
use crate::{Links, PageNo, Pages, State};

/// The chance that the random surfer follows a link rather than jump anywhere.
pub const DAMPING: f64 = 0.85;
/// Iteration ends when the ranks, which sum to 1, move by less than this in all.
const TOLERANCE: f64 = 1e-10;
/// Far above what the tolerance needs (about 140 sweeps from a cold start).
const MOST_SWEEPS: usize = 1_000;

/// The rank of every page, by page number: they sum to 1 over held pages and are 0 elsewhere.
///
/// Links from and to pages that are not held do not count. A page without links jumps anywhere.
/// `start` is an earlier result to begin from; it changes the time taken, not the answer.
pub fn page_rank(pages: &Pages, links: &Links, start: &[f64]) -> Vec<f64> {
    let held: Vec<PageNo> =
        pages.numbers().filter(|&page| pages.state(page) == State::Held).collect();
    let mut ranks = vec![0.0; pages.len()];
    if held.is_empty() {
        return ranks;
    }
    let graph = Incoming::of(&held, pages, links);
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

/// Incoming links of the held pages, as one array and where each page's part of it begins.
struct Incoming {
    begins: Vec<u32>,
    sources: Vec<u32>,
    out_degrees: Vec<u32>,
}

impl Incoming {
    fn of(held: &[PageNo], pages: &Pages, links: &Links) -> Self {
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

    /// One Gauss-Seidel sweep: like a step of the power method, but every page already uses the
    /// new ranks of the pages before it, which about halves the number of sweeps. Returns how far
    /// the ranks moved in all.
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
