//! Full recrawls: when one begins, which pages it still has to visit, and when it is complete.
//!
//! A recrawl begins every so many cycles and visits every page held at its start. It takes as many cycles
//! as the budget requires, and the next one begins at the first of its turns after that. All of it follows
//! from the log, so that a policy rebuilt from the log is in the same recrawl: it is complete when every
//! page was visited, or when a revisit went elsewhere, because that happens only when none of the remaining
//! pages may be visited.
use crawl::{Observation, Outcome, Reason};

use super::{bit_set::BitSet, ledger::CycleLeads};

/// Full recrawls at intervals.
#[derive(Clone, Debug)]
pub(super) struct Recrawls {
    /// Cycles from the start of one to the start of the next.
    interval: u32,
    /// The first cycle in which the next one may begin.
    next: u32,
    /// The pages that are held.
    held: BitSet,
    open: Option<Open>,
}

/// The current recrawl.
#[derive(Clone, Debug)]
struct Open {
    start: u32,
    /// Pages still to be visited.
    left: BitSet,
    /// What its finished cycles led to.
    ended: Option<CycleLeads>,
    /// Whether anything was observed since it began.
    is_begun: bool,
    /// Whether revisits went elsewhere.
    is_left: bool,
}

impl Recrawls {
    pub(super) fn every(interval: u32) -> Self {
        Self { interval, next: 0, held: BitSet::default(), open: None }
    }

    /// Begins a cycle; `before` is the previous one. Returns what a complete recrawl led to.
    pub(super) fn turn_to(&mut self, cycle: u32, before: Option<CycleLeads>) -> Option<CycleLeads> {
        let mut complete = None;
        if let (Some(open), Some(before)) = (&mut self.open, before)
            && open.is_begun
        {
            match &mut open.ended {
                Some(ended) => ended.add(&before),
                None => open.ended = Some(before),
            }
            if open.is_left || open.left.is_empty() {
                complete = open.ended.take();
            }
        }
        if let (Some(open), Some(ended)) = (&self.open, &complete) {
            let turns = (ended.cycle - open.start) / self.interval + 1;
            self.next = open.start.saturating_add(turns.saturating_mul(self.interval));
            self.open = None;
        }
        // A recrawl without observations has not begun.
        self.open.take_if(|open| !open.is_begun);
        if self.open.is_none() && cycle >= self.next && !self.held.is_empty() {
            self.open = Some(Open {
                start: cycle,
                left: self.held.clone(),
                ended: None,
                is_begun: false,
                is_left: false,
            });
        }
        complete
    }

    /// Learns from one observation of the current cycle.
    pub(super) fn learn(&mut self, seen: &Observation) {
        let page = seen.page.0;
        if let Some(open) = &mut self.open {
            open.is_begun = true;
            if seen.reason == Reason::Discover && !open.left.contains(page) {
                open.is_left = true;
            }
            if seen.outcome != Outcome::Unreached {
                open.left.remove(page);
            }
        }
        match seen.outcome {
            Outcome::First | Outcome::Same | Outcome::Changed(_) => self.held.insert(page),
            Outcome::Gone => self.held.remove(page),
            Outcome::Missing | Outcome::Failed | Outcome::Unreached | Outcome::Refused => {}
        }
    }

    /// Whether the current recrawl still has to visit a page.
    pub(super) fn is_left(&self, page: u32) -> bool {
        self.open.as_ref().is_some_and(|open| !open.is_left && open.left.contains(page))
    }
}

#[cfg(test)]
mod tests {
    use crawl::{HostNo, PageNo, Time};

    use super::*;
    use crate::discover::ledger::Ledger;

    /// Recrawls and their ledger, one cycle of visits at a time.
    struct Log {
        recrawls: Recrawls,
        ledger: Ledger,
    }

    impl Log {
        /// Pages 0 to 2 are held in cycle 0.
        fn new(interval: u32) -> Self {
            let mut log = Self { recrawls: Recrawls::every(interval), ledger: Ledger::default() };
            let visits = [0, 1, 2].map(|page| (page, Reason::First, Outcome::First));
            assert_eq!(log.cycle(0, &visits), None);
            log
        }

