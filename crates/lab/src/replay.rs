//! The replay world: a history, asked as if it were the web.
use std::sync::Arc;

use flow::{Answer, Capture, Request, Result, Time, World};

use crate::truth::Truth;

/// Answers requests with the versions that were live at its clock's instant.
#[derive(Debug)]
pub struct ReplayWorld {
    truth: Arc<Truth>,
    now: Time,
}

impl ReplayWorld {
    /// A world at the start of the history's window.
    pub fn new(truth: Arc<Truth>) -> Self {
        let now = truth.history().window.start;
        Self { truth, now }
    }
}

impl World for ReplayWorld {
    fn now(&self) -> Time {
        self.now
    }

    fn wait_until(&mut self, then: Time) {
        self.now = self.now.max(then);
    }

    fn fetch(
        &mut self,
        requests: &[Request],
        arrive: &mut dyn FnMut(Capture) -> Result<()>,
    ) -> Result<()> {
        let history = self.truth.history();
        for request in requests {
            let page = self.truth.find(&request.address);
            let reading = page.and_then(|page| history.pages[page].reading(self.now));
            let answer = reading.map_or(Answer::Gone, |reading| {
                Answer::Content(Arc::clone(&history.readings[reading as usize]))
            });
            arrive(Capture { page: request.page, at: self.now, answer })?;
        }
        Ok(())
    }
}
