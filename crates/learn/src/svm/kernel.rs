//! The kernel matrix.

/// The kernel matrix of some examples.
#[derive(Clone, Debug)]
pub struct Kernel {
    size: usize,
    values: Vec<f64>,
}

impl Kernel {
    /// The matrix of `size` examples. `value` is called once per pair, the larger number first, and once
    /// for each example with itself.
    pub fn new(size: usize, mut value: impl FnMut(usize, usize) -> f64) -> Self {
        let mut values = vec![0.0; size * size];
        for row in 0..size {
            for column in 0..=row {
                let found = value(row, column);
                values[row * size + column] = found;
                values[column * size + row] = found;
            }
        }
        Self { size, values }
    }

    /// The matrix of some of the examples.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        let values =
            rows.iter().flat_map(|&row| rows.iter().map(move |&column| self.row(row)[column]));
        Self { size: rows.len(), values: values.collect() }
    }

    /// Adds another kernel of the same examples.
    pub fn add(&mut self, other: &Self) {
        for (value, other) in self.values.iter_mut().zip(&other.values) {
            *value += other;
        }
    }

    /// The number of examples.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The row of one example.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.size..(row + 1) * self.size]
    }
}
