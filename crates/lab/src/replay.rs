//! The replay world: answers requests from a history.
use std::{collections::VecDeque, sync::Arc};

use crawl::{Answer, Arrival, Capture, Notice, Request, Result, Time, World};

use crate::truth::GroundTruth;

/// Answers requests with the versions live at the current instant of its clock.
#[derive(Debug)]
pub struct ReplayWorld {
    truth: Arc<GroundTruth>,
    now: Time,
    /// Notices to come, the next one last.
    notices: Vec<(Time, Notice)>,
}

impl ReplayWorld {
    /// A world at the start of the history's window.
    pub fn new(truth: Arc<GroundTruth>) -> Self {
        let now = truth.history().window.start;
        Self { truth, now, notices: vec![] }
    }

    /// The world with notices, which are given in order of time.
    #[must_use]
    pub fn with_notices(mut self, notices: Option<&[(Time, Notice)]>) -> Self {
        self.notices = notices.unwrap_or_default().iter().rev().cloned().collect();
        self
    }
}

impl World for ReplayWorld {
    fn now(&self) -> Time {
        self.now
    }

    fn wait_until(&mut self, then: Time) {
        self.now = self.now.max(then);
    }

    fn notices(&mut self) -> Vec<Notice> {
        let mut came = vec![];
        while let Some((_, notice)) = self.notices.pop_if(|(at, _)| *at <= self.now) {
            came.push(notice);
        }
        came
    }

    fn fetch(
        &mut self,
        requests: Vec<Request>,
        arrive: &mut dyn FnMut(Arrival) -> Result<Vec<Request>>,
    ) -> Result<()> {
        let history = self.truth.history();
        let mut queue = VecDeque::from(requests);
        while let Some(request) = queue.pop_front() {
            let page = self.truth.find(&request.address);
            let reading = page.and_then(|page| history.pages[page].reading(self.now));
            let answer = reading.map_or(Answer::Gone, |reading| {
                Answer::Content(Arc::clone(&history.readings[reading as usize]))
            });
            let capture = Capture::new(request.page, self.now, answer);
            queue.extend(arrive(Arrival::Capture(capture))?);
        }
        Ok(())
    }
}
