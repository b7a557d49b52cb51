//! From how far an example lies from a border to the chance that it is of the class.
//!
//! Platt's sigmoid ("Probabilistic outputs for support vector machines", 1999) by Newton's method as Lin,
//! Lin and Weng correct it ("A note on Platt's probabilistic outputs", Machine Learning 68, 2007).
//! Departure: visits are not all a day apart. The sigmoid is the chance over one day, and days are taken
//! for independent: over `g` days it is 1 - (1 - p)^g. Where all gaps are one day it is Platt's.

/// The least gap that is told from none, in days: some ninety seconds.
const LEAST_GAP_DAYS: f64 = 1e-3;
/// No chance is nearer to never or always: what is learned from some tens of visits cannot say more.
const LEAST_CHANCE: f64 = 1e-6;
const MOST_ROUNDS: usize = 100;
/// Where both slopes are below it the fit is as good as it gets.
const FLAT: f64 = 1e-8;
/// Added to the curvature, so that decisions that are all the same can be fitted.
const RIDGE: f64 = 1e-12;
const LEAST_STEP: f64 = 1e-10;
/// The share of the promised gain that a step has to bring.
const ENOUGH_GAIN: f64 = 1e-4;

/// A chance of change for every decision value and gap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Platt {
    slope: f64,
    offset: f64,
}

impl Platt {
    /// The sigmoid under which what came true is likeliest: for each example its decision value by a border
    /// that did not learn from it, the days until it was seen again, and whether it had changed. Targets
    /// are smoothed as by Platt, as if one example more of each class had been seen.
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
            let Some((direction, promised)) = fit.direction(&points) else { break };
            let Some((better, remaining)) = fit.step(&points, loss, direction, promised) else {
                break;
            };
            (fit, loss) = (better, remaining);
        }
        fit
    }

    /// The chance that it will have changed after so many days. Never less for a longer gap.
    pub fn chance(&self, decision: f64, gap_days: f64) -> f64 {
        over(softplus(self.at(decision)), gap_days)
    }

    fn at(self, decision: f64) -> f64 {
        self.slope * decision + self.offset
    }

    fn loss(self, points: &[Point]) -> f64 {
        points.iter().map(|point| point.loss(self.at(point.decision))).sum()
    }

    /// Where Newton's method goes from here, and how much the loss falls at first; `None` at the end.
    fn direction(self, points: &[Point]) -> Option<([f64; 2], f64)> {
        let (mut slopes, mut curves) = ([0.0; 2], [RIDGE, 0.0, RIDGE]);
        for point in points {
            let (slope, curve) = point.slope_and_curve(self.at(point.decision));
            slopes[0] += slope * point.decision;
            slopes[1] += slope;
            curves[0] += curve * point.decision * point.decision;
            curves[1] += curve * point.decision;
            curves[2] += curve;
        }
        if slopes.iter().all(|slope| slope.abs() < FLAT) {
            return None;
        }
        let determinant = curves[0] * curves[2] - curves[1] * curves[1];
        let direction = [
            -(curves[2] * slopes[0] - curves[1] * slopes[1]) / determinant,
            -(curves[0] * slopes[1] - curves[1] * slopes[0]) / determinant,
        ];
        let promised = slopes[0] * direction[0] + slopes[1] * direction[1];
        (promised.is_finite() && promised < 0.0).then_some((direction, promised))
    }

    /// Goes that way, half as far each time it does not help enough.
    fn step(
        self,
        points: &[Point],
        loss: f64,
        direction: [f64; 2],
        promised: f64,
    ) -> Option<(Self, f64)> {
        let mut length = 1.0;
        while length >= LEAST_STEP {
            let slope = self.slope + length * direction[0];
            let next = Self { slope, offset: self.offset + length * direction[1] };
            let found = next.loss(points);
            if found < loss + ENOUGH_GAIN * length * promised {
                return Some((next, found));
            }
            length /= 2.0;
        }
        None
    }
}

/// The chance of a change over some days, where changes come at this rate a day.
pub(super) fn over(rate: f64, gap_days: f64) -> f64 {
    (-(-rate * gap_days.max(LEAST_GAP_DAYS)).exp_m1()).clamp(LEAST_CHANCE, 1.0 - LEAST_CHANCE)
}

/// ln(1 + e^x): the rate at which changes come where the chance over a day is the sigmoid of x.
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

struct Point {
    decision: f64,
    days: f64,
    target: f64,
}

impl Point {
    /// With u = days * ln(1 + e^at), the chance is 1 - e^-u, and the loss its cross-entropy.
    fn loss(&self, at: f64) -> f64 {
        let expected = self.days * softplus(at);
        let surely = (-(-expected).exp_m1()).max(f64::MIN_POSITIVE);
        (1.0 - self.target) * expected - self.target * surely.ln()
    }

    /// The first and second derivative of the loss by `at`. The second is taken for none where it is
    /// negative, which keeps the way downhill; for gaps of a day it is p (1 - p).
    fn slope_and_curve(&self, at: f64) -> (f64, f64) {
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
        assert_near(platt.chance(1.0, 1.0), 2.0 / 3.0);
        assert_near(platt.chance(-1.0, 1.0), 1.0 / 3.0);
        assert_near(platt.chance(-1.0, 2.0), 1.0 - 4.0 / 9.0);
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
    fn longer_gaps_say_less_of_a_day() {
        // All the same decision: only the offset can move. Looked at every two days, half had changed
        // (targets 3/4 and 1/4, mean 1/2): 1 - (1 - p)^2 = 1/2.
        let seen = [(0.0, 2.0, true), (0.0, 2.0, false), (0.0, 2.0, true), (0.0, 2.0, false)];
        let platt = Platt::fit(&seen);
        assert_near(platt.chance(0.0, 2.0), 0.5);
        assert_near(platt.chance(0.0, 1.0), 1.0 - 0.5_f64.sqrt());
    }

    #[test]
    fn nothing_seen_says_nothing() {
        assert_near(Platt::fit(&[]).chance(3.0, 1.0), 0.5);
    }

    proptest! {
        #[test]
        fn whatever_was_seen_chances_are_chances(
            seen in prop::collection::vec((-5.0..5.0_f64, 0.0..40.0_f64, any::<bool>()), 0..40),
            decision in -9.0..9.0_f64,
            gaps in prop::collection::vec(0.0..100.0_f64, 2..6),
        ) {
            let platt = Platt::fit(&seen);
            let mut gaps = gaps;
            gaps.sort_by(f64::total_cmp);
            let chances: Vec<f64> = gaps.iter().map(|&gap| platt.chance(decision, gap)).collect();
            prop_assert!(chances.iter().all(|chance| *chance > 0.0 && *chance < 1.0));
            prop_assert!(chances.is_sorted(), "{:?}", chances);
        }

        /// No fit nearby is better.
        #[test]
        fn it_is_the_likeliest(
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
                    let chance = 1.0 - (1.0 - daily).powf(days);
                    -target * chance.ln() - (1.0 - target) * (1.0 - chance).ln()
                }).sum()
            };
            let (x, y) = (1e-3 * turn.cos(), 1e-3 * turn.sin());
            let here = loss(platt.slope, platt.offset);
            prop_assert!(loss(platt.slope + x, platt.offset + y) >= here - 1e-7);
        }
    }
}
