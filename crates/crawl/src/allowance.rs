//! What a cycle may spend, what a visit costs, and what is left.
//!
//! A plan is always a number of visits ([`Budget`]). The budget of a cycle may also be given in bytes
//! or in time. Then the loop asks for about as many visits as the rest will buy, sends few requests at a
//! time, and stops when the rest is used up. So it spends too much only by the requests under way.
use crate::{Budget, HostNo, Known, Observation, Span, Time};

/// Requests under way for each host where the budget is in bytes or time. Two, so that a host is not
/// idle while the loop records an answer.
const OPEN_REQUESTS: u32 = 2;

/// What a visit is expected to cost before anything was measured: a page of usual size, and the usual
/// delay between two requests to a host.
const FIRST_GUESS: Cost = Cost { bytes: 30_000, time: Span::from_millis(1_000) };

/// The budget of a cycle, in its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowance {
    /// Visits.
    Visits(u32),
    /// Bytes received ([`Cost::bytes`]).
    Bytes(u64),
    /// Time from the start of the cycle.
    Time(Span),
}

impl From<Budget> for Allowance {
    fn from(budget: Budget) -> Self {
        Self::Visits(budget.0)
    }
}

/// What one visit cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Bytes received: the head of the response, and its body as sent. robots.txt is not counted.
    pub bytes: u64,
    /// How long the visit kept its host busy: from the end of the visit before it, or the time when it
    /// could begin, to the end of the answer. The delay that politeness asks for is part of it.
    pub time: Span,
}

/// What a cycle has spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Visits that were requested.
    pub visits: u32,
    /// Bytes received.
    pub bytes: u64,
    /// Time from the start to the end of the cycle by the clock of the world.
    pub time: Span,
}

/// The rest of an allowance.
#[derive(Debug)]
pub(crate) struct Purse {
    allowance: Allowance,
    start: Time,
    spent: Spent,
    /// The expected cost of requests under way.
    reserved: u64,
    /// By host, the time that its visits took and are expected to take.
    busy: Vec<Span>,
}

impl Purse {
    pub(crate) fn new(allowance: Allowance, start: Time) -> Self {
        Self { allowance, start, spent: Spent::default(), reserved: 0, busy: vec![] }
    }

    /// What was spent until `now`.
    pub(crate) fn spent(&self, now: Time) -> Spent {
        Spent { time: now - self.start, ..self.spent }
    }

    /// The most requests under way for one host.
    pub(crate) fn open_requests(&self) -> u32 {
        match self.allowance {
            Allowance::Visits(_) => u32::MAX,
            Allowance::Bytes(_) | Allowance::Time(_) => OPEN_REQUESTS,
        }
    }

    /// The number of visits that the rest is expected to buy; 0 where nothing is left.
    pub(crate) fn budget(&self, known: &Known<'_>) -> Budget {
        match self.allowance {
            Allowance::Visits(visits) => Budget(visits.saturating_sub(self.spent.visits)),
            Allowance::Bytes(bytes) => {
                let (mut sum, mut count) = (0, 0);
                for page in known.due() {
                    sum += known.expected_cost(page).bytes;
                    count += 1;
                }
                let left = bytes.saturating_sub(self.spent.bytes);
                let visits = (u128::from(left) * count).div_ceil(u128::from(sum).max(1));
                Budget(u32::try_from(visits).unwrap_or(u32::MAX))
            }
            Allowance::Time(_) if self.is_empty(known.now) => Budget(0),
            Allowance::Time(time) => {
                // Hosts are visited side by side, so each has all the time that is left.
                let mut hosts: Vec<(i64, i64)> = vec![];
                for page in known.due() {
                    let host = known.pages.host(page).0 as usize;
                    if hosts.len() <= host {
                        hosts.resize(host + 1, (0, 0));
                    }
                    hosts[host].0 += known.expected_cost(page).time.millis();
                    hosts[host].1 += 1;
                }
                let visits = (0..).zip(hosts).map(|(host, (sum, count))| {
                    let left = (time.millis() - self.busy(HostNo(host)).millis()).max(0);
                    let buys =
                        (i128::from(left) * i128::from(count)).div_euclid(i128::from(sum).max(1));
                    buys.min(i128::from(count))
                });
                Budget(u32::try_from(visits.sum::<i128>().max(1)).unwrap_or(u32::MAX))
            }
        }
    }

    /// Whether nothing is left beside what the requests under way will cost.
    pub(crate) fn is_empty(&self, now: Time) -> bool {
        match self.allowance {
            // A plan holds no more visits than are left.
            Allowance::Visits(_) => false,
            Allowance::Bytes(bytes) => self.spent.bytes + self.reserved >= bytes,
            Allowance::Time(time) => now - self.start >= time,
        }
    }

    /// Whether a host has time left. It matters where the clock stands still, as in a replay.
    pub(crate) fn allows(&self, host: HostNo) -> bool {
        match self.allowance {
            Allowance::Visits(_) | Allowance::Bytes(_) => true,
            Allowance::Time(time) => self.busy(host) < time,
        }
    }

    /// The hosts that have no time left.
    pub(crate) fn hosts_without_time(&self) -> impl Iterator<Item = HostNo> {
        let hosts = (0..self.busy.len() as u32).map(HostNo);
        hosts.filter(|&host| !self.allows(host))
    }

    /// Notes that a request was sent.
    pub(crate) fn reserve(&mut self, host: HostNo, expected: Cost) {
        self.reserved += expected.bytes;
        self.add_busy(host, expected.time.millis());
    }

    /// Notes the answer to a request that was expected to cost `expected`.
    pub(crate) fn pay(&mut self, seen: &Observation, expected: Cost, cost: Cost) {
        self.reserved -= expected.bytes;
        self.add_busy(seen.host, cost.time.millis() - expected.time.millis());
        self.spent.bytes += cost.bytes;
        self.spent.visits += u32::from(seen.was_requested());
    }

    fn busy(&self, host: HostNo) -> Span {
        self.busy.get(host.0 as usize).copied().unwrap_or_default()
    }

    fn add_busy(&mut self, host: HostNo, millis: i64) {
        let row = host.0 as usize;
        if self.busy.len() <= row {
            self.busy.resize(row + 1, Span::default());
        }
        self.busy[row] = Span::from_millis(self.busy[row].millis() + millis);
    }
}

impl Known<'_> {
    /// What a visit to a page is expected to cost.
    pub fn expected_cost(&self, page: crate::PageNo) -> Cost {
        self.instruments.expected_cost(page, self.pages.host(page))
    }
}

impl crate::Instruments {
    /// What a visit to a page of a host is expected to cost, by the instrument that measures costs.
    /// Without one, every page costs the same.
    pub fn expected_cost(&self, page: crate::PageNo, host: HostNo) -> Cost {
        self.iter()
            .find_map(|instrument| instrument.expected_cost(page, host))
            .unwrap_or(FIRST_GUESS)
    }
}
