//! Properties of clusters of any rows.
//!
//! `PROPTEST_CASES=100000 cargo nextest run -p learn --release properties` tests more cases.
use std::collections::BTreeSet;

use learn::cluster::{Dense, Options, bisect, tau};
use proptest::prelude::*;

const COLUMNS: usize = 3;

/// Rows of small integers: many are equal, zero, of the same direction or opposite.
fn small_rows() -> impl Strategy<Value = Vec<[i8; COLUMNS]>> {
    prop::collection::vec(prop::array::uniform3(-3..=3_i8), 1..40)
}

fn dense(rows: &[[i8; COLUMNS]]) -> Dense {
    Dense::new(COLUMNS, rows.iter().flatten().map(|&value| f32::from(value)).collect())
}

/// The direction of a row, as integers.
fn direction(row: [i8; COLUMNS]) -> [i8; COLUMNS] {
    let divides = |&by: &i8| row.iter().all(|value| value % by == 0);
    let by = (1..=3).rev().find(divides).unwrap_or(1);
    row.map(|value| value / by)
}

/// The sum of cosines by definition: the mean of the unit rows of a cluster, and the cosine of each with
/// it.
fn by_hand(rows: &[[i8; COLUMNS]], assignment: &[u32]) -> f64 {
    let length = |row: &[f64; COLUMNS]| row.iter().map(|value| value * value).sum::<f64>().sqrt();
    let unit = |row: [i8; COLUMNS]| {
        let row = row.map(f64::from);
        let length = length(&row);
        row.map(|value| if length > 0.0 { value / length } else { 0.0 })
    };
    let mut total = 0.0;
    for (row, cluster) in rows.iter().zip(assignment) {
        let members = rows.iter().zip(assignment).filter(|member| member.1 == cluster);
        let mut mean = [0.0; COLUMNS];
        let count = members.clone().count() as f64;
        for (member, _) in members {
            for (mean, value) in mean.iter_mut().zip(unit(*member)) {
                *mean += value / count;
            }
        }
        let product: f64 = mean.iter().zip(unit(*row)).map(|(a, b)| a * b).sum();
        // Opposite rows cancel out but for rounding: their mean has no direction.
        if length(&mean) > 1e-9 {
            total += product / length(&mean);
        }
    }
    total
}

proptest! {
    #[test]
    fn tau_is_the_sum_of_cosines(
        (rows, assignment) in small_rows().prop_flat_map(|rows| {
            let clusters = prop::collection::vec(0..4_u32, rows.len());
            (Just(rows), clusters)
        })
    ) {
        let expected = by_hand(&rows, &assignment);
        prop_assert!((tau(&dense(&rows), &assignment) - expected).abs() < 1e-5);
    }

    #[test]
    fn tau_of_clusters_is_the_sum_of_cosines_for_every_count(
        rows in small_rows(), seed in any::<u64>()
    ) {
        let clusters = bisect(dense(&rows), &Options { clusters: 8, restarts: 1, seed });
        prop_assert!(clusters.tau_by_count.is_sorted());
        for count in 1..=clusters.count() {
            let fewer = clusters.at(count);
            prop_assert!((fewer.tau - by_hand(&rows, &fewer.assignment)).abs() < 1e-5);
            prop_assert!(fewer.sizes.iter().all(|&size| size > 0));
        }
    }

    #[test]
    fn there_are_as_many_clusters_as_directions_if_enough_are_requested(
        rows in small_rows(), seed in any::<u64>()
    ) {
        let clusters = bisect(dense(&rows), &Options { clusters: 100, restarts: 1, seed });
        let zero = [0; COLUMNS];
        let directions: BTreeSet<_> =
            rows.iter().copied().filter(|&row| row != zero).map(direction).collect();
        prop_assert_eq!(clusters.count(), directions.len().max(1));
        for (a, first) in rows.iter().zip(&clusters.assignment) {
            for (b, second) in rows.iter().zip(&clusters.assignment) {
                if *a != zero && *b != zero {
                    prop_assert_eq!(direction(*a) == direction(*b), first == second);
                }
            }
        }
    }

    #[test]
    fn any_numbers_give_finite_clusters(
        values in prop::collection::vec(prop::num::f32::ANY, 0..60), clusters in 0..9_usize
    ) {
        let whole = values.len() / COLUMNS * COLUMNS;
        let rows = Dense::new(COLUMNS, values[..whole].to_vec());
        let made = bisect(rows.clone(), &Options { clusters, ..Options::default() });
        prop_assert!(made.tau.is_finite() && made.tau >= 0.0);
        prop_assert_eq!(made.sizes.iter().sum::<u32>() as usize, rows.rows());
        for row in 0..rows.rows() {
            let (number, cosine) = made.nearest(rows.row(row));
            prop_assert!((number as usize) < made.count() && (-1.0..=1.0).contains(&cosine));
        }
        for number in 0..made.count() {
            prop_assert!(made.centroids.row(number).iter().all(|value| value.is_finite()));
        }
    }
}
