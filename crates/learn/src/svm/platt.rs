//! Platt scaling: from decision values to probabilities.
//!
//! Platt's sigmoid ("Probabilistic outputs for support vector machines", 1999) by Newton's method as
//! corrected by Lin, Lin and Weng ("A note on Platt's probabilistic outputs", Machine Learning 68, 2007).
//! Departure: visits are not all a day apart. The sigmoid is the probability over one day, and days count
//! as independent: over `g` days it is 1 - (1 - p)^g. Where all gaps are one day it is Platt's.

/// The shortest gap, in days: some ninety seconds.
const LEAST_GAP_DAYS: f64 = 1e-3;
/// Probabilities are clamped to this: a few dozen visits do not support more extreme ones.
const LEAST_PROBABILITY: f64 = 1e-6;
const MOST_ROUNDS: usize = 100;
/// The fit ends when both derivatives are below this.
const FLAT: f64 = 1e-8;
/// Added to the diagonal of the Hessian, so that equal decision values can be fitted.
const RIDGE: f64 = 1e-12;
const LEAST_STEP: f64 = 1e-10;
/// The share of the predicted decrease that a step must achieve.
const ENOUGH_GAIN: f64 = 1e-4;

/// The probability of a change for every decision value and gap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Platt {
    slope: f64,
    offset: f64,
}

impl Platt {
    /// The sigmoid with the highest likelihood. Each example has its decision value by a boundary that was
    /// not trained on it, the days until the next visit, and whether the page had changed. Targets are
    /// smoothed as by Platt, as if there were one more example of each class.
    pub fn fit(seen: &[(f64, f64, bool)]) -> Self {
        let happened = seen.iter().filter(|(.., happened)| *happened).count() as f64;
        let others = seen.len() as f64 - happened;
        let (high, low) = ((happened + 1.0) / (happened + 2.0), 1.0 / (others + 2.0));
        let points: Vec<Point> = seen
            .iter()
            .map(|&(decision, gap, is_so)| Point {
                decision,
                days: gap.max(LEAST_GAP_DAYS),
                target: if is_so { high } else { low },
            })
            .collect();
        let mut fit = Self { slope: 0.0, offset: ((happened + 1.0) / (others + 1.0)).ln() };
        let mut loss = fit.loss(&points);
        for _ in 0..MOST_ROUNDS {
            let Some((direction, decrease)) = fit.direction(&points) else { break };
            let Some((better, remaining)) = fit.step(&points, loss, direction, decrease) else {
                break;
            };
            (fit, loss) = (better, remaining);
        }
        fit
    }

    /// The probability of a change after this many days. It never falls with a longer gap.
    pub fn probability(&self, decision: f64, gap_days: f64) -> f64 {
        change_probability(softplus(self.at(decision)), gap_days)
    }

    fn at(self, decision: f64) -> f64 {
        self.slope * decision + self.offset
    }

    fn loss(self, points: &[Point]) -> f64 {
        points.iter().map(|point| point.loss(self.at(point.decision))).sum()
    }

    /// The direction of the Newton step, and the directional derivative of the loss; `None` at the
    /// optimum.
    fn direction(self, points: &[Point]) -> Option<([f64; 2], f64)> {
        let (mut gradient, mut hessian) = ([0.0; 2], [RIDGE, 0.0, RIDGE]);
        for point in points {
            let (first, second) = point.derivatives(self.at(point.decision));
            gradient[0] += first * point.decision;
            gradient[1] += first;
            hessian[0] += second * point.decision * point.decision;
            hessian[1] += second * point.decision;
            hessian[2] += second;
        }
        if gradient.iter().all(|derivative| derivative.abs() < FLAT) {
            return None;
        }
        let determinant = hessian[0] * hessian[2] - hessian[1] * hessian[1];
        let direction = [
            -(hessian[2] * gradient[0] - hessian[1] * gradient[1]) / determinant,
            -(hessian[0] * gradient[1] - hessian[1] * gradient[0]) / determinant,
        ];
        let decrease = gradient[0] * direction[0] + gradient[1] * direction[1];
        (decrease.is_finite() && decrease < 0.0).then_some((direction, decrease))
    }

    /// Line search: halves the step until the loss falls enough.
    fn step(
        self,
        points: &[Point],
        loss: f64,
        direction: [f64; 2],
        decrease: f64,
    ) -> Option<(Self, f64)> {
        let mut length = 1.0;
        while length >= LEAST_STEP {
            let slope = self.slope + length * direction[0];
            let next = Self { slope, offset: self.offset + length * direction[1] };
            let found = next.loss(points);
            if found < loss + ENOUGH_GAIN * length * decrease {
                return Some((next, found));
            }
            length /= 2.0;
        }
        None
    }
}

/// The probability of a change over some days with this change rate per day.
pub fn change_probability(rate: f64, gap_days: f64) -> f64 {
    let probability = -(-rate * gap_days.max(LEAST_GAP_DAYS)).exp_m1();
    probability.clamp(LEAST_PROBABILITY, 1.0 - LEAST_PROBABILITY)
}

/// ln(1 + e^x): the change rate per day where the probability over a day is the sigmoid of x.
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

struct Point {
    decision: f64,
    days: f64,
    target: f64,
}

impl Point {
    /// With u = days * ln(1 + e^at), the probability is 1 - e^-u, and the loss its cross-entropy.
    fn loss(&self, at: f64) -> f64 {
        let expected = self.days * softplus(at);
        let probability = (-(-expected).exp_m1()).max(f64::MIN_POSITIVE);
        (1.0 - self.target) * expected - self.target * probability.ln()
    }

