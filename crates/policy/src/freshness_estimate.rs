//! An estimate of how fresh the held pages are, from the log alone.
//!
//! Every held page has a probability of being unchanged since its last visit, from the same learned
//! rates that the index policies plan with. The estimate is the mean of these probabilities. Its error
//! is measured, not assumed: each visit that compares something is predicted first, and the prediction
//! is compared with the outcome. The interval is that of the pages' probabilities (each page is fresh
//! or not), widened by the error of these predictions. It does not cover pages that behave unlike all
//! visited pages.
use crawl::{Observation, PageNo, Pages, State, Time};

use crate::rates::Rates;

/// Predictions older than about this many fade.
const CHECKS_IN_MIND: f64 = 1_000.0;
/// 95 % of a normal distribution lie within this many standard deviations.
const DEVIATIONS: f64 = 1.96;

/// Learns from the log how fast pages change, and how well it predicts that.
#[derive(Clone, Debug, Default)]
pub struct FreshnessEstimate {
    rates: Rates,
    checks: u64,
    /// Faded sums over past predictions: their number, fresh minus predicted, and the variance of the
    /// predicted outcomes.
    weight: f64,
    error: f64,
    variance: f64,
}

/// An estimate of how fresh the held pages are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Freshness {
    /// The expected share of held pages that are unchanged since their last visit.
    pub share: f64,
    /// The lower end of its 95 % interval.
    pub low: f64,
    /// The upper end of its 95 % interval.
    pub high: f64,
    /// Held pages.
    pub pages: usize,
    /// Predictions that a visit has checked.
    pub checks: u64,
}

impl FreshnessEstimate {
    /// Learns from one observation.
    pub fn learn(&mut self, seen: &Observation) {
        if let (Some(changed), Some(since)) = (seen.changed(), seen.since) {
            let probability =
                self.rates.belief(seen.page, seen.host, since).fresh_probability(since.days());
            let kept = 1.0 - 1.0 / CHECKS_IN_MIND;
            let found = if changed { 0.0 } else { 1.0 };
            self.checks += 1;
            self.weight = self.weight * kept + 1.0;
            self.error = self.error * kept + found - probability;
            self.variance = self.variance * kept * kept + probability * (1.0 - probability);
        }
        self.rates.learn(seen);
    }

    /// Estimated changes of a page per day at `now`.
    pub fn rate(&self, page: PageNo, pages: &Pages, now: Time) -> f64 {
        let age = pages.last_seen(page).map_or_else(crawl::Span::default, |then| now - then);
        self.rates.belief(page, pages.host(page), age).mean()
    }

    /// The probability that a held page is unchanged since its last visit.
    pub fn fresh_probability(&self, page: PageNo, pages: &Pages, now: Time) -> Option<f64> {
        let age = now - pages.last_seen(page)?;
        Some(self.rates.belief(page, pages.host(page), age).fresh_probability(age.days()))
    }

    /// The estimate at `now`; `None` while nothing is held or no prediction was checked.
    pub fn freshness(&self, pages: &Pages, now: Time) -> Option<Freshness> {
        self.freshness_of(pages.numbers(), pages, now)
    }

    /// The same for some pages, such as those of a host or a sample.
    pub fn freshness_of(
        &self,
        numbers: impl Iterator<Item = PageNo>,
        pages: &Pages,
        now: Time,
    ) -> Option<Freshness> {
        let held = numbers.filter(|&page| pages.state(page) == State::Held);
        let probabilities: Vec<f64> =
            held.filter_map(|page| self.fresh_probability(page, pages, now)).collect();
        if probabilities.is_empty() || self.checks == 0 {
            return None;
        }
        let count = probabilities.len() as f64;
        let share = probabilities.iter().sum::<f64>() / count;
        let own =
            probabilities.iter().map(|probability| probability * (1.0 - probability)).sum::<f64>()
                / count.powi(2);
        let bias = self.error / self.weight;
        let of_bias = self.variance.max(0.25) / self.weight.powi(2);
        let half = (DEVIATIONS.powi(2) * (own + of_bias) + bias.powi(2)).sqrt();
        Some(Freshness {
            share,
            low: (share - half).max(0.0),
            high: (share + half).min(1.0),
            pages: probabilities.len(),
            checks: self.checks,
        })
    }
}

#[cfg(test)]
mod tests {
    use crawl::{Outcome, Reason};

    use super::*;
    use crate::testing::day;

    /// Pages of one host, of which page n changes every (n % 20 + 1)-th day, each visited once in `gap`
    /// days for `days` days. Returns the estimate and the true share at the end.
    fn watched(pages: usize, gap: i64, days: i64) -> (Option<Freshness>, f64) {
        let start = Time::from_millis(0);
        let mut known = Pages::default();
        let mut estimate = FreshnessEstimate::default();
        let changes = |page: usize, day: i64| (day + page as i64 / 20) / (page as i64 % 20 + 1);
        let mut seen_at = vec![None; pages];
        for page in 0..pages {
            known.insert(&format!("http://a.example/{page}"), start);
        }
        for day in 0..=days {
            for page in (0..pages).filter(|&page| (page as i64 + day) % gap == 0) {
                let number = PageNo(page as u32);
                let now = changes(page, day);
                let outcome = match seen_at[page].replace(now) {
                    None => Outcome::First,
                    Some(before) if before == now => Outcome::Same,
                    Some(_) => Outcome::Changed(1.0),
                };
                let at = self::day(day);
                let since = known.last_seen(number).map(|then| at - then);
                let reason =
                    if outcome == Outcome::First { Reason::First } else { Reason::Refresh };
                known.apply(number, at, outcome);
                estimate.learn(&Observation {
                    reason,
                    since,
                    ..Observation::new(number, known.host(number), at, outcome)
                });
            }
        }
        let fresh = (0..pages).filter(|&page| seen_at[page] == Some(changes(page, days))).count();
        (estimate.freshness(&known, day(days)), fresh as f64 / pages as f64)
    }

    #[test]
    fn the_interval_holds_the_truth() {
        for (gap, days) in [(3, 60), (7, 90), (10, 200)] {
            let (estimate, truth) = watched(400, gap, days);
            let estimate = estimate.unwrap();
            assert!(estimate.low <= truth && truth <= estimate.high, "{estimate:?}, {truth}");
            assert!(estimate.high - estimate.low < 0.25, "{estimate:?}");
        }
    }

    #[test]
    fn with_more_evidence_it_is_narrower() {
        let width = |days| {
            let freshness = watched(400, 7, days).0.unwrap();
            freshness.high - freshness.low
        };
        assert!(width(90) < width(8), "{} {}", width(90), width(8));
    }

    #[test]
    fn before_any_page_was_visited_twice_nothing_is_claimed() {
        assert_eq!(watched(10, 3, 1).0, None);
        assert_eq!(
            FreshnessEstimate::default().freshness(&Pages::default(), Time::from_millis(0)),
            None
        );
    }
}
