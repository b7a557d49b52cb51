//! One budget, shared by a refresh policy and a discovery policy.
//!
//! Pages that were found are visited first, from the whole budget: a page that is known and not held
//! helps nobody. Discovery's share of the rest pays for its visits, the other share for refreshing. What
//! one part does not use goes to the other. Discovery goes first, because searchers may want what it
//! finds in this cycle already, and because a refresh policy spends all it gets.
//!
//! The reason of a visit says which part pays for it ([`Part::for_reason`]): neither policy plans first visits.
use crawl::{
    Budget, Expectation, Explanation, Known, Needs, Observation, PageNo, Plan, Policy, Reason,
    Signal,
};

use crate::{Kind, Parameter, Parameters, PolicyEntry, discover::firsts};

pub(crate) const ENTRY: PolicyEntry = PolicyEntry {
    discovers: true,
    parameters: PARAMETERS,
    ..PolicyEntry::new(
        "mix",
        "one budget, shared by a refresh policy and a discovery policy",
        |seed, parameters| Box::new(Mix::new(seed, parameters)),
    )
};

const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "refresh",
        meaning: "the policy that keeps held pages fresh",
        default: "freshness-index",
        kind: Kind::Policy,
    },
    Parameter {
        name: "discover",
        meaning: "the policy that looks for new pages",
        default: "bandit",
        kind: Kind::Policy,
    },
    Parameter {
        name: "share",
        meaning: "share of the budget for discovery",
        default: "0.1",
        kind: Kind::Number(0.0, 1.0),
    },
    Parameter {
        name: "firsts",
        meaning: "what pays for first visits: the whole budget before it is shared, or discovery's share",
        default: "all",
        kind: Kind::Word(&["all", "discovery"]),
    },
];

/// The part of a shared budget that pays for a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The share of the refresh policy.
    Refresh,
    /// The share of the discovery policy.
    Discovery,
    /// The whole budget, before it is shared.
    All,
}

impl Part {
    /// The part that pays for visits with this reason, under the parameters of `mix`.
    pub fn for_reason(reason: Reason, parameters: &Parameters) -> Self {
        match reason {
            Reason::Refresh | Reason::Sample => Self::Refresh,
            Reason::First if parameters.word("firsts") == "all" => Self::All,
            Reason::Discover | Reason::First => Self::Discovery,
        }
    }
}

/// Divides one budget between two policies.
struct Mix {
    refresh: Box<dyn Policy>,
    discover: Box<dyn Policy>,
    parameters: Parameters,
    /// The cycle under way, and its budget.
    cycle: Option<(u32, u32)>,
    /// The last cycle learned from, how many of its visits discovery paid for, and how many were paid
    /// from the whole budget.
    spent: (u32, u32, u32),
}

impl Clone for Mix {
    fn clone(&self) -> Self {
        Self {
            refresh: self.refresh.fork(),
            discover: self.discover.fork(),
            parameters: self.parameters.clone(),
            cycle: self.cycle,
            spent: self.spent,
        }
    }
}

impl Mix {
    fn new(seed: u64, parameters: &Parameters) -> Self {
        Self {
            refresh: parameters.policy("refresh").make(seed),
            discover: parameters.policy("discover").make(seed),
            parameters: parameters.clone(),
            cycle: None,
            spent: (0, 0, 0),
        }
    }

    /// What discovery may still spend in this cycle.
    fn part(&mut self, known: &Known<'_>, left: Budget) -> Budget {
        let budget = match self.cycle {
            Some((cycle, budget)) if cycle == known.cycle => budget,
            _ => left.0,
        };
        self.cycle = Some((known.cycle, budget));
        let (spent, before) =
            if self.spent.0 == known.cycle { (self.spent.1, self.spent.2) } else { (0, 0) };
        let shared = self.parameters.number("share") * f64::from(budget.saturating_sub(before));
        // Cumulative rounding, so that fractions of a visit add up over cycles.
        let until = |cycle: u32| (shared * f64::from(cycle)).floor();
        let part = (until(known.cycle + 1) - until(known.cycle)) as u32;
        Budget(part.saturating_sub(spent).min(left.0))
    }
}

