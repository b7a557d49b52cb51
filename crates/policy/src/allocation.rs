//! How often to visit each page: the best visit frequencies for a budget, given change rates.
//!
//! Cho and Garcia-Molina, "Effective page refresh policies for Web crawlers", TODS 2003
//! (`docs/papers.md` B1). At the optimum the last visit bought is worth the same on every page. That
//! worth is the kernel U(t) of `kernel.rs` at the period t of the page's visits, with x = rate t:
//! (weight / rate) A(x) for freshness, (weight / rate^2) (x^2 / 2 - A(x)) for age. The code searches
//! for the price at which the whole budget is spent. Departure: no page is visited more than once in
//! a unit of time, because a cycle visits no page twice.
use rayon::prelude::*;

use crate::kernel;

/// Pages per task; fixed, so that sums are the same for any number of threads.
const PAGES_PER_TASK: usize = 1 << 12;
/// Lower rates count as 0 and higher ones as `FASTEST`: beyond, differences have no effect.
const SLOWEST: f64 = 1e-9;
const FASTEST: f64 = 1e9;
/// Weights outside this range count as 0, so that nothing overflows.
const LIGHTEST: f64 = 1e-100;
const HEAVIEST: f64 = 1e100;
/// The price search ends where spending differs from the budget by at most this share,
const TOLERANCE: f64 = 1e-7;
/// or where the logarithms of the two prices differ by at most this.
const NEAR: f64 = 1e-10;
/// The search starts this far outside the range of prices; more than `NEAR`.
const MARGIN: f64 = 1e-9;
/// A smaller share of the budget counts as nothing spent.
const LEAST_SHARE: f64 = 1e-9;
/// Upper limit on steps of the price search; about ten are usual.
const MOST_STEPS: u32 = 200;
/// Upper limit on Newton steps, which converge quadratically from a near bound.
const MOST_NEWTON_STEPS: u32 = 30;

/// What visit frequencies optimise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objective {
    /// As many pages as possible are fresh at any time.
    Freshness,
    /// The time since pages were last fresh is as short as possible.
    Age,
}

/// What the visit frequency of a page depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Demand {
    /// Changes per unit of time.
    pub(crate) rate: f64,
    /// How much the page counts.
    pub(crate) weight: f64,
}

/// Visits per unit of time to each page, at most one, that add up to `budget` and maximise the weighted
/// freshness of pages or minimise their age. If the budget suffices for every page that changes and
/// counts, each of them gets one. Other pages get none.
pub(crate) fn frequencies(objective: Objective, demands: &[Demand], budget: f64) -> Vec<f64> {
    let counted = demands.iter().filter(|demand| demand.counts()).count() as f64;
    if budget >= counted {
        return demands.iter().map(|demand| f64::from(u8::from(demand.counts()))).collect();
    }
    if budget <= 0.0 {
        return vec![0.0; demands.len()];
    }
    let Prices { low, high, share } = prices(objective, demands, budget, counted / budget);
    let mixed = |demand: &Demand| {
        let (often, seldom) = (demand.frequency(objective, low), demand.frequency(objective, high));
        seldom + (often - seldom) * share
    };
    demands.par_iter().with_min_len(PAGES_PER_TASK).map(mixed).collect()
}

/// Two prices that are as good as equal, or of which one is right. At `high` less than the budget is
/// spent, at `low` more; at `share` of the way from `high` to `low` it is the budget.
struct Prices {
    low: f64,
    high: f64,
    share: f64,
}

