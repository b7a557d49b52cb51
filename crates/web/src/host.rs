//! Hosts: what waits for each, and what is known of it. Everything that two requests to one host
//! could disagree on lives here.
use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Instant,
};

use flow::{Fault, Manners, Request, RobotsCopy, Time, read::address};
use rustc_hash::FxHashMap;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{
    Settings,
    connect::Connection,
    polite::Polite,
    robots_cache::Robots,
    target::{Scheme, Target},
};

/// One host, with its port where addresses give one.
pub(crate) struct Host {
    pub(crate) name: String,
    queue: Mutex<Queue>,
    polite: Mutex<Polite>,
    /// Over `http` and over `https`.
    robots: Mutex<[Option<Arc<Robots>>; 2]>,
    /// Why it is not asked at all, and when that was found.
    refused: Mutex<Option<(Fault, Instant)>>,
    /// Whoever asks this host holds its turn. The connection is kept there in between.
    pub(crate) turn: tokio::sync::Mutex<Option<Connection>>,
    is_idle: AtomicBool,
}

#[derive(Default)]
struct Queue {
    requests: VecDeque<Request>,
    /// Whether somebody works at it.
    is_served: bool,
}

impl Host {
    fn new(name: String, polite: Polite) -> Self {
        Self {
            name,
            queue: Mutex::default(),
            polite: Mutex::new(polite),
            robots: Mutex::default(),
            refused: Mutex::default(),
            turn: tokio::sync::Mutex::new(None),
            is_idle: AtomicBool::new(false),
        }
    }

    /// Adds a request. True where nobody works at the queue, so that somebody must now.
    pub(crate) fn push(&self, request: Request) -> bool {
        let mut queue = lock(&self.queue);
        queue.requests.push_back(request);
        !std::mem::replace(&mut queue.is_served, true)
    }

    /// The next request. Whoever gets none has stopped working at the queue.
    pub(crate) fn next(&self) -> Option<Request> {
        let mut queue = lock(&self.queue);
        let request = queue.requests.pop_front();
        queue.is_served = request.is_some();
        request
    }

    /// Forgets all requests and stops working at the queue.
    pub(crate) fn clear(&self) {
        *lock(&self.queue) = Queue::default();
    }

    pub(crate) fn polite(&self) -> MutexGuard<'_, Polite> {
        lock(&self.polite)
    }

    pub(crate) fn robots(&self, scheme: Scheme) -> Option<Arc<Robots>> {
        lock(&self.robots)[scheme as usize].clone()
    }

    pub(crate) fn set_robots(&self, scheme: Scheme, robots: Robots) -> Arc<Robots> {
        self.polite().set_crawl_delay(scheme as usize, robots.rules.crawl_delay());
        let robots = Arc::new(robots);
        lock(&self.robots)[scheme as usize] = Some(Arc::clone(&robots));
        robots
    }

    /// Why it is not asked at all, if that was found a short while ago.
    pub(crate) fn refused(&self) -> Option<Fault> {
        const HOLDS: std::time::Duration = std::time::Duration::from_mins(1);
        let refused = lock(&self.refused);
        refused.as_ref().filter(|(_, at)| at.elapsed() < HOLDS).map(|(fault, _)| fault.clone())
    }

    pub(crate) fn refuse(&self, fault: Fault) {
        *lock(&self.refused) = Some((fault, Instant::now()));
    }
}

/// All hosts met so far.
pub(crate) struct Hosts {
    settings: Arc<Settings>,
    started: Time,
    by_name: Mutex<FxHashMap<String, Arc<Host>>>,
    slots: Arc<Semaphore>,
    /// How many wait for a slot.
    waiting: AtomicUsize,
    /// Hosts with a connection that nobody uses just now, the longest unused first.
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

    /// The host with this name; `None` where it cannot be the name of one.
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
        let manners = Manners { host: name.to_owned(), ..Manners::default() };
        let host = self.make(manners);
        hosts.insert(name.to_owned(), Arc::clone(&host));
        Some(host)
    }

    fn make(&self, manners: Manners) -> Arc<Host> {
        let name = manners.host.clone();
        Arc::new(Host::new(name, Polite::new(manners, &self.settings, self.started)))
    }

    /// Takes in what an earlier world noted.
    pub(crate) fn remember(&self, robots: Vec<RobotsCopy>, manners: Vec<Manners>) {
        for manners in manners {
            let host = self.make(manners);
            lock(&self.by_name).insert(host.name.clone(), host);
        }
        for copy in robots {
            let Some(target) = Target::of(&copy.origin) else { continue };
            let (scheme, host) = (target.scheme, self.get(target.authority));
            if let Some(host) = host {
                host.set_robots(scheme, Robots::new(copy));
            }
        }
    }

    /// Every host, by name.
    pub(crate) fn all(&self) -> Vec<Arc<Host>> {
        let mut all: Vec<_> = lock(&self.by_name).values().cloned().collect();
        all.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        all
    }

    /// Waits for the right to open one more connection. One that nobody uses is closed for it.
    pub(crate) async fn slot(&self) -> OwnedSemaphorePermit {
        if let Ok(slot) = Arc::clone(&self.slots).try_acquire_owned() {
            return slot;
        }
        let _waiting = Waiting::new(&self.waiting);
        self.close_idle();
        let slot = Arc::clone(&self.slots).acquire_owned().await;
        slot.expect("the slots are never closed")
    }

    /// Puts back the connection of a host, whose turn the caller holds. It is closed where others
    /// wait for its slot.
    pub(crate) fn keep(&self, host: &Arc<Host>, turn: &mut Option<Connection>, one: Connection) {
        if self.waiting.load(Ordering::Acquire) > 0 {
            return;
        }
        *turn = Some(one);
        if !host.is_idle.swap(true, Ordering::AcqRel) {
            lock(&self.idle).push_back(Arc::clone(host));
        }
    }

    /// Closes one connection that nobody uses.
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

/// Somebody who waits for a slot.
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

/// What a thread that panicked left behind is still whole: no lock is held across a call that could.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