    /// The first and second derivative of the loss by `at`. A negative second derivative becomes 0, so
    /// that the step goes downhill; for gaps of a day it is p (1 - p).
    fn derivatives(&self, at: f64) -> (f64, f64) {
        let daily = 1.0 / (1.0 + (-at).exp());
        let expected = (self.days * softplus(at)).max(f64::MIN_POSITIVE);
        let odds_against = 1.0 / expected.exp_m1();
        let by_expected = (1.0 - self.target) - self.target * odds_against;
        let bend = self.target * odds_against * (1.0 + odds_against);
        let by_at = self.days * daily;
        let curve = bend * by_at * by_at + by_expected * by_at * (1.0 - daily);
        (by_expected * by_at, if curve.is_finite() { curve.max(0.0) } else { 0.0 })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn daily(seen: &[(f64, bool)]) -> Vec<(f64, f64, bool)> {
        seen.iter().map(|&(decision, happened)| (decision, 1.0, happened)).collect()
    }

    fn assert_near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-6, "{found} is not {expected}");
    }

    #[test]
    fn two_decision_values_are_fitted_exactly() {
        // Four at 1 of which three happened, four at -1 of which one did: with four of each class the
        // targets are 5/6 and 1/6, and two parameters meet the means of two places exactly:
        // (3 * 5/6 + 1/6) / 4 = 2/3 and 1/3. So slope * 1 + offset = ln 2, and the offset is 0.
        let seen = [(1.0, true), (1.0, true), (1.0, true), (1.0, false)];
        let seen: Vec<_> = seen.into_iter().chain(seen.map(|(at, it)| (-at, !it))).collect();
        let platt = Platt::fit(&daily(&seen));
        assert_near(platt.slope, 2.0_f64.ln());
        assert_near(platt.offset, 0.0);
        assert_near(platt.probability(1.0, 1.0), 2.0 / 3.0);
        assert_near(platt.probability(-1.0, 1.0), 1.0 / 3.0);
        assert_near(platt.probability(-1.0, 2.0), 1.0 - 4.0 / 9.0);
    }

    #[test]
    fn it_is_platts_where_gaps_are_a_day() {
        // Found by scikit-learn's `_sigmoid_calibration` on the same values (its signs are the opposite).
        let decisions = [-2.1, -1.3, -0.4, -0.2, 0.1, 0.3, 0.8, 1.1, 1.9, 2.4];
        let happened = [false, false, true, false, false, true, true, false, true, true];
        let seen: Vec<_> = decisions.into_iter().zip(happened).collect();
        let platt = Platt::fit(&daily(&seen));
        assert!((platt.slope - 0.723_226_3).abs() < 1e-4, "{}", platt.slope);
        assert!((platt.offset + 0.193_445_5).abs() < 1e-4, "{}", platt.offset);
    }

    #[test]
    fn longer_gaps_mean_a_lower_daily_probability() {
        // All decisions are equal, so only the offset can move. Half of the pages had changed after two
        // days (targets 3/4 and 1/4, mean 1/2): 1 - (1 - p)^2 = 1/2.
        let seen = [(0.0, 2.0, true), (0.0, 2.0, false), (0.0, 2.0, true), (0.0, 2.0, false)];
        let platt = Platt::fit(&seen);
        assert_near(platt.probability(0.0, 2.0), 0.5);
        assert_near(platt.probability(0.0, 1.0), 1.0 - 0.5_f64.sqrt());
    }

    #[test]
    fn without_examples_the_probability_is_one_half() {
        assert_near(Platt::fit(&[]).probability(3.0, 1.0), 0.5);
    }

    proptest! {
        #[test]
        fn probabilities_are_valid_and_monotonic(
            seen in prop::collection::vec((-5.0..5.0_f64, 0.0..40.0_f64, any::<bool>()), 0..40),
            decision in -9.0..9.0_f64,
            gaps in prop::collection::vec(0.0..100.0_f64, 2..6),
        ) {
            let platt = Platt::fit(&seen);
            let mut gaps = gaps;
            gaps.sort_by(f64::total_cmp);
            let found: Vec<f64> = gaps.iter().map(|&gap| platt.probability(decision, gap)).collect();
            prop_assert!(found.iter().all(|probability| *probability > 0.0 && *probability < 1.0));
            prop_assert!(found.is_sorted(), "{:?}", found);
        }

        /// No fit nearby has a higher likelihood.
        #[test]
        fn the_fit_has_the_highest_likelihood(
            seen in prop::collection::vec((-2.0..2.0_f64, 0.5..9.0_f64, any::<bool>()), 2..40),
            turn in 0.0..std::f64::consts::TAU,
        ) {
            let platt = Platt::fit(&seen);
            let count = seen.iter().filter(|it| it.2).count() as f64;
            let others = seen.len() as f64 - count;
            let (high, low) = ((count + 1.0) / (count + 2.0), 1.0 / (others + 2.0));
            let loss = |slope: f64, offset: f64| -> f64 {
                seen.iter().map(|&(decision, days, happened)| {
                    let target = if happened { high } else { low };
                    let daily = 1.0 / (1.0 + (-(slope * decision + offset)).exp());
                    let probability = 1.0 - (1.0 - daily).powf(days);
                    -target * probability.ln() - (1.0 - target) * (1.0 - probability).ln()
                }).sum()
            };
            let (x, y) = (1e-3 * turn.cos(), 1e-3 * turn.sin());
            let here = loss(platt.slope, platt.offset);
            prop_assert!(loss(platt.slope + x, platt.offset + y) >= here - 1e-7);
        }
    }
}