impl Policy for Mix {
    fn name(&self) -> &'static str {
        "mix"
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        let part = self.part(known, budget);
        let held_alone = Known { plans_first_visits: false, ..*known };
        let mut for_discovery = *known;
        if self.parameters.word("firsts") == "all" {
            let plan = firsts(known, budget);
            if !plan.0.is_empty() {
                return plan;
            }
            for_discovery = held_alone;
        }
        if part.0 > 0 {
            let plan = self.discover.plan(&for_discovery, part).within(part);
            if !plan.0.is_empty() {
                return plan;
            }
        }
        let plan = self.refresh.plan(&held_alone, budget);
        if plan.0.is_empty() { self.discover.plan(&for_discovery, budget) } else { plan }
    }

    /// If both need the same instrument, the settings of the refresh policy win.
    fn needs(&self) -> Needs {
        self.refresh.needs().and(&self.discover.needs())
    }

    fn explain(&mut self, known: &Known<'_>, page: PageNo) -> Explanation {
        self.refresh.explain(known, page)
    }

    fn learn(&mut self, seen: &Observation) {
        if self.spent.0 != seen.cycle {
            self.spent = (seen.cycle, 0, 0);
        }
        if seen.was_requested() {
            match Part::for_reason(seen.reason, &self.parameters) {
                Part::Refresh => {}
                Part::Discovery => self.spent.1 += 1,
                Part::All => self.spent.2 += 1,
            }
        }
        self.refresh.learn(seen);
        self.discover.learn(seen);
    }

    fn expects(&self, page: PageNo) -> Option<Expectation> {
        self.refresh.expects(page)
    }

    fn lacks(&self, known: &Known<'_>) -> Vec<String> {
        let mut lacks = self.refresh.lacks(known);
        lacks.extend(self.discover.lacks(known));
        lacks
    }

    fn learn_notices(&mut self, signals: &[Signal]) {
        self.refresh.learn_notices(signals);
        self.discover.learn_notices(signals);
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use crawl::{HostNo, Links, Outcome, PageNo, Pages, State, Time, Visit};

    use super::*;
    use crate::{PolicySpec, testing::made};

    /// Ten held pages and `linked` others; each cycle takes an hour.
    struct Web {
        pages: Pages,
        links: Links,
        cycle: u32,
    }

    impl Web {
        fn new(linked: usize) -> Self {
            let (mut pages, start) = (Pages::default(), Time::from_millis(0));
            for number in 0..10 + linked {
                let page = pages.insert(&format!("http://a.example/{number:02}"), start);
                if number < 10 {
                    pages.apply(page, start, Outcome::First);
                }
            }
            Self { pages, links: Links::default(), cycle: 0 }
        }

        /// Plans and visits until the budget is spent. Returns all visits.
        fn cycle(&mut self, policy: &mut dyn Policy, budget: u32) -> Vec<Visit> {
            let mut visits = vec![];
            let at = Time::from_millis(3_600_000 * i64::from(self.cycle + 1));
            while visits.len() < budget as usize {
                let known = Known {
                    cycle: self.cycle,
                    cycle_start: at,
                    ..Known::new(at, &self.pages, &self.links)
                };
                let plan = policy.plan(&known, Budget(budget).less(visits.len()));
                if plan.0.is_empty() {
                    break;
                }
                for visit in plan.0 {
                    let linked = self.pages.state(visit.page) == State::Linked;
                    let outcome = if linked { Outcome::First } else { Outcome::Same };
                    self.pages.apply(visit.page, at, outcome);
                    policy.learn(&seen(visit, self.cycle, at, outcome));
                    visits.push(visit);
                }
            }
            self.cycle += 1;
            visits
        }
    }

    fn seen(visit: Visit, cycle: u32, at: Time, outcome: Outcome) -> Observation {
        Observation {
            reason: visit.reason,
            cycle,
            ..Observation::new(visit.page, HostNo(0), at, outcome)
        }
    }

    fn mix(share: &str) -> Box<dyn Policy> {
        let parts = "refresh=round-robin:discover=breadth-first:firsts=discovery";
        let word = format!("mix:{parts}:share={share}");
        made(&word, 1)
    }

    fn count_firsts(visits: &[Visit]) -> usize {
        visits.iter().filter(|visit| visit.reason == Reason::First).count()
    }

    #[test]
    fn first_visits_are_paid_from_the_part_of_discovery_and_no_more_than_that() {
        let (mut web, mut policy) = (Web::new(20), mix("0.3"));
        for _ in 0..4 {
            let visits = web.cycle(policy.as_mut(), 10);
            assert_eq!((visits.len(), count_firsts(&visits)), (10, 3));
        }
    }

    #[test]
    fn what_one_part_has_no_use_for_goes_to_the_other() {
        // Refreshing is all that is left to do for both.
        let (mut web, mut policy) = (Web::new(1), mix("0.5"));
        assert_eq!(web.cycle(policy.as_mut(), 8).len(), 8);
        // All ten are refreshed, and the rest of the budget pays for first visits.
        let (mut web, mut policy) = (Web::new(20), mix("0.1"));
        let visits = web.cycle(policy.as_mut(), 20);
        assert_eq!((visits.len(), count_firsts(&visits)), (20, 10));
    }

    #[test]
    fn fractions_of_a_visit_add_up() {
        let (mut web, mut policy) = (Web::new(20), mix("0.1"));
        let paid: Vec<usize> =
            (0..10).map(|_| count_firsts(&web.cycle(policy.as_mut(), 3))).collect();
        assert_eq!(paid, [0, 0, 0, 1, 0, 0, 1, 0, 0, 1]);
    }

    #[test]
    fn all_or_nothing_of_a_budget_can_be_for_discovery() {
        let (mut web, mut policy) = (Web::new(20), mix("1"));
        assert_eq!(count_firsts(&web.cycle(policy.as_mut(), 7)), 7);
        let (mut web, mut policy) = (Web::new(20), mix("0"));
        assert_eq!(count_firsts(&web.cycle(policy.as_mut(), 7)), 0);
        assert_eq!(web.pages.state(PageNo(10)), State::Linked);
    }

    #[test]
    fn pages_that_were_found_are_visited_before_the_budget_is_shared() {
        let word = "mix:refresh=round-robin:discover=frequency:share=0.5";
        let mut policy = made(word, 1);
        let mut web = Web::new(4);
        for expected in [4, 0] {
            let visits = web.cycle(policy.as_mut(), 10);
            assert_eq!((visits.len(), count_firsts(&visits)), (10, expected));
        }
    }

    #[test]
    fn looks_are_paid_from_the_part_of_discovery() {
        // Half of ten visits, or of the six that four first visits leave.
        for (linked, revisits) in [(0, 5), (4, 3)] {
            let word = "mix:refresh=round-robin:discover=breadth-first:share=0.5";
            let mut policy = made(word, 1);
            let visits = Web::new(linked).cycle(policy.as_mut(), 10);
            let revisited = visits.iter().filter(|visit| visit.reason == Reason::Discover);
            assert_eq!(revisited.count(), revisits);
        }
    }

    #[test]
    fn why_a_visit_is_made_says_who_pays() {
        let reasons = [Reason::Refresh, Reason::Sample, Reason::Discover, Reason::First];
        for (word, first) in [("mix", Part::All), ("mix:firsts=discovery", Part::Discovery)] {
            let spec = PolicySpec::parse(word).expect("a choice");
            let parts = reasons.map(|reason| Part::for_reason(reason, spec.parameters()));
            assert_eq!(parts, [Part::Refresh, Part::Refresh, Part::Discovery, first]);
        }
    }
}
