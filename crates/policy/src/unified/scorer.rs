//! Scores of pages at one plan.
use crawl::{Expectation, Known, PageNo, Span, State};
use instruments::fragments::{Evidence, Fragments};

use super::{
    counters::{Counters, Priors},
    discovery,
    features::{COUNT, Row, Scales, logit},
    model::Model,
    signals::{Claim, Signals, Wait},
    trust::Trust,
    worth::{self, Belief},
};
use crate::score;

/// The score of a page that was never seen, where first visits come before all others.
const NEVER_SEEN: f64 = 1e12;
/// The share of a correction that is believed, and the largest one.
const TRUST: f64 = 0.7;
const MOST: f64 = 4.0;
/// Weeks over which the life of a copy was measured for fitting.
pub(super) const HORIZON: f64 = 16.0;
/// The longest life that is told apart, in weeks, and the power of life in the score.
const LONGEST_LIFE: f64 = 400.0;
const LIFE_POWER: f64 = 0.7;
/// The weight of the analytic worth beside the learned one.
const ANALYTIC: f64 = 0.3;
/// The probability that a page is gone whose last visit did not find it. A second one must confirm it.
const MISSED: f64 = 0.95;
/// The probability that a page which is known to be gone is back.
const BACK: f64 = 0.05;
/// What a week of waiting adds to the score.
const WAIT: f64 = 0.05;

/// What was learned across sites.
#[derive(Clone, Debug, Default)]
pub struct Corrections {
    /// Log odds to add to the probability of being out of date.
    pub stale: Model,
    /// Log odds to add to the share of the next 16 weeks in which a new copy stays fresh.
    pub life: Model,
}

/// Scores pages at one plan.
pub(super) struct Scorer<'s> {
    pub(super) known: &'s Known<'s>,
    pub(super) counters: &'s Counters,
    pub(super) signals: Option<&'s Signals>,
    pub(super) priors: Priors,
    pub(super) fragments: Option<&'s Fragments>,
    pub(super) evidence: Option<Vec<Evidence>>,
    pub(super) scales: &'s Scales,
    pub(super) trust: &'s Trust,
    /// What a new page is worth; `None` where first visits come before all others.
    pub(super) new: Option<f64>,
    pub(super) corrections: Option<&'s Corrections>,
    pub(super) interval: f64,
}

/// What is believed about a held page.
pub(super) struct Assessed {
    pub(super) belief: Belief,
    pub(super) evidence: Evidence,
    /// The probability that dead fragments give.
    pub(super) signal: f64,
    /// The probability that the page was deleted.
    pub(super) gone: f64,
    /// The probability that the copy is out of date, without claims.
    pub(super) doubt: f64,
    /// What claims say.
    pub(super) claim: Claim,
    pub(super) worth: f64,
}

impl Assessed {
    /// The probability that the copy is fresh, where without claims it is stale with these log odds.
    fn fresh(&self, odds: f64) -> f64 {
        fresh(odds + self.claim.odds)
    }

    /// The probability that the copy is out of date.
    pub(super) fn stale(&self) -> f64 {
        1.0 - self.fresh(logit(self.doubt))
    }

    /// The mean probability that a copy made now stays fresh over a time. What is gone stays gone.
    pub(super) fn mean_survival(&self, weeks: f64) -> f64 {
        self.gone + (1.0 - self.gone) * self.belief.mean_survival(weeks)
    }
}

