//! Rows that are mostly zeros.
use crate::cluster::{
    lanes::{self, LANES},
    rows::{Rows, finite, scale, scaled},
};

/// A matrix of compressed sparse rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Sparse {
    columns: usize,
    /// Where the entries of each row end.
    ends: Vec<usize>,
    entries: Vec<(u32, f32)>,
}

impl Sparse {
    /// An empty matrix with this number of columns.
    pub fn new(columns: usize) -> Self {
        Self { columns, ends: vec![], entries: vec![] }
    }

    /// Adds a row, given by its nonzero columns in ascending order.
    ///
    /// # Panics
    /// If columns do not ascend or exceed the width.
    pub fn push(&mut self, entries: &[(u32, f32)]) {
        let ascending = entries.is_sorted_by(|before, after| before.0 < after.0);
        let last = entries.last().map_or(0, |entry| entry.0 as usize + 1);
        assert!(ascending && last <= self.columns, "columns must ascend and be below the width");
        self.entries.extend_from_slice(entries);
        self.ends.push(self.entries.len());
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.ends.len()
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The nonzero columns of a row and their values.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (u32, f32)> {
        self.entries(row).iter().copied()
    }

    #[inline]
    fn entries(&self, row: usize) -> &[(u32, f32)] {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.entries[start..self.ends[row]]
    }
}

impl Rows for Sparse {
    fn rows(&self) -> usize {
        self.rows()
    }

    fn columns(&self) -> usize {
        self.columns
    }

    fn normalise(&mut self) {
        let mut start = 0;
        for &end in &self.ends {
            let row = &mut self.entries[start..end];
            let scale = scale(squared_length(row));
            for (_, value) in row {
                *value = scaled(*value, scale);
            }
            start = end;
        }
    }

    fn select(&self, numbers: &[u32]) -> Self {
        let mut selected = Self::new(self.columns);
        selected.ends.reserve_exact(numbers.len());
        let lengths = numbers.iter().map(|&number| self.entries(number as usize).len());
        selected.entries.reserve_exact(lengths.sum());
        for &number in numbers {
            selected.entries.extend_from_slice(self.entries(number as usize));
            selected.ends.push(selected.entries.len());
        }
        selected
    }

    fn is_zero(&self, row: usize) -> bool {
        self.entries(row).iter().all(|&(_, value)| value == 0.0)
    }

    fn squared_distance(&self, row: usize, other: usize) -> f64 {
        let (mut a, mut b) = (self.entries(row), self.entries(other));
        let mut lanes = [0.0_f32; LANES];
        while let Some(column) = [a, b].iter().filter_map(|row| row.first()).map(|e| e.0).min() {
            let difference = take(&mut a, column) - take(&mut b, column);
            lanes[column as usize % LANES] += difference * difference;
        }
        f64::from(lanes::total(lanes))
    }

    #[inline]
    fn dot(&self, row: usize, direction: &[f32]) -> f32 {
        let mut lanes = [0.0; LANES];
        for &(column, value) in self.entries(row) {
            lanes[column as usize % LANES] += value * direction[column as usize];
        }
        lanes::total(lanes)
    }

    #[inline]
    fn add_to(&self, row: usize, weight: f64, sum: &mut [f64]) {
        for &(column, value) in self.entries(row) {
            sum[column as usize] += weight * f64::from(value);
        }
    }
}

/// The squared length of a row, without values that are not finite.
fn squared_length(row: &[(u32, f32)]) -> f64 {
    let mut lanes = [0.0; LANES];
    for &(column, value) in row {
        let value = f64::from(finite(value));
        lanes[column as usize % LANES] += value * value;
    }
    lanes::total(lanes)
}

/// Takes the value of this column if it is the next of the row; otherwise 0.
fn take(row: &mut &[(u32, f32)], column: u32) -> f32 {
    match row.split_first() {
        Some((entry, rest)) if entry.0 == column => {
            *row = rest;
            entry.1
        }
        _ => 0.0,
    }
}
