//! When a sample is large enough: the t-test of Tan and Mitra 2010, Algorithm 1, line 8.
//!
//! The mean of the sample stands for the whole cluster when it is within delta of the true mean at a
//! confidence level. The paper gives no delta, and two equal samples pass at once; so at least five are
//! looked at, with delta 0.1 (`docs/papers.md` A1.7-9).
use statrs::distribution::{ContinuousCDF, StudentsT};

/// No fewer samples say anything about a mean.
pub(crate) const FEWEST: usize = 5;

/// The rule by which sampling ends.
#[derive(Clone, Debug)]
pub(crate) struct Enough {
    confidence: f64,
    delta: f64,
    /// By degrees of freedom from 1 on, the quantile; worked out as they are needed.
    quantiles: Vec<f64>,
}

/// A sample so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sample {
    count: usize,
    mean: f64,
    /// The sum of squared deviations from the mean.
    squares: f64,
}

impl Sample {
    /// Takes in one more value (Welford's way, which keeps small variances right).
    pub(crate) fn add(&mut self, value: f64) {
        self.count += 1;
        let before = value - self.mean;
        self.mean += before / self.count as f64;
        self.squares += before * (value - self.mean);
    }

    /// Their mean; 0 where there is none.
    pub(crate) fn mean(&self) -> f64 {
        self.mean
    }

    /// The standard error of the mean; for two values and more.
    fn error(&self) -> f64 {
        let count = self.count as f64;
        (self.squares / (count - 1.0) / count).sqrt()
    }
}

impl Enough {
    /// Within `delta` at this confidence, two-sided.
    pub(crate) fn new(confidence: f64, delta: f64) -> Self {
        Self { confidence, delta, quantiles: vec![] }
    }

    /// Whether the mean of a sample can stand for the whole.
    pub(crate) fn is_enough(&mut self, sample: &Sample) -> bool {
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
        let mut enough = Enough::new(0.95, 0.1);
        assert!((enough.quantile(7) - 2.364_624).abs() < 1e-5);
        let mut enough = Enough::new(0.8, 0.1);
        assert!((enough.quantile(4) - 1.533_206).abs() < 1e-5);
    }

    #[test]
    fn by_hand_six_halves_are_too_few_and_equal_ones_enough() {
        let mut enough = Enough::new(0.8, 0.1);
        // Five of one kind: no deviation at all. Four are too few, whatever they are.
        assert!(enough.is_enough(&sample(&[1.0; 5])) && !enough.is_enough(&sample(&[1.0; 4])));
        // One 1 among five 0: mean 1/6, s² = (5/36 + 25/36)/5 = 1/6, error = sqrt(1/36) = 1/6;
        // t(0.9, 5) = 1.4759, so 0.246 > 0.1.
        let one = sample(&[0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
        assert!((one.mean() - 1.0 / 6.0).abs() < 1e-12 && (one.error() - 1.0 / 6.0).abs() < 1e-12);
        assert!(!enough.is_enough(&one));
        assert!(Enough::new(0.8, 0.25).is_enough(&one));
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
        let mut enough = Enough::new(0.8, 0.1);
        assert!(!enough.is_enough(&halves(40)) && enough.is_enough(&halves(44)));
    }
}
