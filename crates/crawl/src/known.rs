//! What a policy knows when it plans.
use std::collections::BTreeSet;

use crate::{Allowance, Budget, HostNo, Instruments, Links, PageNo, Pages, Span, State, Time};

/// A page that fails twice in a row is not visited for this long. The time doubles with each further
/// failure. After the first failure the page is due again in the next cycle.
const FAILED_WAIT: Span = Span::from_millis(3_600_000);
/// The longest wait for a page that keeps failing.
const LONGEST_FAILED_WAIT: Span = Span::from_days(7);
/// A dead link, which was never held, is not visited for this long at first. The time doubles with each
/// further miss.
const MISSING_WAIT: Span = Span::from_days(1);
/// A gone page is not visited for this long at first. The time doubles with each further miss.
const GONE_WAIT: Span = Span::from_days(7);
/// The longest wait for a gone page and a dead link.
const LONGEST_GONE_WAIT: Span = Span::from_days(56);

/// What a policy knows when it plans.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// The current time.
    pub now: Time,
    /// The number of this cycle.
    pub cycle: u32,
    /// When this cycle began.
    pub cycle_start: Time,
    /// The time from one cycle to the next, where cycles come at fixed intervals.
    pub interval: Option<Span>,
    /// The budget of this cycle, in its unit. A plan's budget is always in visits.
    pub allowance: Allowance,
    /// Whether gone pages are checked again, rarely.
    pub revisits_gone: bool,
    /// Whether the policy also plans first visits. Where policies share a budget, only one does.
    pub plans_first_visits: bool,
    /// The hosts that back off in this cycle.
    pub backing_off: &'a BTreeSet<HostNo>,
    /// The dead links and gone pages that may be visited in this cycle; `None` if all may.
    pub rechecks: Option<&'a BTreeSet<PageNo>>,
    /// Every known page.
    pub pages: &'a Pages,
    /// The link graph.
    pub links: &'a Links,
    /// The instruments of the crawl.
    pub instruments: &'a Instruments,
}

static NONE_BACKING_OFF: BTreeSet<HostNo> = BTreeSet::new();

impl<'a> Known<'a> {
    /// What is known at the start of a first cycle at `now`, with defaults for everything else.
    pub fn new(now: Time, pages: &'a Pages, links: &'a Links) -> Self {
        Self {
            now,
            cycle: 0,
            cycle_start: now,
            interval: None,
            allowance: Budget::UNLIMITED.into(),
            revisits_gone: false,
            plans_first_visits: true,
            backing_off: &NONE_BACKING_OFF,
            rechecks: None,
            pages,
            links,
            instruments: Instruments::NONE,
        }
    }
}

impl Known<'_> {
    /// Whether a page may still be visited in this cycle: it was not visited in this cycle, its host
    /// does not back off, and it does not wait because it failed, is missing or is gone.
    pub fn is_due(&self, page: PageNo) -> bool {
        if !self.plans_first_visits && self.pages.state(page) == State::Linked {
            return false;
        }
        if self.rechecks.is_some_and(|some| !some.contains(&page)) && self.is_recheck(page) {
            return false;
        }
        let tried = self.pages.last_tried(page);
        if tried.is_some_and(|tried| tried >= self.cycle_start) {
            return false;
        }
        let wait = self.wait(page);
        wait.is_some_and(|wait| tried.is_none_or(|tried| tried + wait <= self.now))
            && (self.backing_off.is_empty() || !self.backing_off.contains(&self.pages.host(page)))
    }

    /// Whether a visit would only check whether a page that was not there is there now.
    pub fn is_recheck(&self, page: PageNo) -> bool {
        self.pages.misses(page) > 0
            && (self.pages.state(page) == State::Gone || self.pages.is_missing(page))
    }

    /// The shortest time between the last visit of a page and the next; `None` is forever.
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
            // Nothing but "not found" so far.
            (State::Linked, misses) if misses > 0 && self.pages.visits(page) == 0 => match misses {
                _ if self.revisits_gone => doubled(MISSING_WAIT, misses - 1),
                1 => Span::default(),
                _ => return None,
            },
            (State::Gone, misses) => doubled(GONE_WAIT, misses.saturating_sub(1)),
            // Linked again after it was gone: due at once, but not every time.
            (State::Linked, misses) if misses > 1 => doubled(GONE_WAIT, misses - 2),
            _ => Span::default(),
        };
        let missed = missed.min(LONGEST_GONE_WAIT);
        Some(failed.max(missed))
    }

    /// The pages that may still be visited in this cycle.
    pub fn due(&self) -> impl Iterator<Item = PageNo> {
        self.pages.numbers().filter(|&page| self.is_due(page))
    }
}

