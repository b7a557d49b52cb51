//! The frontier: pages that wait for their first visit, in one queue per host.
//!
//! The number of open requests per host is limited. So the queues of a world stay short however many
//! pages are found, and no host crowds out another.
use std::collections::VecDeque;

use crate::{Budget, HostNo, Observation, PageNo, Pages};

/// The most open requests per host. Enough that a host is never idle while the loop records
/// arrivals.
const OPEN_REQUESTS: u32 = 256;

/// Pages that wait for their first visit.
#[derive(Debug)]
pub(crate) struct Frontier {
    budget_left: Budget,
    hosts: Vec<HostQueue>,
    /// Hosts with pages and room for another request.
    ready: VecDeque<HostNo>,
}

#[derive(Debug, Default)]
struct HostQueue {
    pages: VecDeque<PageNo>,
    open_requests: u32,
    is_ready: bool,
}

impl Frontier {
    /// An empty frontier that releases at most `budget` pages.
    pub(crate) fn new(budget: Budget) -> Self {
        Self { budget_left: budget, hosts: vec![], ready: VecDeque::new() }
    }

    /// Adds a page.
    pub(crate) fn add(&mut self, page: PageNo, pages: &Pages) {
        let host = pages.host(page);
        if self.hosts.len() <= host.0 as usize {
            self.hosts.resize_with(host.0 as usize + 1, HostQueue::default);
        }
        self.hosts[host.0 as usize].pages.push_back(page);
        self.update_ready(host);
    }

    /// Notes an answer. If the page was not requested, its visit goes back to the budget.
    pub(crate) fn answered(&mut self, seen: &Observation) {
        if !seen.was_requested() {
            self.budget_left = Budget(self.budget_left.0.saturating_add(1));
        }
        let queue = &mut self.hosts[seen.host.0 as usize];
        queue.open_requests = queue.open_requests.saturating_sub(1);
        self.update_ready(seen.host);
    }

    fn update_ready(&mut self, host: HostNo) {
        let queue = &mut self.hosts[host.0 as usize];
        if !queue.is_ready && !queue.pages.is_empty() && queue.open_requests < OPEN_REQUESTS {
            queue.is_ready = true;
            self.ready.push_back(host);
        }
    }

    /// Takes the pages to request now, in turns from the hosts that are ready.
    pub(crate) fn take(&mut self) -> Vec<PageNo> {
        let mut pages = vec![];
        while self.budget_left.0 > 0
            && let Some(host) = self.ready.pop_front()
        {
            let queue = &mut self.hosts[host.0 as usize];
            queue.is_ready = false;
            if let Some(page) = queue.pages.pop_front() {
                queue.open_requests += 1;
                self.budget_left = self.budget_left.less(1);
                pages.push(page);
            }
            self.update_ready(host);
        }
        pages
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Outcome, Reason, Time};

    /// A frontier of `count` pages per host.
    fn frontier(budget: u32, hosts: usize, count: usize) -> (Frontier, Pages) {
        let (mut frontier, mut pages) = (Frontier::new(Budget(budget)), Pages::default());
        for host in 0..hosts {
            for page in 0..count {
                let address = format!("http://{host}.example/{page}");
                let page = pages.insert(&address, Time::from_millis(0));
                frontier.add(page, &pages);
            }
        }
        (frontier, pages)
    }

    fn seen(page: PageNo, pages: &Pages, outcome: Outcome) -> Observation {
        let host = pages.host(page);
        Observation {
            reason: Reason::First,
            ..Observation::new(page, host, Time::from_millis(1), outcome)
        }
    }

    #[test]
    fn hosts_take_turns_and_have_a_limited_number_of_open_requests() {
        let (mut frontier, pages) = frontier(u32::MAX, 2, 300);
        let first = frontier.take();
        assert_eq!(first.len(), 2 * OPEN_REQUESTS as usize);
        assert_eq!(first[..4], [0, 300, 1, 301].map(PageNo));
        assert_eq!(frontier.take(), []);
        frontier.answered(&seen(PageNo(300), &pages, Outcome::First));
        assert_eq!(frontier.take(), [PageNo(300 + OPEN_REQUESTS)]);
    }

    #[test]
    fn a_budget_is_not_overspent_and_free_visits_go_back_to_it() {
        let (mut frontier, pages) = frontier(2, 1, 5);
        assert_eq!(frontier.take(), [PageNo(0), PageNo(1)]);
        frontier.answered(&seen(PageNo(0), &pages, Outcome::First));
        assert_eq!(frontier.take(), []);
        frontier.answered(&seen(PageNo(1), &pages, Outcome::Refused));
        assert_eq!(frontier.take(), [PageNo(2)]);
    }
}
