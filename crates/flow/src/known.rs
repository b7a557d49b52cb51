//! What a policy may see when planning.
use std::{collections::BTreeSet, sync::LazyLock};

use crate::{HostNo, Links, PageNo, Pages, Span, State, Time, features::Features};

/// A page whose visits fail is left alone for this long after the second failure in a row, twice as
/// long after each further one. After the first it may be tried again in the next cycle.
const FAILED_WAIT: Span = Span::from_millis(3_600_000);
/// However often they fail, pages are tried again after this time.
const LONGEST_FAILED_WAIT: Span = Span::from_days(7);
/// A gone page is left alone for this long at first, twice as long each time it is not there.
const GONE_WAIT: Span = Span::from_days(7);
/// However long they are gone, pages are looked at again after this time.
const LONGEST_GONE_WAIT: Span = Span::from_days(56);

/// What a policy may see when planning.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// The instant it is now.
    pub now: Time,
    /// The number of this cycle.
    pub cycle: u32,
    /// When this cycle began.
    pub cycle_start: Time,
    /// The time from one cycle to the next, where cycles come at fixed intervals.
    pub cadence: Option<Span>,
    /// Whether pages that are gone are looked at again, rarely.
    pub revisits_gone: bool,
    /// Whether the policy is to plan first visits, too. Where a budget is shared, one of those who
    /// share it does.
    pub takes_firsts: bool,
    /// The hosts that cannot be asked in this cycle.
    pub resting: &'a BTreeSet<HostNo>,
    /// Every known page.
    pub pages: &'a Pages,
    /// Who links to whom.
    pub links: &'a Links,
    /// What features of pages are made from, where the policy wants them.
    pub features: &'a Features,
    /// By page number, the share of all looks at search results that falls on it; empty where that is
    /// not measured. What is beyond the end has none.
    pub exposures: &'a [f32],
}

/// No host rests.
static NONE_RESTS: BTreeSet<HostNo> = BTreeSet::new();
/// Nobody wants features.
static NO_FEATURES: LazyLock<Features> = LazyLock::new(Features::default);

impl<'a> Known<'a> {
    /// What is known at `now`, where a first cycle begins and nothing more is to be said.
    pub fn new(now: Time, pages: &'a Pages, links: &'a Links) -> Self {
        Self {
            now,
            cycle: 0,
            cycle_start: now,
            cadence: None,
            revisits_gone: false,
            takes_firsts: true,
            resting: &NONE_RESTS,
            pages,
            links,
            features: &NO_FEATURES,
            exposures: &[],
        }
    }
}

impl Known<'_> {
    /// The share of all looks at search results that falls on a page.
    pub fn exposure(&self, page: PageNo) -> f32 {
        self.exposures.get(page.index()).copied().unwrap_or(0.0)
    }

    /// Whether a page may be visited in what is left of this cycle: it has not been visited in this
    /// cycle yet, its host may be asked, and it is not left alone because it failed or is gone.
    pub fn is_due(&self, page: PageNo) -> bool {
        if !self.takes_firsts && self.pages.state(page) == State::Linked {
            return false;
        }
        let tried = self.pages.last_tried(page);
        if tried.is_some_and(|tried| tried >= self.cycle_start) {
            return false;
        }
        let wait = self.wait(page);
        wait.is_some_and(|wait| tried.is_none_or(|tried| tried + wait <= self.now))
            && (self.resting.is_empty() || !self.resting.contains(&self.pages.host(page)))
    }

    /// How long a page is left alone after its last visit; `None` is for ever.
    fn wait(&self, page: PageNo) -> Option<Span> {
        let gone = self.pages.state(page) == State::Gone;
        if gone && !self.revisits_gone {
            return None;
        }
        let failed = match self.pages.failures(page) {
            0 | 1 => Span::default(),
            failures => doubled(FAILED_WAIT, failures - 2).min(LONGEST_FAILED_WAIT),
        };
        let missed = match (self.pages.state(page), self.pages.misses(page)) {
            (State::Gone, misses) => doubled(GONE_WAIT, misses.saturating_sub(1)),
            // Linked again after it was gone: at once, but not again and again.
            (State::Linked, misses) if misses > 1 => doubled(GONE_WAIT, misses - 2),
            _ => Span::default(),
        };
        let missed = missed.min(LONGEST_GONE_WAIT);
        Some(failed.max(missed))
    }

    /// The pages that may be visited in what is left of this cycle.
    pub fn due(&self) -> impl Iterator<Item = PageNo> {
        self.pages.numbers().filter(|&page| self.is_due(page))
    }
}

