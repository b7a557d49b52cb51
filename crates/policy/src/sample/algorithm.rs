//! Algorithm 1 of Tan 2007, with whatever is near to a sample: draw a page, look at it, and with a
//! certain chance visit its neighbours; again until the budget is spent.
//!
//! Departures and resolutions (`docs/policies/directory-sample.md` has them in full): a page is
//! visited at most once in a cycle, samples are paid for, and neighbours that exceed what is left of
//! the budget are cut off in order of their distance, those at the same distance by lot. Pages never
//! seen come first, before any sample; the paper has no such pages.
use std::collections::VecDeque;

use flow::{Budget, Known, Observation, PageNo, Plan, Policy, Reason, State, Time, Visit};

use super::{
    Neighbourhood, first_visits,
    trigger::{Looked, Trigger},
};
use crate::{Parameters, chance, score};

/// Keeps the order of neighbours apart from the order of samples.
const NEIGHBOURS: u64 = 0x6e65_6172;

/// Samples single pages, and visits what is near to those that trigger.
#[derive(Debug)]
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

/// How far a cycle has come.
#[derive(Debug, Default)]
struct Underway {
    /// The number of the cycle and its start; `None` before the first.
    cycle: Option<(u32, Time)>,
    /// The samples that were drawn and not visited yet, the next one last.
    samples: Vec<Visit>,
    /// Samples that were visited, until it is decided what they lead to.
    looked: Vec<Looked>,
    /// Neighbours still to be visited, the nearest first.
    neighbours: VecDeque<Visit>,
}

impl<N: Neighbourhood> Sampling<N> {
    /// The policy with this name and neighbourhood. The parameters hold `d`, `batch` and `chance`.
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
            trigger: Trigger::new(parameters.word("chance"), seed),
            neighbourhood,
            underway: Underway::default(),
        }
    }

    /// The next samples. When all were drawn and budget is left, pages that have become due since.
    fn samples(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        let wanted = self.batch.min(budget.0 as usize);
        let mut samples = self.underway.next_samples(known, wanted);
        if samples.is_empty() {
            self.underway.samples = self.draw(known, budget);
            samples = self.underway.next_samples(known, wanted);
        }
        Plan(samples)
    }

    /// The pages that are held, or were and are looked for again, by lot, the first one last. No
    /// more than the budget, since every visit, to a sample or a neighbour, uses up at most one.
    fn draw(&self, known: &Known<'_>, budget: Budget) -> Vec<Visit> {
        let seed = self.seed;
        let mut drawn = score::best(known, budget, |page| match known.pages.state(page) {
            State::Linked => f64::NEG_INFINITY,
            State::Held | State::Gone => chance::unit(seed, known.cycle, known.pages.id(page)),
        });
        drawn.0.retain(|visit| visit.reason != Reason::First);
        let sample = |visit: Visit| Visit { reason: Reason::Sample, ..visit };
        drawn.0.into_iter().map(sample).rev().collect()
    }

    /// What the samples that were looked at lead to: the nearest first, equally near ones by lot.
    fn near(&mut self, looked: &[Looked], known: &Known<'_>) -> VecDeque<Visit> {
        let mut found: Vec<(u32, PageNo)> = vec![];
        for sample in looked.iter().filter(|sample| self.trigger.is_drawn(**sample, known)) {
            let near = self.neighbourhood.within(sample.page, self.d, known);
            let is_held = |page| known.pages.state(page) != State::Linked;
            let due = near.into_iter().filter(|&(_, page)| is_held(page) && known.is_due(page));
            found.extend(due.map(|(distance, page)| (distance.unsigned_abs(), page)));
        }
        // Of two samples that both lead to a page the nearer one counts.
        found.sort_unstable_by_key(|&(distance, page)| (page, distance));
        found.dedup_by_key(|&mut (_, page)| page);
        let lot = |page| chance::unit(self.seed ^ NEIGHBOURS, known.cycle, known.pages.id(page));
        let mut drawn: Vec<(u32, f64, PageNo)> =
            found.into_iter().map(|(distance, page)| (distance, lot(page), page)).collect();
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
        let looked = std::mem::take(&mut self.underway.looked);
        if !looked.is_empty() {
            let near = self.near(&looked, known);
            self.underway.neighbours.extend(near);
        }
        let neighbours = self.underway.next_neighbours(known, budget.0 as usize);
        if !neighbours.is_empty() {
            return Plan(neighbours);
        }
        let samples = self.samples(known, budget);
        if samples.0.is_empty() { first_visits(known, budget) } else { samples }
    }

    fn needs_features(&self) -> bool {
        self.neighbourhood.needs_features()
    }

    fn learn(&mut self, seen: &Observation) {
        self.trigger.learn(seen);
        // While a log is played no cycle is under way, and a sample leads to nothing.
        if seen.reason == Reason::Sample && self.underway.cycle.is_some() {
            self.underway.looked.push(Looked::at(seen));
        }
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
