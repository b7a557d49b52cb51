//! When a sample is large enough: the t-test of Tan and Mitra 2010, Algorithm 1, line 8.
//!
//! The mean of the sample represents the whole cluster when it is within delta of the true mean at a
//! confidence level. The paper gives no delta, and two equal samples would pass at once; so at least five
//! are taken, with delta 0.1 (`docs/papers.md` A1.7-9).
use statrs::distribution::{ContinuousCDF, StudentsT};

/// The smallest sample.
pub(crate) const FEWEST: usize = 5;

/// Decides when sampling ends.
#[derive(Clone, Debug)]
pub(crate) struct StoppingRule {
    confidence: f64,
    delta: f64,
    /// Quantiles by degrees of freedom from 1 on, computed when needed.
    quantiles: Vec<f64>,
}

/// Running statistics of a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sample {
    count: usize,
    mean: f64,
    /// The sum of squared deviations from the mean.
    squares: f64,
}

impl Sample {
    /// Adds a value (Welford's algorithm, which is exact for small variances).
    pub(crate) fn add(&mut self, value: f64) {
        self.count += 1;
        let before = value - self.mean;
        self.mean += before / self.count as f64;
        self.squares += before * (value - self.mean);
    }

    /// The mean; 0 for an empty sample.
    pub(crate) fn mean(&self) -> f64 {
        self.mean
    }

    /// The standard error of the mean, for two values or more.
    fn error(&self) -> f64 {
        let count = self.count as f64;
        (self.squares / (count - 1.0) / count).sqrt()
    }
}

impl StoppingRule {
    /// Within `delta` at this confidence, two-sided.
    pub(crate) fn new(confidence: f64, delta: f64) -> Self {
        Self { confidence, delta, quantiles: vec![] }
    }

    /// Whether the mean of a sample represents the cluster.
    pub(crate) fn is_met(&mut self, sample: &Sample) -> bool {
        sample.count >= FEWEST && self.quantile(sample.count - 1) * sample.error() <= self.delta
    }

    fn quantile(&mut self, freedom: usize) -> f64 {
        while self.quantiles.len() < freedom {
            let freedom = (self.quantiles.len() + 1) as f64;
            let quantile = StudentsT::new(0.0, 1.0, freedom)
                .map_or(f64::INFINITY, |t| t.inverse_cdf(f64::midpoint(1.0, self.confidence)));
            self.quantiles.push(quantile);
        }
        self.quantiles[freedom - 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(values: &[f64]) -> Sample {
        let mut sample = Sample::default();
        for &value in values {
            sample.add(value);
        }
        sample
    }

    #[test]
    fn quantiles_are_those_of_the_tables() {
        let mut stopping = StoppingRule::new(0.95, 0.1);
        assert!((stopping.quantile(7) - 2.364_624).abs() < 1e-5);
        let mut stopping = StoppingRule::new(0.8, 0.1);
        assert!((stopping.quantile(4) - 1.533_206).abs() < 1e-5);
    }

    #[test]
    fn by_hand_six_halves_are_too_few_and_equal_ones_enough() {
        let mut stopping = StoppingRule::new(0.8, 0.1);
        // Five equal values: no deviation at all. Four are always too few.
        assert!(stopping.is_met(&sample(&[1.0; 5])) && !stopping.is_met(&sample(&[1.0; 4])));
        // One 1 among five 0: mean 1/6, s² = (5/36 + 25/36)/5 = 1/6, error = sqrt(1/36) = 1/6;
        // t(0.9, 5) = 1.4759, so 0.246 > 0.1.
        let one = sample(&[0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
        assert!((one.mean() - 1.0 / 6.0).abs() < 1e-12 && (one.error() - 1.0 / 6.0).abs() < 1e-12);
        assert!(!stopping.is_met(&one));
        assert!(StoppingRule::new(0.8, 0.25).is_met(&one));
    }

    #[test]
    fn half_and_half_needs_more_than_forty() {
        // s² is m/(m-1)/4, so the error is 1/2/sqrt(m-1); t(0.9) is near 1.30 there:
        // 1.3031 * 0.5 / sqrt(40) = 0.1030 > 0.1 for 41, 1.3016 * 0.5/ sqrt(43) = 0.0992 for 44.
        let halves = |count: usize| {
            sample(
                &(0..count).map(|number| f64::from(u8::from(number % 2 == 0))).collect::<Vec<_>>(),
            )
        };
        let mut stopping = StoppingRule::new(0.8, 0.1);
        assert!(!stopping.is_met(&halves(40)) && stopping.is_met(&halves(44)));
    }
}
