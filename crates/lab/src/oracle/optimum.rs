//! The highest expected freshness of any policy on a Poisson web with known rates.
//!
//! Cho and Garcia-Molina, "Effective page refresh policies for web crawlers", TODS 28(4), 2003:
//! pages are visited at fixed periods, `f` visits a day each, which sum to the budget; the
//! freshness of a page is (1 - e^-x) / x with x = rate / f, and at the optimum every visited page
//! has the same marginal freshness A(x) / rate (`docs/papers.md` B1).
use policy::kernel::shape;

/// Expected time-average freshness of the optimal allocation of `visits_per_day` among pages that
/// change at `rates` per day.
pub fn poisson_optimum(rates: &[f64], visits_per_day: f64) -> f64 {
    let spent = |price: f64| -> f64 {
        rates.iter().filter_map(|&rate| waiting(price * rate).map(|x| rate / x)).sum()
    };
    // A higher price of a visit means fewer visits: bisect the price.
    let (mut low, mut high) = (0.0, 1.0 / rates.iter().copied().fold(f64::INFINITY, f64::min));
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if spent(middle) > visits_per_day { low = middle } else { high = middle }
    }
    let fresh = |rate: f64| waiting(high * rate).map_or(0.0, |x| -(-x).exp_m1() / x);
    rates.iter().map(|&rate| fresh(rate)).sum::<f64>() / rates.len() as f64
}

/// Expected changes between visits at which A(x) = `share`; `None` if a visit is never worth its
/// price.
fn waiting(share: f64) -> Option<f64> {
    if share >= 1.0 {
        return None;
    }
    let (mut low, mut high) = (0.0, 1.0);
    while shape(high) < share {
        high *= 2.0;
    }
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if shape(middle) < share { low = middle } else { high = middle }
    }
    Some(f64::midpoint(low, high)).filter(|&x| x > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_change_alike_share_the_budget_alike() {
        // Each page is visited every other day and changes once a day: (1 - e^-2) / 2.
        let optimum = poisson_optimum(&[1.0; 10], 5.0);
        assert!((optimum - (1.0 - (-2.0_f64).exp()) / 2.0).abs() < 1e-9, "{optimum}");
    }

    #[test]
    fn a_page_that_changes_too_fast_gets_nothing() {
        // One visit a day, one page changing daily and one changing 50 times a day: all of it goes
        // to the first. Visits to the other would buy 1/50 of a day each.
        let optimum = poisson_optimum(&[1.0, 50.0], 1.0);
        assert!((optimum - (1.0 - (-1.0_f64).exp()) / 2.0).abs() < 1e-6, "{optimum}");
    }

    #[test]
    fn no_uniform_allocation_does_better() {
        let rates: Vec<f64> = (1..200).map(|page| 0.002 * f64::from(page)).collect();
        for budget in [1.0, 10.0, 60.0] {
            let each = budget / rates.len() as f64;
            let uniform: f64 =
                rates.iter().map(|rate| -(-rate / each).exp_m1() * each / rate).sum::<f64>()
                    / rates.len() as f64;
            assert!(poisson_optimum(&rates, budget) > uniform);
        }
    }
}
