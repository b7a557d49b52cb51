//! How often a page's changes matter: the d(p) of embarrassment-based refreshing.
//!
//! Pandey and Olston, "User-Centric Web Crawling", WWW 2005, section 6.1.2: the share of a page's
//! updates that change at least some part of it. Departure: the share is drawn towards that of the
//! page's host, and the host's towards that of all, because the paper knew a year of every page
//! beforehand and we know a few visits.
use flow::{HostNo, Observation, PageNo};

use crate::rate;

/// How many changes the level above counts for against a page's or a host's own.
const PRIOR_CHANGES: f64 = 2.0;
/// The share before any change was seen: nothing is known.
const FIRST_SHARE: f64 = 0.5;

/// Changes found on every page and host so far; a fold of the log.
#[derive(Debug)]
pub(super) struct Severities {
    threshold: f32,
    pages: Vec<Changes<u32>>,
    hosts: Vec<Changes<u64>>,
    all: Changes<u64>,
}

/// How many changes were found, and how many of them matter.
#[derive(Clone, Copy, Debug, Default)]
struct Changes<Number> {
    found: Number,
    severe: Number,
}

/// The share of `severe` among `found`, where `above` is what is believed without them.
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
    /// A change matters from `threshold` on.
    pub(super) fn from(threshold: f64) -> Self {
        Self { threshold: threshold as f32, pages: vec![], hosts: vec![], all: Changes::default() }
    }

    /// Takes in one observation; only a change says anything.
    pub(super) fn learn(&mut self, seen: &Observation) {
        let Some(amount) = rate::amount(seen).filter(|&amount| amount > 0.0) else { return };
        let is_severe = amount >= self.threshold;
        let (page, host) = (seen.page.index(), seen.host.0 as usize);
        if self.pages.len() <= page {
            self.pages.resize(page + 1, Changes::default());
        }
        if self.hosts.len() <= host {
            self.hosts.resize(host + 1, Changes::default());
        }
        let own = &mut self.pages[page];
        own.found += 1;
        own.severe += u32::from(is_severe);
        self.hosts[host].add(is_severe);
        self.all.add(is_severe);
    }

    /// The share of a page's changes that matter.
    pub(super) fn of(&self, page: PageNo, host: HostNo) -> f64 {
        let all = self.all.share(FIRST_SHARE);
        let host = self.hosts.get(host.0 as usize).map_or(all, |host| host.share(all));
        let own = self.pages.get(page.index()).copied().unwrap_or_default();
        share(f64::from(own.found), f64::from(own.severe), host)
    }
}

#[cfg(test)]
mod tests {
    use flow::{Outcome, Reason, Span, Time};

    use super::*;

    /// What is believed after these outcomes on page 0 of host 0.
    fn learned(threshold: f64, outcomes: &[Outcome]) -> Severities {
        let mut severities = Severities::from(threshold);
        for &outcome in outcomes {
            severities.learn(&Observation {
                page: PageNo(0),
                host: HostNo(0),
                at: Time::from_millis(0),
                reason: Reason::Refresh,
                outcome,
                since: Some(Span::from_days(1)),
                fault: None,
                leads: vec![],
                cycle: 0,
                signals: vec![],
                impact: None,
            });
        }
        severities
    }

    fn assert_share(severities: &Severities, page: u32, host: u32, expected: f64) {
        let actual = severities.of(PageNo(page), HostNo(host));
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
        assert!(severities.of(PageNo(0), HostNo(0)) > 0.999);
        let severities = learned(1.0, &[Outcome::Changed(0.99); 1000]);
        let share = severities.of(PageNo(0), HostNo(0));
        assert!(share > 0.0 && share < 1e-3);
    }
}
