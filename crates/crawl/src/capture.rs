//! Fetching: what the loop requests, and what a world hands back.
use std::{collections::VecDeque, sync::Arc};

use crate::{Cost, Exchange, Fault, HostUpdate, PageNo, Result, Snapshot, Time, Validators};

/// A page to fetch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The page. The capture carries the same number.
    pub page: PageNo,
    /// Its address.
    pub address: String,
    /// The validators of the held snapshot, for a conditional request.
    pub validators: Option<Validators>,
}

/// Answers requests one after the other, those that an answer leads to last: the fetching of every
/// [`World`](crate::World) that does not wait for answers.
///
/// # Errors
/// When `arrive` fails.
pub fn answer_in_order(
    requests: Vec<Request>,
    arrive: &mut dyn FnMut(Arrival) -> Result<Vec<Request>>,
    mut answer: impl FnMut(&Request) -> Capture,
) -> Result<()> {
    let mut queue = VecDeque::from(requests);
    while let Some(request) = queue.pop_front() {
        queue.extend(arrive(Arrival::Capture(answer(&request)))?);
    }
    Ok(())
}

/// What a world hands over while it fetches.
#[derive(Clone, Debug)]
pub enum Arrival {
    /// The answer to a request.
    Capture(Capture),
    /// News about a host that must be stored.
    Host(HostUpdate),
}

/// The answer to one request, and when it came.
#[derive(Clone, Debug)]
pub struct Capture {
    /// The page that was requested.
    pub page: PageNo,
    /// When the answer came.
    pub at: Time,
    /// The answer.
    pub answer: Answer,
    /// What it cost.
    pub cost: Cost,
    /// The HTTP exchange, where there was one.
    pub exchange: Option<Box<Exchange>>,
}

impl Capture {
    /// A capture without an HTTP exchange, as replays and simulations make them. It costs nothing.
    pub fn new(page: PageNo, at: Time, answer: Answer) -> Self {
        Self { page, at, answer, cost: Cost::default(), exchange: None }
    }
}

/// How the web answered a request.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A body, already parsed. Parsing is pure and expensive, so worlds do it where they fetch.
    Content(Arc<Snapshot>),
    /// The held snapshot is still current (304).
    NotModified,
    /// Not found (404). Servers also send this by mistake.
    Missing,
    /// Gone for good (410).
    Gone,
    /// The fetch failed, so nothing is known.
    Failed(Fault),
    /// Not requested: a rule forbids it, or the robots.txt of its host cannot be fetched (RFC 9309,
    /// 2.3.1.4). The fault says which: a host without an address is a failure of DNS, not a rule.
    Refused(Fault),
    /// Not requested: the time was up, or the host backs off.
    Unreached,
}
