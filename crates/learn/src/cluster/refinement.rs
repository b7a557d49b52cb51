//! Refinement by moving one row at a time, as in CLUTO. After two-means each row is nearer to its own
//! centroid, but the row itself is part of that centroid, which matters in a small half.
use crate::cluster::{
    lanes::length,
    part::{Halves, Part},
    rows::Rows,
};

/// The most rows to refine. One row hardly moves the centroid of a larger half, and refining is
/// single-threaded.
const REFINED_ROWS: usize = 1 << 10;

/// The most passes. Nearly all converge long before.
const PASSES: usize = 100;

/// The least gain of a move, above the rounding error of single precision.
const LEAST_RISE: f64 = 1e-6;

/// One half while rows move.
struct Half {
    sum: Vec<f32>,
    length: f64,
}

impl Half {
    fn new(sum: &[f64]) -> Self {
        Self { sum: sum.iter().map(|&value| value as f32).collect(), length: length(sum) }
    }

    /// The growth of the sum's length when `weight` times a unit row is added, whose inner product with
    /// the sum is given.
    fn growth(&self, weight: f64, product: f32) -> f64 {
        let squares = 2.0 * weight * f64::from(product) + 1.0;
        let after = (self.length * self.length + squares).max(0.0).sqrt();
        // The difference of the two lengths, without cancellation.
        if after + self.length > 0.0 { squares / (after + self.length) } else { 0.0 }
    }
}

/// Moves every row that raises tau to the other half, until no move does.
pub(crate) fn refine<R: Rows>(part: &Part<'_, R>, mut halves: Halves) -> Halves {
    if part.order.len() > REFINED_ROWS {
        return halves;
    }
    let mut sides = [Half::new(&halves.sums[0]), Half::new(&halves.sums[1])];
    for _ in 0..PASSES {
        let mut moved = false;
        for (&number, second) in part.order.iter().zip(&mut halves.second) {
            let row = number as usize;
            let (from, to) = (usize::from(*second), usize::from(!*second));
            let loss = sides[from].growth(-1.0, part.rows.dot(row, &sides[from].sum));
            let gain = sides[to].growth(1.0, part.rows.dot(row, &sides[to].sum));
            if gain + loss > LEAST_RISE {
                moved = true;
                *second = !*second;
                for (side, weight) in [(from, -1.0), (to, 1.0)] {
                    part.rows.add_to(row, weight, &mut halves.sums[side]);
                    sides[side] = Half::new(&halves.sums[side]);
                }
            }
        }
        if !moved {
            break;
        }
    }
    halves.tau = sides[0].length + sides[1].length;
    halves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::Dense;

    #[test]
    fn a_row_nearer_to_its_own_centroid_only_because_it_counts_there_moves() {
        // At 0, 50 and 90 degrees, with the middle one beside the first: the sums have lengths 2
        // cos 25° = 1.8126 and 1. With it beside the last: 1 and 2 cos 20° = 1.8794. Two-means sees
        // it 25 degrees from its centroid and 40 from the other, and leaves it.
        let (sin, cos) = 50.0_f32.to_radians().sin_cos();
        let rows = Dense::new(2, vec![1.0, 0.0, cos, sin, 0.0, 1.0]);
        let (order, last) = ([0, 1, 2], [2]);
        let part = Part::new(&rows, &order);
        let sums = [Part::new(&rows, &order[..2]).sum, Part::new(&rows, &last).sum];
        let tau = length(&sums[0]) + length(&sums[1]);
        let halves = refine(&part, Halves { second: vec![false, false, true], sums, tau });
        assert_eq!(halves.second, [false, true, true]);
        let expected = 1.0 + 2.0 * 20.0_f64.to_radians().cos();
        assert!((halves.tau - expected).abs() < 1e-6, "{} is not {expected}", halves.tau);
    }

    #[test]
    fn optimal_halves_do_not_change() {
        let rows = Dense::new(1, vec![1.0, 1.0, -1.0]);
        let order = [0, 1, 2];
        let part = Part::new(&rows, &order);
        let second = vec![false, false, true];
        let halves = Halves { second: second.clone(), sums: [vec![2.0], vec![-1.0]], tau: 3.0 };
        let halves = refine(&part, halves);
        assert_eq!((halves.second, halves.tau), (second, 3.0));
    }
}
