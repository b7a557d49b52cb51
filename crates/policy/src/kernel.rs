//! The kernel of all freshness policies: what a visit now is worth compared with waiting.
//!
//! For a loss that grows as D(t) since the last visit, the price at which visiting now breaks even
//! with waiting is U(t) = t D(t) - integral of D from 0 to t (Olston and Pandey, "Recrawl scheduling
//! based on information longevity", WWW 2008, eq. 4). With D(t) the probability that the page is stale
//! this gives the forms below. "Rate" is expected changes per unit of time. The caller chooses the
//! unit, and worth comes out in the same unit.

/// A(x) = 1 - (1 + x) e^-x: the shape of all forms.
pub fn shape(x: f64) -> f64 {
    /// Below this the closed form loses digits to cancellation and the series is exact enough.
    const SMALL: f64 = 1e-4;
    if x < SMALL { x * x * (0.5 - x / 3.0) } else { 1.0 - (1.0 + x) * (-x).exp() }
}

/// Worth of a visit to a page with a known rate, `age` after its last visit, in continuous time.
pub fn worth(rate: f64, age: f64) -> f64 {
    if rate <= 0.0 { 0.0 } else { shape(rate * age) / rate }
}

/// The limit of [`worth`] for long ages: the worth of a page that is surely stale.
pub fn worth_stale(rate: f64) -> f64 {
    if rate <= 0.0 { f64::INFINITY } else { 1.0 / rate }
}

/// Worth where time is counted in whole cycles: (1 - q^m)/(1 - q) - m q^m with q = e^-rate.
///
/// Pages change between cycles and are visited and judged at their ends, so freshness is a sum
/// over cycles rather than an integral.
pub fn cycle_worth(rate: f64, cycles: f64) -> f64 {
    if rate <= 0.0 {
        return 0.0;
    }
    let stale_one = -(-rate).exp_m1();
    let fresh_all = (-rate * cycles).exp();
    (-(-rate * cycles).exp_m1()) / stale_one - cycles * fresh_all
}

/// The limit of [`cycle_worth`] for many cycles: the worth of a page that is surely stale.
pub fn cycle_worth_stale(rate: f64) -> f64 {
    if rate <= 0.0 { f64::INFINITY } else { 1.0 / -(-rate).exp_m1() }
}

/// The posterior of a change rate: a Gamma distribution with this shape and inverse scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Belief {
    /// Shape: changes seen, plus those of the prior.
    pub changes: f64,
    /// Inverse scale: time watched, plus that of the prior.
    pub time: f64,
}

impl Belief {
    /// The expected rate.
    pub fn mean(self) -> f64 {
        self.changes / self.time
    }

    /// The probability that a page is still unchanged after `age`.
    pub fn fresh_probability(self, age: f64) -> f64 {
        (-self.changes * (age / self.time).ln_1p()).exp()
    }

    /// Worth of a visit in continuous time: the kernel applied to the predictive distribution,
    /// b (1 - rho^(a-1)) / (a-1) - t rho^a with rho = b / (b + t).
    pub fn worth(self, age: f64) -> f64 {
        let Self { changes, time } = self;
        let log_rho = -(age / time).ln_1p();
        let power = changes - 1.0;
        // (1 - rho^p) / p, which for p towards 0 tends to -ln rho.
        let gained = if (power * log_rho).abs() < 1e-9 {
            -log_rho
        } else {
            -(power * log_rho).exp_m1() / power
        };
        time * gained - age * (changes * log_rho).exp()
    }

    /// The limit of [`worth`](Self::worth) for long ages; infinite if the shape is at most 1, because
    /// the page may then never change.
    pub fn worth_stale(self) -> f64 {
        if self.changes <= 1.0 { f64::INFINITY } else { self.time / (self.changes - 1.0) }
    }

    /// Worth of a visit where time is counted in whole cycles:
    /// sum over j < m of (b / (b + j))^a, minus m (b / (b + m))^a.
    pub fn cycle_worth(self, cycles: u32) -> f64 {
        self.fresh_cycles(cycles) - f64::from(cycles) * self.fresh_probability(f64::from(cycles))
    }

    /// The limit of [`cycle_worth`](Self::cycle_worth) for many cycles; infinite if the shape is at
    /// most 1, because the page may then never change.
    pub fn cycle_worth_stale(self) -> f64 {
        let Self { changes, time } = self;
        if changes <= 1.0 {
            return f64::INFINITY;
        }
        let exact = self.exact_terms(u32::MAX);
        let start = time + f64::from(exact);
        let probability = self.fresh_probability(f64::from(exact));
        let slope = changes / start;
        let third = slope * (changes + 1.0) * (changes + 2.0) / (start * start);
        let tail = start / (changes - 1.0) + 0.5 + slope / 12.0 - third / 720.0;
        self.sum_exactly(exact) + probability * tail
    }

