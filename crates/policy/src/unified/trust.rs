//! How far the expectation of a change is believed on each host.
//!
//! The correction of the probability of being out of date is fitted on other sites. On a host that is unlike them it
//! can be wrong, and so can the rates that it corrects; the visits to its pages show both. So the log odds of a
//! change are `bias + odds + trust * correction`, where bias and trust follow a logistic regression of what visits
//! found, one step of Newton's method for each. Expectations are part of the log, so that a policy learns the same
//! from it after a restart.
use std::collections::BTreeMap;

use crawl::{Expectation, HostNo};

/// Bias and trust before any visit.
const FIRST: [f64; 2] = [0.0, 0.7];
/// How much they vary from host to host: variances.
const VARIANCE: [f64; 2] = [0.125, 0.125];
/// Bounds of the trust: a correction is never turned round.
const BOUNDS: (f64, f64) = (0.0, 1.2);

/// Bias and trust of each host.
#[derive(Clone, Debug, Default)]
pub(super) struct Trust(BTreeMap<HostNo, Host>);

#[derive(Clone, Copy, Debug)]
struct Host {
    mean: [f64; 2],
    /// What is left of the variance of each.
    variance: [f64; 2],
}

impl Default for Host {
    fn default() -> Self {
        Self { mean: FIRST, variance: VARIANCE }
    }
}

impl Host {
    fn odds(&self, Expectation { odds, correction }: Expectation) -> f64 {
        let [bias, trust] = self.mean;
        bias + f64::from(odds) + trust * f64::from(correction)
    }
}

impl Trust {
    /// The log odds of a change on a host.
    pub(super) fn odds(&self, host: HostNo, expected: Expectation) -> f64 {
        self.0.get(&host).copied().unwrap_or_default().odds(expected)
    }

    /// Learns whether a page of a host had changed.
    pub(super) fn learn(&mut self, host: HostNo, expected: Expectation, changed: bool) {
        let host = self.0.entry(host).or_default();
        let chance = 1.0 / (1.0 + (-host.odds(expected)).exp());
        let error = f64::from(u8::from(changed)) - chance;
        let inputs = [1.0, f64::from(expected.correction)];
        for ((mean, variance), input) in host.mean.iter_mut().zip(&mut host.variance).zip(inputs) {
            *variance /= 1.0 + chance * (1.0 - chance) * input * input * *variance;
            *mean += *variance * input * error;
        }
        host.mean[1] = host.mean[1].clamp(BOUNDS.0, BOUNDS.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: HostNo = HostNo(0);

    /// What is believed after visits to pages with this correction, of which every `one_in`-th had changed.
    fn learned(correction: f32, one_in: u32) -> Trust {
        let mut trust = Trust::default();
        for visit in 0..200 {
            let expected = Expectation {
                odds: 0.0,
                correction: if visit % 2 == 0 { correction } else { -correction },
            };
            let changed =
                if visit % 2 == 0 { visit / 2 % one_in == 0 } else { visit / 2 % one_in != 0 };
            trust.learn(HOST, expected, changed);
        }
        trust
    }

    #[test]
    fn a_correction_that_is_wrong_on_a_host_is_no_longer_believed_there() {
        let expected = Expectation { odds: 0.0, correction: 2.0 };
        let first = Trust::default().odds(HOST, expected);
        assert!((first - 1.4).abs() < 1e-6);
        // Pages that it calls likely to have changed are unchanged in nine of ten visits.
        assert!(learned(2.0, 10).odds(HOST, expected) < 0.1);
        // Always right.
        assert!(learned(2.0, 1).odds(HOST, expected) > first);
        assert!((learned(2.0, 10).odds(HostNo(1), expected) - first).abs() < 1e-9);
    }

    #[test]
    fn rates_that_are_too_high_on_a_host_are_lowered() {
        let mut trust = Trust::default();
        let expected = Expectation { odds: 1.0, correction: 0.0 };
        for visit in 0..100 {
            trust.learn(HOST, expected, visit % 4 == 0);
        }
        let chance = 1.0 / (1.0 + (-trust.odds(HOST, expected)).exp());
        assert!((0.2..0.45).contains(&chance), "{chance}");
    }

    #[test]
    fn extreme_expectations_stay_finite() {
        let mut trust = Trust::default();
        for (odds, correction, changed) in
            [(9.2, 4.0, false), (-9.2, -4.0, true), (0.0, 4.0, false)]
        {
            let expected = Expectation { odds, correction };
            for _ in 0..50 {
                trust.learn(HOST, expected, changed);
            }
            assert!(trust.odds(HOST, expected).is_finite());
        }
    }
}
