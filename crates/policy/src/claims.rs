//! What sitemaps and feeds say about changes, and how far each host's can be believed.
//!
//! A policy visits pages that a sitemap says have changed, and leaves the others alone. So whether a page
//! was visited depends on what was said about it, and an estimate that does not know that takes the visited
//! pages for typical ones. Two things are learned of each host from its visits: how often a page that is
//! said to have changed has; and by which factor a page changes less often while its sitemap says nothing.
use std::collections::BTreeMap;

use crawl::{HostNo, Observation, PageNo, SignalSource, Time};

use crate::{
    by_page::row_mut,
    rate_classes::{ByClass, CLASSES, mean, unchanged},
};

/// How much less often pages change while their sitemap says nothing: from "it says nothing anyway" to "it
/// tells nearly every change".
const FACTORS: [f64; 7] = [1.0, 0.5, 0.25, 0.12, 0.06, 0.03, 0.01];
/// The weight of what all hosts did for one host, in visits: for claims, and for silence.
const PRIOR_CLAIMS: f64 = 4.0;
const PRIOR_SILENT: f64 = 10.0;
/// No single visit is taken for less likely than this.
const LEAST: f64 = 1e-3;

/// What is said about a page since it was seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Said {
    /// Nobody says anything, or could.
    Nothing,
    /// That it has changed.
    Changed,
    /// A sitemap that lists it was read so many days after the page was seen, and gave no later date.
    Unchanged(f64),
}

/// What was said about pages, and whether it was true.
#[derive(Clone, Debug, Default)]
pub(crate) struct Claims {
    /// By page.
    pages: Vec<Claim>,
    /// By sitemap, when it was last read, and the number of its last list.
    sitemaps: BTreeMap<PageNo, (Time, u32)>,
    /// By number of a list, less one: the sitemap.
    lists: Vec<PageNo>,
    /// By host.
    hosts: Vec<Trust>,
    all: Trust,
}

/// What was said about a page.
#[derive(Clone, Copy, Debug, Default)]
struct Claim {
    /// The latest date that was given.
    date: Option<Time>,
    /// The last list that it was on; 0 if on none.
    list: u32,
}

/// What visits found where something was said.
#[derive(Clone, Copy, Debug, Default)]
struct Trust {
    /// Pages that were said to have changed: had, had not.
    right: f64,
    wrong: f64,
    /// Pages that were not: the log-likelihood of each factor, and the number of visits.
    factors: [f64; FACTORS.len()],
    silent: f64,
}

impl Claims {
    /// What is said about a page that was last seen at `seen`.
    pub(crate) fn said(&self, page: PageNo, seen: Time) -> Said {
        let Some(claim) = self.pages.get(page.index()) else { return Said::Nothing };
        if claim.date.is_some_and(|date| date > seen) {
            return Said::Changed;
        }
        let sitemap = claim.list.checked_sub(1).map(|list| self.lists[list as usize]);
        match sitemap.and_then(|sitemap| self.sitemaps.get(&sitemap)) {
            // A sitemap says nothing about pages that it no longer lists.
            Some(&(read, list)) if list == claim.list && read > seen => {
                Said::Unchanged((read - seen).days())
            }
            _ => Said::Nothing,
        }
    }

    /// By class, the probability that a page has not changed in the `days` since it was seen.
    pub(crate) fn unchanged(&self, host: HostNo, said: Said, days: f64) -> ByClass {
        match said {
            Said::Nothing => unchanged(days),
            Said::Changed => [1.0 - self.precision(host); CLASSES],
            Said::Unchanged(covered) => {
                let mut sums = [0.0; CLASSES];
                for (weight, factor) in self.factors(host).into_iter().zip(FACTORS) {
                    for (sum, part) in
                        sums.iter_mut().zip(unchanged(exposed(factor, covered, days)))
                    {
                        *sum += weight * part;
                    }
                }
                sums
            }
        }
    }

    /// As many days without anything said are worth these days.
    pub(crate) fn worth(&self, host: HostNo, said: Said, days: f64) -> f64 {
        let Said::Unchanged(covered) = said else { return days };
        let factor = self.factors(host).iter().zip(FACTORS).map(|(weight, one)| weight * one).sum();
        exposed(factor, covered, days)
    }

    /// How uncertain the share of pages that have changed is, among those that are said to have.
    pub(crate) fn doubt(&self, host: HostNo) -> f64 {
        let (right, trust) = (self.precision(host), self.trust(host));
        right * (1.0 - right) / (trust.right + trust.wrong + PRIOR_CLAIMS + 1.0)
    }

    /// Learns whether what was said of a visited page was true. `classes` is what was believed of it.
    pub(crate) fn check(
        &mut self,
        host: HostNo,
        said: Said,
        days: f64,
        changed: bool,
        classes: &ByClass,
    ) {
        let own = row_mut(&mut self.hosts, host.0 as usize);
        for trust in [own, &mut self.all] {
            match said {
                Said::Nothing => {}
                Said::Changed if changed => trust.right += 1.0,
                Said::Changed => trust.wrong += 1.0,
                Said::Unchanged(covered) => {
                    trust.silent += 1.0;
                    for (sum, factor) in trust.factors.iter_mut().zip(FACTORS) {
                        let same = mean(classes, &unchanged(exposed(factor, covered, days)));
                        *sum += (if changed { 1.0 - same } else { same }).max(LEAST).ln();
                    }
                }
            }
        }
    }

