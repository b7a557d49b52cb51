//! Which part of a shared budget pays for a visit.
use flow::Reason;
use policy::{Choice, Part};
use store::{View, VisitRow};

use crate::failure::Failure;

/// A policy under which a budget is shared.
#[derive(Clone, Debug)]
pub(super) struct Shares {
    choice: Choice,
}

impl Shares {
    /// Of the policy that is called so; `None` where one policy has all of the budget.
    pub(super) fn of(policy: &str) -> Option<Self> {
        let choice = Choice::parse(policy).ok()?;
        let is_shared = choice.parameters().policies().next().is_some();
        is_shared.then_some(Self { choice })
    }

    /// How the budget was shared that paid for each visit; `None` where it was not.
    pub(super) fn of_visits(
        visits: &[VisitRow],
        view: &View,
    ) -> Result<Vec<Option<Self>>, Failure> {
        let shares = |visit: &VisitRow| {
            let planned = visit.cycle.map(|cycle| view.planned(cycle)).transpose()?.flatten();
            let refresh = planned.filter(|(kind, _)| kind == "refresh");
            Ok(refresh.and_then(|(_, policy)| Self::of(&policy)))
        };
        visits.iter().map(shares).collect()
    }

    /// What pays for visits made for this reason, and how much of the budget it is.
    pub(super) fn words(&self, reason: Reason) -> String {
        let for_discovery = self.choice.parameters().number("share");
        let (name, share) = match Part::of(reason, self.choice.parameters()) {
            Part::All => return "paid before the budget is shared".to_owned(),
            Part::Refresh => ("refreshing", 1.0 - for_discovery),
            Part::Discovery => ("discovery", for_discovery),
        };
        format!("paid from the {:.0} % for {name}", share * 100.0)
    }

    /// The same in a word, for machines.
    pub(super) fn name(&self, reason: Reason) -> &'static str {
        match Part::of(reason, self.choice.parameters()) {
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
    fn each_part_of_a_shared_budget_pays_for_its_own_and_first_visits_come_before() {
        let shares = Shares::of("mix:share=0.25").expect("a mix shares");
        assert_eq!(shares.words(Reason::First), "paid before the budget is shared");
        assert_eq!(shares.words(Reason::Discover), "paid from the 25 % for discovery");
        for reason in [Reason::Refresh, Reason::Sample] {
            assert_eq!(shares.words(reason), "paid from the 75 % for refreshing");
        }
        let shares = Shares::of("mix:share=0.25:firsts=discovery").expect("a mix shares");
        assert_eq!(shares.words(Reason::First), "paid from the 25 % for discovery");
        assert_eq!(shares.name(Reason::First), "discovery");
    }

    #[test]
    fn a_policy_that_has_all_of_the_budget_shares_nothing() {
        assert!(Shares::of("round-robin").is_none());
        assert!(Shares::of("no such policy").is_none());
    }
}
