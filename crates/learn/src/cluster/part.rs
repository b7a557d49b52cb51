//! Two-means with the cosine criterion on a part of the rows, starting from a direction.
use rayon::prelude::*;

use crate::cluster::{
    criterion::unit,
    lanes::{self, length},
    rows::Rows,
};

/// Rows per chunk. Sums are computed within chunks and then over chunks in order, so the result depends
/// on this number but not on the number of threads.
const ROWS_PER_CHUNK: usize = 1 << 12;

/// The most passes. Nearly all converge long before.
const PASSES: usize = 100;

/// A pass that raises tau by less than this per row is the last.
const LEAST_RISE: f64 = 1e-6;

/// The rounding error of an inner product of unit rows, generously.
const ROUNDING: f32 = 1e-5;

/// Unit rows, by their numbers, and their sum.
pub(crate) struct Part<'a, R> {
    pub(crate) rows: &'a R,
    pub(crate) order: &'a [u32],
    pub(crate) sum: Vec<f64>,
}

/// Rows split in two.
pub(crate) struct Halves {
    /// Whether each row of the order is in the second half.
    pub(crate) second: Vec<bool>,
    /// The sums of the rows of each half.
    pub(crate) sums: [Vec<f64>; 2],
    /// The sum of the lengths of both sums.
    pub(crate) tau: f64,
}

impl Halves {
    /// The direction between the centroids.
    pub(crate) fn direction(&self) -> Vec<f32> {
        between(&self.sums)
    }

    /// The halves with the higher tau; `self` if both are equal.
    pub(crate) fn or_better(self, others: Self) -> Self {
        if others.tau > self.tau { others } else { self }
    }
}

/// The direction between two centroids. Rows with a positive inner product belong to the first half,
/// with a negative one to the second.
pub(crate) fn between(sums: &[Vec<f64>; 2]) -> Vec<f32> {
    let (first, second) = (unit(&sums[0]), unit(&sums[1]));
    first.iter().zip(second).map(|(first, second)| first - second).collect()
}

impl<'a, R: Rows> Part<'a, R> {
    pub(crate) fn new(rows: &'a R, order: &'a [u32]) -> Self {
        let add_up = |chunk: &[u32]| {
            let mut sum = vec![0.0; rows.columns()];
            for &number in chunk {
                rows.add_to(number as usize, 1.0, &mut sum);
            }
            sum
        };
        let sums: Vec<_> = order.par_chunks(ROWS_PER_CHUNK).map(add_up).collect();
        let mut sum = vec![0.0; rows.columns()];
        for chunk in &sums {
            add_to(&mut sum, 1.0, chunk);
        }
        Self { rows, order, sum }
    }

    /// Two-means: splits by a direction, then by the direction between the centroids of the halves, and
    /// so on until tau hardly rises.
    pub(crate) fn two_means(&self, mut towards: Vec<f32>) -> Halves {
        let mut second = vec![false; self.order.len()];
        let mut reach = vec![0.0; self.order.len()];
        let mut sums = [self.sum.clone(), vec![0.0; self.sum.len()]];
        let mut tau = length(&self.sum);
        let mut drift = 0.0;
        for _ in 0..PASSES {
            let pass = Pass { rows: self.rows, towards: &towards, drift };
            let moved: Vec<Option<Vec<f64>>> = self
                .order
                .par_chunks(ROWS_PER_CHUNK)
                .zip(second.par_chunks_mut(ROWS_PER_CHUNK))
                .zip(reach.par_chunks_mut(ROWS_PER_CHUNK))
                .map(|((order, second), reach)| pass.assign(order, second, reach))
                .collect();
            for moved in moved.iter().flatten() {
                add_to(&mut sums[0], -1.0, moved);
                add_to(&mut sums[1], 1.0, moved);
            }
            let before = tau;
            tau = length(&sums[0]) + length(&sums[1]);
            if tau - before <= LEAST_RISE * self.order.len() as f64 {
                break;
            }
            let next = between(&sums);
            drift += lanes::sum(&next, &towards, |a, b| (a - b) * (a - b)).sqrt();
            towards = next;
        }
        Halves { second, sums, tau }
    }
}

fn add_to(total: &mut [f64], weight: f64, sum: &[f64]) {
    for (total, value) in total.iter_mut().zip(sum) {
        *total += weight * value;
    }
}

/// One pass over all rows.
struct Pass<'a, R> {
    rows: &'a R,
    towards: &'a [f32],
    /// The total distance that the direction has moved since the first pass.
    drift: f32,
}

impl<R: Rows> Pass<'_, R> {
    /// Assigns the rows of a chunk to their halves. Returns the sum of the rows that moved to the second
    /// half minus the sum of those that left it; `None` if none moved.
    ///
    /// The inner product of a unit row changes by at most the distance that the direction moves. So a row
    /// is skipped while the direction has moved less than the row's distance from the boundary. `reach`
    /// is the total movement until which the row can be skipped.
    fn assign(&self, order: &[u32], second: &mut [bool], reach: &mut [f32]) -> Option<Vec<f64>> {
        let mut moved = None;
        for ((&number, second), reach) in order.iter().zip(second).zip(reach) {
            if *reach - self.drift > ROUNDING {
                continue;
            }
            let product = self.rows.dot(number as usize, self.towards);
            *reach = self.drift + product.abs();
            let (leaves, weight) =
                if *second { (product > 0.0, -1.0) } else { (product < 0.0, 1.0) };
            if leaves {
                *second = !*second;
                let moved = moved.get_or_insert_with(|| vec![0.0; self.rows.columns()]);
                self.rows.add_to(number as usize, weight, moved);
            }
        }
        moved
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "these sums are exact")]
mod tests {
    use super::*;
    use crate::cluster::Dense;

    #[test]
    fn a_poor_direction_converges_to_the_two_groups() {
        // Two rows near each axis; the direction separates only the last one from the others.
        let mut rows = Dense::new(2, vec![1.0, 0.0, 9.0, 1.0, 2.0, 9.0, 0.0, 1.0]);
        rows.normalise();
        let order = [0, 1, 2, 3];
        let halves = Part::new(&rows, &order).two_means(vec![1.0, -0.25]);
        assert_eq!(halves.second, [false, false, true, true]);
        let direction = halves.direction();
        assert!(direction[0] > 0.0 && direction[1] < 0.0);
    }

    #[test]
    fn opposite_rows_are_separated_though_their_sum_is_zero() {
        let rows = Dense::new(1, vec![1.0, -1.0, 1.0, -1.0]);
        let order = [0, 1, 2, 3];
        let part = Part::new(&rows, &order);
        assert_eq!(part.sum, [0.0]);
        let halves = part.two_means(vec![2.0]);
        assert_eq!(halves.second, [false, true, false, true]);
        assert_eq!(halves.tau, 4.0);
    }

    #[test]
    fn rows_on_the_boundary_stay_where_they_are() {
        let rows = Dense::new(2, vec![1.0, 0.0, 1.0, 0.0]);
        let order = [0, 1];
        let halves = Part::new(&rows, &order).two_means(vec![0.0, 1.0]);
        assert_eq!((halves.second, halves.tau), (vec![false, false], 2.0));
    }
}
