//! The split of one cluster: sampling, restarts and starting points.
use rayon::prelude::*;

use crate::cluster::{
    lanes::length,
    part::{Halves, Part, between},
    random::{self, Purpose, derive_seed},
    refinement::refine,
    rows::Rows,
};

/// Larger clusters are first split on a sample of this many rows, once per restart. The best halves of
/// the sample are the start for all rows. CLUTO splits all rows in each restart, which takes longer,
/// needs a copy of them, and is no better: tau per row of the rows of `bench/clustering.py`, 300,000,
/// mean of six seeds with ten restarts, is 0.7775 either way.
const SAMPLE_ROWS: usize = 1 << 12;

/// A restart tries its starts on at most this many rows.
const SKETCH_ROWS: usize = 1 << 9;

/// The number of pairs of rows that a restart tries; it continues with the best. CLUTO tries one; on the
/// same rows one restart then ends at 0.7714 instead of 0.7769.
const STARTS: u64 = 8;

/// The least gain of tau per row, above the rounding error of rows of the same direction.
const LEAST_GAIN: f64 = 1e-12;

/// Rows with at most this squared distance have the same direction; rounding makes a hundredth of it.
const SAME: f64 = 1e-12;

/// A split of a cluster.
pub(crate) struct Split {
    /// The number of rows in the larger half, which comes first in the order.
    pub(crate) middle: usize,
    /// The sums of the rows of each half.
    pub(crate) sums: [Vec<f64>; 2],
    /// The gain of tau.
    pub(crate) gain: f64,
}

/// The best split of the rows of an order, whose sum is given. Reorders them so that each half is
/// contiguous and keeps its order. `None`, without reordering, if all rows have the same direction.
pub(crate) fn split<R: Rows>(
    rows: &R,
    order: &mut [u32],
    sum: &[f64],
    restarts: usize,
    seed: u64,
) -> Option<Split> {
    let sampled = sample(order, SAMPLE_ROWS, seed);
    // A copy, so that rows that are read repeatedly are contiguous.
    let copy = rows.select(&sampled);
    let numbers: Vec<u32> = (0..sampled.len() as u32).collect();
    let of_sample = best(&Part::new(&copy, &numbers), restarts, seed);
    let halves = if sampled.len() == order.len() {
        of_sample?
    } else {
        let all = Part { rows, order, sum: sum.to_vec() };
        match of_sample {
            Some(halves) => all.two_means(halves.direction()),
            // All rows that differ may be outside the sample.
            None => best(&all, restarts, seed)?,
        }
    };
    let gain = halves.tau - length(sum);
    (gain > LEAST_GAIN * order.len() as f64).then(|| arrange(order, halves, gain))
}

/// A stratified sample of at most `count` rows: one random row of each chunk of the order.
fn sample(order: &[u32], count: usize, seed: u64) -> Vec<u32> {
    if order.len() <= count {
        return order.to_vec();
    }
    let chunk = order.len() as f64 / count as f64;
    let index = |number: usize| {
        let within = random::unit(seed, Purpose::Sample, number as u64);
        ((number as f64 + within) * chunk) as usize
    };
    (0..count).map(|number| order[index(number).min(order.len() - 1)]).collect()
}

/// The halves with the highest tau of all restarts, the first of equal ones; `None` if all rows have the
/// same direction.
fn best<R: Rows>(part: &Part<'_, R>, restarts: usize, seed: u64) -> Option<Halves> {
    let restart = |number: usize| restart(part, derive_seed(seed, number as u64));
    let all: Vec<Option<Halves>> = (0..restarts.max(1)).into_par_iter().map(restart).collect();
    all.into_iter().flatten().reduce(Halves::or_better)
}

/// The best halves of some starting points.
fn restart<R: Rows>(part: &Part<'_, R>, seed: u64) -> Option<Halves> {
    let sampled = sample(part.order, SKETCH_ROWS, seed);
    let sketch = Part::new(part.rows, &sampled);
    let halves = (0..STARTS)
        .filter_map(|number| start(&sketch, derive_seed(seed, number)))
        .map(|towards| sketch.two_means(towards))
        .reduce(Halves::or_better);
    let halves = if sampled.len() == part.order.len() {
        halves?
    } else {
        part.two_means(match halves {
            Some(halves) => halves.direction(),
            // All rows that differ may be outside the sample.
            None => start(part, seed)?,
        })
    };
    Some(refine(part, halves))
}

/// The direction between two random rows: the first uniform, the second with probability proportional to
/// the squared distance from the first (as in k-means++), never of the same direction. `None` if all
/// rows have the same direction.
fn start<R: Rows>(part: &Part<'_, R>, seed: u64) -> Option<Vec<f32>> {
    let index = random::unit(seed, Purpose::First, 0) * part.order.len() as f64;
    let first = *part.order.get(index as usize)?;
    let distance = |&other: &u32| part.rows.squared_distance(first as usize, other as usize);
    let distances: Vec<f64> = part.order.iter().map(distance).collect();
    let mut left = random::unit(seed, Purpose::Second, 0) * distances.iter().sum::<f64>();
    let mut second = None;
    for (&number, distance) in part.order.iter().zip(distances) {
        if distance > SAME {
            second = Some(number);
            left -= distance;
            if left < 0.0 {
                break;
            }
        }
    }
    Some(between(&[Part::new(part.rows, &[first]).sum, Part::new(part.rows, &[second?]).sum]))
}

/// Puts the larger half first; of equal ones, the one with the first row.
fn arrange(order: &mut [u32], halves: Halves, gain: f64) -> Split {
    let Halves { second, mut sums, .. } = halves;
    let count = second.iter().filter(|&&second| second).count();
    let others = order.len() - count;
    let second_first = count > others || (count == others && second[0]);
    if second_first {
        sums.swap(0, 1);
    }
    let mut rest = Vec::with_capacity(count.min(others));
    let mut middle = 0;
    for at in 0..order.len() {
        if second[at] == second_first {
            order[middle] = order[at];
            middle += 1;
        } else {
            rest.push(order[at]);
        }
    }
    order[middle..].copy_from_slice(&rest);
    Split { middle, sums, gain }
}
