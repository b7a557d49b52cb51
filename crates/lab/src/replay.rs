//! The replay world: answers requests from a history.
//!
//! What an answer costs is modelled, for budgets in bytes or time. A page costs the bytes that pages with
//! so much text usually have ([`costs::estimated_bytes`]), because readings do not keep bodies. A request for
//! a page with validators that is unchanged since it was last served costs the head of a 304. Every
//! request takes a second: the usual delay between two requests to a host.
use std::sync::Arc;

use crawl::{
    Answer, Arrival, Capture, Cost, Notice, Request, Result, Span, Time, World, answer_in_order,
};
use instruments::costs;

use crate::{rng::Rng, truth::GroundTruth};

/// What every request takes.
const TIME: Span = Span::from_millis(1_000);

/// Draws the pages with validators.
const SEED: u64 = 304;

/// Answers requests with the versions live at the current instant of its clock.
#[derive(Debug)]
pub struct ReplayWorld {
    truth: Arc<GroundTruth>,
    now: Time,
    /// Notices to come, the next one last.
    notices: Vec<(Time, Notice)>,
    /// The share of pages with validators.
    validators: f64,
    /// By page of the history, the reading that was served last, where it has validators.
    served: Vec<Option<u32>>,
}

impl ReplayWorld {
    /// A world at the start of the history's window.
    pub fn new(truth: Arc<GroundTruth>) -> Self {
        let now = truth.history().window.start;
        Self { truth, now, notices: vec![], validators: 0.0, served: vec![] }
    }

    /// The world with notices, which are given in order of time.
    #[must_use]
    pub fn with_notices(mut self, notices: Option<&[(Time, Notice)]>) -> Self {
        self.notices = notices.unwrap_or_default().iter().rev().cloned().collect();
        self
    }

    /// The world in which this share of the pages has validators and is answered "not modified" where
    /// nothing changed since it was last served. The pages alive at the start were served then.
    #[must_use]
    pub fn with_validators(mut self, share: f64) -> Self {
        self.validators = share;
        let pages = 0..self.truth.history().pages.len();
        self.served = pages.map(|page| self.truth.reading(page, 0)).collect();
        self
    }

    /// The answer for a page of the history, and its bytes.
    fn answer(&mut self, page: Option<usize>) -> (Answer, u64) {
        let history = self.truth.history();
        let found = page.and_then(|page| Some((page, history.pages[page].reading(self.now)?)));
        let Some((page, reading)) = found else { return (Answer::Gone, costs::HEAD_BYTES) };
        if let Some(served) = self.served.get_mut(page)
            && served.replace(reading) == Some(reading)
            && Rng::named(SEED, &history.pages[page].address).unit() < self.validators
        {
            return (Answer::NotModified, costs::HEAD_BYTES);
        }
        let snapshot = &history.readings[reading as usize];
        let bytes = costs::estimated_bytes(snapshot.counts.text_bytes);
        (Answer::Content(Arc::clone(snapshot)), bytes)
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
        answer_in_order(requests, arrive, |request| {
            let (answer, bytes) = self.answer(self.truth.find(&request.address));
            let cost = Cost { bytes, time: TIME };
            Capture { cost, ..Capture::new(request.page, self.now, answer) }
        })
    }
}
