//! Clusters of small sets with known results, edge cases, and sets large enough for sampling and
//! threads.
#![expect(clippy::float_cmp, reason = "these sums are exact")]

use learn::cluster::{Clusters, Dense, Options, Rows, Sparse, bisect, bisect_in_place, tau};

fn options(clusters: usize) -> Options {
    Options { clusters, ..Options::default() }
}

/// A matrix with two columns.
fn pairs(rows: &[[f32; 2]]) -> Dense {
    Dense::new(2, rows.concat())
}

/// Rows around some directions, computed with integers so that every machine gives the same.
fn groups(rows: u32, columns: u32, groups: u32) -> Dense {
    let hash = |number: u32| {
        let mixed = (number ^ (number >> 15)).wrapping_mul(0x2c1b_3c6d);
        (mixed ^ (mixed >> 12)).wrapping_mul(0x297a_2d39) >> 16
    };
    let value = |row: u32, column: u32| {
        let group = hash(row) % groups * hash(row + 1_000_003) / 0xffff;
        let centre = hash(group * 977 + column * 31 + 7) % 201;
        let noise = hash(row * 131 + column * 7919) % 61;
        centre as f32 - 100.0 + noise as f32 - 30.0
    };
    let values = (0..rows).flat_map(|row| (0..columns).map(move |column| value(row, column)));
    Dense::new(columns as usize, values.collect())
}

fn sparse(dense: &Dense) -> Sparse {
    let mut sparse = Sparse::new(dense.columns());
    for row in 0..dense.rows() {
        let entries = (0..).zip(dense.row(row).iter().copied()).filter(|entry| entry.1 != 0.0);
        sparse.push(&entries.collect::<Vec<_>>());
    }
    sparse
}