impl Scorer<'_> {
    /// What the analytic part says about a held page; `None` for a page never seen.
    pub(super) fn assess(&self, page: PageNo) -> Option<Assessed> {
        let (now, seen_at) = (self.known.now, self.known.pages.last_seen(page)?);
        let age = now - seen_at;
        let belief = self.counters.belief(page, age, &self.priors);
        let evidence = self.evidence.as_ref().map_or(Evidence::default(), |all| all[page.index()]);
        let host = self.known.pages.host(page);
        let signal = match (self.fragments, evidence.class) {
            (Some(fragments), 1..) => {
                let group = fragments.groups().group(page);
                let rate = fragments.hits().rate(host.0, group, evidence.class);
                f64::from(rate * evidence.share).min(0.99)
            }
            _ => 0.0,
        };
        let mut gone = self.counters.gone(page, age, &self.priors);
        if self.known.pages.misses(page) > 0 {
            gone = gone.max(MISSED);
        }
        let weeks = age.days() / 7.0;
        let survival = belief.survival(weeks);
        let outdated = 1.0 - survival * (1.0 - signal);
        let doubt = 1.0 - (1.0 - outdated) * (1.0 - gone);
        let wait = Wait { seen_at, weeks, expected: 1.0 - survival };
        let claim =
            self.signals.map_or(Claim::default(), |signals| signals.claim((page, host), wait, now));
        let (changes, weeks, weight) = claim.history;
        let claimed = Belief {
            shape: 1.0 + changes,
            weeks: self.counters.prior_weeks(page, &self.priors) + weeks,
        };
        let belief = belief.mixed(claimed, weight);
        let mut assessed = Assessed { belief, evidence, signal, gone, doubt, claim, worth: 0.0 };
        let fresh =
            if claim.odds == 0.0 { 1.0 - outdated } else { assessed.fresh(logit(outdated)) };
        assessed.worth = self.worth(belief, fresh, gone);
        Some(assessed)
    }

    /// The worth of a visit to a page that was deleted with probability `gone`, and else is unchanged with
    /// probability `fresh`. Once it is known to be gone, nothing is out of date any more.
    fn worth(&self, belief: Belief, fresh: f64, gone: f64) -> f64 {
        (1.0 - gone) * worth::worth(belief, fresh, self.interval) + gone * discovery::INTEREST
    }

    /// The columns that the corrections see; `None` where there are no fragments.
    pub(super) fn row(&self, page: PageNo, assessed: &Assessed) -> Option<[f32; COUNT]> {
        let row = Row {
            known: self.known,
            counters: self.counters,
            priors: &self.priors,
            fragments: self.fragments?,
            scales: self.scales,
        };
        // Claims are left out: few of the sites that corrections are fitted on have any.
        let &Assessed { belief, gone, doubt, .. } = assessed;
        let changed = 1.0 - (1.0 - doubt) / (1.0 - gone).max(1e-9);
        let worth = self.worth(belief, 1.0 - changed, gone);
        Some(row.columns(page, assessed, worth))
    }

    /// The score without corrections.
    pub(super) fn analytic(&self, page: PageNo) -> f64 {
        let special = self.first(page).or_else(|| self.back(page));
        special.or_else(|| Some(self.assess(page)?.worth)).unwrap_or(NEVER_SEEN)
    }

    /// The score of a page that is known to be gone; `None` for other pages. Its copy is no longer held, so all
    /// that a visit can find is that it is back.
    fn back(&self, page: PageNo) -> Option<f64> {
        if self.known.pages.state(page) != State::Gone {
            return None;
        }
        let belief = self.counters.belief(page, Span::default(), &self.priors);
        Some(BACK * worth::worth(belief, 0.0, self.interval))
    }

    /// The score of the first visit of a page; `None` for other pages, and where first visits come before all
    /// others.
    fn first(&self, page: PageNo) -> Option<f64> {
        let (new, pages) = (self.new?, self.known.pages);
        if pages.state(page) != State::Linked {
            return None;
        }
        let belief = self.counters.belief(page, Span::default(), &self.priors);
        let worth = discovery::first_worth(new, worth::worth(belief, 0.0, self.interval));
        let weeks = (self.known.now - pages.first_seen(page)).days().max(0.0) / 7.0;
        let tried = f64::from(pages.failures(page)) + f64::from(pages.misses(page));
        Some(worth * (1.0 + WAIT * weeks) / (1.0 + tried))
    }

    /// The score with corrections, where there are any.
    pub(super) fn score(&self, page: PageNo) -> f64 {
        if let Some(special) = self.first(page).or_else(|| self.back(page)) {
            return special;
        }
        let Some(assessed) = self.assess(page) else { return NEVER_SEEN };
        let Some(corrections) = self.corrections else { return assessed.worth };
        match self.row(page, &assessed) {
            Some(row) => self.corrected(&assessed, &row, corrections, page),
            None => assessed.worth,
        }
    }

    /// What is expected of a visit; `None` where nothing corrects it.
    pub(super) fn expected(&self, page: PageNo) -> Option<Expectation> {
        if self.known.pages.state(page) == State::Gone {
            return None;
        }
        let assessed = self.assess(page)?;
        Some(expectation(&assessed, &self.row(page, &assessed)?, self.corrections?))
    }

    /// The score with the corrections: the geometric mean of what the learned probability and life say,
    /// and of the analytic worth, raised for pages that waited long.
    fn corrected(
        &self,
        assessed: &Assessed,
        row: &[f32; COUNT],
        corrections: &Corrections,
        page: PageNo,
    ) -> f64 {
        let sum = |model: &Model| TRUST * model.sum(row).clamp(-MOST, MOST);
        let expected = expectation(assessed, row, corrections);
        let odds = self.trust.odds(self.known.pages.host(page), expected);
        let fresh = fresh(odds);
        let stays = logit(assessed.mean_survival(HORIZON)) + sum(&corrections.life);
        let stays = 1.0 / (1.0 + (-stays).exp());
        // The mean life of a page that stays the same for this share of the horizon, within a tenth.
        let life = 0.5 * HORIZON * (stays / (1.0 - stays).max(1e-3) + stays);
        let learned = life.min(LONGEST_LIFE).powf(LIFE_POWER) * (1.0 - fresh + fresh * fresh.ln());
        let weeks = score::age_days(self.known, page).unwrap_or(0.0) / 7.0;
        let mean = |value: f64, power: f64| value.max(1e-12).powf(power);
        mean(learned, 1.0 - ANALYTIC) * mean(assessed.worth, ANALYTIC) * (1.0 + WAIT * weeks)
    }
}

/// The probability that a copy is fresh which is out of date with these log odds.
fn fresh(odds: f64) -> f64 {
    (1.0 / (1.0 + odds.exp())).clamp(1e-9, 1.0 - 1e-9)
}

/// What is expected of a visit.
fn expectation(assessed: &Assessed, row: &[f32; COUNT], corrections: &Corrections) -> Expectation {
    Expectation {
        odds: (logit(assessed.doubt) + assessed.claim.odds) as f32,
        correction: corrections.stale.sum(row).clamp(-MOST, MOST) as f32,
    }
}
