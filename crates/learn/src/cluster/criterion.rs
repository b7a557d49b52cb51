//! The cosine criterion by its definition, to check any clustering.
use crate::cluster::{
    dense,
    lanes::{self, length},
    rows::{Rows, finite, scale},
};

/// The number of rows that are copied and scaled at a time.
const ROWS_AT_A_TIME: u32 = 1 << 12;

/// The sum of the cosines of all rows with the centroids of their clusters (Tan and Mitra, eq. 8 and
/// 9). A centroid is the mean of its rows, scaled to unit length; a row of zeros has cosine 0. This is
/// the definition, in two passes. [`Clusters::tau`](crate::cluster::Clusters) is the same number,
/// computed from the lengths of the sums alone.
///
/// # Panics
/// If `assignment` does not have one cluster per row.
pub fn tau(rows: &impl Rows, assignment: &[u32]) -> f64 {
    assert_eq!(assignment.len(), rows.rows(), "one cluster per row");
    let clusters = assignment.iter().max().map_or(0, |&last| last as usize + 1);
    let mut sums = vec![vec![0.0; rows.columns()]; clusters];
    for_each_unit_row(rows, |number, units, row| {
        units.add_to(row, 1.0, &mut sums[assignment[number] as usize]);
    });
    let centroids: Vec<Vec<f32>> = sums.iter().map(|sum| unit(sum)).collect();
    let mut tau = 0.0;
    for_each_unit_row(rows, |number, units, row| {
        tau += f64::from(units.dot(row, &centroids[assignment[number] as usize]));
    });
    tau
}

/// Calls `call` with the number of a row, a chunk of unit rows, and the row's index in the chunk.
fn for_each_unit_row<R: Rows>(rows: &R, mut call: impl FnMut(usize, &R, usize)) {
    let numbers: Vec<u32> = (0..rows.rows() as u32).collect();
    for numbers in numbers.chunks(ROWS_AT_A_TIME as usize) {
        let mut units = rows.select(numbers);
        units.normalise();
        for (row, &number) in numbers.iter().enumerate() {
            call(number as usize, &units, row);
        }
    }
}

/// The direction of a sum of rows, of unit length; zero where the rows cancel out.
pub(crate) fn unit(sum: &[f64]) -> Vec<f32> {
    let length = length(sum);
    let scale = if length > 0.0 { 1.0 / length } else { 0.0 };
    sum.iter().map(|value| (value * scale) as f32).collect()
}

/// The cosine of the angle between two rows; 0 if one of them is all zeros. Values that are not finite
/// count as 0.
pub fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let product = lanes::sum(a, b, |a, b| f64::from(finite(a)) * f64::from(finite(b)));
    let scales = scale(dense::squared_length(a)) * scale(dense::squared_length(b));
    (product * scales).clamp(-1.0, 1.0) as f32
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "these sums are exact")]
mod tests {
    use super::*;
    use crate::cluster::{Dense, Sparse};

    #[test]
    fn cosine_of_rows_at_right_angles_along_each_other_and_opposite() {
        assert_eq!(cosine(&[1.0, 0.0], &[0.0, 7.0]), 0.0);
        assert_eq!(cosine(&[3.0, 4.0], &[6.0, 8.0]), 1.0);
        assert_eq!(cosine(&[3.0, 4.0], &[-3.0, -4.0]), -1.0);
        assert_eq!(cosine(&[3.0, 4.0], &[4.0, 3.0]), 0.96);
    }

    #[test]
    fn cosine_with_nothing_is_zero_and_never_not_a_number() {
        assert_eq!(cosine(&[0.0, 0.0], &[1.0, 1.0]), 0.0);
        assert_eq!(cosine(&[], &[]), 0.0);
        assert_eq!(cosine(&[f32::NAN, 1.0], &[5.0, 2.0]), cosine(&[0.0, 1.0], &[5.0, 2.0]));
        assert_eq!(cosine(&[f32::INFINITY, 0.0], &[1.0, 0.0]), 0.0);
        assert_eq!(cosine(&[f32::MAX, 0.0], &[f32::MAX, 0.0]), 1.0);
    }

    #[test]
    fn tau_of_three_rows_in_one_cluster_and_in_two() {
        // Together they sum to (2, 1), of length √5: cosines 2/√5, 2/√5 and 1/√5.
        let rows = Dense::new(2, vec![1.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
        assert!((tau(&rows, &[0, 0, 0]) - 5.0_f64.sqrt()).abs() < 1e-6);
        assert_eq!(tau(&rows, &[0, 0, 1]), 3.0);
        // (1, 1) has length √2, and (1, 0) alone adds one.
        assert!((tau(&rows, &[0, 1, 1]) - (1.0 + 2.0_f64.sqrt())).abs() < 1e-6);
    }

    #[test]
    fn tau_does_not_depend_on_the_lengths_of_rows_and_rows_of_zeros_add_nothing() {
        let mut rows = Sparse::new(2);
        for entries in [&[(0, 9.0)][..], &[(0, 0.5)], &[(1, 3.0)], &[], &[(1, f32::NAN)]] {
            rows.push(entries);
        }
        assert_eq!(tau(&rows, &[0, 0, 1, 1, 0]), 3.0);
        assert_eq!(tau(&Sparse::new(4), &[]), 0.0);
    }
}
