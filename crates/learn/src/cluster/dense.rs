//! Rows with a number in every column.
use rayon::prelude::*;

use crate::cluster::{
    lanes,
    rows::{Rows, finite, scale, scaled},
};

/// The fewest rows that are worth scaling in parallel.
const ROWS_PER_TASK: usize = 1 << 10;

/// A row-major matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Dense {
    columns: usize,
    values: Vec<f32>,
}

impl Dense {
    /// A matrix with this number of columns and the rows one after another in `values`.
    ///
    /// # Panics
    /// If the values do not fill a whole number of rows.
    pub fn new(columns: usize, values: Vec<f32>) -> Self {
        let whole =
            if columns == 0 { values.is_empty() } else { values.len().is_multiple_of(columns) };
        assert!(whole, "{} values do not fill rows of {columns} columns", values.len());
        Self { columns, values }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.values.len().checked_div(self.columns).unwrap_or(0)
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// A row.
    #[inline]
    pub fn row(&self, row: usize) -> &[f32] {
        &self.values[row * self.columns..][..self.columns]
    }
}

impl Rows for Dense {
    fn rows(&self) -> usize {
        self.rows()
    }

    fn columns(&self) -> usize {
        self.columns
    }

    fn normalise(&mut self) {
        let columns = self.columns.max(1);
        self.values.par_chunks_mut(columns * ROWS_PER_TASK).for_each(|rows| {
            for row in rows.chunks_mut(columns) {
                let scale = scale(squared_length(row));
                for value in row {
                    *value = scaled(*value, scale);
                }
            }
        });
    }

    fn select(&self, numbers: &[u32]) -> Self {
        let mut values = Vec::with_capacity(numbers.len() * self.columns);
        for &number in numbers {
            values.extend_from_slice(self.row(number as usize));
        }
        Self { columns: self.columns, values }
    }

    fn is_zero(&self, row: usize) -> bool {
        self.row(row).iter().all(|&value| value == 0.0)
    }

    #[inline]
    fn squared_distance(&self, row: usize, other: usize) -> f64 {
        f64::from(lanes::sum(self.row(row), self.row(other), |a, b| (a - b) * (a - b)))
    }

    #[inline]
    fn dot(&self, row: usize, direction: &[f32]) -> f32 {
        lanes::sum(self.row(row), direction, |a, b| a * b)
    }

    #[inline]
    fn add_to(&self, row: usize, weight: f64, sum: &mut [f64]) {
        for (sum, &value) in sum.iter_mut().zip(self.row(row)) {
            *sum += weight * f64::from(value);
        }
    }
}

/// The squared length of a row as it counts.
pub(crate) fn squared_length(row: &[f32]) -> f64 {
    lanes::sum(row, row, |value, _| f64::from(finite(value)) * f64::from(finite(value)))
}
