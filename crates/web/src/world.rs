//! The live web as a world.
use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
        mpsc,
    },
    thread::available_parallelism,
    time::Duration,
};

use flow::{
    Answer, Arrival, Error, FaultKind, Manners, Note, Request, Result, RobotsCopy, Time, World,
};
use tokio::{
    runtime::{Builder, Handle, Runtime},
    sync::Semaphore,
};

use crate::{
    Clock, Settings, WebError,
    connect::{Connector, fault},
    first::first,
    head::Agent,
    host::Hosts,
    round::{Busy, Event, Round, Stopper},
    target::Target,
    visit::Visitor,
};

/// How many answers may wait to be read or handed over.
pub(crate) const UNREAD: usize = 64;

/// The most threads that only move bytes.
const MOST_NETWORK_THREADS: usize = 4;

/// How long the threads of the network are waited for at the end.
const LAST_WAIT: Duration = Duration::from_millis(100);

/// What all who work for one world share.
pub(crate) struct Shared {
    pub(crate) settings: Arc<Settings>,
    pub(crate) clock: Clock,
    pub(crate) agent: Agent,
    pub(crate) connector: Connector,
    pub(crate) hosts: Hosts,
    pub(crate) pool: rayon::ThreadPool,
    pub(crate) unread: Arc<Semaphore>,
    pub(crate) robots_fetches: AtomicU32,
}

/// The live web: fetched politely, read in a pool of threads.
///
/// Each host has a queue of its own, which one task works at, so two requests to a host never
/// overlap and no host waits for another.
pub struct LiveWorld {
    shared: Arc<Shared>,
    network: Handle,
    /// Always there until the end.
    runtime: Option<Runtime>,
    stopper: Stopper,
    deadline: Option<Time>,
}

impl LiveWorld {
    /// A world that asks the web as `settings` say, and goes on from what earlier ones noted.
    ///
    /// # Errors
    /// When the settings make no sense, or the threads cannot be started.
    pub fn new(
        settings: Settings,
        clock: Clock,
        robots: Vec<RobotsCopy>,
        manners: Vec<Manners>,
    ) -> std::result::Result<Self, WebError> {
        let settings = Arc::new(settings);
        let agent = Agent::new(&settings)?;
        let connector = Connector::new(Arc::clone(&settings))?;
        let threads = available_parallelism().map_or(2, usize::from);
        let runtime = Builder::new_multi_thread()
            .worker_threads(threads.min(MOST_NETWORK_THREADS))
            .thread_name("network")
            .enable_all()
            .build()
            .map_err(WebError::Start)?;
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|number| format!("reader {number}"))
            .build()
            .map_err(|error| WebError::Start(std::io::Error::other(error)))?;
        let hosts = Hosts::new(Arc::clone(&settings), clock.now());
        hosts.remember(robots, manners);
        let shared = Shared {
            settings,
            clock,
            agent,
            connector,
            hosts,
            pool,
            unread: Arc::new(Semaphore::new(UNREAD)),
            robots_fetches: AtomicU32::new(0),
        };
        Ok(Self {
            shared: Arc::new(shared),
            network: runtime.handle().clone(),
            runtime: Some(runtime),
            stopper: Stopper::new(),
            deadline: None,
        })
    }

    /// Sets when the next calls of [`fetch`](World::fetch) end: what was not begun by then is
    /// answered [`Unreached`](Answer::Unreached).
    pub fn set_deadline(&mut self, deadline: Option<Time>) {
        self.deadline = deadline;
    }

    /// What stops this world from another thread.
    pub fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// How many requests for a robots.txt were made, redirects included.
    pub fn robots_fetches(&self) -> u32 {
        self.shared.robots_fetches.load(Ordering::Relaxed)
    }

    /// Puts a request into the queue of its host.
    fn feed(&self, round: &Arc<Round>, request: Request) {
        let host =
            Target::of(&request.address).and_then(|target| self.shared.hosts.get(target.authority));
        let Some(host) = host else {
            let why = format!("{} is not an address of the web", request.address);
            let answer = Answer::Failed(fault(FaultKind::Unsafe, why));
            return round.answer(request.page, answer, None);
        };
        if host.push(request) {
            let visitor = Visitor { shared: Arc::clone(&self.shared), round: Arc::clone(round) };
            self.network.spawn(visitor.serve(host, Busy::new(round)));
        }
    }

    /// Takes in what comes until nothing is under way any more.
    fn listen(
        &self,
        round: &Arc<Round>,
        events: &mpsc::Receiver<Event>,
        arrive: &mut dyn FnMut(Arrival) -> Result<Vec<Request>>,
    ) -> Result<()> {
        loop {
            let is_quiet = round.is_quiet();
            let event = match events.try_recv() {
                Ok(event) => event,
                Err(_) if is_quiet => return Ok(()),
                // Never closed: the round holds the other end.
                Err(_) => events.recv().unwrap_or(Event::Quiet),
            };
            let arrival = match event {
                Event::Capture(capture, _unread) => Arrival::Capture(capture),
                Event::Note(note) => Arrival::Note(note),
                Event::Quiet => continue,
            };
            for request in arrive(arrival)? {
                if !round.is_stopped() {
                    self.feed(round, request);
                }
            }
        }
    }
}

impl Drop for LiveWorld {
    fn drop(&mut self) {
        // A look-up of a name cannot be called off, and may take far longer than anyone waits.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(LAST_WAIT);
        }
    }
}

impl World for LiveWorld {
    fn now(&self) -> Time {
        self.shared.clock.now()
    }

    fn wait_until(&mut self, then: Time) {
        if self.shared.clock.jump_to(then) {
            return;
        }
        let left = self.shared.clock.real_time(then - self.now());
        let stopper = self.stopper.clone();
        self.network.block_on(async move {
            first(tokio::time::sleep(left), stopper.stopped()).await;
        });
    }

    fn fetch(
        &mut self,
        requests: Vec<Request>,
        arrive: &mut dyn FnMut(Arrival) -> Result<Vec<Request>>,
    ) -> Result<()> {
        let (sender, events) = mpsc::channel();
        let shared = &self.shared;
        let round = Round::new(shared.clock.clone(), self.deadline, self.stopper.clone(), sender);
        let round = Arc::new(round);
        if round.is_stopped() {
            return Err(Error::Interrupted);
        }
        for request in requests {
            self.feed(&round, request);
        }
        if let Err(error) = self.listen(&round, &events, arrive) {
            // Nobody wants what is still under way, but it must have ended before this does.
            self.stopper.set_dropped(true);
            let ended = self.listen(&round, &events, &mut |_| Ok(vec![]));
            self.stopper.set_dropped(false);
            return ended.and(Err(error));
        }
        for host in shared.hosts.all() {
            let news = host.polite().news();
            if let Some(manners) = news {
                arrive(Arrival::Note(Note::Manners(manners)))?;
            }
        }
        if self.stopper.is_stopped() { Err(Error::Interrupted) } else { Ok(()) }
    }

    fn resting(&self) -> Vec<String> {
        let shared = &self.shared;
        let is_resting = |host: &crate::host::Host| {
            let wait = host.polite().wait(&shared.settings, &shared.clock);
            wait.is_too_long(&shared.clock, self.deadline)
        };
        let hosts = shared.hosts.all();
        hosts.iter().filter(|host| is_resting(host)).map(|host| host.name.clone()).collect()
    }
}
