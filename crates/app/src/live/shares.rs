//! Which share of the budget a visit is made from.
use crawl::Reason;
use policy::{Part, PolicySpec};
use store::{View, VisitRow};

use crate::failure::Failure;

/// A policy that splits the budget.
#[derive(Clone, Debug)]
pub(super) struct Shares {
    policy: PolicySpec,
}

impl Shares {
    /// The shares of the policy of this name; `None` if it does not split the budget.
    pub(super) fn parse(policy: &str) -> Option<Self> {
        let policy = PolicySpec::parse(policy).ok()?;
        let is_shared = policy.parameters().policies().next().is_some();
        is_shared.then_some(Self { policy })
    }

    /// The shares in the cycle of each visit; `None` if its budget was not split.
    pub(super) fn for_visits(
        visits: &[VisitRow],
        view: &View,
    ) -> Result<Vec<Option<Self>>, Failure> {
        let shares = |visit: &VisitRow| {
            let planned = visit.cycle.map(|cycle| view.planned(cycle)).transpose()?.flatten();
            let refresh = planned.filter(|(kind, _)| kind == "refresh");
            Ok(refresh.and_then(|(_, policy)| Self::parse(&policy)))
        };
        visits.iter().map(shares).collect()
    }

    /// The share that visits for this reason come from, in words.
    pub(super) fn words(&self, reason: Reason) -> String {
        let for_discovery = self.policy.parameters().number("share");
        let (name, share) = match Part::for_reason(reason, self.policy.parameters()) {
            Part::All => return "from the budget before it is split".to_owned(),
            Part::Refresh => ("refreshing", 1.0 - for_discovery),
            Part::Discovery => ("discovery", for_discovery),
        };
        format!("from the {:.0} % of the budget for {name}", share * 100.0)
    }

    /// The same as one word.
    pub(super) fn name(&self, reason: Reason) -> &'static str {
        match Part::for_reason(reason, self.policy.parameters()) {
            Part::All => "all",
            Part::Refresh => "refreshing",
            Part::Discovery => "discovery",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_visit_comes_from_its_share_and_first_visits_come_before_the_split() {
        let shares = Shares::parse("mix:share=0.25").expect("mix splits the budget");
        assert_eq!(shares.words(Reason::First), "from the budget before it is split");
        assert_eq!(shares.words(Reason::Discover), "from the 25 % of the budget for discovery");
        for reason in [Reason::Refresh, Reason::Sample] {
            assert_eq!(shares.words(reason), "from the 75 % of the budget for refreshing");
        }
        let shares =
            Shares::parse("mix:share=0.25:firsts=discovery").expect("mix splits the budget");
        assert_eq!(shares.words(Reason::First), "from the 25 % of the budget for discovery");
        assert_eq!(shares.name(Reason::First), "discovery");
    }

    #[test]
    fn a_policy_that_has_the_whole_budget_has_no_shares() {
        assert!(Shares::parse("round-robin").is_none());
        assert!(Shares::parse("no such policy").is_none());
    }
}
