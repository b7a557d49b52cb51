//! The crawl loop: plan, fetch, observe, record, learn; again until the budget is spent.
use std::{collections::BTreeSet, sync::Arc};

use crate::{
    Allowance, Budget, ChangeDetector, CycleStart, Form, HostNo, Instruments, Known, Links, Notice,
    Observation, Outcome, PageNo, Pages, Plan, Policy, Reason, Repository, Result, Signal,
    SignalSource, Span, Spent, State, Time, Update, Visit, World, allowance::Purse,
    frontier::Frontier, release::Release, visits::Visits,
};

/// A crawl that is resumed sooner does not ask again for a page that has just failed.
const JUST_FAILED: Span = Span::from_millis(5 * 60_000);

/// Decides whether the address of a link becomes a page.
pub type Admits = Box<dyn Fn(&str) -> bool>;
/// Called with every observation as it is made.
pub type Watch<'w> = &'w mut dyn FnMut(&Observation);

/// A crawl: its parts and its state. It owns all of them, so an error leaves it intact.
pub struct Crawl<W, R> {
    /// Where pages come from.
    pub world: W,
    /// Decides which pages to visit.
    pub policy: Box<dyn Policy>,
    /// Stores snapshots and the log.
    pub repository: R,
    /// Measure pages beside the loop.
    pub instruments: Instruments,
    /// Decides what counts as a change.
    pub detector: Arc<dyn ChangeDetector>,
    /// Decides which linked addresses become pages.
    pub admits: Admits,
    /// Whether links on content of a form are followed.
    pub follows: fn(Form) -> bool,
    /// The time from one cycle to the next, where cycles come at fixed intervals.
    pub interval: Option<Span>,
    /// Whether gone pages are checked again, rarely.
    pub revisits_gone: bool,
    /// The share of a budget that may check whether dead links and gone pages are there now, whatever
    /// the policy plans; `None` for no limit.
    pub recheck_share: Option<f64>,
    /// Pages that [`follow`](Self::follow) starts from. It visits them again at once where they failed.
    pub seeds: Vec<PageNo>,
    /// Every known page.
    pub pages: Pages,
    /// The link graph.
    pub links: Links,
    /// The number of finished cycles.
    pub cycles: u32,
    /// Notices that the policy knows and that no observation has logged yet.
    pub notices: Vec<Signal>,
    /// Bytes received so far ([`Cost::bytes`](crate::Cost::bytes)).
    pub received: u64,
}

/// The visits of one cycle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cycle {
    /// The observations, in order of arrival.
    pub log: Vec<Observation>,
    /// The executed plans, one per round.
    pub plans: Vec<Plan>,
    /// What the visits cost.
    pub spent: Spent,
}

impl<W: World, R: Repository> Crawl<W, R> {
    /// A crawl that knows no page yet, follows every link and has no instruments.
    pub fn new(
        world: W,
        policy: Box<dyn Policy>,
        repository: R,
        detector: Arc<dyn ChangeDetector>,
    ) -> Self {
        Self {
            world,
            policy,
            repository,
            instruments: Instruments::default(),
            detector,
            admits: Box::new(|_| true),
            follows: |_| true,
            interval: None,
            revisits_gone: false,
            recheck_share: None,
            seeds: vec![],
            pages: Pages::default(),
            links: Links::default(),
            cycles: 0,
            notices: vec![],
            received: 0,
        }
    }

    /// Spends the budget of one cycle, in visits, bytes or time.
    ///
    /// # Errors
    /// When the repository or the world as a whole fails. A page that fails is an
    /// [`Outcome::Failed`], not an error.
    pub fn cycle(&mut self, allowance: impl Into<Allowance>, watch: Watch<'_>) -> Result<Cycle> {
        let start = self.world.now();
        let allowance = allowance.into();
        let mut purse = Purse::new(allowance, start);
        let mut cycle = Cycle::default();
        self.begin_cycle(true)?;
        let rechecks = self.rechecks(start, &purse);
        loop {
            self.take_notices();
            let plan = self.consult(start, |policy, known| {
                let backing_off: BTreeSet<HostNo> =
                    known.backing_off.iter().copied().chain(purse.hosts_without_time()).collect();
                let rechecks = rechecks.as_ref();
                let known = Known { allowance, backing_off: &backing_off, rechecks, ..*known };
                let budget = purse.budget(&known);
                if budget.0 == 0 {
                    Plan::default()
                } else {
                    policy.plan(&known, budget).within(budget)
                }
            });
            if plan.0.is_empty() {
                break;
            }
            // Pages that were not requested cost nothing; their budget goes to other pages.
            let (plan, log) = self.execute(plan, start, &mut purse, watch)?;
            let is_over = log.iter().all(|seen| seen.outcome == Outcome::Unreached);
            cycle.log.extend(log);
            cycle.plans.push(plan);
            if is_over {
                break;
            }
        }
        cycle.spent = purse.spent(self.world.now());
        self.repository.commit()?;
        self.cycles += 1;
        Ok(cycle)
    }

