//! Upper bounds for every policy, certified from the history itself.
//!
//! `docs/papers.md` C1 and C2, for a fixed set of pages that are all held at the start. At the
//! cycles' instants a page shows a sequence of contents, each a *job*: a visit while the content is
//! live finds a change (C1), and keeps the page fresh until the content is replaced (C2). A visit
//! can do one job and a cycle has a budget of visits. Jobs of one page do not overlap, and the
//! visits of any policy are a selection of jobs, so the best selection bounds every policy.
use std::collections::BTreeMap;

use crate::truth::GroundTruth;

/// The number of price search steps. Twenty times as many move the bound by less than 1e-9 (17 real
/// sites, three budgets).
const STEPS: usize = 3_000;

/// More than the rounding errors of the sums below (up to 1e-14 on real sites), so that a policy as
/// good as the bound does not exceed it.
const ROUNDING: f64 = 1e-10;

/// The most visits after `warm_up` cycles that can find a change, with `budget` visits a cycle.
///
/// Earliest deadline first, which is exactly optimal for unit jobs. It also bounds policies that
/// find a page back at an earlier content: each find belongs to the job live at that time, and
/// between two finds of one page there is a change.
pub fn most_changes(truth: &GroundTruth, budget: u32, warm_up: usize) -> u64 {
    let cycles = truth.grid().cycles;
    let mut jobs: Vec<(usize, usize)> = start_pages(truth)
        .flat_map(|page| contents(truth, page).into_iter().filter(|content| content.news))
        .map(|content| (content.first.max(warm_up + 1), content.last))
        .filter(|(first, last)| first <= last)
        .collect();
    jobs.sort_unstable();
    let mut jobs = jobs.into_iter().peekable();
    let mut open: BTreeMap<usize, u64> = BTreeMap::new();
    let mut done = 0;
    for cycle in warm_up + 1..=cycles {
        while let Some((_, last)) = jobs.next_if(|&(first, _)| first == cycle) {
            *open.entry(last).or_default() += 1;
        }
        let mut left = u64::from(budget);
        while left > 0
            && let Some(mut next) = open.first_entry()
        {
            let taken = left.min(*next.get());
            done += taken;
            left -= taken;
            *next.get_mut() -= taken;
            if *next.get() == 0 {
                next.remove();
            }
        }
        open.remove(&cycle);
    }
    done
}

/// An upper bound on the mean freshness of the cycles after `warm_up`, with `budget` visits a cycle.
///
/// Freshness is fresh pages / held pages, and noticing that pages are gone removes them from both.
/// So there are two relaxations, and the lower bound counts. In the first, pages that were ever
/// gone are left out, except those that are back, which count as fresh. In the second, all pages
/// count for ever, and one noticed as gone counts as fresh. A content that the page had before
/// needs no visit in either, as it may still be held.
pub fn most_freshness(truth: &GroundTruth, budget: u32, warm_up: usize) -> f64 {
    let core = Relaxation::without_gone_pages(truth, warm_up);
    let all = Relaxation::with_gone_pages(truth, warm_up);
    (core.bound(budget).min(all.bound(budget)) + ROUNDING).min(1.0)
}

/// A content of a page, from its first to its last cycle.
struct Stay {
    first: usize,
    last: usize,
    /// Whether the page does not exist.
    gone: bool,
    /// Whether an earlier content of the page is the same.
    back: bool,
    /// Whether an earlier content differs: otherwise no visit can find a change here.
    news: bool,
}

fn start_pages(truth: &GroundTruth) -> impl Iterator<Item = usize> {
    (0..truth.history().pages.len()).filter(|&page| truth.reading(page, 0).is_some())
}

/// The contents of a page as seen at the cycles' instants; the first is what is held at the start.
///
/// If sameness is not transitive, a page can drift in small steps to something that differs from
/// what is held. Then only identical readings are one content: two finds in a row are of different
/// readings, and a content that is the same as an earlier one is `back`.
fn contents(truth: &GroundTruth, page: usize) -> Vec<Stay> {
    let cycles = truth.grid().cycles;
    let goes_on = |here, next| {
        if truth.comparison().is_transitive() { truth.same(here, next) } else { here == next }
    };
    let mut stays: Vec<Stay> = vec![];
    let mut first = 0;
    for cycle in 0..=cycles {
        let here = truth.reading(page, cycle);
        if cycle < cycles && goes_on(here, truth.reading(page, cycle + 1)) {
            continue;
        }
        let is_same = |before: &Stay| truth.same(truth.reading(page, before.last), here);
        let (back, news) = (stays.iter().any(is_same), !stays.iter().all(is_same));
        stays.push(Stay { first, last: cycle, gone: here.is_none(), back, news });
        first = cycle + 1;
    }
    stays
}

/// A selection of jobs under a budget, as a linear programme whose dual has one price per cycle.
#[derive(Debug)]
struct Relaxation {
    /// Worth of the cycles 1 to k for a fresh page, by k.
    worth_until: Vec<f64>,
    /// Freshness that needs no visit.
    free: f64,
    /// How many jobs have (first cycle, last cycle, last cycle fresh if done).
    jobs: BTreeMap<(usize, usize, usize), u64>,
}