#[test]
fn one_cluster_of_three_rows_has_the_length_of_their_sum() {
    let clusters = bisect(pairs(&[[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), &options(1));
    assert_eq!(clusters.assignment, [0, 0, 0]);
    assert_eq!(clusters.tau, 5.0_f64.sqrt());
    assert_eq!(clusters.centroids.row(0), [2.0 / 5.0_f32.sqrt(), 1.0 / 5.0_f32.sqrt()]);
}

#[test]
fn two_clusters_of_three_rows_have_all_cosines_one() {
    let clusters = bisect(pairs(&[[0.0, 4.0], [1.0, 0.0], [3.0, 0.0]]), &options(2));
    assert_eq!(clusters.assignment, [1, 0, 0]);
    assert_eq!(clusters.sizes, [2, 1]);
    assert_eq!(clusters.tau_by_count, [5.0_f64.sqrt(), 3.0]);
    assert_eq!(clusters.centroids, pairs(&[[1.0, 0.0], [0.0, 1.0]]));
}

#[test]
fn two_groups_are_separated_regardless_of_row_lengths() {
    let rows = pairs(&[[9.0, 1.0], [0.1, 1.0], [0.9, 0.0], [50.0, 400.0], [8.0, -1.0]]);
    let clusters = bisect(rows, &options(2));
    assert_eq!(clusters.assignment, [0, 1, 0, 1, 0]);
}

#[test]
fn the_cluster_with_the_highest_gain_is_split_first() {
    // Four rows along the axes, and two that are nearly one. Each pair of opposite rows gains two
    // when divided; the near ones gain next to nothing and stay together until all else is done.
    let rows = [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0]];
    let near = [[0.0, 0.0, 1.0], [0.0, 0.1, 1.0]];
    let values = rows.iter().chain(&near).flatten().copied().collect();
    let clusters = bisect(Dense::new(3, values), &options(6));
    let five = clusters.at(5);
    assert_eq!(five.assignment[4], five.assignment[5]);
    let mut sizes = five.sizes;
    sizes.sort_unstable();
    assert_eq!(sizes, [1, 1, 1, 1, 2]);
    assert!((clusters.tau - 6.0).abs() < 1e-6);
}

#[test]
fn there_are_no_more_clusters_than_directions() {
    let rows = [[1.0, 2.0], [2.0, 1.0], [3.0, 6.0], [0.1, 0.2], [7.0, 3.5]];
    let clusters = bisect(pairs(&rows), &options(100));
    assert_eq!(clusters.assignment, [0, 1, 0, 0, 1]);
    assert_eq!(clusters.count(), 2);
    assert_eq!(clusters.tau_by_count.len(), 2);
}

#[test]
fn equal_rows_are_never_separated() {
    let clusters = bisect(Dense::new(3, [0.3, -0.7, 11.0].repeat(10_000)), &options(5));
    assert_eq!(clusters.sizes, [10_000]);
    assert!((clusters.tau - 10_000.0).abs() < 0.01);
}

#[test]
fn one_row_that_differs_is_found_among_many_equal_ones() {
    let mut values = [1.0, 0.0].repeat(20_000);
    values[2 * 12_345 + 1] = 1.0;
    let clusters = bisect(Dense::new(2, values), &options(3));
    assert_eq!(clusters.sizes, [19_999, 1]);
    assert_eq!(clusters.assignment[12_345], 1);
}

#[test]
fn one_row_that_differs_is_found_among_many_that_differ_by_rounding_only() {
    let mut values: Vec<f32> = (1..=20_000_u16)
        .flat_map(|row| [1.0, 3.0, 7.0].map(|value| value * f32::from(row)))
        .collect();
    values[3 * 12_345] = 0.0;
    let clusters = bisect(Dense::new(3, values), &options(3));
    assert_eq!(clusters.sizes, [19_999, 1]);
    assert_eq!(clusters.assignment[12_345], 1);
}

#[test]
fn rows_of_zeros_are_in_cluster_zero() {
    let rows = [[0.0, 0.0], [0.0, 1.0], [0.0, 3.0], [-0.0, 0.0], [1.0, 0.0]];
    let clusters = bisect(pairs(&rows), &options(10));
    assert_eq!(clusters.assignment, [0, 0, 0, 0, 1]);
    assert_eq!(clusters.tau, 3.0);
    let zeros = bisect(Dense::new(4, vec![0.0; 12]), &options(10));
    assert_eq!((zeros.sizes, zeros.tau), (vec![3], 0.0));
    assert_eq!(zeros.centroids.row(0), [0.0; 4]);
}

#[test]
fn without_rows_there_are_no_clusters() {
    for clusters in
        [bisect(Dense::new(4, vec![]), &options(3)), bisect(Sparse::new(4), &options(3))]
    {
        assert_eq!(clusters.count(), 0);
        assert_eq!(clusters.tau, 0.0);
        assert_eq!(clusters.nearest(&[1.0; 4]), (0, 0.0));
        assert_eq!(clusters.at(2), clusters);
    }
}

#[test]
fn one_column_has_two_directions() {
    let clusters = bisect(Dense::new(1, vec![3.0, -1.0, 0.5, 0.0, -9.0, 1.0]), &options(5));
    assert_eq!(clusters.assignment, [0, 1, 0, 0, 1, 0]);
    assert_eq!((clusters.tau, clusters.sizes), (5.0, vec![4, 2]));
}

#[test]
fn values_that_are_not_finite_count_as_zero() {
    let strange = [[f32::NAN, 1.0], [f32::INFINITY, 2.0], [1.0, f32::NEG_INFINITY], [f32::NAN; 2]];
    let plain = [[0.0, 1.0], [0.0, 2.0], [1.0, 0.0], [0.0; 2]];
    assert_eq!(bisect(pairs(&strange), &options(4)), bisect(pairs(&plain), &options(4)));
    let entries = bisect(sparse(&pairs(&strange)), &options(4));
    assert_eq!(entries, bisect(pairs(&plain), &options(4)));
}

#[test]
fn lengths_at_the_ends_of_single_precision_do_not_matter() {
    let rows = [[f32::MAX, f32::MAX], [1e-45, 0.0], [f32::MAX, 0.0], [1e-45, 1e-45]];
    let clusters = bisect(pairs(&rows), &options(4));
    assert_eq!(clusters.assignment, [0, 1, 1, 0]);
}

#[test]
fn no_clusters_and_no_restarts_asked_for_are_one_of_each() {
    let rows = groups(100, 3, 4);
    assert_eq!(bisect(rows.clone(), &options(0)), bisect(rows.clone(), &options(1)));
    let once = Options { restarts: 1, ..options(4) };
    let never = Options { restarts: 0, ..options(4) };
    assert_eq!(bisect(rows.clone(), &never), bisect(rows, &once));
}

#[test]
fn fewer_clusters_are_the_same_as_clustering_into_fewer() {
    let rows = groups(3_000, 6, 40);
    let all = bisect(rows.clone(), &options(20));
    for count in 1..=20 {
        let fewer = all.at(count);
        assert_eq!(fewer.assignment, bisect(rows.clone(), &options(count)).assignment);
        assert_eq!(fewer.sizes.iter().sum::<u32>(), 3_000);
        assert_eq!(fewer.tau, all.tau_by_count[count - 1]);
        assert!((tau(&rows, &fewer.assignment) / fewer.tau - 1.0).abs() < 1e-6);
    }
    assert!(all.tau_by_count.is_sorted_by(|before, after| before < after));
    assert_eq!((all.at(0).count(), all.at(99).count()), (1, 20));
}

#[test]
fn centroids_are_those_of_the_rows() {
    let mut rows = groups(500, 5, 10);
    let clusters = bisect_in_place(&mut rows, &options(7)).at(4);
    for number in 0..4 {
        let mut sum = [0.0_f64; 5];
        for row in (0..500).filter(|&row| clusters.assignment[row] == number) {
            rows.add_to(row, 1.0, &mut sum);
        }
        let length = sum.iter().map(|value| value * value).sum::<f64>().sqrt();
        for (value, sum) in clusters.centroids.row(number as usize).iter().zip(sum) {
            assert!((f64::from(*value) - sum / length).abs() < 1e-6);
        }
    }
}

#[test]
fn the_nearest_cluster_has_the_highest_cosine() {
    let clusters = bisect(pairs(&[[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), &options(2));
    assert_eq!(clusters.nearest(&[5.0, 0.0]), (0, 1.0));
    assert_eq!(clusters.nearest(&[30.0, 40.0]), (1, 0.8));
    assert_eq!(clusters.nearest(&[-3.0, -4.0]), (0, -0.6));
    assert_eq!(clusters.nearest(&[0.0, 0.0]), (0, 0.0));
    assert_eq!(clusters.nearest(&[f32::NAN, 2.0]), (1, 1.0));
}

#[test]
fn dense_and_sparse_rows_make_the_same_clusters() {
    let mut values = vec![];
    for row in 0..6_000_usize {
        let all = groups(1, 40, 20);
        let shifted = (0..40).map(|column| {
            let kept = (row * 7 + column * column) % 5 == 0;
            if kept { all.row(0)[(column * (row % 23 + 1)) % 40] } else { 0.0 }
        });
        values.extend(shifted);
    }
    let dense = Dense::new(40, values);
    assert_eq!(bisect(sparse(&dense), &options(12)), bisect(dense, &options(12)));
}

fn with_threads(threads: usize, rows: &Dense, options: &Options) -> Clusters {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start");
    pool.install(|| bisect(rows.clone(), options))
}

#[test]
fn the_result_does_not_depend_on_threads_or_machines() {
    let rows = groups(30_000, 11, 60);
    let options = Options { clusters: 25, restarts: 2, seed: 9 };
    let one = with_threads(1, &rows, &options);
    assert_eq!(with_threads(2, &rows, &options), one);
    assert_eq!(with_threads(4, &rows, &options), one);
    // The same bits on every machine, with any instruction set.
    assert_eq!(one.tau.to_bits(), 4_672_899_645_978_070_998);
    let sizes = [3436, 2131, 2114, 1529, 1324, 962, 1800, 1874, 1161, 1022, 1289, 872, 1834];
    assert_eq!(one.sizes[..13], sizes);
}

#[test]
fn another_seed_gives_other_starts() {
    let rows = groups(30_000, 11, 60);
    let once = |seed| bisect(rows.clone(), &Options { clusters: 25, restarts: 1, seed });
    assert_ne!(once(1).assignment, once(2).assignment);
}
