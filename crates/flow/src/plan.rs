//! What a policy decides: visits in order, at most a budget's worth.
use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::{PageNo, Pages};

/// The number of visits allowed in a cycle, or what is left of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Budget(pub u32);

impl Budget {
    /// More visits than there can be pages.
    pub const UNLIMITED: Self = Self(u32::MAX);

    /// What is left after `spent` visits.
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
    /// The page stands for others: its change says something of theirs.
    Sample,
    /// The page is expected to show links to pages not known yet.
    Discover,
    /// The page has only been seen as a link so far.
    First,
}

/// The decision to fetch one page now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Visit {
    /// The page to fetch.
    pub page: PageNo,
    /// What the policy expects of the visit, in the policy's own unit; higher is better.
    pub score: f64,
    /// Why.
    pub reason: Reason,
}

/// Visits in the order they are to be made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan(pub Vec<Visit>);

impl Plan {
    /// The `budget` candidates with the highest scores, best first. Of equal scores the page not
    /// seen for longest comes first, then the byte order of addresses decides, so that a plan does
    /// not depend on when a page happened to be numbered.
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

    /// The plan cut to `budget`: no policy can overspend.
    #[must_use]
    pub fn within(mut self, budget: Budget) -> Self {
        self.0.truncate(budget.0 as usize);
        self
    }
}
