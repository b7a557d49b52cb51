//! Full recrawls: when one begins, which pages it has still to visit, and when it is complete.
//!
//! A recrawl begins every so many cycles and visits every page held at its start; it takes as many
//! cycles as the budget makes it, and the next one begins at the first of its turns after that. All of
//! it is told from the log, so that a policy rebuilt from the log is in the same recrawl: it is
//! complete when every page was visited, or when a look went elsewhere, because looks go elsewhere
//! only when none of the pages left may be visited.
use flow::{Observation, Outcome, Reason};

use super::{bits::Bits, ledger::Told};

/// Full recrawls at intervals.
#[derive(Clone, Debug)]
pub(super) struct Recrawls {
    /// Cycles from one to the next.
    interval: u32,
    /// The first cycle in which the next one may begin.
    next: u32,
    /// The pages that are held.
    held: Bits,
    open: Option<Open>,
}

/// A recrawl under way.
#[derive(Clone, Debug)]
struct Open {
    start: u32,
    /// Pages still to be visited.
    left: Bits,
    /// What its finished cycles led to.
    told: Option<Told>,
    /// Whether anything was observed since it began.
    is_begun: bool,
    /// Whether looks went elsewhere.
    is_left: bool,
}

impl Recrawls {
    pub(super) fn every(interval: u32) -> Self {
        Self { interval, next: 0, held: Bits::default(), open: None }
    }

    /// Begins a cycle; `before` is what the last one led to. Returns what a recrawl led to that is
    /// complete.
    pub(super) fn turn_to(&mut self, cycle: u32, before: Option<Told>) -> Option<Told> {
        let mut complete = None;
        if let (Some(open), Some(before)) = (&mut self.open, before)
            && open.is_begun
        {
            match &mut open.told {
                Some(told) => told.add(&before),
                None => open.told = Some(before),
            }
            if open.is_left || open.left.is_empty() {
                complete = open.told.take();
            }
        }
        if let (Some(open), Some(told)) = (&self.open, &complete) {
            let turns = (told.cycle - open.start) / self.interval + 1;
            self.next = open.start.saturating_add(turns.saturating_mul(self.interval));
            self.open = None;
        }
        // One of which the log knows nothing has not begun.
        self.open.take_if(|open| !open.is_begun);
        if self.open.is_none() && cycle >= self.next && !self.held.is_empty() {
            self.open = Some(Open {
                start: cycle,
                left: self.held.clone(),
                told: None,
                is_begun: false,
                is_left: false,
            });
        }
        complete
    }

    /// Takes in one observation of the cycle under way.
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

    /// Whether the recrawl under way has still to visit a page.
    pub(super) fn is_left(&self, page: u32) -> bool {
        self.open.as_ref().is_some_and(|open| !open.is_left && open.left.contains(page))
    }
}

#[cfg(test)]
mod tests {
    use flow::{HostNo, PageNo, Time};

    use super::*;
    use crate::discover::ledger::Ledger;

    /// Recrawls and the ledger they are told by; a cycle of visits at a time.
    struct Log {
        recrawls: Recrawls,
        ledger: Ledger,
    }

    impl Log {
        /// Pages 0 to 2 are held, in cycle 0.
        fn new(interval: u32) -> Self {
            let mut log = Self { recrawls: Recrawls::every(interval), ledger: Ledger::default() };
            let visits = [0, 1, 2].map(|page| (page, Reason::First, Outcome::First));
            assert_eq!(log.cycle(0, &visits), None);
            log
        }

        /// The cycle in which a recrawl was complete, where this cycle begins after one.
        fn cycle(&mut self, cycle: u32, visits: &[(u32, Reason, Outcome)]) -> Option<u32> {
            let before = self.ledger.turn_to(cycle);
            let complete = self.recrawls.turn_to(cycle, before);
            for &(page, reason, outcome) in visits {
                let seen = Observation {
                    page: PageNo(page),
                    host: HostNo(0),
                    cycle,
                    at: Time::from_millis(i64::from(cycle)),
                    reason,
                    outcome,
                    fault: None,
                    since: None,
                    leads: vec![],
                    signals: vec![],
                    impact: None,
                };
                self.recrawls.learn(&seen);
                self.ledger.learn(&seen);
            }
            complete.map(|told| told.cycle)
        }

        fn left(&self) -> Vec<u32> {
            (0..9).filter(|&page| self.recrawls.is_left(page)).collect()
        }
    }

    fn look(page: u32) -> (u32, Reason, Outcome) {
        (page, Reason::Discover, Outcome::Same)
    }

    #[test]
    fn one_is_complete_when_every_page_was_visited_and_the_next_begins_at_its_turn() {
        let mut log = Log::new(4);
        assert_eq!(log.cycle(1, &[look(1)]), None);
        assert_eq!(log.left(), [0, 2]);
        // Visits for other reasons count, and failed ones, too; pages that become known do not.
        let visits = [
            (0, Reason::Refresh, Outcome::Failed),
            (2, Reason::Sample, Outcome::Gone),
            (5, Reason::First, Outcome::First),
        ];
        assert_eq!(log.cycle(2, &visits), None);
        assert_eq!(log.left(), []);
        assert_eq!(log.cycle(3, &[look(1)]), Some(2));
        assert_eq!(log.cycle(4, &[look(1)]), None);
        assert_eq!(log.left(), []);
        // Begun in cycle 1, so the next in cycle 5; page 2 is gone.
        assert_eq!(log.cycle(5, &[]), None);
        assert_eq!(log.left(), [0, 1, 5]);
    }

    #[test]
    fn one_is_complete_when_looks_go_elsewhere() {
        let mut log = Log::new(2);
        assert_eq!(log.cycle(1, &[look(1), (0, Reason::Discover, Outcome::Unreached)]), None);
        assert_eq!(log.left(), [0, 2]);
        assert_eq!(log.cycle(2, &[look(1)]), None);
        assert_eq!(log.left(), []);
        assert_eq!(log.cycle(3, &[]), Some(2));
        assert_eq!(log.left(), [0, 1, 2]);
    }

    #[test]
    fn one_that_takes_longer_than_the_interval_is_followed_by_cycles_without() {
        let mut log = Log::new(2);
        for (cycle, page) in [(1, 0), (2, 1), (3, 2)] {
            assert_eq!(log.cycle(cycle, &[look(page)]), None);
        }
        // Begun in 1 and complete in 3: turns are in 1, 3, 5.
        assert_eq!(log.cycle(4, &[look(0)]), Some(3));
        assert_eq!(log.left(), []);
        assert_eq!(log.cycle(5, &[]), None);
        assert_eq!(log.left(), [0, 1, 2]);
    }

    #[test]
    fn one_of_which_nothing_was_observed_has_not_begun() {
        let mut log = Log::new(4);
        assert_eq!(log.cycle(1, &[]), None);
        assert_eq!(log.cycle(3, &[look(0), look(1), look(2)]), None);
        assert_eq!(log.cycle(4, &[look(0)]), Some(3));
        assert_eq!(log.cycle(6, &[look(0)]), None);
        assert_eq!(log.left(), []);
        assert_eq!(log.cycle(7, &[]), None);
        assert_eq!(log.left(), [0, 1, 2]);
    }
}
