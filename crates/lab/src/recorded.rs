//! A policy that repeats the visits of a recorded crawl, so that the lab can measure a live crawl
//! by the same metrics and on the same history as any policy.
use crawl::{Budget, Known, Plan, Policy, Reason, State, Visit};

/// Plans the recorded visits, cycle by cycle.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The addresses visited in each cycle, in order.
    cycles: Vec<Vec<String>>,
}

impl Recorded {
    /// A policy that visits these addresses, by cycle. It skips addresses that the run does not
    /// know yet.
    pub fn new(cycles: Vec<Vec<String>>) -> Self {
        Self { cycles }
    }
}

impl Policy for Recorded {
    fn name(&self) -> &'static str {
        "recorded"
    }

    fn plan(&mut self, known: &Known<'_>, _budget: Budget) -> Plan {
        let Some(addresses) = self.cycles.get(known.cycle as usize) else { return Plan::default() };
        let visit = |address: &String| {
            let page = known.pages.find(address).filter(|&page| known.is_due(page))?;
            let linked = known.pages.state(page) == State::Linked;
            let reason = if linked { Reason::First } else { Reason::Refresh };
            Some(Visit { page, score: 0.0, reason })
        };
        Plan(addresses.iter().filter_map(visit).collect())
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use crawl::{Links, Outcome, Pages, Time};

    use super::*;

    #[test]
    fn plans_what_was_visited_in_that_cycle_and_is_known_and_due() {
        let mut pages = Pages::default();
        let start = Time::from_millis(0);
        let [a, b, _] = ["a", "b", "c"].map(|address| pages.insert(address, start));
        pages.apply(a, start, Outcome::First);
        let links = Links::default();
        let addresses = ["b", "unknown", "a"].map(str::to_owned).to_vec();
        let mut policy = Recorded::new(vec![vec![], addresses]);
        let mut plan = |cycle| {
            let cycle_start = Time::from_millis(1);
            let known =
                Known { cycle, cycle_start, ..Known::new(Time::from_millis(2), &pages, &links) };
            let visits = policy.plan(&known, Budget(9)).0;
            visits.into_iter().map(|visit| (visit.page, visit.reason)).collect::<Vec<_>>()
        };
        assert_eq!(plan(0), []);
        assert_eq!(plan(1), [(b, Reason::First), (a, Reason::Refresh)]);
        assert_eq!(plan(2), []);
    }
}