    /// Expected number of the next `cycles` cycles at whose start the page is still unchanged.
    ///
    /// The first terms are added one by one, the rest by the Euler-Maclaurin formula, so that a plan
    /// over ten million pages is fast after any wait. Relative error below 1e-5.
    fn fresh_cycles(self, cycles: u32) -> f64 {
        let Self { changes, time } = self;
        let exact = self.exact_terms(cycles);
        let head = self.sum_exactly(exact);
        if exact == cycles {
            return head;
        }
        let end = |cycle: u32| {
            let at = time + f64::from(cycle);
            let probability = self.fresh_probability(f64::from(cycle));
            let slope = -changes / at * probability;
            let third = slope * (changes + 1.0) * (changes + 2.0) / (at * at);
            (at, probability, slope, third)
        };
        let (from, probability_from, slope_from, third_from) = end(exact);
        let (to, probability_to, slope_to, third_to) = end(cycles);
        // The integral of (b / (b + x))^a is b^a (b + x)^(1-a) / (1 - a), logarithmic at a = 1.
        let integral = if (changes - 1.0).abs() < 1e-9 {
            time * (to / from).ln()
        } else {
            (from * probability_from - to * probability_to) / (changes - 1.0)
        };
        head + integral + (probability_from - probability_to) / 2.0 + (slope_to - slope_from) / 12.0
            - (third_to - third_from) / 720.0
    }

    fn sum_exactly(self, terms: u32) -> f64 {
        (0..terms).map(|cycle| self.fresh_probability(f64::from(cycle))).sum()
    }

    /// The number of terms after which the sum is smooth enough for its integral: when the probability
    /// falls by less than about half from one cycle to the next. Where it falls faster for long, the
    /// terms die out before that.
    fn exact_terms(self, cycles: u32) -> u32 {
        const DIED_OUT: f64 = -16.0;
        let smooth = (2.0 * (self.changes + 4.0) - self.time).max(0.0);
        let died = self.time * ((-DIED_OUT / self.changes).exp() - 1.0);
        (smooth.min(died).ceil() as u32).min(cycles)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_close;

    #[test]
    fn shape_has_the_golden_values() {
        assert_close(shape(0.1), 0.004_678_840, 5e-10);
        assert_close(shape(1.0), 0.264_241_118, 5e-10);
        assert_close(shape(5.0), 0.959_572_318, 5e-10);
        assert_close(shape(0.99e-4), shape(1.01e-4), 3e-10);
    }

    #[test]
    fn belief_has_the_golden_values() {
        let worth = |changes, time, age| Belief { changes, time }.worth(age);
        assert_close(worth(2.0, 4.0, 3.0), 0.734_693_878, 5e-10);
        assert_close(worth(0.5, 2.0, 3.0), 0.427_188_724, 5e-10);
        assert_close(worth(1.0, 2.0, 3.0), 0.632_581_464, 5e-10);
        assert_close(worth(1.5, 10.0, 30.0), 6.25, 5e-10);
    }

    #[test]
    fn cycle_worth_is_the_sum_it_stands_for() {
        // q = 1/2, m = 3: 1 + 1/2 + 1/4 - 3/8 = 1.375.
        assert_close(cycle_worth(2.0_f64.ln(), 3.0), 1.375, 1e-12);
        assert_close(cycle_worth_stale(2.0_f64.ln()), 2.0, 1e-12);
    }

    #[test]
    fn belief_by_cycles_agrees_with_adding_every_term() {
        for changes in [0.5, 1.0, 1.5, 3.0, 12.0, 60.0] {
            for time in [0.3, 1.0, 4.0, 20.0, 300.0] {
                let belief = Belief { changes, time };
                for cycles in [1, 2, 5, 20, 52, 400] {
                    let sum: f64 = (0..cycles)
                        .map(|cycle| (time / (time + f64::from(cycle))).powf(changes))
                        .sum();
                    let left =
                        f64::from(cycles) * (time / (time + f64::from(cycles))).powf(changes);
                    assert_close(belief.cycle_worth(cycles), sum - left, 1e-5 * sum);
                }
            }
        }
    }

    #[test]
    fn a_belief_with_much_evidence_is_a_known_rate() {
        let belief = Belief { changes: 3e6, time: 1e7 };
        assert_close(belief.worth(4.0), worth(0.3, 4.0), 1e-5);
        assert_close(belief.cycle_worth(4), cycle_worth(0.3, 4.0), 1e-5);
        assert_close(belief.cycle_worth_stale(), cycle_worth_stale(0.3), 1e-5);
    }

    #[test]
    fn worth_rises_with_age_towards_that_of_a_stale_page() {
        let belief = Belief { changes: 2.5, time: 9.0 };
        let worths: Vec<f64> = (0..3000).map(|cycles| belief.cycle_worth(cycles)).collect();
        assert!(worths.windows(2).all(|pair| pair[0] <= pair[1] + 1e-9));
        assert_close(belief.cycle_worth(2_000_000), belief.cycle_worth_stale(), 1e-3);
        assert_close(belief.worth(2e9), belief.worth_stale(), 1e-3);
    }
}
