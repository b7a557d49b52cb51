//! The time since a page was last seen in slots of a week, some with a claim that the page changed.
//!
//! A page with five claims, each right in half of the cases, has almost certainly changed. So each claim has a
//! slot of its own, and the page is unchanged if it is in all slots.

/// The shortest time that is told apart, in weeks.
const SHORTEST: f64 = 0.05;
/// A visit moves a weight at most by so many steps: much evidence may rest on one wrong assumption.
const MOST_STEPS: f64 = 2.0;

/// The slots since the last visit of a page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slots {
    /// The log odds of a change in a slot, without claims.
    odds: f64,
    count: f64,
}

/// Slots of one kind: their number, and what they add to the log odds of a change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Part {
    pub(super) count: f64,
    pub(super) odds: f64,
}

impl Slots {
    /// The slots of so many weeks in which a change was expected with this probability.
    pub(super) fn new(expected: f64, weeks: f64, claims: f64) -> Self {
        let count = weeks.max(claims).max(SHORTEST);
        let hazard = -(1.0 - expected.clamp(1e-9, 1.0 - 1e-9)).ln() / count;
        // The log odds of 1 - e^-hazard.
        Self { odds: hazard.exp_m1().max(1e-12).ln(), count }
    }

    /// The slots that are left beside those of `parts`.
    pub(super) fn left(&self, parts: &[Part]) -> f64 {
        (self.count - parts.iter().map(|part| part.count).sum::<f64>()).max(0.0)
    }

    /// The probability of a change in one slot of a part.
    pub(super) fn chance(&self, part: Part) -> f64 {
        1.0 / (1.0 + (-self.odds - part.odds).exp())
    }

    /// The probability that the page changed in any slot.
    pub(super) fn stale(&self, parts: &[Part]) -> f64 {
        let same = |part: &Part| part.count * (-self.chance(*part)).ln_1p();
        -parts.iter().map(same).sum::<f64>().exp_m1()
    }

    /// The gradient of the log likelihood of what a visit found, by the odds of a part.
    pub(super) fn gradient(&self, part: Part, stale: f64, changed: bool) -> f64 {
        let error = f64::from(u8::from(changed)) - stale;
        let share = part.count * self.chance(part) / stale.max(1e-9);
        (error * share).clamp(-MOST_STEPS, MOST_STEPS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_claims_the_expected_probability_comes_back() {
        for (expected, weeks) in [(0.01, 1.0), (0.5, 7.5), (0.999, 40.0), (0.2, 0.0)] {
            let slots = Slots::new(expected, weeks, 0.0);
            let rest = Part { count: slots.left(&[]), odds: 0.0 };
            assert!((slots.stale(&[rest]) - expected).abs() < 1e-6, "{expected} {weeks}");
        }
    }

    #[test]
    fn claims_that_are_right_half_of_the_time_add_up() {
        // One change in ten weeks; log odds of 2.2 make a slot one half.
        let slots = Slots::new(0.65, 10.0, 5.0);
        let claimed = |count| Part { count, odds: -slots.odds };
        assert!((slots.chance(claimed(1.0)) - 0.5).abs() < 1e-9);
        assert!((slots.stale(&[claimed(1.0)]) - 0.5).abs() < 1e-9);
        assert!((slots.stale(&[claimed(5.0)]) - (1.0 - 0.5_f64.powi(5))).abs() < 1e-9);
    }

    #[test]
    fn the_gradient_is_that_of_the_log_likelihood() {
        let slots = Slots::new(0.4, 6.0, 2.0);
        for changed in [true, false] {
            let likelihood = |odds| {
                let parts = [Part { count: 2.0, odds }, Part { count: 4.0, odds: -0.5 }];
                let stale = slots.stale(&parts);
                if changed { stale.ln() } else { (1.0 - stale).ln() }
            };
            let slope = (likelihood(0.3001) - likelihood(0.2999)) / 0.0002;
            let parts = [Part { count: 2.0, odds: 0.3 }, Part { count: 4.0, odds: -0.5 }];
            let found = slots.gradient(parts[0], slots.stale(&parts), changed);
            assert!((slope - found).abs() < 1e-4, "{slope} {found}");
        }
    }
}
