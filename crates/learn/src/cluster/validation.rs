//! Choosing the number of clusters: cross-validation and the elbow of its curve.
use rayon::prelude::*;

use crate::cluster::{
    Options, bisect,
    clusters::Step,
    random::{self, Purpose},
    rows::Rows,
};

/// Points nearer to the line than this are on it, except for rounding.
const LEAST_BEND: f64 = 1e-9;

/// How well a number of clusters describes the rows they were fitted to, and held-out rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Validation {
    /// The requested number of clusters.
    pub clusters: usize,
    /// Tau per row of the clustered rows, the mean over folds.
    pub trained: f64,
    /// The cosine of a held-out row with the nearest centroid, the mean over rows and then folds.
    pub held_out: f64,
    /// The standard deviation of `held_out` over folds.
    pub spread: f64,
}

/// Cross-validation (Tan and Mitra choose the number of clusters by ten folds). For each fold it clusters
/// the other rows into the highest number of `counts`, and assigns the held-out rows to the nearest
/// cluster for every count. Clusters are nested, so all counts come from one run; where rows do not give
/// more clusters, a higher count uses those there are. `options.clusters` is ignored. The number of folds
/// is between 2 and the number of rows; with fewer than two rows the result is empty.
pub fn cross_validate<R: Rows>(
    rows: &R,
    counts: &[usize],
    folds: usize,
    options: &Options,
) -> Vec<Validation> {
    let mut numbers: Vec<u32> = (0..rows.rows() as u32).collect();
    if numbers.len() < 2 {
        return vec![];
    }
    numbers.sort_by_cached_key(|&row| random::bits(options.seed, Purpose::Fold, u64::from(row)));
    let folds = folds.clamp(2, numbers.len());
    let clusters = counts.iter().copied().max().unwrap_or(0);
    let options = Options { clusters, ..options.clone() };
    let by_fold: Vec<Vec<(f64, f64)>> = (0..folds)
        .map(|fold| {
            let in_fold = |index: usize| index % folds == fold;
            let (held_out, trained) = partition(&numbers, in_fold);
            validate(rows, &trained, &held_out, counts, &options)
        })
        .collect();
    let of_count = |(place, &clusters): (usize, &usize)| {
        let trained: Vec<f64> = by_fold.iter().map(|fold| fold[place].0).collect();
        let held_out: Vec<f64> = by_fold.iter().map(|fold| fold[place].1).collect();
        let (held_out, spread) = mean_and_deviation(&held_out);
        Validation { clusters, trained: mean_and_deviation(&trained).0, held_out, spread }
    };
    counts.iter().enumerate().map(of_count).collect()
}

/// The numbers whose indices are in, and the others, both ascending.
fn partition(numbers: &[u32], is_in: impl Fn(usize) -> bool) -> (Vec<u32>, Vec<u32>) {
    let mut parts = (vec![], vec![]);
    for (index, &number) in numbers.iter().enumerate() {
        if is_in(index) { &mut parts.0 } else { &mut parts.1 }.push(number);
    }
    parts.0.sort_unstable();
    parts.1.sort_unstable();
    parts
}

/// For every count, tau per row of the clustered rows and of the held-out rows.
fn validate<R: Rows>(
    rows: &R,
    trained: &[u32],
    held_out: &[u32],
    counts: &[usize],
    options: &Options,
) -> Vec<(f64, f64)> {
    let clusters = bisect(rows.select(trained), options);
    let mut held_out = rows.select(held_out);
    held_out.normalise();
    let reached: Vec<usize> =
        counts.iter().map(|&count| count.clamp(1, clusters.count())).collect();
    let (first, steps) = clusters.history();
    let nearest: Vec<Vec<f32>> = (0..held_out.rows())
        .into_par_iter()
        .map(|row| {
            let by_count = highest_by_count(&held_out, row, &first, &steps);
            reached.iter().map(|&count| by_count[count - 1]).collect()
        })
        .collect();
    let of_place = |(place, &count): (usize, &usize)| {
        let total: f64 = nearest.iter().map(|cosines| f64::from(cosines[place])).sum();
        (clusters.tau_by_count[count - 1] / trained.len() as f64, total / nearest.len() as f64)
    };
    reached.iter().enumerate().map(of_place).collect()
}

/// The highest cosine of a row with any centroid of one cluster, of two, and so on.
fn highest_by_count(rows: &impl Rows, row: usize, first: &[f32], steps: &[Step]) -> Vec<f32> {
    let highest = |cosines: &[f32]| cosines.iter().copied().fold(-1.0, f32::max);
    let mut cosines = vec![rows.dot(row, first)];
    let mut by_count = vec![highest(&cosines)];
    for step in steps {
        cosines[step.number] = rows.dot(row, &step.centroid);
        cosines.push(rows.dot(row, &step.split_off));
        by_count.push(highest(&cosines));
    }
    by_count
}

/// The mean and standard deviation over folds, at least two.
fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0)).sqrt())
}

/// The elbow of a rising curve: of the points above the line from the first to the last, the one farthest
/// from it, with both axes scaled to [0, 1]. `None` if no point is above it. Points may be in any order;
/// those that are not finite are ignored.
pub fn elbow(points: &[(usize, f64)]) -> Option<usize> {
    let mut points: Vec<(usize, f64)> =
        points.iter().copied().filter(|point| point.1.is_finite()).collect();
    points.sort_by_key(|point| point.0);
    let (&first, &last) = (points.first()?, points.last()?);
    let lowest = points.iter().map(|point| point.1).fold(f64::INFINITY, f64::min);
    let highest = points.iter().map(|point| point.1).fold(f64::NEG_INFINITY, f64::max);
    let across = (last.0 - first.0) as f64;
    // The distance from the line is proportional to the height above it.
    let above = |point: (usize, f64)| {
        let on_line = first.1 + (last.1 - first.1) * (point.0 - first.0) as f64 / across;
        (point.1 - on_line) / (highest - lowest)
    };
    let heights = points.iter().map(|&point| (point.0, above(point)));
    let (count, height) = heights.reduce(|best, next| if next.1 > best.1 { next } else { best })?;
    (height > LEAST_BEND).then_some(count)
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "these sums are exact")]
mod tests {
    use super::*;
    use crate::cluster::{Dense, Sparse};