    /// Visits every page that is only linked, without a budget. A replay starts this way where
    /// every page is held at the beginning.
    ///
    /// # Errors
    /// As [`cycle`](Self::cycle).
    pub fn hold_linked(&mut self) -> Result<Vec<Observation>> {
        let start = self.world.now();
        let first = |page| Visit { page, score: 0.0, reason: Reason::First };
        let linked = |&page: &PageNo| self.pages.state(page) == State::Linked;
        let plan = Plan(self.pages.numbers().filter(linked).map(first).collect());
        let mut purse = Purse::new(Budget::UNLIMITED.into(), start);
        let (_, log) = self.execute(plan, start, &mut purse, &mut |_| {})?;
        self.repository.commit()?;
        Ok(log)
    }

    /// A breadth-first crawl: visits the linked pages that are due, then the pages they link to, in
    /// the order they became known, until the budget is spent or none is left. Links are requested as
    /// soon as they are found, so no host waits for a slower one. Returns the number of visits.
    ///
    /// # Errors
    /// As [`cycle`](Self::cycle).
    pub fn follow(&mut self, budget: Budget, watch: Watch<'_>) -> Result<u32> {
        let start = self.world.now();
        self.begin_cycle(false)?;
        let backing_off = self.backing_off();
        let known = Known {
            backing_off: &backing_off,
            revisits_gone: self.revisits_gone,
            ..Known::new(start, &self.pages, &self.links)
        };
        let linked = |page: &PageNo| known.pages.state(*page) == State::Linked;
        // Whoever starts a crawl has perhaps just put right why a seed failed.
        let is_open = |page: &PageNo| !backing_off.contains(&known.pages.host(*page));
        let failed = |page: &PageNo| known.pages.failures(*page) > 0;
        let mut seeds = self.seeds.clone();
        seeds.retain(|seed| linked(seed) && failed(seed) && is_open(seed));
        let has_just_failed = |page: PageNo| {
            let tried = known.pages.last_tried(page);
            known.pages.failures(page) > 0 && tried.is_some_and(|then| start - then < JUST_FAILED)
        };
        let is_due = |page| known.is_due(page) && !has_just_failed(page);
        let mut frontier = Frontier::new(budget);
        let linked = known.pages.numbers().filter(linked);
        linked
            .filter(|page| is_due(*page) || seeds.contains(page))
            .for_each(|page| frontier.add(page, &self.pages));
        let mut visited = 0;
        let (world, policy, mut visits) = self.parts(start, watch);
        let requests = visits.first_requests(&mut frontier)?;
        world.fetch(requests, &mut |arrival| {
            let before = visits.pages.len();
            if let Some((seen, _)) = visits.arrived(arrival)? {
                policy.learn(&seen);
                visited += u32::from(seen.was_requested());
                frontier.answered(&seen);
            }
            for row in before..visits.pages.len() {
                frontier.add(PageNo(row as u32), visits.pages);
            }
            visits.first_requests(&mut frontier)
        })?;
        visits.check_all_answered()?;
        self.repository.commit()?;
        self.cycles += 1;
        Ok(visited)
    }

