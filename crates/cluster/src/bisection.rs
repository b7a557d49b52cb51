//! Repeated bisection: which cluster is divided next, until there are enough.
use std::{mem, ops::Range};

use rayon::prelude::*;

use crate::{
    Clusters, chance,
    lanes::length,
    part::Part,
    rows::Rows,
    split::{Split, split},
};

/// By how much the length of a row may be off from one, with room to spare.
const ROUNDING: f64 = 1e-6;

/// How to cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// How many clusters to make. There are fewer if the rows have fewer directions.
    pub clusters: usize,
    /// How often each division is tried from another start; the best is kept.
    pub restarts: usize,
    /// What chance depends on.
    pub seed: u64,
}

impl Default for Options {
    /// A hundred clusters, the paper's choice, and ten restarts, CLUTO's.
    fn default() -> Self {
        Self { clusters: 100, restarts: 10, seed: 0 }
    }
}

/// Clusters the rows, each taken with length one. What is not a finite number counts as 0. A row of
/// zeros has cosine 0 with everything and is put into cluster 0. Rows of one direction are never
/// divided.
pub fn bisect<R: Rows>(mut rows: R, options: &Options) -> Clusters {
    bisect_in_place(&mut rows, options)
}

/// The same for a caller who needs the rows again: they are left there, with length one.
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
        look_ahead(rows, &mut order, &mut leaves, options);
        let Some((number, split)) = take_best(&mut leaves) else { break };
        let [larger, smaller] = leaves[number].divided(split);
        leaves[number] = larger;
        leaves.push(smaller);
        split_from.push(number as u32);
        tau_by_count.push(leaves.iter().map(|leaf| leaf.length).sum());
    }
    let mut assignment = vec![0; rows.rows()];
    for (number, leaf) in leaves.iter().enumerate() {
        for &row in &order[leaf.places.clone()] {
            assignment[row as usize] = number as u32;
        }
    }
    let sums = leaves.into_iter().map(|leaf| leaf.sum).collect();
    Clusters::new(rows.columns(), assignment, sums, split_from, tau_by_count)
}

/// A cluster that is not divided yet.
struct Leaf {
    /// Where its rows are in the order.
    places: Range<usize>,
    sum: Vec<f64>,
    /// The length of the sum: its part of tau.
    length: f64,
    outlook: Outlook,
}

/// What is known of the division of a cluster.
enum Outlook {
    /// Not tried yet.
    Unknown,
    /// Its rows cannot be told apart.
    None,
    /// How it would be divided; its rows are ordered so already.
    Split(Split),
}

impl Leaf {
    fn new(places: Range<usize>, sum: Vec<f64>) -> Self {
        let outlook = if places.len() > 1 { Outlook::Unknown } else { Outlook::None };
        Self { places, length: length(&sum), sum, outlook }
    }

    /// By how much a division can raise tau at most: a row has no cosine above one, but for
    /// rounding.
    fn bound(&self) -> f64 {
        self.places.len() as f64 * (1.0 + ROUNDING) - self.length
    }

    fn gain(&self) -> Option<f64> {
        if let Outlook::Split(split) = &self.outlook { Some(split.gain) } else { None }
    }

    fn divided(&self, split: Split) -> [Self; 2] {
        let Range { start, end } = self.places;
        let middle = start + split.middle;
        let [larger, smaller] = split.sums;
        [Self::new(start..middle, larger), Self::new(middle..end, smaller)]
    }
}

/// Tries the division of every cluster not tried yet that may turn out to be the best.
fn look_ahead(rows: &impl Rows, order: &mut [u32], leaves: &mut [Leaf], options: &Options) {
    let best = leaves.iter().filter_map(Leaf::gain).fold(0.0, f64::max);
    let mut promising: Vec<&mut Leaf> = leaves
        .iter_mut()
        .filter(|leaf| matches!(leaf.outlook, Outlook::Unknown) && leaf.bound() >= best)
        .collect();
    promising.sort_by_key(|leaf| leaf.places.start);
    let mut rest = order;
    let mut passed = 0;
    let mut tasks = vec![];
    for leaf in promising {
        let (_, from_start) = rest.split_at_mut(leaf.places.start - passed);
        let (places, after) = from_start.split_at_mut(leaf.places.len());
        passed = leaf.places.end;
        rest = after;
        tasks.push((leaf, places));
    }
    tasks.into_par_iter().for_each(|(leaf, places)| {
        // Where a cluster lies and how large it is tells it from every other of the same run.
        let seed = [leaf.places.start, leaf.places.end]
            .iter()
            .fold(options.seed, |seed, &place| chance::seed(seed, place as u64));
        let split = split(rows, places, &leaf.sum, options.restarts, seed);
        leaf.outlook = split.map_or(Outlook::None, Outlook::Split);
    });
}

/// The cluster whose division raises tau most, the first of equal ones, and its division.
fn take_best(leaves: &mut [Leaf]) -> Option<(usize, Split)> {
    let gains = leaves.iter().enumerate().filter_map(|(number, leaf)| Some((number, leaf.gain()?)));
    let (number, _) = gains.reduce(|best, next| if next.1 > best.1 { next } else { best })?;
    match mem::replace(&mut leaves[number].outlook, Outlook::None) {
        Outlook::Split(split) => Some((number, split)),
        Outlook::Unknown | Outlook::None => None,
    }
}
