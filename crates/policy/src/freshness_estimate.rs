//! An estimate of how fresh the held pages are, from the log alone, with an interval.
//!
//! Every held page has a probability of being unchanged since its last visit, from what it did itself and
//! from what other pages of its host, and of all hosts, did ([`rate_classes`](crate::rate_classes)), and from
//! what sitemaps and feeds say ([`claims`](crate::claims)). The estimate is the mean. Four things make it uncertain, and the interval covers them all:
//! each page is fresh or not; the shares of the classes are learned from few pages at first; a look after a
//! minute says little about a month; and pages of a site change together, which is measured by how far off
//! the predictions of whole cycles were. How often such intervals hold the truth is measured in
//! `docs/results/calibration.md`.
use crawl::{HostNo, Observation, PageNo, Pages, State, Time};
use statrs::distribution::{Beta, ContinuousCDF};

use crate::{
    by_page::row_mut,
    claims::{Claims, Said},
    cycle_shocks::Shocks,
    rate_classes::{
        ByClass, CLASSES, PRIOR_PAGES, Repeated, first_pages, mean, shares_of_all, shares_of_host,
        variance,
    },
    rates::Rates,
};

/// The fewest visits between two fits of the classes of all pages, and the iterations of a fit.
const FEWEST_BETWEEN_FITS: u64 = 50;
const ITERATIONS: usize = 3;

/// The interval is this much wider than the model says. Pages that a policy chooses to check are not a
/// random sample; measured in `docs/results/calibration.md`.
const WIDER: f64 = 1.25;
/// Where a site changes in bursts, pages visited since the last one are fresh, whatever their rates say. So
/// the interval reaches higher: only this part of the distance to 1 is left above it.
const ABOVE: f64 = 0.6;
/// An interval wider than this says too little for a number to stand before it.
const WIDEST: f64 = 0.3;

/// Learns from the log how fast pages change, and how well it predicts that.
#[derive(Clone, Debug, Default)]
pub struct FreshnessEstimate {
    rates: Rates,
    checks: u64,
    /// By page, its repeated visits and its host.
    repeated: Vec<(Repeated, u32)>,
    /// Pages that were visited again.
    checked: u64,
    /// Repeated visits since the classes were fitted.
    since_fit: u64,
    claims: Claims,
    /// By host, how many pages are believed in each class.
    hosts: Vec<ByClass>,
    /// The same of all hosts.
    all: ByClass,
    shocks: Shocks,
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

impl Freshness {
    /// Whether the interval is narrow enough for the share to say something.
    pub fn is_known(&self) -> bool {
        self.high - self.low <= WIDEST
    }
}

impl FreshnessEstimate {
    /// Learns from one observation.
    pub fn learn(&mut self, seen: &Observation) {
        if let (Some(changed), Some(since)) = (seen.changed(), seen.since) {
            if self.shocks.is_over(seen.cycle)
                && self.since_fit >= self.checked.max(FEWEST_BETWEEN_FITS)
            {
                self.fit();
            }
            let days = since.days().max(0.0);
            let shares = self.shares(seen.host);
            let last = Time::from_millis(seen.at.millis() - since.millis());
            let said = self.claims.said(seen.page, last);
            let unchanged = self.claims.unchanged(seen.host, said, days);
            let (repeated, host) = row_mut(&mut self.repeated, seen.page.index());
            *host = seen.host.0;
            let before = repeated.any().then(|| repeated.classes(&shares));
            let believed = before.as_ref().unwrap_or(&shares);
            let probability = mean(believed, &unchanged);
            self.checked += u64::from(before.is_none());
            self.since_fit += 1;
            self.claims.check(seen.host, said, days, changed, believed);
            repeated.add(self.claims.worth(seen.host, said, days), changed);
            let after = repeated.classes(&shares);
            let before = before.unwrap_or_default();
            let host = row_mut(&mut self.hosts, seen.host.0 as usize);
            for pool in [host, &mut self.all] {
                for (count, (after, before)) in pool.iter_mut().zip(after.iter().zip(&before)) {
                    *count = (*count + after - before).max(0.0);
                }
            }
            self.checks += 1;
            self.shocks.add(seen.cycle, probability, changed, days);
        }
        self.claims.learn(seen);
        self.rates.learn(seen);
    }

    /// Goes through all pages again. Otherwise what was believed of a page when nothing was known of the
    /// others would count until its next visit. It is done whenever as many visits have come as there are
    /// pages, so it does not cost more than these.
    fn fit(&mut self) {
        for _ in 0..ITERATIONS {
            let shares: Vec<ByClass> =
                (0..self.hosts.len() as u32).map(|host| self.shares(HostNo(host))).collect();
            self.all = [0.0; CLASSES];
            self.hosts.fill([0.0; CLASSES]);
            for (repeated, host) in self.repeated.iter().filter(|(repeated, _)| repeated.any()) {
                let classes = repeated.classes(&shares[*host as usize]);
                for pool in [&mut self.hosts[*host as usize], &mut self.all] {
                    for (count, share) in pool.iter_mut().zip(classes) {
                        *count += share;
                    }
                }
            }
        }
        self.since_fit = 0;
    }

