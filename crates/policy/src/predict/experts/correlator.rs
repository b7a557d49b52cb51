//! Experts by correlation: pages on which the same words come and go, at the same time or earlier.
use rayon::prelude::*;

use super::{
    correlation::{Moment, best_lag, products, small_products},
    courses::Likeness,
    series::{Catalogue, reduce},
};

/// The best correlation over lags.
pub(super) struct Correlator {
    days: usize,
    lags: usize,
    /// By shape.
    profiles: Vec<Profile>,
}

/// The sums of a shape that every comparison needs.
struct Profile {
    most: u16,
    /// Of the days from each lag on: for the page.
    tails: Box<[Moment]>,
    /// Of the days until each lag before the end: for the expert.
    heads: Box<[Moment]>,
}

impl Correlator {
    pub(super) fn new(shapes: &Catalogue, days: usize, lags: usize) -> Self {
        let profile = |shape: u32| {
            let series = shapes.series(shape);
            Profile {
                most: series.iter().copied().max().unwrap_or(0),
                tails: (0..=lags).map(|lag| Moment::from_series(&series[lag..])).collect(),
                heads: (0..=lags).map(|lag| Moment::from_series(&series[..days - lag])).collect(),
            }
        };
        let profiles = (0..shapes.len() as u32).into_par_iter().map(profile).collect();
        Self { days, lags, profiles }
    }
}

impl Likeness for Correlator {
    fn normalise(series: &mut [u16]) {
        reduce(series);
    }

    fn of(&self, shapes: &Catalogue, page: u32, expert: u32) -> (f64, u8) {
        let series = (shapes.series(page), shapes.series(expert));
        let profiles = (&self.profiles[page as usize], &self.profiles[expert as usize]);
        let most = u64::from(profiles.0.most) * u64::from(profiles.1.most) * self.days as u64;
        let products = if u32::try_from(most).is_ok() { small_products } else { products };
        best_lag(self.days, self.lags, |lag| {
            let together = products(series.0, series.1, lag);
            (together, profiles.0.tails[lag], profiles.1.heads[lag])
        })
    }
}
