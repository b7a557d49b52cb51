//! Some rows to be divided in two, and two-means under the cosine criterion: from a direction that
//! tells two halves apart to halves that hardly a row wants to leave.
use rayon::prelude::*;

use crate::{
    criterion::unit,
    lanes::{self, length},
    rows::Rows,
};

/// Rows looked at in one piece. Sums are made within pieces and then over pieces in their order, so
/// this number is part of the result; the number of threads is not.
const ROWS_PER_PIECE: usize = 1 << 12;

/// Passes after which halves are taken as they are. Nearly all settle long before.
const PASSES: usize = 100;

/// A pass that raises tau by less than this for each row is the last.
const LEAST_RISE: f64 = 1e-6;

/// How far rounding may move an inner product of rows of length one, with room to spare.
const ROUNDING: f32 = 1e-5;

/// Rows of length one, by their numbers, and their sum.
pub(crate) struct Part<'a, R> {
    pub(crate) rows: &'a R,
    pub(crate) order: &'a [u32],
    pub(crate) sum: Vec<f64>,
}

/// Rows divided in two.
pub(crate) struct Halves {
    /// Whether the row at each place of the order is in the second half.
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

    /// The halves of higher tau; these, if the others have the same.
    pub(crate) fn or_better(self, others: Self) -> Self {
        if others.tau > self.tau { others } else { self }
    }
}

/// Where rows are inclined to: to the first half if their inner product with this is positive, to
/// the second if negative.
pub(crate) fn between(sums: &[Vec<f64>; 2]) -> Vec<f32> {
    let (first, second) = (unit(&sums[0]), unit(&sums[1]));
    first.iter().zip(second).map(|(first, second)| first - second).collect()
}

impl<'a, R: Rows> Part<'a, R> {
    pub(crate) fn new(rows: &'a R, order: &'a [u32]) -> Self {
        let add_up = |piece: &[u32]| {
            let mut sum = vec![0.0; rows.columns()];
            for &number in piece {
                rows.add_to(number as usize, 1.0, &mut sum);
            }
            sum
        };
        let sums: Vec<_> = order.par_chunks(ROWS_PER_PIECE).map(add_up).collect();
        let mut sum = vec![0.0; rows.columns()];
        for piece in &sums {
            add_to(&mut sum, 1.0, piece);
        }
        Self { rows, order, sum }
    }

    /// Divides by a direction, then by the direction between the centroids of the halves this made,
    /// and so on until tau hardly rises.
    pub(crate) fn settle(&self, mut towards: Vec<f32>) -> Halves {
        let mut second = vec![false; self.order.len()];
        let mut reach = vec![0.0; self.order.len()];
        let mut sums = [self.sum.clone(), vec![0.0; self.sum.len()]];
        let mut tau = length(&self.sum);
        let mut drift = 0.0;
        for _ in 0..PASSES {
            let pass = Pass { rows: self.rows, towards: &towards, drift };
            let moved: Vec<Option<Vec<f64>>> = self
                .order
                .par_chunks(ROWS_PER_PIECE)
                .zip(second.par_chunks_mut(ROWS_PER_PIECE))
                .zip(reach.par_chunks_mut(ROWS_PER_PIECE))
                .map(|((order, second), reach)| pass.divide(order, second, reach))
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

/// One look at all rows.
struct Pass<'a, R> {
    rows: &'a R,
    towards: &'a [f32],
    /// The length of the way the direction has gone since the first pass.
    drift: f32,
}

impl<R: Rows> Pass<'_, R> {
    /// Moves the rows of a piece to the half they are inclined to. Returns the sum of those that
    /// went to the second half less that of those that left it; `None` if none moved.
    ///
    /// The inner product of a row of length one changes by no more than the direction does, so a
    /// row need not be looked at while the direction has gone less far than the row is from the
    /// border. `reach` is how far it may have gone in all.
    fn divide(&self, order: &[u32], second: &mut [bool], reach: &mut [f32]) -> Option<Vec<f64>> {
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
    use crate::Dense;

    #[test]
    fn a_poor_direction_settles_on_the_two_groups() {
        // Two rows near each axis; the direction tells only the last one from the others.
        let mut rows = Dense::new(2, vec![1.0, 0.0, 9.0, 1.0, 2.0, 9.0, 0.0, 1.0]);
        rows.normalise();
        let order = [0, 1, 2, 3];
        let halves = Part::new(&rows, &order).settle(vec![1.0, -0.25]);
        assert_eq!(halves.second, [false, false, true, true]);
        let direction = halves.direction();
        assert!(direction[0] > 0.0 && direction[1] < 0.0);
    }

    #[test]
    fn opposite_rows_are_two_halves_though_their_sum_is_nothing() {
        let rows = Dense::new(1, vec![1.0, -1.0, 1.0, -1.0]);
        let order = [0, 1, 2, 3];
        let part = Part::new(&rows, &order);
        assert_eq!(part.sum, [0.0]);
        let halves = part.settle(vec![2.0]);
        assert_eq!(halves.second, [false, true, false, true]);
        assert_eq!(halves.tau, 4.0);
    }

    #[test]
    fn rows_on_the_border_stay_where_they_are() {
        let rows = Dense::new(2, vec![1.0, 0.0, 1.0, 0.0]);
        let order = [0, 1];
        let halves = Part::new(&rows, &order).settle(vec![0.0, 1.0]);
        assert_eq!((halves.second, halves.tau), (vec![false, false], 2.0));
    }
}
