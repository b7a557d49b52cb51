//! What is expected by budget, and numbers with their uncertainty.
use statrs::distribution::{Beta, ContinuousCDF};

use super::Offer;

/// An interval of a share that is wider says too little for a number to stand before it.
const WIDEST: f64 = 0.3;

/// A number with a 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The expected value.
    pub mean: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl Range {
    /// Where one more draw will lie.
    pub(super) fn of_one(draws: impl Iterator<Item = f64>) -> Self {
        Self::new(&draws.collect::<Vec<_>>(), |count| (1.0 + 1.0 / count).sqrt())
    }

    /// Where one more draw of a share will lie, by the Beta distribution that fits the draws.
    pub(super) fn of_share(draws: impl Iterator<Item = f64>) -> Self {
        let draws: Vec<f64> = draws.collect();
        let normal = Self::of_one(draws.iter().copied());
        let mean = normal.mean.clamp(1e-3, 1.0 - 1e-3);
        let widest = mean * (1.0 - mean);
        // Wider for few draws, as that of a normal number.
        let variance = ((normal.high - normal.mean) / 1.96).powi(2).clamp(1e-7, 0.9 * widest);
        let size = widest / variance - 1.0;
        let Ok(beta) = Beta::new(mean * size, (1.0 - mean) * size) else {
            return normal.within_share();
        };
        let (low, high) = (beta.inverse_cdf(0.025), beta.inverse_cdf(0.975));
        Self { mean: normal.mean, low: low.min(normal.mean), high: high.max(normal.mean) }
    }

    /// Whether the interval is narrow enough for the expected share to say something.
    pub fn is_known(&self) -> bool {
        self.high - self.low <= WIDEST
    }

    /// Where the mean of all draws lies.
    pub(super) fn of_mean(draws: impl Iterator<Item = f64>) -> Self {
        Self::new(&draws.collect::<Vec<_>>(), |count| (1.0 / count).sqrt())
    }

    fn new(draws: &[f64], deviations: impl Fn(f64) -> f64) -> Self {
        let count = draws.len().max(1) as f64;
        let mean = draws.iter().sum::<f64>() / count;
        let squares: f64 = draws.iter().map(|draw| (draw - mean).powi(2)).sum();
        let deviation = (squares / (count - 1.0).max(1.0)).sqrt();
        let half = student((count - 1.0).max(1.0)) * deviation * deviations(count);
        Self { mean, low: mean - half, high: mean + half }
    }

    /// Times a positive number.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Self { mean: self.mean * factor, low: self.low * factor, high: self.high * factor }
    }

    /// Cut off below 0.
    pub(super) fn above_zero(self) -> Self {
        Self { low: self.low.max(0.0), ..self }
    }

    /// Cut off below 0 and above 1.
    pub(super) fn within_share(self) -> Self {
        Self { high: self.high.min(1.0), ..self.above_zero() }
    }
}

/// The number of standard deviations that hold 95 % of Student's distribution (the expansion of Cornish
/// and Fisher; within 1 % from four degrees of freedom on).
fn student(freedom: f64) -> f64 {
    let z: f64 = 1.96;
    let first = (z.powi(3) + z) / (4.0 * freedom);
    let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * freedom.powi(2));
    let third = (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z)
        / (384.0 * freedom.powi(3));
    z + first + second + third
}

/// What is expected by budget.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve(Vec<Offer>);

impl Curve {
    /// From offers in ascending order of their budgets.
    pub(super) fn new(offers: Vec<Offer>) -> Self {
        Self(offers)
    }

    /// The offers, in ascending order of their budgets.
    pub fn offers(&self) -> &[Offer] {
        &self.0
    }

    /// The budgets at which freshness is expected to reach a target: the least and the most that the
    /// intervals allow. An end is `None` where no budget of the curve is enough.
    pub fn budget_for(&self, target: f64) -> (Option<u32>, Option<u32>) {
        let least = self.crossing(target, |offer| offer.freshness.high);
        let most = self.crossing(target, |offer| offer.freshness.low);
        (least, most)
    }

    /// The first budget at which a value reaches the target, between offers by interpolation.
    fn crossing(&self, target: f64, value: impl Fn(&Offer) -> f64) -> Option<u32> {
        let place = self.0.iter().position(|offer| value(offer) >= target)?;
        let Some(below) = place.checked_sub(1) else { return Some(self.0[0].budget) };
        let (below, above) = (&self.0[below], &self.0[place]);
        let part = (target - value(below)) / (value(above) - value(below)).max(1e-12);
        let log = |offer: &Offer| f64::from(offer.budget).ln();
        Some(((log(below) + part * (log(above) - log(below))).exp() - 1e-6).ceil() as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_one_more_draw_is_wider_than_that_of_the_mean() {
        let draws = [0.5, 0.6, 0.7, 0.6, 0.6];
        let (one, mean) = (Range::of_one(draws.into_iter()), Range::of_mean(draws.into_iter()));
        assert!((one.mean - 0.6).abs() < 1e-12 && (mean.mean - 0.6).abs() < 1e-12);
        // Standard deviation .0707, four degrees of freedom (2.776): .0878 around the mean.
        assert!((mean.high - mean.mean - 0.0878).abs() < 0.001, "{mean:?}");
        assert!((one.high - one.mean - 0.2151).abs() < 0.002, "{one:?}");
    }

    #[test]
    fn the_interval_of_a_share_leans_to_the_side_with_more_room() {
        let shares = [0.95, 0.9, 0.97, 0.7, 0.93, 0.99, 0.85, 0.98];
        let range = Range::of_share(shares.into_iter());
        assert!(range.high < 1.0 && range.mean - range.low > range.high - range.mean, "{range:?}");
        assert!(!range.is_known(), "{range:?}");
        let alike = Range::of_share([0.5; 8].into_iter());
        assert!(alike.is_known() && alike.low > 0.49 && alike.high < 0.51, "{alike:?}");
    }

    #[test]
    fn a_target_lies_between_two_budgets() {
        let offer = |budget, freshness: f64| Offer {
            budget,
            freshness: Range { mean: freshness, low: freshness - 0.1, high: freshness + 0.1 },
            gain: Range { mean: 0.0, low: 0.0, high: 0.0 },
            changes: Range { mean: 0.0, low: 0.0, high: 0.0 },
            new_pages: None,
        };
        let curve = Curve::new(vec![offer(100, 0.5), offer(400, 0.7)]);
        // .6 is reached at 100 by the upper ends, at 400 by the lower ones.
        assert_eq!(curve.budget_for(0.6), (Some(100), Some(400)));
        assert_eq!(curve.budget_for(0.7), (Some(200), None));
        assert_eq!(curve.budget_for(0.9), (None, None));
    }
}
