//! How often the changes of a page matter: the d(p) of embarrassment-based refreshing.
//!
//! Pandey and Olston, "User-Centric Web Crawling", WWW 2005, section 6.1.2: the share of a page's updates
//! that change at least some part of it. Departure: the share is shrunk towards that of the page's host,
//! and the host's towards that of all, because the paper had a year of every page and a crawl has a few
//! visits.
use crawl::{HostNo, Observation, PageNo};

use crate::{by_page::row_mut, rates};

/// Weight of the level above, in changes.
const PRIOR_CHANGES: f64 = 2.0;
/// The share before any change was seen.
const FIRST_SHARE: f64 = 0.5;

/// Changes found on every page and host; a fold of the log.
#[derive(Clone, Debug)]
pub(super) struct Severities {
    threshold: f32,
    pages: Vec<Changes<u32>>,
    hosts: Vec<Changes<u64>>,
    all: Changes<u64>,
}

/// Number of changes found, and of those that matter.
#[derive(Clone, Copy, Debug, Default)]
struct Changes<Number> {
    found: Number,
    severe: Number,
}

/// The share of `severe` among `found`, where `above` is the prior share.
fn share(found: f64, severe: f64, above: f64) -> f64 {
    (severe + PRIOR_CHANGES * above) / (found + PRIOR_CHANGES)
}

impl Changes<u64> {
    fn add(&mut self, is_severe: bool) {
        self.found += 1;
        self.severe += u64::from(is_severe);
    }

    fn share(self, above: f64) -> f64 {
        share(self.found as f64, self.severe as f64, above)
    }
}

impl Severities {
    /// Changes of at least `threshold` matter.
    pub(super) fn above(threshold: f64) -> Self {
        Self { threshold: threshold as f32, pages: vec![], hosts: vec![], all: Changes::default() }
    }

    /// Learns from one observation; only changes count.
    pub(super) fn learn(&mut self, seen: &Observation) {
        let Some(amount) = rates::amount(seen).filter(|&amount| amount > 0.0) else { return };
        let is_severe = amount >= self.threshold;
        let (page, host) = (seen.page.index(), seen.host.0 as usize);
        let own = row_mut(&mut self.pages, page);
        own.found += 1;
        own.severe += u32::from(is_severe);
        row_mut(&mut self.hosts, host).add(is_severe);
        self.all.add(is_severe);
    }

    /// The share of a page's changes that matter.
    pub(super) fn share(&self, page: PageNo, host: HostNo) -> f64 {
        let all = self.all.share(FIRST_SHARE);
        let host = self.hosts.get(host.0 as usize).map_or(all, |host| host.share(all));
        let own = self.pages.get(page.index()).copied().unwrap_or_default();
        share(f64::from(own.found), f64::from(own.severe), host)
    }
}

#[cfg(test)]
mod tests {
    use crawl::{Outcome, Span, Time};

    use super::*;

    /// Severities after these outcomes on page 0 of host 0.
    fn learned(threshold: f64, outcomes: &[Outcome]) -> Severities {
        let mut severities = Severities::above(threshold);
        for &outcome in outcomes {
            severities.learn(&Observation {
                since: Some(Span::from_days(1)),
                ..Observation::new(PageNo(0), HostNo(0), Time::from_millis(0), outcome)
            });
        }
        severities
    }

    fn assert_share(severities: &Severities, page: u32, host: u32, expected: f64) {
        let actual = severities.share(PageNo(page), HostNo(host));
        assert!((actual - expected).abs() < 1e-12, "{actual} is not {expected}");
    }

    #[test]
    fn before_any_change_nothing_is_known() {
        let severities = learned(0.5, &[Outcome::Same, Outcome::Failed, Outcome::First]);
        assert_share(&severities, 0, 0, 0.5);
        assert_share(&severities, 7, 7, 0.5);
    }

    #[test]
    fn the_share_of_changes_that_matter_is_drawn_to_the_host_and_that_to_all() {
        // Three of four matter: all (3 + 2 * 0.5) / 6 = 2/3, the host (3 + 2 * 2/3) / 6 = 13/18, the
        // page (3 + 2 * 13/18) / 6 = 20/27.
        let changes = [0.4, 0.5, 0.9].map(Outcome::Changed);
        let severities = learned(0.5, &[&changes[..], &[Outcome::Gone, Outcome::Same]].concat());
        assert_share(&severities, 0, 1, (3.0 + 4.0 / 3.0) / 6.0);
        assert_share(&severities, 0, 0, 20.0 / 27.0);
        assert_share(&severities, 1, 0, 13.0 / 18.0);
        assert_share(&severities, 1, 1, 2.0 / 3.0);
    }

    #[test]
    fn from_nothing_on_every_change_matters() {
        let severities = learned(0.0, &[Outcome::Changed(1e-6); 1000]);
        assert!(severities.share(PageNo(0), HostNo(0)) > 0.999);
        let severities = learned(1.0, &[Outcome::Changed(0.99); 1000]);
        let share = severities.share(PageNo(0), HostNo(0));
        assert!(share > 0.0 && share < 1e-3);
    }
}
