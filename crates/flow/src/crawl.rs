//! The loop: plan, fetch, observe, record, learn; again until the budget is spent.
use std::{collections::BTreeSet, sync::Arc};

use rustc_hash::FxHashMap;

use crate::{
    Answer, Arrival, Budget, Capture, ChangeDetector, Error, Form, HostNo, Kept, Known, Links,
    Note, Observation, Outcome, PageNo, Pages, Plan, Policy, Reason, Repository, Request, Result,
    Signal, Snapshot, Span, State, Time, Visit, World,
    features::{Features, Found},
    observe,
    waiting::Waiting,
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
    /// Told of every observation as it is made.
    pub watch: &'a mut dyn FnMut(&Observation),
    /// The time from one cycle to the next, where cycles come at fixed intervals.
    pub cadence: Option<Span>,
    /// Whether pages that are gone are looked at again, rarely.
    pub revisits_gone: bool,
    /// Every known page.
    pub pages: Pages,
    /// Who links to whom.
    pub links: Links,
    /// What features of pages are made from, where the policy wants them.
    pub features: Features,
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
        let log = self.carry_out(&plan, start)?;
        self.repository.commit()?;
        Ok(log)
    }

    /// Visits the pages that are linked and due, and those that they lead to, in the order they
    /// became known, until the budget is spent or there are no more. No host waits for a slower
    /// one: what a page leads to is asked for as soon as it is known. Returns how many were visited.
    ///
    /// # Errors
    /// As [`cycle`](Self::cycle).
    pub fn follow(&mut self, budget: Budget) -> Result<u32> {
        let start = self.world.now();
        self.features.rank(&self.pages, &self.links);
        self.repository.begin_cycle(&self.pages, &self.links)?;
        let resting = self.resting();
        let known = Known { resting: &resting, ..Known::new(start, &self.pages, &self.links) };
        let linked = |page: &PageNo| known.pages.state(*page) == State::Linked;
        let mut waiting = Waiting::new(budget);
        known.due().filter(linked).for_each(|page| waiting.add(page, &self.pages));
        let mut visited = 0;
        let (world, policy, mut visits) = self.parts(start);
        let requests = visits.firsts(&mut waiting)?;
        world.fetch(requests, &mut |arrival| {
            let before = visits.pages.len();
            if let Some(seen) = visits.arrived(arrival)? {
                policy.learn(&seen);
                visited += u32::from(seen.was_asked());
                waiting.answered(&seen);
            }
            for row in before..visits.pages.len() {
                waiting.add(PageNo(row as u32), visits.pages);
            }
            visits.firsts(&mut waiting)
        })?;
        visits.all_answered()?;
        self.repository.commit()?;
        self.cycles += 1;
        Ok(visited)
    }

    /// Spends one cycle's budget.
    ///
    /// # Errors
    /// When the repository or the world as a whole fails. A page that fails is an
    /// [`Outcome::Failed`], not an error.
    pub fn cycle(&mut self, mut budget: Budget) -> Result<Cycle> {
        let start = self.world.now();
        let mut cycle = Cycle::default();
        if self.features.begin_cycle(&self.pages, &self.links) {
            self.repository.keep_models(self.features.models())?;
        }
        self.repository.begin_cycle(&self.pages, &self.links)?;
        while budget.0 > 0 {
            let resting = self.resting();
            let known = Known {
                now: self.world.now(),
                cycle: self.cycles,
                cycle_start: start,
                cadence: self.cadence,
                revisits_gone: self.revisits_gone,
                takes_firsts: true,
                resting: &resting,
                pages: &self.pages,
                links: &self.links,
                features: &self.features,
                exposures: self.repository.exposures(),
            };
            let plan = self.policy.plan(&known, budget).within(budget);
            if plan.0.is_empty() {
                break;
            }
            let log = self.carry_out(&plan, start)?;
            // What was not asked for was no visit; its budget goes to pages that can be.
            let made = log.iter().filter(|seen| seen.was_asked()).count();
            budget = budget.less(made);
            let is_over = log.iter().all(|seen| seen.outcome == Outcome::Unreached);
            cycle.log.extend(log);
            cycle.plans.push(plan);
            if is_over {
                break;
            }
        }
        self.repository.commit()?;
        self.cycles += 1;
        Ok(cycle)
    }

    /// Web to capture to observation to repository, one page at a time as they arrive.
    fn carry_out(&mut self, plan: &Plan, start: Time) -> Result<Vec<Observation>> {
        let mut log = Vec::with_capacity(plan.0.len());
        let (world, policy, mut visits) = self.parts(start);
        let requests = visits.requests(plan.0.iter().map(|visit| (visit.page, visit.reason)))?;
        world.fetch(requests, &mut |arrival| {
            log.extend(visits.arrived(arrival)?);
            Ok(vec![])
        })?;
        visits.all_answered()?;
        for seen in &log {
            policy.learn(seen);
        }
        Ok(log)
    }

    /// The hosts that cannot be asked in this cycle.
    fn resting(&self) -> BTreeSet<HostNo> {
        self.world.resting().iter().filter_map(|name| self.pages.find_host(name)).collect()
    }

    /// The world, what learns, and the rest.
    fn parts(&mut self, start: Time) -> (&mut dyn World, &mut dyn Policy, Visits<'_>) {
        let visits = Visits {
            repository: self.repository,
            detector: self.detector,
            admits: self.admits,
            watch: self.watch,
            pages: &mut self.pages,
            links: &mut self.links,
            features: &mut self.features,
            cycle: self.cycles,
            revisits_gone: self.revisits_gone,
            start,
            asked: FxHashMap::default(),
            requested: 0,
        };
        (self.world, self.policy, visits)
    }
}

