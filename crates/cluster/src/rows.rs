//! What clustering asks of rows, however they are kept.

/// A matrix that can be clustered by its rows. [`Dense`](crate::Dense) and
/// [`Sparse`](crate::Sparse) answer every question with the same bits where they hold the same
/// numbers.
pub trait Rows: Sized + Sync {
    /// How many rows there are.
    fn rows(&self) -> usize;

    /// How many numbers a row has.
    fn columns(&self) -> usize;

    /// Makes every row one of length one. What is not a finite number becomes 0, and a row of zeros
    /// stays one. All below is asked after this only, except for a copy.
    fn normalise(&mut self);

    /// A copy of some of the rows, in this order.
    #[must_use]
    fn select(&self, numbers: &[u32]) -> Self;

    /// Whether a row is all zeros.
    fn is_zero(&self, row: usize) -> bool;

    /// The squared distance of two rows: exactly 0 for equal ones.
    fn squared_distance(&self, row: usize, other: usize) -> f64;

    /// The inner product of a row and a direction.
    fn dot(&self, row: usize, direction: &[f32]) -> f32;

    /// Adds `weight` times the row to `sum`.
    fn add_to(&self, row: usize, weight: f64, sum: &mut [f64]);
}

/// A number of a row as it counts.
#[inline]
pub(crate) fn finite(value: f32) -> f32 {
    if value.is_finite() { value } else { 0.0 }
}

/// One over the length of a row, or 0 if there is nothing to make longer or shorter.
pub(crate) fn scale(squared_length: f64) -> f64 {
    if squared_length > 0.0 { 1.0 / squared_length.sqrt() } else { 0.0 }
}

/// A number of a row of which `scale` makes one of length one.
#[inline]
pub(crate) fn scaled(value: f32, scale: f64) -> f32 {
    (f64::from(finite(value)) * scale) as f32
}