    /// Asks the policy something, given what is known in a cycle that began at `cycle_start`.
    pub fn consult<T>(
        &mut self,
        cycle_start: Time,
        ask: impl FnOnce(&mut dyn Policy, &Known<'_>) -> T,
    ) -> T {
        let backing_off = self.backing_off();
        let known = Known {
            now: self.world.now(),
            cycle: self.cycles,
            cycle_start,
            interval: self.interval,
            allowance: Budget::UNLIMITED.into(),
            revisits_gone: self.revisits_gone,
            plans_first_visits: true,
            backing_off: &backing_off,
            rechecks: None,
            pages: &self.pages,
            links: &self.links,
            instruments: &self.instruments,
        };
        ask(&mut *self.policy, &known)
    }

    /// The dead links and gone pages that may be visited in a cycle that starts now, those not tried for
    /// longest first; `None` if all may. Fractions of a visit add up over the cycles.
    fn rechecks(&mut self, start: Time, purse: &Purse) -> Option<BTreeSet<PageNo>> {
        let share = self.recheck_share?;
        self.consult(start, |_, known| {
            let visits = f64::from(purse.budget(known).0);
            let until = |cycle: u32| (share * visits * f64::from(cycle)).floor();
            let most = (until(known.cycle + 1) - until(known.cycle)) as usize;
            let mut due: Vec<PageNo> = known.due().filter(|&page| known.is_recheck(page)).collect();
            due.sort_by(|&a, &b| {
                let tried = known.pages.last_tried(a).cmp(&known.pages.last_tried(b));
                tried.then_with(|| known.pages.address_order(a, b))
            });
            due.truncate(most);
            Some(due.into_iter().collect())
        })
    }

    /// Tells the policy the notices that came. The next observation logs them, so that a policy that
    /// learns from the log again knows them, too. A notice about an unknown page is dropped.
    fn take_notices(&mut self) {
        let signal = |notice: Notice| {
            let page = self.pages.find(&notice.address)?;
            Some(Signal { page, changed: notice.changed, source: SignalSource::Notice })
        };
        let new: Vec<Signal> = self.world.notices().into_iter().filter_map(signal).collect();
        for &signal in &new {
            self.pages.signal(signal);
        }
        self.policy.learn_notices(&new);
        self.notices.extend(new);
    }

    /// Brings the instruments up to date and stores the states that changed.
    fn begin_cycle(&mut self, has_plans: bool) -> Result<()> {
        let cycle = CycleStart { pages: &self.pages, links: &self.links, has_plans };
        for instrument in self.instruments.begin_cycle(&cycle) {
            let (name, state) = (instrument.name(), instrument.state());
            self.repository.remember(Update::Instrument { name, state })?;
        }
        Ok(())
    }

    /// Fetches the pages of a plan as far as the budget allows, and records each capture as it
    /// arrives. Returns the visits that were requested.
    fn execute(
        &mut self,
        plan: Plan,
        start: Time,
        purse: &mut Purse,
        watch: Watch<'_>,
    ) -> Result<(Plan, Vec<Observation>)> {
        let mut log = Vec::with_capacity(plan.0.len());
        let mut now = self.world.now();
        let expects = |visit: &Visit| Some((visit.page, self.policy.expects(visit.page)?));
        let expected = plan.0.iter().filter_map(expects).collect();
        let mut release = Release::new(plan, &self.pages, purse);
        let (world, policy, mut visits) = self.parts(start, watch);
        visits.expected = expected;
        let requests = visits.released(&mut release, now)?;
        world.fetch(requests, &mut |arrival| {
            if let Some((seen, cost)) = visits.arrived(arrival)? {
                now = now.max(seen.at);
                release.answered(&seen, cost);
                log.push(seen);
            }
            visits.released(&mut release, now)
        })?;
        visits.check_all_answered()?;
        for seen in &log {
            policy.learn(seen);
        }
        Ok((release.released(), log))
    }

    /// The hosts that back off in this cycle.
    fn backing_off(&self) -> BTreeSet<HostNo> {
        self.world.backing_off().iter().filter_map(|name| self.pages.find_host(name)).collect()
    }

    /// The world, the policy, and everything that an arrival touches.
    fn parts<'v>(
        &'v mut self,
        start: Time,
        watch: Watch<'v>,
    ) -> (&'v mut W, &'v mut dyn Policy, Visits<'v>) {
        let visits = Visits {
            repository: &mut self.repository,
            instruments: &mut self.instruments,
            detector: &*self.detector,
            admits: &*self.admits,
            follows: self.follows,
            watch,
            pages: &mut self.pages,
            links: &mut self.links,
            cycle: self.cycles,
            revisits_gone: self.revisits_gone,
            cycle_start: start,
            received: &mut self.received,
            pending: rustc_hash::FxHashMap::default(),
            expected: rustc_hash::FxHashMap::default(),
            requested: 0,
            notices: &mut self.notices,
        };
        (&mut self.world, &mut *self.policy, visits)
    }
}