    fn options() -> Options {
        Options { restarts: 1, ..Options::default() }
    }

    #[test]
    fn two_groups_of_equal_rows_need_two_clusters() {
        // Ten rows along one axis and ten along the other: with a cluster for each, every cosine is 1,
        // and a third cluster is impossible.
        let rows = Dense::new(2, [[2.0, 0.0], [0.0, 3.0]].repeat(10).concat());
        let all = cross_validate(&rows, &[1, 2, 3], 5, &options());
        let exact = |clusters| Validation { clusters, trained: 1.0, held_out: 1.0, spread: 0.0 };
        assert_eq!(all[1..], [exact(2), exact(3)]);
        // One cluster of a rows of one group and b of the other has tau √(a² + b²) of a + b = 16;
        // at equal shares that is 1/√2 of all, at any others more; and a row held out cannot be
        // nearer than one.
        assert!((0.5_f64.sqrt()..0.9).contains(&all[0].trained), "{all:?}");
        assert!((0.5..0.9).contains(&all[0].held_out), "{all:?}");
        let curve: Vec<_> = all.iter().map(|point| (point.clusters, point.held_out)).collect();
        assert_eq!(elbow(&curve), Some(2));
    }

    #[test]
    fn every_row_is_held_out_once() {
        // Each row has a direction of its own, at right angles to all others: held out it has
        // cosine 0.
        let mut rows = Sparse::new(6);
        for column in 0..6 {
            rows.push(&[(column, 1.0)]);
        }
        let validation = Validation { clusters: 9, trained: 1.0, held_out: 0.0, spread: 0.0 };
        assert_eq!(cross_validate(&rows, &[9], 6, &options()), std::slice::from_ref(&validation));
        assert_eq!(cross_validate(&rows, &[9], 99, &options()), [validation]);
    }

    #[test]
    fn the_spread_is_the_deviation_over_folds() {
        // Three rows, each a fold: the two along the first axis find each other, the third finds
        // nothing.
        let rows = Dense::new(2, vec![1.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
        let validation = &cross_validate(&rows, &[2], 3, &options())[0];
        assert!((validation.held_out - 2.0 / 3.0).abs() < 1e-12);
        // Deviations 1/3, 1/3 and −2/3: their squares are 6/9, over two.
        assert!((validation.spread - (1.0_f64 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!(validation.trained, 1.0);
    }

    #[test]
    fn held_out_rows_go_to_the_nearest_of_every_count() {
        let directions = [[1.0, 0.2, 0.0], [0.1, 1.0, 0.3], [0.0, 0.4, 1.0], [-1.0, 0.3, 0.2]];
        let rows = Dense::new(3, directions.repeat(3).concat());
        let numbers: Vec<u32> = (0..12).collect();
        let (held_out, trained) = partition(&numbers, |index| index % 3 == 1);
        let counts = [4, 1, 3, 2];
        let options = Options { clusters: 4, ..options() };
        let clusters = bisect(rows.select(&trained), &options);
        for (&count, (_, found)) in
            counts.iter().zip(validate(&rows, &trained, &held_out, &counts, &options))
        {
            let fewer = clusters.at(count);
            let nearest = |&row: &u32| f64::from(fewer.nearest(rows.row(row as usize)).1);
            let expected = held_out.iter().map(nearest).sum::<f64>() / held_out.len() as f64;
            assert!((found - expected).abs() < 1e-6, "{count}: {found} is not {expected}");
        }
    }

    #[test]
    fn too_few_rows_or_counts_give_an_empty_result() {
        assert_eq!(cross_validate(&Dense::new(2, vec![1.0, 0.0]), &[1], 10, &options()), []);
        let two = Dense::new(1, vec![1.0, 1.0]);
        assert_eq!(cross_validate(&two, &[], 10, &options()), []);
        assert_eq!(cross_validate(&two, &[0], 1, &options())[0].held_out, 1.0);
    }

    #[test]
    fn the_elbow_is_where_the_curve_levels_off() {
        // Above the line from (1, 0) to (6, 10), whose step is 2: 0, 3, 4, 3, 1.5, 0.
        let curve = [(1, 0.0), (2, 5.0), (3, 8.0), (4, 9.0), (5, 9.5), (6, 10.0)];
        assert_eq!(elbow(&curve), Some(3));
        let mut turned = curve.to_vec();
        turned.reverse();
        turned.push((7, f64::NAN));
        assert_eq!(elbow(&turned), Some(3));
    }

    #[test]
    fn a_curve_that_never_levels_off_has_no_elbow() {
        assert_eq!(elbow(&[(1, 1.0), (2, 2.0), (3, 3.0), (4, 4.0)]), None);
        assert_eq!(elbow(&[(1, 1.0), (2, 1.5), (3, 3.0)]), None);
        assert_eq!(elbow(&[(1, 1.0), (2, 1.0), (3, 1.0)]), None);
        assert_eq!(elbow(&[(1, 1.0), (2, 5.0)]), None);
        assert_eq!(elbow(&[(1, 1.0)]), None);
        assert_eq!(elbow(&[]), None);
    }
}
