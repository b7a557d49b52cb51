//! Pages that wait for their first visit, host by host.
//!
//! Only so many pages of each host are on their way at a time: a world's queues stay short however many
//! pages are found, and no host's pages crowd out another's.
use std::collections::VecDeque;

use crate::{Budget, HostNo, Observation, PageNo, Pages};

/// So many pages of one host are asked for at a time. Enough that a host is never idle while the loop
/// takes in what came.
const AT_ONCE: u32 = 256;

/// Pages that wait for their first visit.
#[derive(Debug)]
pub(crate) struct Waiting {
    left: Budget,
    hosts: Vec<Queue>,
    /// Hosts of which something may be asked.
    ready: VecDeque<HostNo>,
}

#[derive(Debug, Default)]
struct Queue {
    pages: VecDeque<PageNo>,
    on_their_way: u32,
    is_ready: bool,
}

impl Waiting {
    /// Nothing waits; at most `budget` visits may be made.
    pub(crate) fn new(budget: Budget) -> Self {
        Self { left: budget, hosts: vec![], ready: VecDeque::new() }
    }

    /// A page waits from now on.
    pub(crate) fn add(&mut self, page: PageNo, pages: &Pages) {
        let host = pages.host(page);
        if self.hosts.len() <= host.0 as usize {
            self.hosts.resize_with(host.0 as usize + 1, Queue::default);
        }
        self.hosts[host.0 as usize].pages.push_back(page);
        self.look_at(host);
    }

    /// An answer came; one that cost nothing gives its visit back.
    pub(crate) fn answered(&mut self, seen: &Observation) {
        if !seen.was_asked() {
            self.left = Budget(self.left.0.saturating_add(1));
        }
        let queue = &mut self.hosts[seen.host.0 as usize];
        queue.on_their_way = queue.on_their_way.saturating_sub(1);
        self.look_at(seen.host);
    }

    fn look_at(&mut self, host: HostNo) {
        let queue = &mut self.hosts[host.0 as usize];
        if !queue.is_ready && !queue.pages.is_empty() && queue.on_their_way < AT_ONCE {
            queue.is_ready = true;
            self.ready.push_back(host);
        }
    }

    /// The pages to be asked for now, taken in turns from the hosts that have any.
    pub(crate) fn take(&mut self) -> Vec<PageNo> {
        let mut pages = vec![];
        while self.left.0 > 0
            && let Some(host) = self.ready.pop_front()
        {
            let queue = &mut self.hosts[host.0 as usize];
            queue.is_ready = false;
            if let Some(page) = queue.pages.pop_front() {
                queue.on_their_way += 1;
                self.left = self.left.less(1);
                pages.push(page);
            }
            self.look_at(host);
        }
        pages
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Outcome, Reason, Time};

    /// `count` pages of each host, waiting.
    fn waiting(budget: u32, hosts: usize, count: usize) -> (Waiting, Pages) {
        let (mut waiting, mut pages) = (Waiting::new(Budget(budget)), Pages::default());
        for host in 0..hosts {
            for page in 0..count {
                let address = format!("http://{host}.example/{page}");
                let page = pages.admit(&address, Time::from_millis(0));
                waiting.add(page, &pages);
            }
        }
        (waiting, pages)
    }

    fn seen(page: PageNo, pages: &Pages, outcome: Outcome) -> Observation {
        Observation {
            page,
            host: pages.host(page),
            at: Time::from_millis(1),
            reason: Reason::First,
            outcome,
            fault: None,
            since: None,
            leads: vec![],
            cycle: 0,
            signals: vec![],
            impact: None,
        }
    }

    #[test]
    fn hosts_take_turns_and_have_so_many_pages_on_their_way() {
        let (mut waiting, pages) = waiting(u32::MAX, 2, 300);
        let first = waiting.take();
        assert_eq!(first.len(), 2 * AT_ONCE as usize);
        assert_eq!(first[..4], [0, 300, 1, 301].map(PageNo));
        assert_eq!(waiting.take(), []);
        waiting.answered(&seen(PageNo(300), &pages, Outcome::First));
        assert_eq!(waiting.take(), [PageNo(300 + AT_ONCE)]);
    }

    #[test]
    fn a_budget_is_not_overspent_and_what_cost_nothing_is_given_back() {
        let (mut waiting, pages) = waiting(2, 1, 5);
        assert_eq!(waiting.take(), [PageNo(0), PageNo(1)]);
        waiting.answered(&seen(PageNo(0), &pages, Outcome::First));
        assert_eq!(waiting.take(), []);
        waiting.answered(&seen(PageNo(1), &pages, Outcome::Refused));
        assert_eq!(waiting.take(), [PageNo(2)]);
    }
}
