//! How good chances are: proper scores, and whether what is said to be likely happens as often.

/// Chances are told apart by tenths.
const BINS: usize = 10;
/// A chance counts as at least this and at most its complement: a single certainty that fails would
/// otherwise cost more than everything else together, without limit.
const LEAST_CHANCE: f64 = 1e-6;

/// The scores of forecasts so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scores {
    bins: [Sums; BINS],
    log_loss: f64,
    squares: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Sums {
    chance: f64,
    happened: u64,
    count: u64,
}

/// Forecasts of about the same chance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bin {
    /// Their mean chance.
    pub chance: f64,
    /// The share of them that came true.
    pub happened: f64,
    /// How many they are.
    pub count: u64,
}

impl Scores {
    /// Counts a forecast: the chance it gave, and whether it came true.
    pub fn add(&mut self, chance: f64, happened: bool) {
        let bin = &mut self.bins[((chance * BINS as f64) as usize).min(BINS - 1)];
        bin.chance += chance;
        bin.happened += u64::from(happened);
        bin.count += 1;
        let of_what_came = if happened { chance } else { 1.0 - chance };
        self.log_loss -= of_what_came.clamp(LEAST_CHANCE, 1.0).ln();
        self.squares += (1.0 - of_what_came).powi(2);
    }

    /// Counts those of another, too.
    pub fn merge(&mut self, other: &Self) {
        for (bin, other) in self.bins.iter_mut().zip(&other.bins) {
            bin.chance += other.chance;
            bin.happened += other.happened;
            bin.count += other.count;
        }
        self.log_loss += other.log_loss;
        self.squares += other.squares;
    }

    /// How many forecasts were counted.
    pub fn count(&self) -> u64 {
        self.bins.iter().map(|bin| bin.count).sum()
    }

    /// The mean of -ln of the chance given to what came; `None` of none. Lower is better, ln 2 is knowing
    /// nothing.
    pub fn log_loss(&self) -> Option<f64> {
        self.mean(self.log_loss)
    }

    /// The mean square of what chances were off by; `None` of none. Lower is better, 1/4 is knowing nothing.
    pub fn brier(&self) -> Option<f64> {
        self.mean(self.squares)
    }

    /// Forecasts by tenths of chance, the unlikeliest first, without tenths that have none.
    pub fn reliability(&self) -> Vec<Bin> {
        let some = self.bins.iter().filter(|bin| bin.count > 0);
        some.map(|bin| Bin {
            chance: bin.chance / bin.count as f64,
            happened: bin.happened as f64 / bin.count as f64,
            count: bin.count,
        })
        .collect()
    }

    /// How far the chances of a tenth are from how often they came true, in the mean over all forecasts;
    /// `None` of none.
    pub fn calibration_error(&self) -> Option<f64> {
        let off = self.bins.iter().map(|bin| (bin.chance - bin.happened as f64).abs());
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
        for &(chance, happened) in seen {
            scores.add(chance, happened);
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
    fn scores_are_those_of_the_definitions() {
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
        assert_near(Some(bins[2].chance), 0.825);
        assert_near(Some(bins[2].happened), 0.5);
    }

    #[test]
    fn of_none_there_is_no_score() {
        let none = Scores::default();
        assert_eq!((none.log_loss(), none.brier(), none.calibration_error()), (None, None, None));
        assert_eq!(none.reliability(), []);
    }

    #[test]
    fn a_certainty_that_fails_costs_much_but_not_all() {
        let sure = scores(&[(1.0, false), (0.0, true), (1.0, true)]);
        assert_near(sure.log_loss(), -2.0 * 1e-6_f64.ln() / 3.0);
        assert_near(sure.brier(), 2.0 / 3.0);
    }

    proptest! {
        #[test]
        fn merged_is_as_if_counted_together(
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
