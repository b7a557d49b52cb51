//! Plans: the visits that a policy chose, in order.
use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::{PageNo, Pages};

/// The number of visits allowed in a cycle, or the rest of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Budget(pub u32);

impl Budget {
    /// More visits than there can be pages.
    pub const UNLIMITED: Self = Self(u32::MAX);

    /// The rest after `spent` visits.
    #[must_use]
    pub fn less(self, spent: usize) -> Self {
        Self(self.0.saturating_sub(u32::try_from(spent).unwrap_or(u32::MAX)))
    }
}

/// Why a visit is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Reason {
    /// The page is held and may have changed.
    Refresh,
    /// The page is a sample of others: its change is evidence about theirs.
    Sample,
    /// The page may link to unknown pages.
    Discover,
    /// The page is known from links only.
    First,
}

/// The decision to fetch one page now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Visit {
    /// The page to fetch.
    pub page: PageNo,
    /// The expected value of the visit, in the policy's own unit; higher is better.
    pub score: f64,
    /// Why it is made.
    pub reason: Reason,
}

/// Visits in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan(pub Vec<Visit>);

impl Plan {
    /// The `budget` candidates with the highest scores, best first. Of equal scores the page seen
    /// longest ago comes first; then the byte order of addresses decides, so that a plan does not
    /// depend on how pages are numbered.
    pub fn best(budget: Budget, mut candidates: Vec<Visit>, pages: &Pages) -> Self {
        let better = |a: &Visit, b: &Visit| -> Ordering {
            b.score
                .total_cmp(&a.score)
                .then_with(|| pages.last_seen(a.page).cmp(&pages.last_seen(b.page)))
                .then_with(|| pages.address_order(a.page, b.page))
        };
        let wanted = budget.0 as usize;
        if wanted == 0 {
            return Self::default();
        }
        if wanted < candidates.len() {
            candidates.select_nth_unstable_by(wanted, better);
            candidates.truncate(wanted);
        }
        candidates.sort_unstable_by(better);
        Self(candidates)
    }

    /// The plan cut to `budget`, so that no policy can overspend.
    #[must_use]
    pub fn within(mut self, budget: Budget) -> Self {
        self.0.truncate(budget.0 as usize);
        self
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Outcome, Time};

    /// Pages at these addresses, each last seen on its day.
    fn pages(seen: &[(&str, Option<i64>)]) -> Pages {
        let mut pages = Pages::default();
        for &(address, day) in seen {
            let page = pages.insert(address, Time::from_millis(0));
            if let Some(day) = day {
                pages.apply(page, Time::from_millis(day), Outcome::First);
            }
        }
        pages
    }

    fn candidates(scores: &[f64]) -> Vec<Visit> {
        let visit = |(page, &score)| Visit { page: PageNo(page), score, reason: Reason::Refresh };
        (0..).zip(scores).map(visit).collect()
    }

    fn order(plan: &Plan) -> Vec<u32> {
        plan.0.iter().map(|visit| visit.page.0).collect()
    }

    #[test]
    fn takes_the_highest_scores_best_first() {
        let pages = pages(&[("a", None), ("b", None), ("c", None), ("d", None)]);
        let plan = Plan::best(Budget(3), candidates(&[1.0, 4.0, 0.5, 2.0]), &pages);
        assert_eq!(order(&plan), [1, 3, 0]);
    }

    #[test]
    fn of_equal_scores_the_page_not_seen_for_longest_comes_first_and_one_never_seen_before_all() {
        let pages = pages(&[("a", Some(3)), ("b", Some(1)), ("c", None), ("d", Some(2))]);
        let plan = Plan::best(Budget(3), candidates(&[7.0; 4]), &pages);
        assert_eq!(order(&plan), [2, 1, 3]);
    }

    #[test]
    fn of_pages_seen_at_the_same_time_the_byte_order_of_addresses_decides() {
        // Numbered out of order; "Z" comes before "a" in bytes.
        let pages = pages(&[("b", Some(1)), ("a", Some(1)), ("Z", Some(1)), ("c", Some(1))]);
        let plan = Plan::best(Budget(4), candidates(&[7.0; 4]), &pages);
        assert_eq!(order(&plan), [2, 1, 0, 3]);
    }

    #[test]
    fn a_budget_of_zero_plans_nothing() {
        let plan = Plan::best(Budget(0), candidates(&[1.0]), &pages(&[("a", None)]));
        assert_eq!(plan, Plan::default());
    }

    #[test]
    fn a_plan_that_overspends_is_truncated() {
        let pages = pages(&[("a", None), ("b", None), ("c", None)]);
        let plan = Plan::best(Budget::UNLIMITED, candidates(&[3.0, 2.0, 1.0]), &pages);
        assert_eq!(order(&plan.clone().within(Budget(2))), [0, 1]);
        assert_eq!(plan.clone().within(Budget(9)), plan);
    }

    #[test]
    fn a_budget_is_never_below_zero() {
        assert_eq!(Budget(5).less(2), Budget(3));
        assert_eq!(Budget(5).less(9), Budget(0));
        assert_eq!(Budget::UNLIMITED.less(usize::MAX), Budget(0));
    }

    proptest! {
        /// Few scores, few days and addresses numbered in any order: many ties of every kind.
        #[test]
        fn picks_what_sorting_everything_would_pick(
            rows in prop::collection::vec((0_u8..4, prop::option::of(0_i64..3)), 1..40),
            numbered in any::<prop::sample::Selector>(),
            budget in 0_u32..45,
        ) {
            let mut addresses: Vec<String> = (0..rows.len()).map(|n| format!("{n:02}")).collect();
            for end in (1..addresses.len()).rev() {
                let other = *numbered.select(&(0..=end).collect::<Vec<_>>());
                addresses.swap(end, other);
            }
            let seen: Vec<_> =
                addresses.iter().zip(&rows).map(|(address, row)| (address.as_str(), row.1)).collect();
            let pages = pages(&seen);
            let scores: Vec<f64> = rows.iter().map(|row| f64::from(row.0)).collect();
            let plan = Plan::best(Budget(budget), candidates(&scores), &pages);
            let mut all: Vec<usize> = (0..rows.len()).collect();
            all.sort_by_key(|&row| (std::cmp::Reverse(rows[row].0), rows[row].1, &addresses[row]));
            all.truncate(budget as usize);
            prop_assert_eq!(order(&plan), all.iter().map(|&row| row as u32).collect::<Vec<_>>());
        }
    }
}
