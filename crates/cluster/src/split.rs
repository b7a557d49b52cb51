//! The division of one cluster in two: on which rows, from where to start, and how often.
use rayon::prelude::*;

use crate::{
    chance::{self, Purpose},
    lanes::length,
    part::{Halves, Part, between},
    refinement::refine,
    rows::Rows,
};

/// A larger cluster is divided by so many of its rows first, once for each restart, and the best
/// halves of these are where the division of all its rows starts. CLUTO divides all rows for each
/// restart, which takes longer, needs a copy of them, and ends no higher: tau per row of the rows
/// of `bench/clustering.py`, 300,000, mean of six seeds with ten restarts, is 0.7775 either way.
const SAMPLE_ROWS: usize = 1 << 12;

/// A restart tries its starts on no more than so many rows.
const SKETCH_ROWS: usize = 1 << 9;

/// How many pairs of rows a restart tries to start from; it goes on with the best. CLUTO goes on
/// with one; on the same rows one restart then ends at 0.7714 instead of 0.7769.
const STARTS: u64 = 8;

/// A division must raise tau by more than this for each row: what rounding makes of rows of one
/// direction is less.
const LEAST_GAIN: f64 = 1e-12;

/// Rows are of one direction if their squared distance is no more: rounding alone makes a hundredth
/// of it.
const SAME: f64 = 1e-12;

/// How a cluster would be divided.
pub(crate) struct Split {
    /// How many rows are in the larger half, which comes first in the order.
    pub(crate) middle: usize,
    /// The sums of the rows of each half.
    pub(crate) sums: [Vec<f64>; 2],
    /// By how much the division raises tau.
    pub(crate) gain: f64,
}

/// The best division found of the rows of an order, whose sum is given. Reorders them by it, so
/// that each half keeps the order it had. `None`, and nothing reordered, if the rows cannot be told
/// apart.
pub(crate) fn split<R: Rows>(
    rows: &R,
    order: &mut [u32],
    sum: &[f64],
    restarts: usize,
    seed: u64,
) -> Option<Split> {
    let few = thin(order, SAMPLE_ROWS, seed);
    // A copy, so that rows looked at again and again are next to each other.
    let copy = rows.select(&few);
    let numbers: Vec<u32> = (0..few.len() as u32).collect();
    let of_few = best(&Part::new(&copy, &numbers), restarts, seed);
    let halves = if few.len() == order.len() {
        of_few?
    } else {
        let all = Part { rows, order, sum: sum.to_vec() };
        match of_few {
            Some(halves) => all.settle(halves.direction()),
            // All rows that differ may be among the others.
            None => best(&all, restarts, seed)?,
        }
    };
    let gain = halves.tau - length(sum);
    (gain > LEAST_GAIN * order.len() as f64).then(|| arrange(order, halves, gain))
}

/// At most so many rows: one of each of as many pieces of the order, so that every part of it has
/// its share.
fn thin(order: &[u32], count: usize, seed: u64) -> Vec<u32> {
    if order.len() <= count {
        return order.to_vec();
    }
    let piece = order.len() as f64 / count as f64;
    let place = |number: usize| {
        let within = chance::unit(seed, Purpose::Thin, number as u64);
        ((number as f64 + within) * piece) as usize
    };
    (0..count).map(|number| order[place(number).min(order.len() - 1)]).collect()
}

/// The halves of highest tau of all restarts, the first of equal ones; `None` if all rows are of
/// one direction.
fn best<R: Rows>(part: &Part<'_, R>, restarts: usize, seed: u64) -> Option<Halves> {
    let restart = |number: usize| restart(part, chance::seed(seed, number as u64));
    let all: Vec<Option<Halves>> = (0..restarts.max(1)).into_par_iter().map(restart).collect();
    all.into_iter().flatten().reduce(Halves::or_better)
}

/// Halves from the best of some starts.
fn restart<R: Rows>(part: &Part<'_, R>, seed: u64) -> Option<Halves> {
    let few = thin(part.order, SKETCH_ROWS, seed);
    let sketch = Part::new(part.rows, &few);
    let halves = (0..STARTS)
        .filter_map(|number| start(&sketch, chance::seed(seed, number)))
        .map(|towards| sketch.settle(towards))
        .reduce(Halves::or_better);
    let halves = if few.len() == part.order.len() {
        halves?
    } else {
        part.settle(match halves {
            Some(halves) => halves.direction(),
            // All rows that differ may be among the others.
            None => start(part, seed)?,
        })
    };
    Some(refine(part, halves))
}

/// The direction between two rows drawn by lot: the first evenly, the second the likelier the
/// farther it is from the first (as k-means++ draws), never of its direction. `None` if all rows
/// are of one.
fn start<R: Rows>(part: &Part<'_, R>, seed: u64) -> Option<Vec<f32>> {
    let place = chance::unit(seed, Purpose::First, 0) * part.order.len() as f64;
    let first = *part.order.get(place as usize)?;
    let distance = |&other: &u32| part.rows.squared_distance(first as usize, other as usize);
    let distances: Vec<f64> = part.order.iter().map(distance).collect();
    let mut left = chance::unit(seed, Purpose::Second, 0) * distances.iter().sum::<f64>();
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

/// Puts the larger half first; of equal ones, the one of the first row.
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
    for place in 0..order.len() {
        if second[place] == second_first {
            order[middle] = order[place];
            middle += 1;
        } else {
            rest.push(order[place]);
        }
    }
    order[middle..].copy_from_slice(&rest);
    Split { middle, sums, gain }
}
