//! How every discovery policy spends a cycle: first visits of linked pages, then revisits, a part of the
//! budget at a time, so that what they find can be visited in the same cycle.
//!
//! Budget for which a policy has no page goes to the pages not seen for longest, which also shows whether
//! they lead to anything.
use crawl::{Budget, Known, PageNo, Plan, Reason, State, Visit};

use super::bit_set::BitSet;

/// A batch of revisits is at least the cycle's budget divided by this.
const MOST_BATCHES: u32 = 16;

/// Divides the budget of a cycle into batches.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spending {
    /// The current cycle and its budget.
    cycle: Option<(u32, u32)>,
}

impl Spending {
    /// The size of the next batch of revisits: half of the rest, but at least a sixteenth of the cycle's
    /// budget.
    pub(super) fn batch(&mut self, known: &Known<'_>, left: Budget) -> usize {
        let of_cycle = match self.cycle {
            Some((cycle, budget)) if cycle == known.cycle => budget.max(left.0),
            _ => left.0,
        };
        self.cycle = Some((known.cycle, of_cycle));
        left.0.div_ceil(2).max(of_cycle.div_ceil(MOST_BATCHES)).min(left.0) as usize
    }
}

/// First visits, in the order in which pages became known.
pub(crate) fn firsts(known: &Known<'_>, budget: Budget) -> Plan {
    let is_first = |page: &PageNo| known.pages.state(*page) == State::Linked && known.is_due(*page);
    let visit = |page| Visit { page, score: 1.0, reason: Reason::First };
    let pages = known.pages.numbers().filter(is_first);
    Plan(pages.take(budget.0 as usize).map(visit).collect())
}

/// Revisits of the chosen pages, then of those not seen for longest, up to `wanted` in all.
pub(super) fn revisits(known: &Known<'_>, chosen: &[(u32, f64)], wanted: usize) -> Plan {
    let revisit = |(page, score)| Visit { page: PageNo(page), score, reason: Reason::Discover };
    let mut plan: Vec<Visit> = chosen.iter().copied().map(revisit).collect();
    if plan.len() < wanted {
        let mut taken = BitSet::default();
        for page in chosen {
            taken.insert(page.0);
        }
        let missing = Budget((wanted - plan.len()) as u32);
        plan.extend(longest_unseen(known, missing, |page| !taken.contains(page.0)).0);
    }
    Plan(plan)
}

/// The candidates for a revisit not seen for longest. Their score is 0.
pub(super) fn longest_unseen(
    known: &Known<'_>,
    budget: Budget,
    is_wanted: impl Fn(PageNo) -> bool,
) -> Plan {
    let is_candidate = |page: &PageNo| is_wanted(*page) && is_revisit(known, *page);
    let revisit = |page| Visit { page, score: 0.0, reason: Reason::Discover };
    let candidates = known.pages.numbers().filter(is_candidate).map(revisit).collect();
    Plan::best(budget, candidates, known.pages)
}

/// Whether a page may be revisited: it is due, and not for its first visit.
pub(super) fn is_revisit(known: &Known<'_>, page: PageNo) -> bool {
    known.pages.state(page) != State::Linked && known.is_due(page)
}

/// Whether a page was visited in this cycle.
pub(super) fn is_visited(known: &Known<'_>, page: PageNo) -> bool {
    known.pages.last_tried(page).is_some_and(|tried| tried >= known.cycle_start)
}

#[cfg(test)]
mod tests {
    use crawl::{Links, Outcome, Pages, Time};

    use super::*;

    fn time(millis: i64) -> Time {
        Time::from_millis(millis)
    }

    #[test]
    fn batches_are_halves_and_then_sixteenths() {
        let (pages, links) = (Pages::default(), Links::default());
        let known = Known::new(time(0), &pages, &links);
        let (mut spending, mut left, mut batches) = (Spending::default(), 100, vec![]);
        while left > 0 {
            let batch = spending.batch(&known, Budget(left));
            batches.push(batch);
            left -= batch as u32;
        }
        assert_eq!(batches, [50, 25, 13, 7, 5]);
        // A sixteenth of 100, rounded up, is 7, and only five are left at the end.
        let next = Known { cycle: 1, ..known };
        assert_eq!(spending.batch(&next, Budget(8)), 4);
        assert_eq!(spending.batch(&next, Budget(0)), 0);
        assert_eq!(spending.batch(&next, Budget::UNLIMITED), 1 << 31);
    }

    #[test]
    fn what_is_not_chosen_goes_to_the_pages_not_seen_for_longest() {
        let (mut pages, links) = (Pages::default(), Links::default());
        for (name, seen) in [("a", 3), ("b", 1), ("c", 2), ("d", 4)] {
            let page = pages.insert(name, time(0));
            pages.apply(page, time(seen), Outcome::First);
        }
        pages.insert("e", time(0));
        let known = Known::new(time(9), &pages, &links);
        let order = |wanted| {
            let plan = revisits(&known, &[(1, 0.5)], wanted);
            plan.0.iter().map(|visit| visit.page.0).collect::<Vec<_>>()
        };
        assert_eq!(order(1), [1]);
        assert_eq!(order(3), [1, 2, 0]);
        assert_eq!(order(9), [1, 2, 0, 3]);
        assert_eq!(firsts(&known, Budget(9)).0.len(), 1);
        assert!(is_visited(&Known { cycle_start: time(4), ..known }, PageNo(3)));
        assert!(!is_visited(&Known { cycle_start: time(4), ..known }, PageNo(2)));
    }
}