    /// Learns what a visit brought to say.
    pub(crate) fn learn(&mut self, seen: &Observation) {
        let is_list = seen.signals.iter().any(|signal| signal.source == SignalSource::Sitemap);
        if is_list {
            self.lists.push(seen.page);
            self.sitemaps.insert(seen.page, (seen.at, self.lists.len() as u32));
        } else if seen.changed() == Some(false)
            && let Some((read, _)) = self.sitemaps.get_mut(&seen.page)
        {
            // It still says what it said.
            *read = seen.at;
        }
        for signal in &seen.signals {
            let claim = row_mut(&mut self.pages, signal.page.index());
            claim.date = claim.date.max(Some(signal.changed));
            if signal.source == SignalSource::Sitemap {
                claim.list = self.lists.len() as u32;
            }
        }
    }

    fn trust(&self, host: HostNo) -> Trust {
        self.hosts.get(host.0 as usize).copied().unwrap_or_default()
    }

    /// How often a page that is said to have changed has.
    fn precision(&self, host: HostNo) -> f64 {
        let Trust { right, wrong, .. } = self.trust(host);
        let of_all = (self.all.right + 1.0) / (self.all.right + self.all.wrong + 2.0);
        (right + PRIOR_CLAIMS * of_all) / (right + wrong + PRIOR_CLAIMS)
    }

    /// How likely each factor is.
    fn factors(&self, host: HostNo) -> [f64; FACTORS.len()] {
        let own = self.trust(host);
        let part = (PRIOR_SILENT / self.all.silent.max(1.0)).min(1.0);
        let logs: [f64; FACTORS.len()] =
            std::array::from_fn(|place| own.factors[place] + part * self.all.factors[place]);
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let parts = logs.map(|log| (log - most).exp());
        let sum: f64 = parts.iter().sum();
        parts.map(|part| part / sum)
    }
}

/// Days of which the first `covered` count only in part.
fn exposed(factor: f64, covered: f64, days: f64) -> f64 {
    let covered = covered.min(days);
    factor * covered + (days - covered)
}

#[cfg(test)]
mod tests {
    use crawl::{Outcome, Signal};

    use super::*;
    use crate::{rate_classes::shares_of_all, testing::day};

    const HOST: HostNo = HostNo(0);
    const SITEMAP: PageNo = PageNo(9);

    /// A sitemap that is read on a day and gives dates.
    fn read(on: i64, dates: &[(u32, i64)]) -> Observation {
        let signal = |&(page, date): &(u32, i64)| Signal {
            page: PageNo(page),
            changed: day(date),
            source: SignalSource::Sitemap,
        };
        let signals = dates.iter().map(signal).collect();
        Observation { signals, ..Observation::new(SITEMAP, HOST, day(on), Outcome::Changed(1.0)) }
    }

    #[test]
    fn a_sitemap_speaks_for_the_pages_on_its_last_list_until_it_was_read() {
        let mut claims = Claims::default();
        assert_eq!(claims.said(PageNo(1), day(0)), Said::Nothing);
        claims.learn(&read(5, &[(1, 3), (2, -90)]));
        assert_eq!(claims.said(PageNo(1), day(0)), Said::Changed);
        assert_eq!(claims.said(PageNo(1), day(4)), Said::Unchanged(1.0));
        assert_eq!(claims.said(PageNo(2), day(0)), Said::Unchanged(5.0));
        assert_eq!(claims.said(PageNo(2), day(6)), Said::Nothing);
        // It was read again and was the same.
        let same = Observation {
            reason: crawl::Reason::Refresh,
            ..Observation::new(SITEMAP, HOST, day(8), Outcome::Same)
        };
        claims.learn(&same);
        assert_eq!(claims.said(PageNo(2), day(0)), Said::Unchanged(8.0));
        claims.learn(&read(9, &[(1, 3)]));
        assert_eq!(claims.said(PageNo(2), day(0)), Said::Nothing);
    }

    #[test]
    fn how_far_a_host_is_believed_is_learned_from_its_visits() {
        let classes = shares_of_all(&[0.0; CLASSES]);
        let of = |said, changed: bool| {
            let mut claims = Claims::default();
            for _ in 0..40 {
                claims.check(HOST, said, 10.0, changed, &classes);
            }
            mean(&classes, &claims.unchanged(HOST, said, 10.0))
        };
        let silent = mean(&classes, &unchanged(10.0));
        assert!(of(Said::Unchanged(10.0), false) > silent + 0.15, "a sitemap that tells all");
        assert!(of(Said::Unchanged(10.0), true) < silent + 0.02, "a sitemap that tells nothing");
        assert!(of(Said::Changed, true) < 0.05 && of(Said::Changed, false) > 0.9);
        // What was said up to a day says nothing about the days after it.
        let claims = Claims::default();
        let later = mean(&classes, &claims.unchanged(HOST, Said::Unchanged(1.0), 300.0));
        assert!((later - mean(&classes, &unchanged(300.0))).abs() < 0.01);
    }
}
