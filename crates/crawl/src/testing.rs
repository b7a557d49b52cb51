//! A scripted world, policy and repository, for the tests of this crate and of the crates that build
//! on it. Not part of the API.
use std::{
    collections::VecDeque,
    ops::{Deref, DerefMut},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::{
    Allowance, Answer, Arrival, Budget, Capture, ChangeDetector, Cost, Crawl, Cycle, Digest, Error,
    Fault, FaultKind, Fingerprints, HostUpdate, Instruments, Known, Link, LinkList, LogEntry,
    MemoryRepository, Observation, PageNo, Plan, Policy, Reason, Repository, Request, Result,
    Snapshot, Span, State, Time, Update, Validators, Visit, World,
};

/// A day.
pub const DAY: Span = Span::from_days(1);

/// The pages of a [`Site`], in the order they become known.
pub const A: PageNo = PageNo(0);
/// See [`A`].
pub const B: PageNo = PageNo(1);
/// See [`A`].
pub const C: PageNo = PageNo(2);
/// See [`A`].
pub const D: PageNo = PageNo(3);

/// The time `day` days after the start.
pub fn day(day: i64) -> Time {
    Time::from_millis(0) + DAY.times(day)
}

/// A page with this text and links.
pub fn shows(text: &str, links: &[(&str, Option<Time>)]) -> Vec<Answer> {
    let link = |&(address, date): &(&str, Option<Time>)| Link { date, ..Link::to(address) };
    let text = Digest::from_bytes(text.as_bytes());
    vec![Answer::Content(Arc::new(Snapshot {
        fingerprints: Fingerprints { body: text, text, ..Fingerprints::default() },
        links: Arc::new(LinkList::new(links.iter().map(link).collect())),
        ..Snapshot::default()
    }))]
}

/// A connection that breaks.
pub fn fails() -> Vec<Answer> {
    vec![Answer::Failed(Fault { kind: FaultKind::Broken, why: "connection reset".into() })]
}

/// What a world answers for an address at an instant.
type Answers = dyn Fn(&str, Time) -> Vec<Answer>;
/// What a visit to an address costs.
type Costs = dyn Fn(&str) -> Cost;
/// Which pages a policy plans to visit, given the observations so far.
type Plans = dyn Fn(&Known<'_>, Budget, &[Observation]) -> Vec<PageNo> + Send + Sync;

/// A web that answers each address by a rule. A rule that gives no answer or several breaks the
/// contract of [`World`].
pub struct ScriptedWorld {
    /// The current time.
    pub now: Time,
    rule: Box<Answers>,
    /// What each answer costs. The clock goes on by its time, unless it stands still.
    pub cost: Box<Costs>,
    /// Whether no time passes while it fetches, as in a replay.
    pub stands_still: bool,
    /// Captures are handed over from the last request to the first.
    pub backwards: bool,
    /// Every requested address, in order.
    pub requested: Vec<String>,
    /// The hosts that back off.
    pub backing_off: Vec<String>,
    /// Handed over before the first capture of the next fetch.
    pub host_updates: Vec<HostUpdate>,
}

impl World for ScriptedWorld {
    fn now(&self) -> Time {
        self.now
    }

    fn wait_until(&mut self, then: Time) {
        self.now = self.now.max(then);
    }

    fn fetch(
        &mut self,
        mut requests: Vec<Request>,
        arrive: &mut dyn FnMut(Arrival) -> Result<Vec<Request>>,
    ) -> Result<()> {
        if self.backwards {
            requests.reverse();
        }
        let mut queue = VecDeque::from(requests);
        for update in self.host_updates.drain(..) {
            queue.extend(arrive(Arrival::Host(update))?);
        }
        while let Some(request) = queue.pop_front() {
            self.requested.push(request.address.clone());
            let cost = (self.cost)(&request.address);
            if !self.stands_still {
                self.now = self.now + cost.time;
            }
            for answer in (self.rule)(&request.address, self.now) {
                let capture = Capture { cost, ..Capture::new(request.page, self.now, answer) };
                queue.extend(arrive(Arrival::Capture(capture))?);
            }
        }
        Ok(())
    }

    fn backing_off(&self) -> Vec<String> {
        self.backing_off.clone()
    }
}

/// Plans by a rule that sees all observations so far.
pub struct ScriptedPolicy {
    rule: Arc<Plans>,
    learned: Arc<Mutex<Vec<Observation>>>,
}

impl Policy for ScriptedPolicy {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        let visit = |page: PageNo| {
            let linked = known.pages.state(page) == State::Linked;
            let reason = if linked { Reason::First } else { Reason::Refresh };
            Visit { page, score: 0.0, reason }
        };
        Plan((self.rule)(known, budget, &lock(&self.learned)).into_iter().map(visit).collect())
    }

    fn learn(&mut self, seen: &Observation) {
        lock(&self.learned).push(seen.clone());
    }

    fn fork(&self) -> Box<dyn Policy> {
        let learned = lock(&self.learned).clone();
        Box::new(Self { rule: Arc::clone(&self.rule), learned: Arc::new(Mutex::new(learned)) })
    }
}

/// Locks a mutex, also after a test has panicked.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A repository in memory that counts and can fail.
#[derive(Debug, Default)]
pub struct ScriptedRepository {
    memory: MemoryRepository,
    /// The number of commits.
    pub commits: usize,
    /// The updates, in order.
    pub updates: Vec<Update>,
    /// Whether it refuses further entries.
    pub is_full: bool,
}

impl ScriptedRepository {
    /// The whole log.
    pub fn log(&self) -> &[Observation] {
        self.memory.log()
    }
}

impl Repository for ScriptedRepository {
    fn held(&self, page: PageNo) -> Result<Option<Arc<Snapshot>>> {
        self.memory.held(page)
    }

    fn read_held(&self, page: PageNo) -> Result<Option<Arc<Snapshot>>> {
        self.memory.held(page)
    }

    fn validators(&self, page: PageNo) -> Result<Option<Validators>> {
        self.memory.validators(page)
    }

    fn append(&mut self, entry: LogEntry<'_>) -> Result<()> {
        if self.is_full {
            return Err(Error::Repository("no space left".into()));
        }
        self.memory.append(entry)
    }

    fn remember(&mut self, update: Update) -> Result<()> {
        self.updates.push(update);
        Ok(())
    }

    fn replay(&self, each: &mut dyn FnMut(&Observation)) -> Result<()> {
        self.memory.replay(each)
    }

    fn commit(&mut self) -> Result<()> {
        self.commits += 1;
        Ok(())
    }
}

/// Counts any difference of texts as a change of 1.
#[derive(Clone, Copy, Debug)]
pub struct TextDiffers;

impl ChangeDetector for TextDiffers {
    fn name(&self) -> &'static str {
        "text-differs"
    }

    fn change(&self, old: &Snapshot, new: &Snapshot, _: &Instruments) -> f32 {
        f32::from(u8::from(old.fingerprints.text != new.fingerprints.text))
    }

    fn identity(&self, snapshot: &Snapshot) -> Option<u128> {
        Some(snapshot.fingerprints.text.0)
    }
}

