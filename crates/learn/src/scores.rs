//! Scores of probability forecasts: log loss, Brier score and calibration.

/// The number of bins of the reliability curve.
const BINS: usize = 10;
/// Probabilities are clamped to at least this in the log loss, because one certain forecast that fails
/// would otherwise cost more than all others.
const LEAST_PROBABILITY: f64 = 1e-6;

/// The scores of a series of forecasts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scores {
    bins: [Sums; BINS],
    log_loss: f64,
    squares: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Sums {
    probability: f64,
    happened: u64,
    count: u64,
}

/// A bin of forecasts with similar probabilities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bin {
    /// Their mean probability.
    pub probability: f64,
    /// The share of them that came true.
    pub happened: f64,
    /// Their number.
    pub count: u64,
}

impl Scores {
    /// Adds a forecast: its probability, and whether it came true.
    pub fn add(&mut self, probability: f64, happened: bool) {
        let bin = &mut self.bins[((probability * BINS as f64) as usize).min(BINS - 1)];
        bin.probability += probability;
        bin.happened += u64::from(happened);
        bin.count += 1;
        let of_outcome = if happened { probability } else { 1.0 - probability };
        self.log_loss -= of_outcome.clamp(LEAST_PROBABILITY, 1.0).ln();
        self.squares += (1.0 - of_outcome).powi(2);
    }

    /// Adds the forecasts of another series.
    pub fn merge(&mut self, other: &Self) {
        for (bin, other) in self.bins.iter_mut().zip(&other.bins) {
            bin.probability += other.probability;
            bin.happened += other.happened;
            bin.count += other.count;
        }
        self.log_loss += other.log_loss;
        self.squares += other.squares;
    }

    /// The number of forecasts.
    pub fn count(&self) -> u64 {
        self.bins.iter().map(|bin| bin.count).sum()
    }

    /// The mean log loss; `None` without forecasts. Lower is better; a constant 1/2 gives ln 2.
    pub fn log_loss(&self) -> Option<f64> {
        self.mean(self.log_loss)
    }

    /// The Brier score, the mean squared error; `None` without forecasts. Lower is better; a constant 1/2
    /// gives 1/4.
    pub fn brier(&self) -> Option<f64> {
        self.mean(self.squares)
    }

    /// The reliability curve: forecasts in bins of a tenth, in ascending order, without empty bins.
    pub fn reliability(&self) -> Vec<Bin> {
        let some = self.bins.iter().filter(|bin| bin.count > 0);
        some.map(|bin| Bin {
            probability: bin.probability / bin.count as f64,
            happened: bin.happened as f64 / bin.count as f64,
            count: bin.count,
        })
        .collect()
    }

    /// The expected calibration error: the mean distance between the probabilities of a bin and the share
    /// that came true; `None` without forecasts.
    pub fn calibration_error(&self) -> Option<f64> {
        let off = self.bins.iter().map(|bin| (bin.probability - bin.happened as f64).abs());
        self.mean(off.sum())
    }

    fn mean(&self, sum: f64) -> Option<f64> {
        let count = self.count();
        (count > 0).then(|| sum / count as f64)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn scores(seen: &[(f64, bool)]) -> Scores {
        let mut scores = Scores::default();
        for &(probability, happened) in seen {
            scores.add(probability, happened);
        }
        scores
    }

    fn assert_near(found: Option<f64>, expected: f64) {
        assert!(
            found.is_some_and(|found| (found - expected).abs() < 1e-12),
            "{found:?} {expected}"
        );
    }

    #[test]
    fn scores_follow_their_definitions() {
        let scores = scores(&[(0.8, true), (0.85, false), (0.25, false), (0.5, true)]);
        assert_eq!(scores.count(), 4);
        assert_near(
            scores.log_loss(),
            -(0.8_f64.ln() + 0.15_f64.ln() + 0.75_f64.ln() + 0.5_f64.ln()) / 4.0,
        );
        assert_near(scores.brier(), (0.04 + 0.7225 + 0.0625 + 0.25) / 4.0);
        // At 0.8 to 0.9 two of mean 0.825 of which half happened: off by 0.65 together; by 0.25; by 0.5.
        assert_near(scores.calibration_error(), (0.65 + 0.25 + 0.5) / 4.0);
        let bins = scores.reliability();
        assert_eq!(bins.iter().map(|bin| bin.count).collect::<Vec<_>>(), [1, 1, 2]);
        assert_near(Some(bins[2].probability), 0.825);
        assert_near(Some(bins[2].happened), 0.5);
    }

    #[test]
    fn without_forecasts_there_are_no_scores() {
        let none = Scores::default();
        assert_eq!((none.log_loss(), none.brier(), none.calibration_error()), (None, None, None));
        assert_eq!(none.reliability(), []);
    }

    #[test]
    fn a_certain_forecast_that_fails_has_a_finite_loss() {
        let sure = scores(&[(1.0, false), (0.0, true), (1.0, true)]);
        assert_near(sure.log_loss(), -2.0 * 1e-6_f64.ln() / 3.0);
        assert_near(sure.brier(), 2.0 / 3.0);
    }

    proptest! {
        #[test]
        fn merging_equals_adding_all_forecasts(
            seen in prop::collection::vec((0.0..=1.0_f64, any::<bool>()), 1..60),
            cut in 0_usize..60,
        ) {
            let cut = cut.min(seen.len());
            let mut merged = scores(&seen[..cut]);
            merged.merge(&scores(&seen[cut..]));
            let together = scores(&seen);
            prop_assert_eq!(merged.count(), together.count());
            let close = |one: Option<f64>, other: Option<f64>| {
                (one.unwrap() - other.unwrap()).abs() < 1e-9
            };
            prop_assert!(close(merged.log_loss(), together.log_loss()));
            prop_assert!(close(merged.brier(), together.brier()));
            prop_assert!(close(merged.calibration_error(), together.calibration_error()));
        }
    }
}
