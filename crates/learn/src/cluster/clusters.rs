//! The result of clustering.
use crate::cluster::{
    Dense,
    criterion::unit,
    dense::squared_length,
    lanes,
    rows::{finite, scale},
};

/// Nested clusters of rows: the last cluster was split off an earlier one.
#[derive(Clone, Debug, PartialEq)]
pub struct Clusters {
    /// The cluster of each row.
    pub assignment: Vec<u32>,
    /// The number of rows in each cluster.
    pub sizes: Vec<u32>,
    /// The mean direction of each cluster, of unit length; zero where its rows cancel out.
    pub centroids: Dense,
    /// The sum of the cosines of all rows with the centroids of their clusters.
    pub tau: f64,
    /// Tau of the first cluster, of the first two, and so on up to all.
    pub tau_by_count: Vec<f64>,
    /// The sum of the rows of each cluster.
    sums: Vec<Vec<f64>>,
    /// The cluster that each was split off; meaningless for the first.
    split_from: Vec<u32>,
}

/// The centroids of two clusters after one was split off the other.
pub(crate) struct Step {
    pub(crate) number: usize,
    pub(crate) centroid: Vec<f32>,
    pub(crate) split_off: Vec<f32>,
}

impl Clusters {
    pub(crate) fn new(
        columns: usize,
        assignment: Vec<u32>,
        sums: Vec<Vec<f64>>,
        split_from: Vec<u32>,
        tau_by_count: Vec<f64>,
    ) -> Self {
        let mut sizes = vec![0; sums.len()];
        for &number in &assignment {
            sizes[number as usize] += 1;
        }
        let centroids = Dense::new(columns, sums.iter().flat_map(|sum| unit(sum)).collect());
        let tau = tau_by_count.last().copied().unwrap_or(0.0);
        Self { assignment, sizes, centroids, tau, tau_by_count, sums, split_from }
    }

    /// The number of clusters: as requested, or fewer where rows have the same direction; 0 without
    /// rows.
    pub fn count(&self) -> usize {
        self.sizes.len()
    }

    /// The cluster whose centroid has the highest cosine with a row of any length, and that cosine. Of
    /// equal ones the first; for a row of zeros, cluster 0 with cosine 0.
    pub fn nearest(&self, row: &[f32]) -> (u32, f32) {
        let row: Vec<f32> = row.iter().map(|&value| finite(value)).collect();
        let scale = scale(squared_length(&row));
        let cosine = |number: usize| {
            let centroid = self.centroids.row(number);
            lanes::sum(&row, centroid, |a, b| f64::from(a) * f64::from(b)) * scale
        };
        let cosines = (0..self.count()).map(|number| (number as u32, cosine(number)));
        let best = cosines.reduce(|best, next| if next.1 > best.1 { next } else { best });
        best.map_or((0, 0.0), |(number, cosine)| (number, cosine.clamp(-1.0, 1.0) as f32))
    }

    /// The clusters as they were when there were only `count`. The larger half of a split keeps the
    /// number, so every cluster contains the same rows or more.
    #[must_use]
    pub fn at(&self, count: usize) -> Self {
        let count = count.clamp(self.count().min(1), self.count());
        let mut sums = self.sums.clone();
        let mut became: Vec<u32> = (0..self.count() as u32).collect();
        for number in (count..self.count()).rev() {
            merge(&mut sums, self.split_from[number] as usize);
        }
        for number in count..self.count() {
            became[number] = became[self.split_from[number] as usize];
        }
        let assignment = self.assignment.iter().map(|&number| became[number as usize]).collect();
        let (split_from, tau_by_count) = (&self.split_from[..count], &self.tau_by_count[..count]);
        Self::new(
            self.centroids.columns(),
            assignment,
            sums,
            split_from.to_vec(),
            tau_by_count.to_vec(),
        )
    }

    /// The centroid of the single cluster at the start, and every split after it.
    pub(crate) fn history(&self) -> (Vec<f32>, Vec<Step>) {
        let mut sums = self.sums.clone();
        let mut steps = vec![];
        for &number in self.split_from.iter().skip(1).rev() {
            let number = number as usize;
            let split_off = sums.last().map_or(vec![], |sum| unit(sum));
            steps.push(Step { number, centroid: unit(&sums[number]), split_off });
            merge(&mut sums, number);
        }
        steps.reverse();
        (sums.first().map_or(vec![], |sum| unit(sum)), steps)
    }
}

/// Adds the last sum to the sum with this number.
fn merge(sums: &mut Vec<Vec<f64>>, number: usize) {
    if let Some(last) = sums.pop() {
        for (sum, value) in sums[number].iter_mut().zip(last) {
            *sum += value;
        }
    }
}
