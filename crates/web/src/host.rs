//! Hosts: the queue, politeness, robots.txt and connection of each. Everything that two requests to a
//! host share is here.
use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Instant,
};

use crawl::{Fault, HostState, Request, RobotsCopy, Time};
use extract::read::address;
use rustc_hash::FxHashMap;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{
    Settings,
    connect::Connection,
    politeness::Politeness,
    robots_cache::Robots,
    target::{Scheme, Target},
};

/// One host, with the port if it is not the default.
pub(crate) struct Host {
    pub(crate) name: String,
    queue: Mutex<Queue>,
    politeness: Mutex<Politeness>,
    /// For `http` and `https`.
    robots: Mutex<[Option<Arc<Robots>>; 2]>,
    /// Why it was refused for safety, and when.
    refused: Mutex<Option<(Fault, Instant)>>,
    /// Locked during a request. It holds the idle connection between requests.
    pub(crate) turn: tokio::sync::Mutex<Option<Connection>>,
    is_idle: AtomicBool,
}

#[derive(Default)]
struct Queue {
    requests: VecDeque<Request>,
    /// Whether a worker runs.
    is_served: bool,
}

impl Host {
    fn new(name: String, politeness: Politeness) -> Self {
        Self {
            name,
            queue: Mutex::default(),
            politeness: Mutex::new(politeness),
            robots: Mutex::default(),
            refused: Mutex::default(),
            turn: tokio::sync::Mutex::new(None),
            is_idle: AtomicBool::new(false),
        }
    }

    /// Adds a request; true if no worker runs, so that the caller must start one.
    pub(crate) fn push(&self, request: Request) -> bool {
        let mut queue = lock(&self.queue);
        queue.requests.push_back(request);
        !std::mem::replace(&mut queue.is_served, true)
    }

    /// The next request. A worker that gets `None` must end.
    pub(crate) fn next(&self) -> Option<Request> {
        let mut queue = lock(&self.queue);
        let request = queue.requests.pop_front();
        queue.is_served = request.is_some();
        request
    }

    /// Drops all requests. The worker must end.
    pub(crate) fn clear(&self) {
        *lock(&self.queue) = Queue::default();
    }

    pub(crate) fn politeness(&self) -> MutexGuard<'_, Politeness> {
        lock(&self.politeness)
    }

    pub(crate) fn robots(&self, scheme: Scheme) -> Option<Arc<Robots>> {
        lock(&self.robots)[scheme as usize].clone()
    }

    pub(crate) fn set_robots(&self, scheme: Scheme, robots: Robots) -> Arc<Robots> {
        self.politeness().set_crawl_delay(scheme as usize, robots.rules.crawl_delay());
        let robots = Arc::new(robots);
        lock(&self.robots)[scheme as usize] = Some(Arc::clone(&robots));
        robots
    }

    /// Why it was refused, if that was a short while ago.
    pub(crate) fn refused(&self) -> Option<Fault> {
        const HOLDS: std::time::Duration = std::time::Duration::from_mins(1);
        let refused = lock(&self.refused);
        refused.as_ref().filter(|(_, at)| at.elapsed() < HOLDS).map(|(fault, _)| fault.clone())
    }

    pub(crate) fn refuse(&self, fault: Fault) {
        *lock(&self.refused) = Some((fault, Instant::now()));
    }
}

/// All hosts seen so far.
pub(crate) struct Hosts {
    settings: Arc<Settings>,
    started: Time,
    by_name: Mutex<FxHashMap<String, Arc<Host>>>,
    slots: Arc<Semaphore>,
    /// The number of tasks that wait for a slot.
    waiting: AtomicUsize,
    /// Hosts with an idle connection, the longest idle first.
    idle: Mutex<VecDeque<Arc<Host>>>,
}

impl Hosts {
    pub(crate) fn new(settings: Arc<Settings>, started: Time) -> Self {
        let slots = Arc::new(Semaphore::new(settings.hosts_at_once.clamp(1, 10_000)));
        Self {
            settings,
            started,
            by_name: Mutex::default(),
            slots,
            waiting: AtomicUsize::new(0),
            idle: Mutex::default(),
        }
    }

    /// The host with this name; `None` if the name is invalid.
    pub(crate) fn get(&self, name: &str) -> Option<Arc<Host>> {
        let mut hosts = lock(&self.by_name);
        if let Some(host) = hosts.get(name) {
            return Some(Arc::clone(host));
        }
        let origin = format!("http://{name}/");
        // A port is part of the name unless it is the default of its scheme.
        let is_name = address::canonical(&origin).is_some_and(|canonical| canonical == origin);
        if !is_name {
            return None;
        }
        let state = HostState { host: name.to_owned(), ..HostState::default() };
        let host = self.make(state);
        hosts.insert(name.to_owned(), Arc::clone(&host));
        Some(host)
    }

    fn make(&self, state: HostState) -> Arc<Host> {
        let name = state.host.clone();
        Arc::new(Host::new(name, Politeness::new(state, &self.settings, self.started)))
    }

    /// Adds the hosts that an earlier world reported.
    pub(crate) fn remember(&self, robots: Vec<RobotsCopy>, states: Vec<HostState>) {
        for state in states {
            let host = self.make(state);
            lock(&self.by_name).insert(host.name.clone(), host);
        }
        for copy in robots {
            let Some(target) = Target::parse(&copy.origin) else { continue };
            let (scheme, host) = (target.scheme, self.get(target.authority));
            if let Some(host) = host {
                host.set_robots(scheme, Robots::new(copy));
            }
        }
    }

    /// All hosts, sorted by name.
    pub(crate) fn all(&self) -> Vec<Arc<Host>> {
        let mut all: Vec<_> = lock(&self.by_name).values().cloned().collect();
        all.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        all
    }

    /// Waits for a connection slot, and closes an idle connection to free one.
    pub(crate) async fn slot(&self) -> OwnedSemaphorePermit {
        if let Ok(slot) = Arc::clone(&self.slots).try_acquire_owned() {
            return slot;
        }
        let _waiting = Waiting::new(&self.waiting);
        self.close_idle();
        let slot = Arc::clone(&self.slots).acquire_owned().await;
        slot.expect("the slots are never closed")
    }

    /// Keeps the connection of a host, whose turn the caller holds, for the next request. It is closed
    /// if others wait for a slot.
    pub(crate) fn keep(&self, host: &Arc<Host>, turn: &mut Option<Connection>, one: Connection) {
        if self.waiting.load(Ordering::Acquire) > 0 {
            return;
        }
        *turn = Some(one);
        if !host.is_idle.swap(true, Ordering::AcqRel) {
            lock(&self.idle).push_back(Arc::clone(host));
        }
    }

    /// Closes one idle connection.
    fn close_idle(&self) {
        loop {
            let Some(host) = lock(&self.idle).pop_front() else { return };
            host.is_idle.store(false, Ordering::Release);
            if let Ok(mut turn) = host.turn.try_lock()
                && turn.take().is_some()
            {
                return;
            }
        }
    }
}

/// Counts a task that waits for a slot.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::AcqRel);
        Self(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A poisoned lock is still consistent: no lock is held across a call that could panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