/// The prices of a visit between which the budget is spent. `even` is the period at which every page
/// would be visited equally often.
///
/// One price is not enough: where pages change many times between visits, a visit is worth the same
/// at any period, to all digits of a double, and a page gets all or nothing from one price to the next.
fn prices(objective: Objective, demands: &[Demand], budget: f64, even: f64) -> Prices {
    // At the lowest worth of any page at the even period no page is visited less often than that, at
    // the highest none more often: the price lies between.
    let worths = demands.iter().filter(|demand| demand.counts()).map(|d| d.worth(objective, even));
    let (least, most) =
        worths.fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), w| (low.min(w), high.max(w)));
    let end = |log_price: f64| {
        let share = spent(objective, demands, log_price.exp()) / budget;
        let over = share.max(LEAST_SHARE).ln();
        End { log_price, over, weight: over }
    };
    let (mut low, mut high) = (end(least.ln() - MARGIN), end(most.ln() + MARGIN));
    // False position: the next price is where the straight line between the ends crosses 0. An end that
    // stays twice in a row counts half (the Illinois rule), so that both converge.
    let mut rose = None;
    for _ in 0..MOST_STEPS {
        if low.over.min(-high.over) <= TOLERANCE || high.log_price - low.log_price <= NEAR {
            break;
        }
        let part = low.weight / (low.weight - high.weight);
        let middle = end(low.log_price + (high.log_price - low.log_price) * part);
        let rises = middle.over > 0.0;
        let stays_again = rose.replace(rises) == Some(rises);
        let stayed = if rises {
            low = middle;
            &mut high
        } else {
            high = middle;
            &mut low
        };
        if stays_again {
            stayed.weight /= 2.0;
        }
    }
    let (most_spent, least_spent) = (low.over.exp(), high.over.exp());
    let between = most_spent - least_spent;
    let share = if between > 0.0 { ((1.0 - least_spent) / between).clamp(0.0, 1.0) } else { 1.0 };
    Prices { low: low.log_price.exp(), high: high.log_price.exp(), share }
}

/// One end of the interval that holds the price.
struct End {
    log_price: f64,
    /// The logarithm of the spending at this price as a share of the budget.
    over: f64,
    /// The weight of `over` in the search.
    weight: f64,
}

/// Visits per unit of time to all pages at a price.
fn spent(objective: Objective, demands: &[Demand], price: f64) -> f64 {
    let sum = |some: &[Demand]| some.iter().map(|d| d.frequency(objective, price)).sum();
    let sums: Vec<f64> = demands.par_chunks(PAGES_PER_TASK).map(sum).collect();
    sums.iter().sum()
}

impl Demand {
    /// Whether visits to the page are worth anything.
    fn counts(self) -> bool {
        self.rate >= SLOWEST && (LIGHTEST..=HEAVIEST).contains(&self.weight)
    }

    /// The worth of a visit at this period.
    fn worth(self, objective: Objective, period: f64) -> f64 {
        let rate = self.rate.min(FASTEST);
        match objective {
            Objective::Freshness => self.weight / rate * kernel::shape(rate * period),
            Objective::Age => self.weight / (rate * rate) * age_shape(rate * period),
        }
    }

    /// The frequency at whose period a visit is worth `price`; 0 if there is none.
    fn frequency(self, objective: Objective, price: f64) -> f64 {
        if !self.counts() {
            return 0.0;
        }
        let rate = self.rate.min(FASTEST);
        let expected = match objective {
            Objective::Freshness => shape_inverse(price * rate / self.weight),
            Objective::Age => age_shape_inverse(price * rate * rate / self.weight),
        };
        (rate / expected).min(1.0)
    }
}

/// x^2 / 2 - A(x), which replaces A(x) where the objective is age.
fn age_shape(x: f64) -> f64 {
    /// Below this the closed form loses digits to cancellation and the series is exact enough.
    const SMALL: f64 = 0.05;
    if x < SMALL {
        let tail = 1.0 / 30.0 - x * (1.0 / 144.0 - x * (1.0 / 840.0 - x / 5760.0));
        x * x * x * (1.0 / 3.0 - x * (1.0 / 8.0 - x * tail))
    } else {
        x * x / 2.0 - kernel::shape(x)
    }
}

