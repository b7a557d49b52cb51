//! Change rates learned from visits, by page and by host.
//!
//! The posterior of a page's rate is a Gamma distribution. A visit that found no change adds its
//! waiting time. One that found a change also adds the expected number of changes given at least one
//! (an EM step, whose fixed point is the maximum-likelihood rate for irregular visits). The prior's
//! mean is the host's rate, shrunk towards the rate of all hosts. Old evidence fades.
//! `docs/papers.md` D3.1 to D3.3.
use crawl::{HostNo, Observation, Outcome, PageNo, Span, Time};

use crate::{by_page::row_mut, kernel::Belief};

/// Shape of the prior. Above 1, so that a page surely stale has a finite worth.
const PRIOR_CHANGES: f64 = 1.5;
/// Rate before any evidence: a change a month.
const FIRST_RATE_PER_DAY: f64 = 1.0 / 30.0;
/// Weight of the level above compared with a host's own evidence: a month of one page.
const PRIOR_DAYS: f64 = 30.0;
/// Half-life of evidence: half a year.
const HALF_LIFE_DAYS: f64 = 182.0;

/// Evidence about every page and host; a fold of the log.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rates {
    /// Only larger changes count.
    threshold: f32,
    pages: Vec<Evidence<f32>>,
    hosts: Vec<Pool>,
    all: Pool,
}

/// Changes found, and days watched.
#[derive(Clone, Copy, Debug, Default)]
struct Evidence<Number> {
    changes: Number,
    days: Number,
}

/// Evidence of many pages together, as of an instant.
#[derive(Clone, Copy, Debug, Default)]
struct Pool {
    evidence: Evidence<f64>,
    at: Option<Time>,
}

impl Pool {
    fn add(&mut self, evidence: Evidence<f64>, at: Time) {
        let kept = self.at.map_or(0.0, |then| kept(at - then));
        self.evidence.changes = self.evidence.changes * kept + evidence.changes;
        self.evidence.days = self.evidence.days * kept + evidence.days;
        self.at = Some(at);
    }

    /// Changes per day, where `above` is the rate without this pool's evidence.
    fn rate(&self, above: f64) -> f64 {
        (self.evidence.changes + PRIOR_DAYS * above) / (self.evidence.days + PRIOR_DAYS)
    }
}

/// The weight of evidence that is `span` old.
fn kept(span: Span) -> f64 {
    (-span.days() / HALF_LIFE_DAYS).exp2()
}

/// How much of the page a visit found changed: 0 if it found the same, 1 if the page is gone. `None` if
/// the visit compares nothing.
pub(crate) fn amount(seen: &Observation) -> Option<f32> {
    seen.changed().map(|_| match seen.outcome {
        Outcome::Changed(amount) => amount,
        Outcome::Gone => 1.0,
        _ => 0.0,
    })
}

impl Rates {
    /// Rates of changes larger than `threshold`, a share of the page. Usually that is 0.
    pub(crate) fn above(threshold: f64) -> Self {
        Self { threshold: threshold as f32, ..Self::default() }
    }

    /// Learns from one observation. First and failed visits say nothing about rates.
    pub(crate) fn learn(&mut self, seen: &Observation) {
        let (Some(amount), Some(since)) = (amount(seen), seen.since) else { return };
        let days = since.days();
        let changes = if amount > self.threshold {
            let expected = self.belief(seen.page, seen.host, since).mean() * days;
            // The expected number of changes given at least one; 1 for the shortest waits.
            if expected < 1e-6 { 1.0 } else { expected / -(-expected).exp_m1() }
        } else {
            0.0
        };
        let page = row_mut(&mut self.pages, seen.page.index());
        let kept = kept(since);
        page.changes = (f64::from(page.changes) * kept + changes) as f32;
        page.days = (f64::from(page.days) * kept + days) as f32;
        row_mut(&mut self.hosts, seen.host.0 as usize).add(Evidence { changes, days }, seen.at);
        self.all.add(Evidence { changes, days }, seen.at);
    }

    /// The posterior of a page's rate per day, `age` after its last visit.
    pub(crate) fn belief(&self, page: PageNo, host: HostNo, age: Span) -> Belief {
        let mean = self.host_rate(host);
        let own = self.pages.get(page.index()).copied().unwrap_or_default();
        let kept = kept(age);
        Belief {
            changes: PRIOR_CHANGES + f64::from(own.changes) * kept,
            time: PRIOR_CHANGES / mean + f64::from(own.days) * kept,
        }
    }

