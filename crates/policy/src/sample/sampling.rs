//! Algorithm 1 of Tan 2007 for any neighbourhood: draw a page, visit it, and with some probability visit its
//! neighbours; repeat until the budget is spent.
//!
//! Departures (`docs/policies/directory-sample.md` has all): a page is visited at most once in a cycle,
//! samples are paid for, and neighbours that exceed the rest of the budget are cut off by distance, at the
//! same distance at random. Pages never seen come before any sample; the paper has no such pages.
use std::collections::VecDeque;

use crawl::{Budget, Known, Needs, Observation, PageNo, Plan, Policy, Reason, State, Time, Visit};

use super::{
    Neighbourhood,
    change_frequency::Count,
    first_visits,
    trigger::{SampleVisit, Trigger},
};
use crate::{Parameters, random, score};

/// Separates the random order of neighbours from that of samples.
const NEIGHBOURS: u64 = 0x6e65_6172;

/// Samples single pages and visits the neighbours of those that trigger.
#[derive(Clone, Debug)]
pub(crate) struct Sampling<N> {
    name: &'static str,
    seed: u64,
    /// The granularity.
    d: i32,
    batch: usize,
    trigger: Trigger,
    neighbourhood: N,
    underway: Underway,
}

/// The state of a cycle.
#[derive(Clone, Debug, Default)]
struct Underway {
    /// The number of the cycle and its start; `None` before the first.
    cycle: Option<(u32, Time)>,
    /// Samples drawn and not visited yet, the next one last.
    samples: Vec<Visit>,
    /// Visited samples whose neighbours are not determined yet.
    visited: Vec<SampleVisit>,
    /// Neighbours to be visited, the nearest first.
    neighbours: VecDeque<Visit>,
}

impl<N: Neighbourhood> Sampling<N> {
    /// The policy with this name and neighbourhood. The parameters include `d`, `batch`,
    /// `chance` and `count`.
    pub(crate) fn new(
        name: &'static str,
        seed: u64,
        parameters: &Parameters,
        neighbourhood: N,
    ) -> Self {
        Self {
            name,
            seed,
            d: parameters.whole("d") as i32,
            batch: parameters.whole("batch") as usize,
            trigger: Trigger::new(
                parameters.word("chance"),
                Count::by_word(parameters.word("count")),
                seed,
            ),
            neighbourhood,
            underway: Underway::default(),
        }
    }

    /// The next samples. When all are used and budget is left, pages that have become due since.
    fn samples(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        let wanted = self.batch.min(budget.0 as usize);
        let mut samples = self.underway.next_samples(known, wanted);
        if samples.is_empty() {
            self.underway.samples = self.draw(known, budget);
            samples = self.underway.next_samples(known, wanted);
        }
        Plan(samples)
    }

    /// Held and gone pages in random order, the first one last. No more than the budget, because every visit,
    /// to a sample or a neighbour, uses up at most one.
    fn draw(&self, known: &Known<'_>, budget: Budget) -> Vec<Visit> {
        let seed = self.seed;
        let mut drawn = score::best(known, budget, |page| match known.pages.state(page) {
            State::Linked => f64::NEG_INFINITY,
            State::Held | State::Gone => random::unit(seed, known.cycle, known.pages.id(page)),
        });
        drawn.0.retain(|visit| visit.reason != Reason::First);
        let sample = |visit: Visit| Visit { reason: Reason::Sample, ..visit };
        drawn.0.into_iter().map(sample).rev().collect()
    }

    /// The neighbours of these samples: the nearest first, equally near ones at random.
    fn near(&mut self, visited: &[SampleVisit], known: &Known<'_>) -> VecDeque<Visit> {
        let mut found: Vec<(u32, PageNo)> = vec![];
        for sample in visited.iter().filter(|sample| self.trigger.is_drawn(**sample, known)) {
            let near = self.neighbourhood.within(sample.page, self.d, known);
            let is_held = |page| known.pages.state(page) != State::Linked;
            let due = near.into_iter().filter(|&(_, page)| is_held(page) && known.is_due(page));
            found.extend(due.map(|(distance, page)| (distance.unsigned_abs(), page)));
        }
        // A page near two samples has the smaller distance.
        found.sort_unstable_by_key(|&(distance, page)| (page, distance));
        found.dedup_by_key(|&mut (_, page)| page);
        let draw = |page| random::unit(self.seed ^ NEIGHBOURS, known.cycle, known.pages.id(page));
        let mut drawn: Vec<(u32, f64, PageNo)> =
            found.into_iter().map(|(distance, page)| (distance, draw(page), page)).collect();
        drawn.sort_unstable_by(|a, b| {
            let nearer = a.0.cmp(&b.0).then(b.1.total_cmp(&a.1));
            nearer.then_with(|| known.pages.address_order(a.2, b.2))
        });
        let visit = |(distance, _, page): (u32, f64, PageNo)| {
            let score = 1.0 / (1.0 + f64::from(distance));
            Visit { page, score, reason: Reason::Refresh }
        };
        drawn.into_iter().map(visit).collect()
    }
}

impl<N: Neighbourhood> Policy for Sampling<N> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        let cycle = Some((known.cycle, known.cycle_start));
        if self.underway.cycle != cycle {
            self.underway = Underway { cycle, ..Underway::default() };
            self.neighbourhood.prepare(known);
            self.trigger.prepare(known);
            let firsts = first_visits(known, budget);
            if !firsts.0.is_empty() {
                return firsts;
            }
        }
        let visited = std::mem::take(&mut self.underway.visited);
        if !visited.is_empty() {
            let near = self.near(&visited, known);
            self.underway.neighbours.extend(near);
        }
        let neighbours = self.underway.next_neighbours(known, budget.0 as usize);
        if !neighbours.is_empty() {
            return Plan(neighbours);
        }
        let samples = self.samples(known, budget);
        if samples.0.is_empty() { first_visits(known, budget) } else { samples }
    }

    fn needs(&self) -> Needs {
        self.neighbourhood.needs()
    }

    fn learn(&mut self, seen: &Observation) {
        self.trigger.learn(seen);
        // While the log is replayed no cycle is under way, and a sample leads to nothing.
        if seen.reason == Reason::Sample && self.underway.cycle.is_some() {
            self.underway.visited.push(SampleVisit::new(seen));
        }
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}

impl Underway {
    fn next_samples(&mut self, known: &Known<'_>, wanted: usize) -> Vec<Visit> {
        let next = std::iter::from_fn(|| self.samples.pop());
        next.filter(|visit| known.is_due(visit.page)).take(wanted).collect()
    }

    fn next_neighbours(&mut self, known: &Known<'_>, wanted: usize) -> Vec<Visit> {
        let next = std::iter::from_fn(|| self.neighbours.pop_front());
        next.filter(|visit| known.is_due(visit.page)).take(wanted).collect()
    }
}
