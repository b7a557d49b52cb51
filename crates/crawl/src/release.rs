//! Releases the visits of a plan little by little, as far as the budget allows.
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::{
    Cost, HostNo, Instruments, Observation, PageNo, Pages, Plan, Time, Visit, allowance::Purse,
};

/// The visits of one plan: those that wait, and those under way.
#[derive(Debug)]
pub(crate) struct Release<'p> {
    purse: &'p mut Purse,
    /// By host, the visits that wait, with their places in the plan.
    waiting: BTreeMap<HostNo, VecDeque<(usize, Visit)>>,
    /// Hosts with room for another request, by the place of their next visit.
    ready: BTreeSet<(usize, HostNo)>,
    /// By host, the number of requests under way.
    open: BTreeMap<HostNo, u32>,
    /// The requests under way, and what each was expected to cost.
    expected: BTreeMap<PageNo, Cost>,
    released: Vec<Visit>,
}

impl<'p> Release<'p> {
    pub(crate) fn new(plan: Plan, pages: &Pages, purse: &'p mut Purse) -> Self {
        let mut waiting: BTreeMap<HostNo, VecDeque<(usize, Visit)>> = BTreeMap::new();
        for (place, visit) in plan.0.into_iter().enumerate() {
            waiting.entry(pages.host(visit.page)).or_default().push_back((place, visit));
        }
        let first =
            |(&host, visits): (&HostNo, &VecDeque<(usize, Visit)>)| Some((visits.front()?.0, host));
        let ready = waiting.iter().filter_map(first).collect();
        Self {
            purse,
            waiting,
            ready,
            open: BTreeMap::new(),
            expected: BTreeMap::new(),
            released: vec![],
        }
    }

    /// Takes the visits to request now, in the order of the plan.
    pub(crate) fn take(&mut self, instruments: &Instruments, now: Time) -> Vec<Visit> {
        let mut taken = vec![];
        while !self.purse.is_empty(now)
            && let Some((_, host)) = self.ready.pop_first()
        {
            if !self.purse.allows(host) {
                continue;
            }
            let visits = self.waiting.get_mut(&host);
            let Some((_, visit)) = visits.and_then(VecDeque::pop_front) else { continue };
            let expected = instruments.expected_cost(visit.page, host);
            self.purse.reserve(host, expected);
            self.expected.insert(visit.page, expected);
            *self.open.entry(host).or_default() += 1;
            taken.push(visit);
            self.update_ready(host);
        }
        self.released.extend(&taken);
        taken
    }

    /// Notes an answer.
    pub(crate) fn answered(&mut self, seen: &Observation, cost: Cost) {
        let expected = self.expected.remove(&seen.page).unwrap_or_default();
        self.purse.pay(seen, expected, cost);
        if let Some(open) = self.open.get_mut(&seen.host) {
            *open = open.saturating_sub(1);
        }
        self.update_ready(seen.host);
    }

    /// The visits that were requested, in order.
    pub(crate) fn released(self) -> Plan {
        Plan(self.released)
    }

    fn update_ready(&mut self, host: HostNo) {
        let open = self.open.get(&host).copied().unwrap_or(0);
        match self.waiting.get(&host).map(VecDeque::front) {
            Some(Some((place, _))) if open < self.purse.open_requests() => {
                self.ready.insert((*place, host));
            }
            Some(None) => {
                self.waiting.remove(&host);
            }
            _ => {}
        }
    }
}
