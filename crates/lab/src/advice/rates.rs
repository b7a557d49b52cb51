//! How often pages change: a distribution over rates for each page, without a parametric form.
//!
//! Visits tell only whether a page changed since the one before, so the likelihood of a rate r after waits t
//! is the product of e^(-rt) for waits without and 1 - e^(-rt) for waits with a change. The prior is a mixture
//! over fixed rates, whose weights are those that make the whole log most likely (Kiefer and Wolfowitz 1956;
//! Laird 1978), by directory, each shrunk towards its host and that towards all pages. Old waits count less.
use crawl::{Observation, Time};

/// The rates per day, ascending: from one change in eight years to four a day.
pub(super) const RATES: usize = 32;
const LOWEST: f64 = 1.0 / (8.0 * 365.0);
const HIGHEST: f64 = 4.0;
/// The half-life of evidence, in days.
const HALF_LIFE: f64 = 182.0;
/// Iterations of the EM algorithm.
const ITERATIONS: usize = 40;
/// Pages that the level above counts for.
const PRIOR_PAGES: f64 = 5.0;

/// A distribution over [`rates`].
pub(super) type Weights = [f64; RATES];

/// The rates, per day.
pub(super) fn rates() -> [f64; RATES] {
    let step = (HIGHEST / LOWEST).ln() / (RATES - 1) as f64;
    std::array::from_fn(|place| LOWEST * (step * place as f64).exp())
}

/// The mean of a distribution.
pub(super) fn mean_rate(weights: &Weights) -> f64 {
    rates().iter().zip(weights).map(|(rate, weight)| rate * weight).sum()
}

/// Log-likelihoods of rates, by page.
#[derive(Clone, Debug)]
pub(super) struct Likelihoods(pub(super) Vec<Weights>);

impl Likelihoods {
    /// From the log of so many pages, at an instant.
    pub(super) fn new(log: &[Observation], pages: usize, now: Time) -> Self {
        let rates = rates();
        let mut all = vec![[0.0; RATES]; pages];
        for seen in log {
            let (Some(changed), Some(since)) = (seen.changed(), seen.since) else { continue };
            let weight = (-(now - seen.at).days() / HALF_LIFE).exp2();
            let days = since.days().max(1e-6);
            for (sum, rate) in all[seen.page.index()].iter_mut().zip(rates) {
                let same = -rate * days;
                *sum += weight * if changed { (-same.exp_m1()).ln() } else { same };
            }
        }
        Self(all)
    }

    /// The posterior of a page for a prior.
    pub(super) fn posterior(&self, page: usize, prior: &Weights) -> Weights {
        let own = &self.0[page];
        let most = own.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        normal(std::array::from_fn(|place| prior[place] * (own[place] - most).exp()))
    }

    /// The weights of the mixture that make these pages most likely, shrunk towards `above`.
    pub(super) fn fit(&self, pages: &[usize], above: &Weights) -> Weights {
        let mut weights = *above;
        for _ in 0..ITERATIONS {
            let mut sums = above.map(|weight| weight * PRIOR_PAGES);
            for &page in pages {
                let posterior = self.posterior(page, &weights);
                for (sum, share) in sums.iter_mut().zip(posterior) {
                    *sum += share;
                }
            }
            weights = normal(sums);
        }
        weights
    }
}

/// The prior of all pages before any evidence: every rate alike.
pub(super) fn flat() -> Weights {
    [1.0 / RATES as f64; RATES]
}

fn normal(weights: Weights) -> Weights {
    let sum: f64 = weights.iter().sum();
    if sum > 0.0 { weights.map(|weight| weight / sum) } else { flat() }
}

#[cfg(test)]
mod tests {
    use crawl::{HostNo, Outcome, PageNo, Span};

    use super::*;

    fn visits(page: u32, days: i64, changed: impl Fn(i64) -> bool) -> Vec<Observation> {
        let visit = |number: i64| {
            let at = Time::from_millis(0) + Span::from_days(days * number);
            let outcome = if changed(number) { Outcome::Changed(1.0) } else { Outcome::Same };
            let since = Some(Span::from_days(days));
            Observation { since, ..Observation::new(PageNo(page), HostNo(0), at, outcome) }
        };
        (1..=20).map(visit).collect()
    }

    #[test]
    fn two_kinds_of_pages_are_told_apart() {
        // Five pages that change about every fourth week, five that never do.
        let mut log = vec![];
        for page in 0..10 {
            log.extend(visits(page, 7, |number| page < 5 && number % 4 == 0));
        }
        let now = Time::from_millis(0) + Span::from_days(140);
        let likelihoods = Likelihoods::new(&log, 10, now);
        let all: Vec<usize> = (0..10).collect();
        let prior = likelihoods.fit(&all, &flat());
        let rate = |page| mean_rate(&likelihoods.posterior(page, &prior));
        assert!((0.02..0.06).contains(&rate(0)), "{}", rate(0));
        assert!(rate(9) < 0.01, "{}", rate(9));
    }

    #[test]
    fn a_page_that_changed_at_every_visit_may_change_more_often_than_it_was_visited() {
        let log = visits(0, 7, |_| true);
        let likelihoods = Likelihoods::new(&log, 1, log[19].at);
        let posterior = likelihoods.posterior(0, &flat());
        assert!(mean_rate(&posterior) > 1.0 / 7.0);
        assert!((posterior.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }
}