        /// The cycle in which a recrawl was complete, if this cycle begins after one.
        fn cycle(&mut self, cycle: u32, visits: &[(u32, Reason, Outcome)]) -> Option<u32> {
            let before = self.ledger.turn_to(cycle);
            let complete = self.recrawls.turn_to(cycle, before);
            for &(page, reason, outcome) in visits {
                let seen = Observation {
                    cycle,
                    reason,
                    ..Observation::new(
                        PageNo(page),
                        HostNo(0),
                        Time::from_millis(i64::from(cycle)),
                        outcome,
                    )
                };
                self.recrawls.learn(&seen);
                self.ledger.learn(&seen);
            }
            complete.map(|ended| ended.cycle)
        }

        fn left(&self) -> Vec<u32> {
            (0..9).filter(|&page| self.recrawls.is_left(page)).collect()
        }
    }

    fn revisit(page: u32) -> (u32, Reason, Outcome) {
        (page, Reason::Discover, Outcome::Same)
    }

    #[test]
    fn one_is_complete_when_every_page_was_visited_and_the_next_begins_at_its_turn() {
        let mut log = Log::new(4);
        assert_eq!(log.cycle(1, &[revisit(1)]), None);
        assert_eq!(log.left(), [0, 2]);
        // Visits for other reasons and failed visits count; new pages do not.
        let visits = [
            (0, Reason::Refresh, Outcome::Failed),
            (2, Reason::Sample, Outcome::Gone),
            (5, Reason::First, Outcome::First),
        ];
        assert_eq!(log.cycle(2, &visits), None);
        assert_eq!(log.left(), []);
        assert_eq!(log.cycle(3, &[revisit(1)]), Some(2));
        assert_eq!(log.cycle(4, &[revisit(1)]), None);
        assert_eq!(log.left(), []);
        // Begun in cycle 1, so the next in cycle 5; page 2 is gone.
        assert_eq!(log.cycle(5, &[]), None);
        assert_eq!(log.left(), [0, 1, 5]);
    }

    #[test]
    fn one_is_complete_when_looks_go_elsewhere() {
        let mut log = Log::new(2);
        assert_eq!(log.cycle(1, &[revisit(1), (0, Reason::Discover, Outcome::Unreached)]), None);
        assert_eq!(log.left(), [0, 2]);
        assert_eq!(log.cycle(2, &[revisit(1)]), None);
        assert_eq!(log.left(), []);
        assert_eq!(log.cycle(3, &[]), Some(2));
        assert_eq!(log.left(), [0, 1, 2]);
    }

    #[test]
    fn one_that_takes_longer_than_the_interval_is_followed_by_cycles_without() {
        let mut log = Log::new(2);
        for (cycle, page) in [(1, 0), (2, 1), (3, 2)] {
            assert_eq!(log.cycle(cycle, &[revisit(page)]), None);
        }
        // Begun in 1 and complete in 3: turns are in 1, 3, 5.
        assert_eq!(log.cycle(4, &[revisit(0)]), Some(3));
        assert_eq!(log.left(), []);
        assert_eq!(log.cycle(5, &[]), None);
        assert_eq!(log.left(), [0, 1, 2]);
    }

    #[test]
    fn one_of_which_nothing_was_observed_has_not_begun() {
        let mut log = Log::new(4);
        assert_eq!(log.cycle(1, &[]), None);
        assert_eq!(log.cycle(3, &[revisit(0), revisit(1), revisit(2)]), None);
        assert_eq!(log.cycle(4, &[revisit(0)]), Some(3));
        assert_eq!(log.cycle(6, &[revisit(0)]), None);
        assert_eq!(log.left(), []);
        assert_eq!(log.cycle(7, &[]), None);
        assert_eq!(log.left(), [0, 1, 2]);
    }
}