    /// Estimated changes of a page per day at `now`.
    pub fn rate(&self, page: PageNo, pages: &Pages, now: Time) -> f64 {
        let age = pages.last_seen(page).map_or_else(crawl::Span::default, |then| now - then);
        self.rates.belief(page, pages.host(page), age).mean()
    }

    /// The probability that a held page is unchanged since its last visit.
    pub fn fresh_probability(&self, page: PageNo, pages: &Pages, now: Time) -> Option<f64> {
        let (seen, host) = (pages.last_seen(page)?, pages.host(page));
        let said = self.claims.said(page, seen);
        let unchanged = self.claims.unchanged(host, said, (now - seen).days());
        Some(mean(&self.repeated(page).classes(&self.shares(host)), &unchanged))
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
        let ages: Vec<(PageNo, f64, Said)> = numbers
            .filter(|&page| pages.state(page) == State::Held)
            .filter_map(|page| Some((page, pages.last_seen(page)?)))
            .map(|(page, seen)| (page, (now - seen).days(), self.claims.said(page, seen)))
            .collect();
        if ages.is_empty() || self.checks == 0 {
            return None;
        }
        let mut hosts: Vec<HostSum> = vec![];
        for &(page, days, said) in &ages {
            let number = pages.host(page);
            let host = row_mut(&mut hosts, number.0 as usize);
            if host.pages == 0.0 {
                host.shares = self.shares(number);
                host.doubt = self.claims.doubt(number);
            }
            host.claimed += f64::from(u8::from(said == Said::Changed));
            host.add(&self.repeated(page), &self.claims.unchanged(number, said, days));
        }
        for host in &mut hosts {
            host.finish();
        }
        for &(page, ..) in &ages {
            let repeated = self.repeated(page);
            if repeated.any() {
                hosts[pages.host(page).0 as usize].inform(&repeated);
            }
        }
        let count = ages.len() as f64;
        let share = (hosts.iter().map(|host| host.fresh).sum::<f64>() / count).clamp(0.0, 1.0);
        let typical = self.shocks.typical_days();
        let exposed =
            ages.iter().map(|(_, days, _)| (days / typical).min(1.0)).sum::<f64>() / count;
        let spread = self.spread(&hosts, count) + self.shocks.variance() * exposed.powi(2);
        let (low, high) = interval(share, spread * WIDER.powi(2));
        // Pages are whole: the ends of the interval are between two numbers of pages.
        let (low, high) = ((low - 1.0 / count).max(0.0), (high + 1.0 / count).min(1.0));
        Some(Freshness { share, low, high, pages: ages.len(), checks: self.checks })
    }

    /// The variance of the share: pages are fresh or not, and the shares of the classes are not known.
    fn spread(&self, hosts: &[HostSum], count: f64) -> f64 {
        let all = shares_of_all(&self.all);
        let own: f64 = hosts.iter().map(|host| host.variance).sum::<f64>() / count.powi(2);
        let of_host = |host: &HostSum| {
            (host.unknown / count).powi(2) * variance(&host.shares, &host.typical)
                / (PRIOR_PAGES + host.informed + 1.0)
                + (host.claimed / count).powi(2) * host.doubt
        };
        let of_hosts: f64 = hosts.iter().filter(|host| host.pages > 0.0).map(of_host).sum();
        // What all hosts have in common is learned from the pages of all.
        let informed: f64 = hosts.iter().map(|host| host.informed).sum();
        let common: f64 = hosts
            .iter()
            .filter(|host| host.pages > 0.0)
            .map(|host| {
                let from_all = PRIOR_PAGES / (PRIOR_PAGES + host.informed);
                host.unknown / count * from_all * variance(&all, &host.typical).sqrt()
            })
            .sum();
        own + of_hosts + common.powi(2) / (first_pages() + informed + 1.0)
    }

    fn repeated(&self, page: PageNo) -> Repeated {
        self.repeated.get(page.index()).map(|(repeated, _)| *repeated).unwrap_or_default()
    }