/// `span` doubled `times` times; far beyond the longest wait it stops growing.
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
    fn due(
        pages: &Pages,
        cycle_start: Time,
        revisits_gone: bool,
        backing_off: &[u32],
    ) -> Vec<PageNo> {
        let (links, backing_off) =
            (Links::default(), backing_off.iter().copied().map(HostNo).collect());
        let known = Known {
            cycle_start,
            revisits_gone,
            backing_off: &backing_off,
            ..Known::new(cycle_start + Span::from_millis(1), pages, &links)
        };
        known.due().collect()
    }

    #[test]
    fn is_due_once_in_a_cycle_and_never_when_gone() {
        let mut pages = Pages::default();
        let names = ["visited", "failed", "gone", "earlier", "never"];
        let [visited, failed, gone, earlier, never] = names.map(|name| pages.insert(name, START));
        let cycle_start = Time::from_millis(10);
        pages.apply(visited, cycle_start, Outcome::First);
        pages.apply(failed, cycle_start, Outcome::Failed);
        pages.apply(gone, Time::from_millis(5), Outcome::Gone);
        pages.apply(earlier, Time::from_millis(9), Outcome::Failed);
        assert_eq!(due(&pages, cycle_start, false, &[]), [earlier, never]);
    }

    #[test]
    fn pages_of_a_host_that_backs_off_are_not_due() {
        let mut pages = Pages::default();
        pages.insert("http://a.example/", START);
        let b = pages.insert("http://b.example/", START);
        assert_eq!(due(&pages, hour(1), false, &[0]), [b]);
    }

    #[test]
    fn a_page_that_keeps_failing_waits_longer_and_longer() {
        let mut pages = Pages::default();
        let page = pages.insert("http://a.example/", START);
        pages.apply(page, hour(0), Outcome::Failed);
        assert_eq!(due(&pages, Time::from_millis(1), false, &[]), [page]);
        pages.apply(page, hour(0), Outcome::Failed);
        assert_eq!(due(&pages, Time::from_millis(HOUR - 2), false, &[]), []);
        assert_eq!(due(&pages, hour(1), false, &[]), [page]);
        pages.apply(page, hour(0), Outcome::Failed);
        assert_eq!(due(&pages, hour(1), false, &[]), []);
        assert_eq!(due(&pages, hour(2), false, &[]), [page]);
        (0..250).for_each(|_| pages.apply(page, hour(0), Outcome::Failed));
        assert_eq!(due(&pages, hour(7 * 24 - 1), false, &[]), []);
        assert_eq!(due(&pages, hour(7 * 24), false, &[]), [page]);
    }

    #[test]
    fn a_gone_page_is_checked_again_rarely() {
        let mut pages = Pages::default();
        let page = pages.insert("http://a.example/", START);
        pages.apply(page, hour(0), Outcome::Gone);
        let day = |days: i64| hour(24 * days);
        assert_eq!(due(&pages, day(6), true, &[]), []);
        assert_eq!(due(&pages, day(7), true, &[]), [page]);
        assert_eq!(due(&pages, day(7), false, &[]), []);
        pages.apply(page, day(7), Outcome::Gone);
        assert_eq!(due(&pages, day(20), true, &[]), []);
        assert_eq!(due(&pages, day(21), true, &[]), [page]);
        (0..250).for_each(|_| pages.apply(page, day(0), Outcome::Gone));
        assert_eq!(due(&pages, day(56), true, &[]), [page]);
    }
}