/// Visits on their way: what was asked for, and all that an arrival touches.
struct Visits<'v> {
    repository: &'v mut dyn Repository,
    detector: &'v dyn ChangeDetector,
    admits: &'v dyn Fn(&str) -> bool,
    watch: &'v mut dyn FnMut(&Observation),
    pages: &'v mut Pages,
    links: &'v mut Links,
    features: &'v mut Features,
    cycle: u32,
    revisits_gone: bool,
    start: Time,
    /// Why each page that has not been answered for is visited.
    asked: FxHashMap<PageNo, Reason>,
    requested: usize,
}

impl Visits<'_> {
    /// What to ask the world for.
    fn requests(&mut self, visits: impl Iterator<Item = (PageNo, Reason)>) -> Result<Vec<Request>> {
        let request = |(page, reason)| {
            self.asked.insert(page, reason);
            self.requested += 1;
            let held = self.pages.state(page) == State::Held;
            let validators = if held { self.repository.validators(page)? } else { None };
            Ok(Request { page, address: self.pages.address(page).to_owned(), validators })
        };
        visits.map(request).collect()
    }

    /// Asks for pages that wait, as far as the budget goes.
    fn firsts(&mut self, waiting: &mut Waiting) -> Result<Vec<Request>> {
        let ready = waiting.take();
        self.requests(ready.into_iter().map(|page| (page, Reason::First)))
    }

    /// Takes in what the world hands over; of a capture, what was observed.
    fn arrived(&mut self, arrival: Arrival) -> Result<Option<Observation>> {
        match arrival {
            Arrival::Capture(capture) => self.captured(capture).map(Some),
            Arrival::Note(note) => {
                if let Note::Robots(copy) = &note {
                    for sitemap in &copy.sitemaps {
                        if self.pages.find(sitemap).is_none() && (self.admits)(sitemap) {
                            self.pages.admit(sitemap, copy.asked);
                        }
                    }
                }
                self.repository.remember(note)?;
                Ok(None)
            }
        }
    }

    fn captured(&mut self, capture: Capture) -> Result<Observation> {
        let Capture { page, at, answer, exchange } = capture;
        let Some(reason) = self.asked.remove(&page) else {
            return Err(Error::Unasked { address: name(self.pages, page) });
        };
        let held = self.pages.state(page) == State::Held;
        let old = if held { self.repository.held(page)? } else { None };
        let misses = self.pages.misses(page);
        let outcome = observe::outcome(&answer, old.as_deref(), misses, self.detector);
        let since = self.pages.last_seen(page).map(|then| at - then);
        self.pages.absorb(page, at, outcome);
        let (new, fault) = match answer {
            Answer::Content(new) => (Some(new), None),
            Answer::Failed(fault) => (None, Some(fault)),
            _ => (None, None),
        };
        let (mut leads, mut signals, mut shows_new_link) = (vec![], vec![], false);
        if let Some(new) = &new {
            // The same page at another address is no news; what an address that was a redirect
            // before leads to now may be.
            let had_content = old.as_ref().is_some_and(|old| old.form != Form::Moved);
            let has_moved = new.form == Form::Moved && had_content;
            (leads, shows_new_link) = self.follow_links(page, new, at, has_moved);
            signals = dated(new, self.pages);
            for &signal in &signals {
                self.pages.signal(signal);
            }
        } else if self.pages.state(page) == State::Gone {
            self.links.forget(page);
        }
        let address = self.pages.address(page);
        let impact = self.repository.impact(page, address, outcome, new.as_ref())?;
        let host = self.pages.host(page);
        let seen = Observation {
            page,
            host,
            cycle: self.cycle,
            at,
            reason,
            outcome,
            fault,
            since,
            leads,
            signals,
            impact,
        };
        self.repository.keep(Kept {
            seen: &seen,
            new: new.as_ref(),
            facts: self.features.absorb(&Found {
                page,
                at,
                outcome,
                new: new.as_deref(),
                shows_new_link,
            }),
            exchange,
            pages: self.pages,
            links: self.links,
        })?;
        (self.watch)(&seen);
        Ok(seen)
    }

    /// Makes the pages known that a snapshot links to. Returns its leads, where the page has come to
    /// show other links than before and has not only moved, and whether there are new links among them.
    fn follow_links(
        &mut self,
        page: PageNo,
        new: &Arc<Snapshot>,
        at: Time,
        has_moved: bool,
    ) -> (Vec<PageNo>, bool) {
        let before = self.links.list_of(page);
        let is_news = self.links.absorb(page, new, self.pages, at, self.admits);
        // The address that a page gives as its own is no link to readers, but it is a page.
        if let Some(canonical) = &new.directives.canonical
            && self.pages.find(canonical).is_none()
            && (self.admits)(canonical)
        {
            self.pages.admit(canonical, at);
        }
        if !is_news || has_moved {
            return (vec![], false);
        }
        let is_new = |to: &PageNo| self.pages.first_seen(*to) >= self.start;
        // What turned out in this cycle not to be there is no lead.
        let is_there = |to: &PageNo| self.pages.state(*to) != State::Gone;
        let shown = self.links.of(page).iter().copied();
        let mut leads: Vec<PageNo> = shown.filter(|to| is_new(to) && is_there(to)).collect();
        // Who links to a page that was not there may know that it is there now.
        let may_be_back = |to: &PageNo| match self.pages.state(*to) {
            State::Held => false,
            State::Linked => self.pages.misses(*to) > 0,
            State::Gone => self.revisits_gone || self.pages.changes(*to) == 0,
        };
        let anew: Vec<PageNo> = self.links.shown_anew(page, before).collect();
        let back = anew.iter().copied().filter(|to| !is_new(to));
        let back: Vec<PageNo> = back.filter(may_be_back).collect();
        leads.extend(&back);
        leads.sort_unstable();
        for to in back {
            self.pages.lead(to);
        }
        (leads, !anew.is_empty())
    }

    fn all_answered(&self) -> Result<()> {
        let (asked, left) = (self.requested, self.asked.len());
        if left == 0 { Ok(()) } else { Err(Error::Unanswered { asked, answered: asked - left }) }
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
