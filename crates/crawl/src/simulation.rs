//! A world in which nothing changes, and a repository for it. They answer what a crawl would do
//! next.
//!
//! The real loop runs on them with a [fork](crate::Policy::fork) of the policy. So a forecast cannot
//! differ from what the crawl does.
use std::sync::Arc;

use crate::{
    Answer, Arrival, Capture, Cost, LogEntry, Observation, PageNo, Pages, Repository, Request,
    Result, Snapshot, State, Time, Update, Validators, World, answer_in_order,
};

/// A world in which every held page is unchanged, every linked page exists, and every gone page is
/// gone.
#[derive(Clone, Debug)]
pub struct Simulation {
    now: Time,
    states: Vec<State>,
    /// Hosts that back off, and until when.
    back_off: Vec<(String, Time)>,
    /// By page, what a visit costs.
    costs: Vec<Cost>,
    empty: Arc<Snapshot>,
}

impl Simulation {
    /// A simulation that starts at `now` with the pages in their present states. `back_off` lists
    /// hosts that back off, and until when.
    pub fn new(now: Time, pages: &Pages, back_off: Vec<(String, Time)>) -> Self {
        let states = pages.states().to_vec();
        Self { now, states, back_off, costs: vec![], empty: Arc::default() }
    }

    /// A simulation in which visits cost this, by page number; without it they cost nothing.
    #[must_use]
    pub fn with_costs(self, costs: Vec<Cost>) -> Self {
        Self { costs, ..self }
    }
}

impl World for Simulation {
    fn now(&self) -> Time {
        self.now
    }

    fn wait_until(&mut self, then: Time) {
        self.now = self.now.max(then);
    }

    fn fetch(
        &mut self,
        requests: Vec<Request>,
        arrive: &mut dyn FnMut(Arrival) -> Result<Vec<Request>>,
    ) -> Result<()> {
        answer_in_order(requests, arrive, |request| {
            let row = request.page.index();
            let answer = match self.states.get(row).copied().unwrap_or(State::Linked) {
                State::Held => Answer::NotModified,
                State::Linked => Answer::Content(Arc::clone(&self.empty)),
                State::Gone => Answer::Gone,
            };
            if let Some(state @ State::Linked) = self.states.get_mut(row) {
                *state = State::Held;
            }
            let cost = self.costs.get(row).copied().unwrap_or_default();
            Capture { cost, ..Capture::new(request.page, self.now, answer) }
        })
    }

    fn backing_off(&self) -> Vec<String> {
        let is_off = |(_, until): &&(String, Time)| *until > self.now;
        self.back_off.iter().filter(is_off).map(|(host, _)| host.clone()).collect()
    }
}

/// A repository that has an empty snapshot of every page and stores nothing.
#[derive(Clone, Debug, Default)]
pub struct SimulatedRepository {
    empty: Arc<Snapshot>,
}

impl Repository for SimulatedRepository {
    fn held(&self, _page: PageNo) -> Result<Option<Arc<Snapshot>>> {
        Ok(Some(Arc::clone(&self.empty)))
    }

    fn read_held(&self, page: PageNo) -> Result<Option<Arc<Snapshot>>> {
        self.held(page)
    }

    fn validators(&self, _page: PageNo) -> Result<Option<Validators>> {
        Ok(None)
    }

    fn append(&mut self, _entry: LogEntry<'_>) -> Result<()> {
        Ok(())
    }

    fn remember(&mut self, _update: Update) -> Result<()> {
        Ok(())
    }

    fn replay(&self, _each: &mut dyn FnMut(&Observation)) -> Result<()> {
        Ok(())
    }

    fn commit(&mut self) -> Result<()> {
        Ok(())
    }
}
