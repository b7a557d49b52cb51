//! The correlation of two series, with the expert ahead by some days.
//!
//! Radinsky and Bennett 2013, section 6.3, with standard deviations where the paper says variance. For each
//! lag the means and deviations are those of the overlapping days. All sums are whole numbers, so that a sum
//! that is updated equals one that is recomputed.

/// A longer lag must correlate better by more than this, and this near to 1 counts as 1: more than rounding.
const CLEARLY: f64 = 1e-12;

/// Sum and spread of some days.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    sum: f64,
    /// One over the root of n * (sum of squares) - sum^2, which is n standard deviations; 0 if all days are the
    /// same.
    scale: f64,
}

impl Moment {
    /// Of `days` days with this sum and sum of squares.
    pub(super) fn new(days: usize, sum: u64, squares: u64) -> Self {
        let spread = (days as u64 * squares).saturating_sub(sum * sum);
        let scale = if spread == 0 { 0.0 } else { 1.0 / (spread as f64).sqrt() };
        Self { sum: sum as f64, scale }
    }

    pub(super) fn from_series(series: &[u16]) -> Self {
        Self::new(series.len(), sum(series), squares(series))
    }
}

/// The best correlation over lags of up to `lags` days and the shortest lag that has it. `at` gives for a lag
/// the sum of products, then the moments of the overlapping days of page and expert. Negative correlations are
/// 0.
pub(super) fn best_lag(
    days: usize,
    lags: usize,
    at: impl Fn(usize) -> (u64, Moment, Moment),
) -> (f64, u8) {
    let mut best = (0.0, 0);
    for lag in 0..=lags.min(days - 1) {
        let (products, page, expert) = at(lag);
        let together = (days - lag) as f64 * products as f64 - page.sum * expert.sum;
        let correlation = together * page.scale * expert.scale;
        if correlation > best.0 + CLEARLY {
            best = (if correlation > 1.0 - CLEARLY { 1.0 } else { correlation }, lag as u8);
        }
    }
    best
}

/// The sum of products of the days of a page with those of an expert `lag` days before.
pub(super) fn products(page: &[u16], expert: &[u16], lag: usize) -> u64 {
    let pairs = page[lag..].iter().zip(expert);
    pairs.map(|(&one, &other)| u64::from(u32::from(one) * u32::from(other))).sum()
}

/// The same where all products together are less than 2^32.
pub(super) fn small_products(page: &[u16], expert: &[u16], lag: usize) -> u64 {
    let pairs = page[lag..].iter().zip(expert);
    u64::from(pairs.map(|(&one, &other)| u32::from(one) * u32::from(other)).sum::<u32>())
}

pub(super) fn sum(series: &[u16]) -> u64 {
    series.iter().map(|&value| u64::from(value)).sum()
}

pub(super) fn squares(series: &[u16]) -> u64 {
    series.iter().map(|&value| u64::from(value) * u64::from(value)).sum()
}