    /// Changes per day of a host's typical page.
    fn host_rate(&self, host: HostNo) -> f64 {
        let all = self.all.rate(FIRST_RATE_PER_DAY);
        self.hosts.get(host.0 as usize).map_or(all, |pool| pool.rate(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Visits to page 0 of host 0, `days` apart, with or without a change.
    fn learned(visits: &[(i64, bool)]) -> Rates {
        let outcome = |changed| if changed { Outcome::Changed(1.0) } else { Outcome::Same };
        let visits: Vec<_> =
            visits.iter().map(|&(days, changed)| (days, outcome(changed))).collect();
        found(Rates::default(), &visits)
    }

    /// The rates after visits with these outcomes to page 0 of host 0, `days` apart.
    fn found(mut rates: Rates, visits: &[(i64, Outcome)]) -> Rates {
        let mut at = Time::from_millis(0);
        for &(days, outcome) in visits {
            let since = Span::from_days(days);
            at = at + since;
            rates.learn(&Observation {
                since: Some(since),
                ..Observation::new(PageNo(0), HostNo(0), at, outcome)
            });
        }
        rates
    }

    #[test]
    fn before_anything_is_seen_a_page_changes_once_a_month() {
        let belief = learned(&[]).belief(PageNo(0), HostNo(0), Span::default());
        assert!((belief.mean() - 1.0 / 30.0).abs() < 1e-12);
    }

    #[test]
    fn one_visit_without_change_adds_its_days() {
        // Host and all: (0 + 30 r) / (10 + 30) with r = (30 / 30) / (10 + 30) = 1/40 per day, so
        // 30/40/40 = 3/160; prior time 1.5 * 160 / 3 = 80 days, and 10 watched: 1.5 / 90.
        let belief = learned(&[(10, false)]).belief(PageNo(0), HostNo(0), Span::default());
        assert!((belief.mean() - 1.5 / 90.0).abs() < 1e-9, "{}", belief.mean());
    }

    #[test]
    fn a_page_that_always_changed_is_believed_faster_than_its_host() {
        let rates = learned(&[(7, true); 20]);
        let own = rates.belief(PageNo(0), HostNo(0), Span::default()).mean();
        let other = rates.belief(PageNo(1), HostNo(0), Span::default()).mean();
        let elsewhere = rates.belief(PageNo(1), HostNo(1), Span::default()).mean();
        assert!(own > other && other >= elsewhere && elsewhere > 1.0 / 30.0);
    }

    #[test]
    fn rates_are_found_again_from_irregular_visits() {
        // A page that changes every fifth day, watched every day for two years: the expected estimate is
        // the exact rate, except for the prior and the fading of evidence.
        let visits: Vec<_> = (0..730).map(|day| (1, day % 5 == 0)).collect();
        let mean = learned(&visits).belief(PageNo(0), HostNo(0), Span::default()).mean();
        // Every fifth one-day wait found a change: 1 - e^-rate = 0.2.
        let expected = -(0.8_f64.ln());
        assert!((mean - expected).abs() < 0.02 * expected, "{mean} against {expected}");
    }

    #[test]
    fn evidence_fades() {
        let rates = learned(&[(7, true); 20]);
        let now = rates.belief(PageNo(0), HostNo(0), Span::default());
        let later = rates.belief(PageNo(0), HostNo(0), Span::from_days(182));
        assert!(((later.changes - 1.5) / (now.changes - 1.5) - 0.5).abs() < 1e-6);
    }

    #[test]
    fn only_changes_above_the_threshold_count_and_that_a_page_is_gone_counts_in_full() {
        let mean = |threshold, outcome| {
            let rates = found(Rates::above(threshold), &[(7, outcome)]);
            rates.belief(PageNo(0), HostNo(0), Span::default()).mean()
        };
        let (same, changed) = (mean(0.0, Outcome::Same), mean(0.0, Outcome::Changed(1.0)));
        assert!(same < changed);
        for (threshold, outcome, expected) in [
            (0.0, Outcome::Changed(0.01), changed),
            (0.3, Outcome::Changed(0.2), same),
            (0.3, Outcome::Changed(0.3), same),
            (0.3, Outcome::Changed(0.31), changed),
            (0.9, Outcome::Gone, changed),
            (1.0, Outcome::Gone, same),
        ] {
            assert!((mean(threshold, outcome) - expected).abs() < 1e-12, "{threshold} {outcome:?}");
        }
    }
}
