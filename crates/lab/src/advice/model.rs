//! What a log tells about the pages of a repository: rates, common changes, new pages.
use std::collections::BTreeMap;

use crawl::{HostNo, Observation, PageNo, Pages, Reason, State};

use super::{
    rates::{self, Likelihoods, Weights},
    record::Record,
};

/// A directory with fewer pages belongs to the one above.
const FEWEST_IN_GROUP: usize = 5;
/// Pairs of visits that "no common changes" counts for.
const PRIOR_PAIRS: f64 = 30.0;
/// The largest correlation that is believed.
const MOST_CORRELATION: f64 = 0.9;

/// What was learned from a record.
#[derive(Clone, Debug)]
pub struct ChangeModel {
    /// By page, the distribution of its rate.
    pub(super) rates: Vec<Weights>,
    /// By page, its group: pages that may change together.
    pub(super) groups: Vec<u32>,
    /// How much two visits of one group in one cycle agree beyond what their rates explain.
    pub(super) correlation: f64,
    /// By host, how many independent changes the rates of its pages rest on, about: pages that changed together
    /// are evidence of one.
    pub(super) evidence: Vec<f64>,
    /// New pages per day.
    pub(super) new_pages: f64,
    /// The new pages of the past, each with the pages that showed it.
    pub(super) found: Vec<(PageNo, Vec<PageNo>)>,
    checks: usize,
}

impl ChangeModel {
    /// Learns from a record.
    pub fn fit(record: &Record) -> Self {
        let Record { pages, log, now, .. } = record;
        let groups = groups(pages);
        let likelihoods = Likelihoods::new(log, pages.len(), *now);
        let checked: Vec<bool> = {
            let mut checked = vec![false; pages.len()];
            for seen in log.iter().filter(|seen| is_check(seen)) {
                checked[seen.page.index()] = true;
            }
            checked
        };
        let members = |is_in: &dyn Fn(usize) -> bool| -> Vec<usize> {
            (0..pages.len()).filter(|&page| checked[page] && is_in(page)).collect()
        };
        let all = likelihoods.fit(&members(&|_| true), &rates::flat());
        let by_host: Vec<Weights> = (0..pages.host_count() as u32)
            .map(|host| {
                let members = members(&|page| pages.host(PageNo(page as u32)).0 == host);
                likelihoods.fit(&members, &all)
            })
            .collect();
        let mut by_group: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (page, &group) in groups.iter().enumerate() {
            by_group.entry(group).or_default().push(page);
        }
        let mut rates = vec![all; pages.len()];
        for members in by_group.values() {
            let host = &by_host[pages.host(PageNo(members[0] as u32)).0 as usize];
            let known: Vec<usize> = members.iter().copied().filter(|&page| checked[page]).collect();
            let prior = likelihoods.fit(&known, host);
            for &page in members {
                rates[page] = likelihoods.posterior(page, &prior);
            }
        }
        let (new_pages, found) = new_pages(record);
        let checks = log.iter().filter(|seen| is_check(seen)).count();
        let evidence = vec![0.0; pages.host_count()];
        let mut model =
            Self { rates, groups, correlation: 0.0, evidence, new_pages, found, checks };
        model.correlation = model.measure_correlation(log);
        model.weigh_evidence(record);
        model
    }

    /// Repeated visits that it was learned from.
    pub fn checks(&self) -> usize {
        self.checks
    }

    /// The mean product of standardised residuals over pairs of visits to one group in one cycle.
    fn measure_correlation(&self, log: &[Observation]) -> f64 {
        let means: Vec<f64> = self.rates.iter().map(rates::mean_rate).collect();
        // By cycle and group: the number of visits, the sum of residuals and that of their squares.
        let mut sums: BTreeMap<(u32, u32), (f64, f64, f64)> = BTreeMap::new();
        for seen in log {
            let (Some(changed), Some(since)) = (seen.changed(), seen.since) else { continue };
            let page = seen.page.index();
            let expected = (-(-means[page] * since.days()).exp_m1()).clamp(0.01, 0.99);
            let found = if changed { 1.0 } else { 0.0 };
            let residual = (found - expected) / (expected * (1.0 - expected)).sqrt();
            let sum = sums.entry((seen.cycle, self.groups[page])).or_default();
            *sum = (sum.0 + 1.0, sum.1 + residual, sum.2 + residual * residual);
        }
        let (mut products, mut pairs) = (0.0, 0.0);
        for (count, sum, squares) in sums.values() {
            products += (sum * sum - squares) / 2.0;
            pairs += count * (count - 1.0) / 2.0;
        }
        (products / (pairs + PRIOR_PAIRS)).clamp(0.0, MOST_CORRELATION)
    }
}