impl Relaxation {
    fn new(weights: &[f64]) -> Self {
        let mut sum = 0.0;
        let worth_until = weights
            .iter()
            .map(|weight| {
                sum += weight;
                sum
            })
            .collect();
        Self { worth_until, free: 0.0, jobs: BTreeMap::new() }
    }

    fn with_gone_pages(truth: &GroundTruth, warm_up: usize) -> Self {
        let cycles = truth.grid().cycles;
        let pages = start_pages(truth).count() as f64;
        let mut all = Self::new(&weights(cycles, warm_up, |_| pages));
        for page in start_pages(truth) {
            for (number, stay) in contents(truth, page).iter().enumerate() {
                all.add(number, stay, if stay.gone { cycles } else { stay.last });
            }
        }
        all
    }

    fn without_gone_pages(truth: &GroundTruth, warm_up: usize) -> Self {
        let cycles = truth.grid().cycles;
        let (mut never_gone, mut back) = (vec![0.0; cycles + 1], vec![0.0; cycles + 1]);
        for page in start_pages(truth) {
            let mut was_gone = false;
            for cycle in 0..=cycles {
                let here = truth.reading(page, cycle).is_some();
                was_gone |= !here;
                never_gone[cycle] += f64::from(u8::from(!was_gone));
                back[cycle] += f64::from(u8::from(was_gone && here));
            }
        }
        let weights = weights(cycles, warm_up, |cycle| never_gone[cycle] + back[cycle]);
        let mut core = Self::new(&weights);
        core.free = (1..=cycles).map(|cycle| weights[cycle] * back[cycle]).sum();
        // Cycles in which every page is gone count as fresh.
        let empty = |cycle: &usize| *cycle > warm_up && never_gone[*cycle] + back[*cycle] == 0.0;
        core.free += (1..=cycles).filter(empty).count() as f64 / (cycles - warm_up).max(1) as f64;
        for page in start_pages(truth) {
            let stays = contents(truth, page);
            for (number, stay) in stays.iter().take_while(|stay| !stay.gone).enumerate() {
                core.add(number, stay, stay.last);
            }
        }
        core
    }

    fn add(&mut self, number: usize, stay: &Stay, fresh_until: usize) {
        let before = stay.first.saturating_sub(1);
        if number == 0 || (stay.back && !stay.gone) {
            self.free += self.worth_until[stay.last] - self.worth_until[before];
        } else {
            *self.jobs.entry((stay.first, stay.last, fresh_until)).or_default() += 1;
        }
    }

    /// The lowest dual value found. Any prices give a valid bound, so the search need not be exact:
    /// subgradient steps that shrink when they stop helping.
    fn bound(&self, budget: u32) -> f64 {
        let cycles = self.worth_until.len() - 1;
        let mut prices = vec![0.0; cycles + 1];
        let mut best = f64::INFINITY;
        let mut best_prices = prices.clone();
        let scale = self.worth_until[cycles] / cycles.max(1) as f64;
        let mut step = scale;
        let mut stalled = 0;
        for _ in 0..STEPS {
            let (value, slope) = self.dual(budget, &prices);
            if value < best - 1e-12 {
                best = value;
                best_prices.clone_from(&prices);
                stalled = 0;
            } else {
                stalled += 1;
            }
            if stalled == 20 {
                step *= 0.7;
                stalled = 0;
                prices.clone_from(&best_prices);
                continue;
            }
            let length = slope.iter().map(|slope| slope * slope).sum::<f64>().sqrt();
            if length == 0.0 {
                break;
            }
            for (price, slope) in prices.iter_mut().zip(&slope) {
                *price = (*price - step * slope / length * (cycles as f64).sqrt()).max(0.0);
            }
        }
        best
    }

    /// The dual's value and subgradient at `prices`: the cost of the budget at these prices, plus
    /// for every job the worth of its best cycle beyond that cycle's price.
    fn dual(&self, budget: u32, prices: &[f64]) -> (f64, Vec<f64>) {
        let mut slope = vec![f64::from(budget); prices.len()];
        slope[0] = 0.0;
        let mut value = self.free + f64::from(budget) * prices[1..].iter().sum::<f64>();
        for (&(first, last, fresh_until), &count) in &self.jobs {
            let gain = |cycle: usize| {
                self.worth_until[fresh_until] - self.worth_until[cycle - 1] - prices[cycle]
            };
            let best = (first..=last)
                .map(|cycle| (gain(cycle), cycle))
                .fold((0.0, 0), |best, next| if next.0 > best.0 { next } else { best });
            value += best.0 * count as f64;
            if best.1 > 0 {
                slope[best.1] -= count as f64;
            }
        }
        (value, slope)
    }
}

/// What one fresh page adds to the mean freshness in each cycle, where `held` pages are held.
fn weights(cycles: usize, warm_up: usize, held: impl Fn(usize) -> f64) -> Vec<f64> {
    let measured = cycles.saturating_sub(warm_up).max(1) as f64;
    (0..=cycles)
        .map(|cycle| match held(cycle) {
            pages if cycle > warm_up && pages > 0.0 => 1.0 / (pages * measured),
            _ => 0.0,
        })
        .collect()
}