    /// The shares of the classes among the pages of a host.
    fn shares(&self, host: HostNo) -> ByClass {
        let all = shares_of_all(&self.all);
        let none = [0.0; CLASSES];
        shares_of_host(self.hosts.get(host.0 as usize).unwrap_or(&none), &all)
    }
}

/// Sums over the held pages of one host.
#[derive(Clone, Copy, Debug, Default)]
struct HostSum {
    shares: ByClass,
    pages: f64,
    /// Expected fresh pages, and their variance.
    fresh: f64,
    variance: f64,
    /// By class, the mean probability that a page is unchanged; the sum until it is finished.
    typical: ByClass,
    /// As many pages are worth of what their visits say about the shares of the classes.
    informed: f64,
    /// Pages about which only the shares of the classes are known.
    unknown: f64,
    /// Pages that are said to have changed, and how uncertain the share of those is that have.
    claimed: f64,
    doubt: f64,
}

impl HostSum {
    fn add(&mut self, repeated: &Repeated, unchanged: &ByClass) {
        let probability = mean(&repeated.classes(&self.shares), unchanged);
        self.pages += 1.0;
        self.fresh += probability;
        self.variance += probability * (1.0 - probability);
        for (sum, unchanged) in self.typical.iter_mut().zip(unchanged) {
            *sum += unchanged;
        }
    }

    fn finish(&mut self) {
        self.typical = self.typical.map(|sum| sum / self.pages.max(1.0));
        self.unknown = self.pages;
    }

    /// Notes what the visits to a page say: how much less is unknown about it than about a page that was
    /// visited once (Louis 1982).
    fn inform(&mut self, repeated: &Repeated) {
        let before = variance(&self.shares, &self.typical);
        let after = variance(&repeated.classes(&self.shares), &self.typical);
        let known = if before > 0.0 { (1.0 - after / before).clamp(0.0, 1.0) } else { 1.0 };
        self.informed += known;
        self.unknown -= known;
    }
}

/// The 95 % interval of a share with this mean and variance, by the Beta distribution that has them.
fn interval(mean: f64, variance: f64) -> (f64, f64) {
    let mean = mean.clamp(1e-6, 1.0 - 1e-6);
    let widest = mean * (1.0 - mean);
    let size = (widest / variance.clamp(1e-9, 0.9 * widest) - 1.0).max(0.05);
    match Beta::new((mean * size).max(0.02), ((1.0 - mean) * size).max(0.02)) {
        Ok(beta) => {
            let high = beta.inverse_cdf(0.975).max(mean);
            (beta.inverse_cdf(0.025).min(mean), 1.0 - ABOVE * (1.0 - high))
        }
        // The parameters are above zero and finite.
        Err(_) => (0.0, 1.0),
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
        let changes = |page: usize, day: i64| (day + page as i64 / 20) / (page as i64 % 20 + 1);
        let start = Time::from_millis(0);
        let mut known = Pages::default();
        let mut estimate = FreshnessEstimate::default();
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
                    cycle: day as u32,
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
            // These pages change on fixed days, many at once, so the interval stays wide.
            assert!(estimate.high - estimate.low < 0.35, "{estimate:?}");
        }
    }

    #[test]
    fn where_every_repeated_visit_found_a_change_the_held_pages_are_not_said_to_be_fresh() {
        let (mut known, mut estimate) = (Pages::default(), FreshnessEstimate::default());
        for number in 0..20 {
            let page = known.insert(&format!("http://a.example/{number}"), day(0));
            known.apply(page, day(0), Outcome::First);
        }
        for number in 0..5 {
            let at = day(0) + crawl::Span::from_millis(60_000);
            let since = Some(crawl::Span::from_millis(60_000));
            known.apply(PageNo(number), at, Outcome::Changed(1.0));
            let seen = Observation::new(PageNo(number), HostNo(0), at, Outcome::Changed(1.0));
            estimate.learn(&Observation { since, ..seen });
        }
        let freshness = estimate.freshness(&known, day(0) + crawl::Span::from_millis(120_000));
        let freshness = freshness.unwrap();
        assert!(freshness.share < 0.6 && freshness.low < 0.2, "{freshness:?}");
    }

    #[test]
    fn a_few_looks_soon_after_the_crawl_do_not_make_it_known() {
        let (mut known, mut estimate) = (Pages::default(), FreshnessEstimate::default());
        for number in 0..100 {
            let page = known.insert(&format!("http://a.example/{number}"), day(0));
            known.apply(page, day(0), Outcome::First);
        }
        for number in 0..3 {
            let at = day(0) + crawl::Span::from_millis(60_000);
            let since = Some(crawl::Span::from_millis(60_000));
            known.apply(PageNo(number), at, Outcome::Same);
            let seen = Observation::new(PageNo(number), HostNo(0), at, Outcome::Same);
            estimate.learn(&Observation { since, ..seen });
        }
        let freshness = estimate.freshness(&known, day(7)).unwrap();
        assert!(!freshness.is_known(), "{freshness:?}");
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