/// The x with A(x) = `value`; infinite from 1 on, which A never reaches.
///
/// A(x) = v is x - ln(1 + x) = -ln(1 - v). The left side is convex and at least
/// x^2 / (2 (1 + x)), which bounds x from above; from there Newton's steps only come nearer.
fn shape_inverse(value: f64) -> f64 {
    if value >= 1.0 {
        return f64::INFINITY;
    }
    let level = -(-value).ln_1p();
    let start = level + (level * (level + 2.0)).sqrt();
    newton(start, |x| {
        /// Below this the difference loses digits to cancellation and the series is exact enough.
        const SMALL: f64 = 1e-3;
        let left = if x < SMALL {
            x * x * (0.5 - x * (1.0 / 3.0 - x * (0.25 - x * 0.2)))
        } else {
            x - x.ln_1p()
        };
        (left - level) * (1.0 + x) / x
    })
}

/// The x with x^2 / 2 - A(x) = `value`, by Newton's steps down from a bound: A is at most 1, and up
/// to x = 1 the left side, which is convex, is at least 5/24 x^3.
fn age_shape_inverse(value: f64) -> f64 {
    let start =
        if value < 5.0 / 24.0 { (4.8 * value).cbrt() } else { (2.0 * (value + 1.0)).sqrt() };
    newton(start, |x| (age_shape(x) - value) / (-x * (-x).exp_m1()))
}