/// A crawl whose parts are all scripted. Pages "a", "b" and "c" are known from the start. Addresses
/// that begin with "x" are not admitted.
pub struct Site {
    crawl: Crawl<ScriptedWorld, ScriptedRepository>,
    learned: Arc<Mutex<Vec<Observation>>>,
}

impl Site {
    /// A site that answers by a rule. The policy visits every page that is due.
    pub fn new(rule: impl Fn(&str, Time) -> Vec<Answer> + 'static) -> Self {
        let world = ScriptedWorld {
            now: day(0),
            rule: Box::new(rule),
            cost: Box::new(|_| Cost::default()),
            stands_still: false,
            backwards: false,
            requested: vec![],
            backing_off: vec![],
            host_updates: vec![],
        };
        let learned = Arc::default();
        let rule =
            Arc::new(|known: &Known<'_>, _: Budget, _: &[Observation]| known.due().collect());
        let policy = ScriptedPolicy { rule, learned: Arc::clone(&learned) };
        let repository = ScriptedRepository::default();
        let mut crawl = Crawl::new(world, Box::new(policy), repository, Arc::new(TextDiffers));
        crawl.admits = Box::new(|address| !address.starts_with('x'));
        for address in ["a", "b", "c"] {
            crawl.pages.insert(address, day(0));
        }
        Self { crawl, learned }
    }

    /// The same, with a rule for planning.
    #[must_use]
    pub fn planning(
        mut self,
        rule: impl Fn(&Known<'_>, Budget, &[Observation]) -> Vec<PageNo> + Send + Sync + 'static,
    ) -> Self {
        let learned = Arc::clone(&self.learned);
        self.crawl.policy = Box::new(ScriptedPolicy { rule: Arc::new(rule), learned });
        self
    }

    /// Runs the cycle of a day.
    ///
    /// # Errors
    /// As [`Crawl::cycle`].
    pub fn cycle(&mut self, number: i64, budget: u32) -> Result<Cycle> {
        self.world.wait_until(day(number));
        self.crawl.cycle(Budget(budget), &mut |_| {})
    }

    /// Runs a cycle now, with a budget in any unit.
    ///
    /// # Errors
    /// As [`Crawl::cycle`].
    pub fn cycle_with(&mut self, allowance: impl Into<Allowance>) -> Result<Cycle> {
        self.crawl.cycle(allowance, &mut |_| {})
    }

    /// The same site with another rule for answers.
    #[must_use]
    pub fn answering(mut self, rule: impl Fn(&str, Time) -> Vec<Answer> + 'static) -> Self {
        self.crawl.world.rule = Box::new(rule);
        self
    }

    /// Follows links, as [`Crawl::follow`] does.
    ///
    /// # Errors
    /// As [`Crawl::follow`].
    pub fn follow(&mut self, budget: u32) -> Result<u32> {
        self.crawl.follow(Budget(budget), &mut |_| {})
    }

    /// The observations that the policy has learned from.
    pub fn learned(&self) -> Vec<Observation> {
        lock(&self.learned).clone()
    }
}

impl Deref for Site {
    type Target = Crawl<ScriptedWorld, ScriptedRepository>;

    fn deref(&self) -> &Self::Target {
        &self.crawl
    }
}

impl DerefMut for Site {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.crawl
    }
}
