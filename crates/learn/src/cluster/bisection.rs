//! Repeated bisection: splits one cluster after the other until there are enough.
use std::{mem, ops::Range};

use rayon::prelude::*;

use crate::cluster::{
    Clusters,
    lanes::length,
    part::Part,
    random::derive_seed,
    rows::Rows,
    split::{Split, split},
};

/// The rounding error of the length of a unit row, generously.
const ROUNDING: f64 = 1e-6;

/// How to cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The number of clusters. There are fewer if the rows have fewer directions.
    pub clusters: usize,
    /// Restarts per bisection; the best is kept.
    pub restarts: usize,
    /// The random seed.
    pub seed: u64,
}

impl Default for Options {
    /// 100 clusters, as in the paper, and 10 restarts, as in CLUTO.
    fn default() -> Self {
        Self { clusters: 100, restarts: 10, seed: 0 }
    }
}

/// Clusters the rows, scaled to unit length. Values that are not finite count as 0. A row of zeros has
/// cosine 0 with everything and is in cluster 0. Rows of the same direction are never separated.
pub fn bisect<R: Rows>(mut rows: R, options: &Options) -> Clusters {
    bisect_in_place(&mut rows, options)
}

/// The same for a caller who needs the rows again. They are scaled to unit length.
pub fn bisect_in_place<R: Rows>(rows: &mut R, options: &Options) -> Clusters {
    rows.normalise();
    let rows = &*rows;
    let mut order: Vec<u32> = (0..rows.rows() as u32)
        .into_par_iter()
        .filter(|&row| !rows.is_zero(row as usize))
        .collect();
    let mut leaves = vec![];
    let mut split_from = vec![];
    let mut tau_by_count = vec![];
    if rows.rows() > 0 {
        leaves.push(Leaf::new(0..order.len(), Part::new(rows, &order).sum));
        split_from.push(0);
        tau_by_count.push(leaves[0].length);
    }
    while (1..options.clusters).contains(&leaves.len()) {
        try_splits(rows, &mut order, &mut leaves, options);
        let Some((number, split)) = take_best(&mut leaves) else { break };
        let [larger, smaller] = leaves[number].split(split);
        leaves[number] = larger;
        leaves.push(smaller);
        split_from.push(number as u32);
        tau_by_count.push(leaves.iter().map(|leaf| leaf.length).sum());
    }
    let mut assignment = vec![0; rows.rows()];
    for (number, leaf) in leaves.iter().enumerate() {
        for &row in &order[leaf.range.clone()] {
            assignment[row as usize] = number as u32;
        }
    }
    let sums = leaves.into_iter().map(|leaf| leaf.sum).collect();
    Clusters::new(rows.columns(), assignment, sums, split_from, tau_by_count)
}

/// A cluster that is not split yet.
struct Leaf {
    /// The range of its rows in the order.
    range: Range<usize>,
    sum: Vec<f64>,
    /// The length of the sum: its contribution to tau.
    length: f64,
    candidate: Candidate,
}

/// The best split of a cluster.
enum Candidate {
    /// Not tried yet.
    Unknown,
    /// All rows have the same direction.
    None,
    /// The split; the rows are already in its order.
    Split(Split),
}

impl Leaf {
    fn new(range: Range<usize>, sum: Vec<f64>) -> Self {
        let candidate = if range.len() > 1 { Candidate::Unknown } else { Candidate::None };
        Self { range, length: length(&sum), sum, candidate }
    }

    /// An upper bound of the gain in tau: no cosine is above 1, except for rounding.
    fn bound(&self) -> f64 {
        self.range.len() as f64 * (1.0 + ROUNDING) - self.length
    }

    fn gain(&self) -> Option<f64> {
        if let Candidate::Split(split) = &self.candidate { Some(split.gain) } else { None }
    }

    fn split(&self, split: Split) -> [Self; 2] {
        let Range { start, end } = self.range;
        let middle = start + split.middle;
        let [larger, smaller] = split.sums;
        [Self::new(start..middle, larger), Self::new(middle..end, smaller)]
    }
}

/// Computes the split of every cluster that may have the highest gain.
fn try_splits(rows: &impl Rows, order: &mut [u32], leaves: &mut [Leaf], options: &Options) {
    let best = leaves.iter().filter_map(Leaf::gain).fold(0.0, f64::max);
    let mut promising: Vec<&mut Leaf> = leaves
        .iter_mut()
        .filter(|leaf| matches!(leaf.candidate, Candidate::Unknown) && leaf.bound() >= best)
        .collect();
    promising.sort_by_key(|leaf| leaf.range.start);
    let mut rest = order;
    let mut passed = 0;
    let mut tasks = vec![];
    for leaf in promising {
        let (_, from_start) = rest.split_at_mut(leaf.range.start - passed);
        let (order, after) = from_start.split_at_mut(leaf.range.len());
        passed = leaf.range.end;
        rest = after;
        tasks.push((leaf, order));
    }
    tasks.into_par_iter().for_each(|(leaf, order)| {
        // The range identifies a cluster within a run.
        let seed = [leaf.range.start, leaf.range.end]
            .iter()
            .fold(options.seed, |seed, &end| derive_seed(seed, end as u64));
        let split = split(rows, order, &leaf.sum, options.restarts, seed);
        leaf.candidate = split.map_or(Candidate::None, Candidate::Split);
    });
}

/// The cluster whose split raises tau most, the first of equal ones, and its split.
fn take_best(leaves: &mut [Leaf]) -> Option<(usize, Split)> {
    let gains = leaves.iter().enumerate().filter_map(|(number, leaf)| Some((number, leaf.gain()?)));
    let (number, _) = gains.reduce(|best, next| if next.1 > best.1 { next } else { best })?;
    match mem::replace(&mut leaves[number].candidate, Candidate::None) {
        Candidate::Split(split) => Some((number, split)),
        Candidate::Unknown | Candidate::None => None,
    }
}