/// `span` doubled `times` times, as far as any wait goes.
fn doubled(span: Span, times: u8) -> Span {
    span.times(1 << times.min(16))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Outcome;

    const HOUR: i64 = 3_600_000;
    const START: Time = Time::from_millis(0);

    fn hour(hours: i64) -> Time {
        Time::from_millis(hours * HOUR)
    }

    /// The pages due in a cycle that starts at `hour`.
    fn due(pages: &Pages, cycle_start: Time, revisits_gone: bool, resting: &[u32]) -> Vec<PageNo> {
        let (links, resting) = (Links::default(), resting.iter().copied().map(HostNo).collect());
        let known = Known {
            cycle_start,
            revisits_gone,
            resting: &resting,
            ..Known::new(cycle_start + Span::from_millis(1), pages, &links)
        };
        known.due().collect()
    }

    #[test]
    fn is_due_once_in_a_cycle_and_never_when_gone() {
        let mut pages = Pages::default();
        let names = ["visited", "failed", "gone", "earlier", "never"];
        let [visited, failed, gone, earlier, never] = names.map(|name| pages.admit(name, START));
        let cycle_start = Time::from_millis(10);
        pages.absorb(visited, cycle_start, Outcome::First);
        pages.absorb(failed, cycle_start, Outcome::Failed);
        pages.absorb(gone, Time::from_millis(5), Outcome::Gone);
        pages.absorb(earlier, Time::from_millis(9), Outcome::Failed);
        assert_eq!(due(&pages, cycle_start, false, &[]), [earlier, never]);
    }

    #[test]
    fn pages_of_a_resting_host_are_not_due() {
        let mut pages = Pages::default();
        pages.admit("http://a.example/", START);
        let b = pages.admit("http://b.example/", START);
        assert_eq!(due(&pages, hour(1), false, &[0]), [b]);
    }

    #[test]
    fn a_page_that_keeps_failing_is_left_alone_longer_and_longer() {
        let mut pages = Pages::default();
        let page = pages.admit("http://a.example/", START);
        pages.absorb(page, hour(0), Outcome::Failed);
        assert_eq!(due(&pages, Time::from_millis(1), false, &[]), [page]);
        pages.absorb(page, hour(0), Outcome::Failed);
        assert_eq!(due(&pages, Time::from_millis(HOUR - 2), false, &[]), []);
        assert_eq!(due(&pages, hour(1), false, &[]), [page]);
        pages.absorb(page, hour(0), Outcome::Failed);
        assert_eq!(due(&pages, hour(1), false, &[]), []);
        assert_eq!(due(&pages, hour(2), false, &[]), [page]);
        (0..250).for_each(|_| pages.absorb(page, hour(0), Outcome::Failed));
        assert_eq!(due(&pages, hour(7 * 24 - 1), false, &[]), []);
        assert_eq!(due(&pages, hour(7 * 24), false, &[]), [page]);
    }

    #[test]
    fn a_gone_page_is_looked_at_again_rarely() {
        let mut pages = Pages::default();
        let page = pages.admit("http://a.example/", START);
        pages.absorb(page, hour(0), Outcome::Gone);
        let day = |days: i64| hour(24 * days);
        assert_eq!(due(&pages, day(6), true, &[]), []);
        assert_eq!(due(&pages, day(7), true, &[]), [page]);
        assert_eq!(due(&pages, day(7), false, &[]), []);
        pages.absorb(page, day(7), Outcome::Gone);
        assert_eq!(due(&pages, day(20), true, &[]), []);
        assert_eq!(due(&pages, day(21), true, &[]), [page]);
        (0..250).for_each(|_| pages.absorb(page, day(0), Outcome::Gone));
        assert_eq!(due(&pages, day(56), true, &[]), [page]);
    }
}
