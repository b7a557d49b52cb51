//! The matrix trait that clustering needs.

/// A matrix that can be clustered by its rows. [`Dense`](crate::cluster::Dense) and
/// [`Sparse`](crate::cluster::Sparse) give bit-identical results for the same numbers.
pub trait Rows: Sized + Sync {
    /// The number of rows.
    fn rows(&self) -> usize;

    /// The number of columns.
    fn columns(&self) -> usize;

    /// Scales every row to unit length. Values that are not finite become 0; rows of zeros stay so. The
    /// methods below require normalised rows, except for `select`.
    fn normalise(&mut self);

    /// A copy of some of the rows, in this order.
    #[must_use]
    fn select(&self, numbers: &[u32]) -> Self;

    /// Whether a row is all zeros.
    fn is_zero(&self, row: usize) -> bool;

    /// The squared distance of two rows; exactly 0 for equal ones.
    fn squared_distance(&self, row: usize, other: usize) -> f64;

    /// The inner product of a row and a direction.
    fn dot(&self, row: usize, direction: &[f32]) -> f32;

    /// Adds `weight` times the row to `sum`.
    fn add_to(&self, row: usize, weight: f64, sum: &mut [f64]);
}

/// A value, with 0 for what is not finite.
#[inline]
pub(crate) fn finite(value: f32) -> f32 {
    if value.is_finite() { value } else { 0.0 }
}

/// The inverse of the length of a row; 0 for a row of zeros.
pub(crate) fn scale(squared_length: f64) -> f64 {
    if squared_length > 0.0 { 1.0 / squared_length.sqrt() } else { 0.0 }
}

/// A value of a row, scaled.
#[inline]
pub(crate) fn scaled(value: f32, scale: f64) -> f32 {
    (f64::from(finite(value)) * scale) as f32
}