impl ChangeModel {
    /// Counts changes by host. Of n changes in one group and cycle, n / (1 + (n - 1) correlation) are
    /// independent (Kish's design effect).
    fn weigh_evidence(&mut self, record: &Record) {
        let mut changes: BTreeMap<(u32, u32), (HostNo, f64)> = BTreeMap::new();
        for seen in record.log.iter().filter(|seen| is_check(seen) && seen.changed() == Some(true))
        {
            let group = self.groups[seen.page.index()];
            let host = record.pages.host(seen.page);
            changes.entry((seen.cycle, group)).or_insert((host, 0.0)).1 += 1.0;
        }
        for (host, count) in changes.into_values() {
            self.evidence[host.0 as usize] += count / (1.0 + (count - 1.0) * self.correlation);
        }
    }
}

/// Whether a visit compared a page with its held copy.
fn is_check(seen: &Observation) -> bool {
    seen.changed().is_some() && seen.since.is_some()
}

/// By page, the number of its group: its directory, or one above where that has few pages.
fn groups(pages: &Pages) -> Vec<u32> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for page in pages.numbers() {
        for above in directories(pages.address(page)) {
            *counts.entry(above).or_default() += 1;
        }
    }
    let mut numbers: BTreeMap<&str, u32> = BTreeMap::new();
    let group = |page: PageNo| {
        let address = pages.address(page);
        let is_large = |directory: &&str| counts[directory] >= FEWEST_IN_GROUP;
        let own = directories(address).find(is_large).or_else(|| directories(address).last());
        let next = numbers.len() as u32;
        *numbers.entry(own.unwrap_or(address)).or_insert(next)
    };
    pages.numbers().map(group).collect()
}

/// The directories of an address, the innermost first, the root of the host last.
pub(super) fn directories(address: &str) -> impl Iterator<Item = &str> {
    let path = address.find(['?', '#']).map_or(address, |end| &address[..end]);
    let host = path.find("://").map_or(0, |at| at + 3);
    let slashes = path.char_indices().rev().filter(move |&(at, one)| one == '/' && at >= host);
    slashes.map(|(at, _)| &address[..=at])
}

/// New pages per day, and which pages showed each.
fn new_pages(record: &Record) -> (f64, Vec<(PageNo, Vec<PageNo>)>) {
    let mut shown: BTreeMap<PageNo, Vec<PageNo>> = BTreeMap::new();
    let mut span: Option<(crawl::Time, crawl::Time)> = None;
    // A page that is visited for the first time shows much that is old.
    for seen in record.log.iter().filter(|seen| seen.reason != Reason::First) {
        span = Some(span.map_or((seen.at, seen.at), |(first, _)| (first, seen.at)));
        for &lead in &seen.leads {
            if record.pages.state(lead) == State::Held {
                shown.entry(lead).or_default().push(seen.page);
            }
        }
    }
    let days = span.map_or(0.0, |(first, last)| (last - first).days());
    if days < 1.0 {
        return (0.0, vec![]);
    }
    (shown.len() as f64 / days, shown.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_directories_belong_to_the_one_above() {
        let mut pages = Pages::default();
        let now = crawl::Time::from_millis(0);
        for page in 0..6 {
            pages.insert(&format!("http://a.example/docs/{page}.html"), now);
        }
        pages.insert("http://a.example/docs/deep/1.html", now);
        pages.insert("http://a.example/about.html", now);
        let groups = groups(&pages);
        assert_eq!(groups[..6], [0; 6]);
        assert_eq!(groups[6], 0);
        assert_ne!(groups[7], 0);
        let found: Vec<&str> = directories("http://a.example/x/y?q=/z/").collect();
        assert_eq!(found, ["http://a.example/x/", "http://a.example/"]);
    }
}
