//! The loop: plan, fetch, observe, record, learn; again until the budget is spent.
use std::sync::Arc;

use crate::{
    Answer, Budget, Capture, ChangeDetector, Error, Known, Links, Observation, PageNo, Pages, Plan,
    Policy, Reason, Repository, Request, Result, Signal, Snapshot, Span, State, Time, Visit, World,
    observe,
};

/// A crawl: the parts it is made of, and what it knows.
pub struct Crawl<'a> {
    /// Where captures come from.
    pub world: &'a mut dyn World,
    /// What decides the visits.
    pub policy: &'a mut dyn Policy,
    /// Where snapshots and the log are kept.
    pub repository: &'a mut dyn Repository,
    /// What counts as a change.
    pub detector: &'a dyn ChangeDetector,
    /// Which linked addresses become pages.
    pub admits: &'a dyn Fn(&str) -> bool,
    /// The time from one cycle to the next, where cycles come at fixed intervals.
    pub cadence: Option<Span>,
    /// Every known page.
    pub pages: Pages,
    /// Who links to whom.
    pub links: Links,
    /// Cycles finished so far.
    pub cycles: u32,
}

/// One cycle's visits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cycle {
    /// What was observed, in the order it arrived.
    pub log: Vec<Observation>,
    /// The plans that were carried out, one for each round.
    pub plans: Vec<Plan>,
}

impl Crawl<'_> {
    /// Visits every page that is linked and due, whatever the budget: how a crawl begins that
    /// starts with everything held.
    ///
    /// # Errors
    /// As [`cycle`](Self::cycle).
    pub fn hold_linked(&mut self) -> Result<Vec<Observation>> {
        let start = self.world.now();
        let first = |page| Visit { page, score: 0.0, reason: Reason::First };
        let linked = |&page: &PageNo| self.pages.state(page) == State::Linked;
        let plan = Plan(self.pages.numbers().filter(linked).map(first).collect());
        let mut log = Vec::with_capacity(plan.0.len());
        self.carry_out(&plan, start, &mut log)?;
        for seen in &log {
            self.policy.learn(seen);
        }
        self.repository.commit()?;
        Ok(log)
    }

    /// Spends one cycle's budget.
    ///
    /// # Errors
    /// When the repository or the world as a whole fails. A page that fails is an
    /// [`Outcome::Failed`](crate::Outcome::Failed), not an error.
    pub fn cycle(&mut self, mut budget: Budget) -> Result<Cycle> {
        let start = self.world.now();
        let mut cycle = Cycle::default();
        while budget.0 > 0 {
            let known = Known {
                now: self.world.now(),
                cycle: self.cycles,
                cycle_start: start,
                cadence: self.cadence,
                pages: &self.pages,
                links: &self.links,
            };
            let plan = self.policy.plan(&known, budget).within(budget);
            if plan.0.is_empty() {
                break;
            }
            budget = budget.less(plan.0.len());
            let heard = cycle.log.len();
            self.carry_out(&plan, start, &mut cycle.log)?;
            cycle.log[heard..].iter().for_each(|seen| self.policy.learn(seen));
            cycle.plans.push(plan);
        }
        self.repository.commit()?;
        self.cycles += 1;
        Ok(cycle)
    }

    /// Web to capture to observation to repository, one page at a time as they arrive.
    fn carry_out(&mut self, plan: &Plan, start: Time, log: &mut Vec<Observation>) -> Result<()> {
        let Self { world, repository, detector, admits, pages, links, .. } = self;
        let requests: Vec<Request> = plan
            .0
            .iter()
            .map(|visit| Request {
                page: visit.page,
                address: pages.address(visit.page).to_owned(),
            })
            .collect();
        let mut reasons = Reasons::of(plan);
        let heard = log.len();
        world.fetch(&requests, &mut |capture: Capture| {
            let Some(reason) = reasons.take(capture.page) else {
                return Err(Error::Unasked { address: name(pages, capture.page) });
            };
            let (page, at) = (capture.page, capture.at);
            let old = repository.held(page)?;
            let outcome = observe::outcome(&capture.answer, old.as_deref(), *detector);
            let since = pages.last_seen(page).map(|then| at - then);
            pages.absorb(page, at, outcome);
            let new = match capture.answer {
                Answer::Content(new) => Some(new),
                _ => None,
            };
            let (mut leads, mut signals) = (vec![], vec![]);
            if let Some(new) = &new {
                if let Some(shown) = links.absorb(page, new, pages, at, *admits) {
                    let is_new = |&&to: &&PageNo| pages.first_seen(to) >= start;
                    leads = shown.iter().filter(is_new).copied().collect();
                }
                signals = dated(new, pages);
            } else if pages.state(page) == State::Gone {
                links.forget(page);
            }
            let host = pages.host(page);
            let seen = Observation { page, host, at, reason, outcome, since, leads, signals };
            repository.keep(&seen, new.as_ref())?;
            log.push(seen);
            Ok(())
        })?;
        let answered = log.len() - heard;
        if answered != requests.len() {
            return Err(Error::Unanswered { asked: requests.len(), answered });
        }
        Ok(())
    }
}

/// What to call a page that a world may have made up.
fn name(pages: &Pages, page: PageNo) -> String {
    if page.index() < pages.len() {
        pages.address(page).to_owned()
    } else {
        format!("page number {}", page.0)
    }
}

/// The dates that a sitemap or feed gives for pages we know.
fn dated(snapshot: &Arc<Snapshot>, pages: &Pages) -> Vec<Signal> {
    let dated = |link: &crate::Link| {
        let changed = link.date?;
        Some(Signal { page: pages.find(&link.address)?, changed })
    };
    snapshot.links.links().iter().filter_map(dated).collect()
}

/// Why each page of a plan is visited, given out once.
struct Reasons(Vec<(PageNo, Option<Reason>)>);

impl Reasons {
    fn of(plan: &Plan) -> Self {
        let mut reasons: Vec<_> =
            plan.0.iter().map(|visit| (visit.page, Some(visit.reason))).collect();
        reasons.sort_unstable_by_key(|&(page, _)| page);
        Self(reasons)
    }

    fn take(&mut self, page: PageNo) -> Option<Reason> {
        let at = self.0.binary_search_by_key(&page, |&(page, _)| page).ok()?;
        self.0[at].1.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_out_the_reason_of_each_visit_once() {
        let visit = |page, reason| Visit { page: PageNo(page), score: 0.0, reason };
        let plan = Plan(vec![visit(7, Reason::Sample), visit(2, Reason::First)]);
        let mut reasons = Reasons::of(&plan);
        assert_eq!(reasons.take(PageNo(2)), Some(Reason::First));
        assert_eq!(reasons.take(PageNo(7)), Some(Reason::Sample));
        assert_eq!(reasons.take(PageNo(7)), None);
        assert_eq!(reasons.take(PageNo(3)), None);
    }
}