/// Newton's method from `start`; 0 if it reaches 0.
fn newton(start: f64, step: impl Fn(f64) -> f64) -> f64 {
    let mut x = start;
    for _ in 0..MOST_NEWTON_STEPS {
        if x <= 0.0 {
            return 0.0;
        }
        let down = step(x);
        x -= down;
        // Digits double with every step: half of them were right before this one.
        if down.abs() <= 1e-7 * x {
            break;
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::assert_close;

    const BOTH: [Objective; 2] = [Objective::Freshness, Objective::Age];

    fn even(rates: &[f64]) -> Vec<Demand> {
        rates.iter().map(|&rate| Demand { rate, weight: 1.0 }).collect()
    }

    /// The quantity to maximise: weighted freshness, or minus weighted age, as integrals over a period
    /// of the value after a time t: e^-rt, or t - (1 - e^-rt) / r.
    fn goodness(objective: Objective, demands: &[Demand], frequencies: &[f64]) -> f64 {
        let one = |(demand, &frequency): (&Demand, &f64)| {
            let (rate, period) = (demand.rate, 1.0 / frequency);
            let fresh = -(-rate * period).exp_m1() / (rate * period);
            demand.weight
                * match objective {
                    Objective::Freshness if frequency <= 0.0 => 0.0,
                    Objective::Freshness => fresh,
                    Objective::Age => -(period / 2.0 - (1.0 - fresh) / rate),
                }
        };
        demands.iter().zip(frequencies).map(one).sum()
    }

    #[test]
    fn inverses_lead_back() {
        for x in [1e-6, 1e-3, 0.02, 0.049, 0.051, 0.3, 1.0, 2.5, 9.0, 25.0] {
            assert_close(shape_inverse(kernel::shape(x)) / x, 1.0, 1e-4);
            assert_close(age_shape_inverse(age_shape(x)) / x, 1.0, 1e-9);
        }
        assert!(shape_inverse(1.0).is_infinite());
        assert_close(age_shape_inverse(age_shape(1e6)), 1e6, 1e-3);
        assert_close(shape_inverse(0.0), 0.0, 0.0);
        assert_close(age_shape_inverse(0.0), 0.0, 0.0);
    }

    #[test]
    fn the_shape_of_age_has_no_seam() {
        assert_close(age_shape(0.05 - 1e-12) / age_shape(0.05 + 1e-12), 1.0, 1e-9);
        // 1/2 - 1 + 2/e.
        assert_close(age_shape(1.0), 2.0 / std::f64::consts::E - 0.5, 1e-15);
    }

    #[test]
    fn the_example_of_cho_and_garcia_molina_comes_out() {
        // Their table of five pages that change 1 to 5 times a day, with a budget of 5 visits a day:
        // 1.15, 1.36, 1.35, 1.14 and 0.00. No page is visited twice in a unit of time, so the unit is a
        // tenth of a day: rates and frequencies are a tenth.
        let demands = even(&[0.1, 0.2, 0.3, 0.4, 0.5]);
        let frequencies = frequencies(Objective::Freshness, &demands, 0.5);
        for (actual, expected) in frequencies.iter().zip([0.115, 0.136, 0.135, 0.114, 0.0]) {
            assert_close(*actual, expected, 6e-4);
        }
    }

    #[test]
    fn for_age_faster_pages_are_visited_more_often() {
        // The same five pages for age: 0.84, 0.97, 1.03, 1.07 and 1.09 visits a day.
        let demands = even(&[0.1, 0.2, 0.3, 0.4, 0.5]);
        let frequencies = frequencies(Objective::Age, &demands, 0.5);
        for (actual, expected) in frequencies.iter().zip([0.084, 0.097, 0.103, 0.107, 0.109]) {
            assert_close(*actual, expected, 6e-4);
        }
    }

    #[test]
    fn a_budget_for_all_visits_each_that_changes_and_counts_once() {
        let nothing = Demand { rate: 0.0, weight: 1.0 };
        let worthless = Demand { rate: 1.0, weight: 0.0 };
        let unknown = Demand { rate: f64::NAN, weight: f64::NAN };
        for objective in BOTH {
            for budget in [1.0, 3.0, 1e9] {
                let some = [nothing, Demand { rate: 1.0, weight: 1.0 }, worthless, unknown];
                assert_eq!(frequencies(objective, &some, budget), [0.0, 1.0, 0.0, 0.0]);
            }
            assert_eq!(frequencies(objective, &even(&[1.0, 2.0]), 0.0), [0.0, 0.0]);
            assert_eq!(frequencies(objective, &[], 5.0), [0.0; 0]);
            assert_eq!(frequencies(objective, &[nothing], 0.5), [0.0]);
        }
    }

    #[test]
    fn ten_thousand_like_pages_are_treated_alike() {
        for objective in BOTH {
            for rate in [1e-9, 0.3, 1e12] {
                let frequencies = frequencies(objective, &even(&vec![rate; 10_000]), 100.0);
                assert!(frequencies.iter().all(|frequency| (frequency - 0.01).abs() < 1e-8));
            }
        }
    }

    #[test]
    fn any_number_of_threads_comes_to_the_same() {
        let demand = |number: u32| Demand {
            rate: 0.01 * f64::from(number % 97 + 1),
            weight: f64::from(number % 13 + 1),
        };
        let demands: Vec<Demand> = (0..20_000).map(demand).collect();
        for objective in BOTH {
            let by = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| frequencies(objective, &demands, 900.0))
            };
            assert_eq!(by(1), by(3));
        }
    }

    proptest! {
        #[test]
        fn the_budget_is_spent_and_no_visit_is_better_spent_elsewhere(
            rows in prop::collection::vec((-4.0..3.0_f64, -3.0..2.0_f64), 2..40),
            share in 0.01..0.99_f64,
            objective in prop::sample::select(&BOTH[..]),
            pair in any::<(prop::sample::Index, prop::sample::Index)>(),
        ) {
            let demands: Vec<Demand> = rows
                .iter()
                .map(|&(rate, weight)| Demand { rate: 10_f64.powf(rate), weight: 10_f64.powf(weight) })
                .collect();
            let budget = share * demands.len() as f64;
            let best = frequencies(objective, &demands, budget);
            prop_assert!(best.iter().all(|frequency| (0.0..=1.0).contains(frequency)));
            prop_assert!((best.iter().sum::<f64>() / budget - 1.0).abs() < 1e-9);
            // Some moved from one page to another.
            let (from, to) = (pair.0.index(best.len()), pair.1.index(best.len()));
            let moved = (best[from] / 2.0).min(1.0 - best[to]);
            let mut other = best.clone();
            other[from] -= moved;
            other[to] += moved;
            let (good, other) =
                (goodness(objective, &demands, &best), goodness(objective, &demands, &other));
            prop_assert!(good >= other - 1e-6 * other.abs(), "{} below {}", good, other);
        }
    }
}
