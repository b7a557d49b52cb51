//! The live web as a [`World`].
use std::{
    cell::RefCell,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
        mpsc,
    },
    thread::available_parallelism,
    time::Duration,
};

use crawl::{
    Answer, Arrival, Error, FaultKind, HostState, HostUpdate, Request, Result, RobotsCopy, Span,
    Time, World,
};
use tokio::{
    runtime::{Builder, Handle, Runtime},
    sync::Semaphore,
};

use crate::{
    Clock, Settings, WebError,
    batch::{Batch, Event, InFlight, Stopper},
    connect::{Connector, fault},
    head::Agent,
    host::Hosts,
    politeness::BackOff,
    race::race,
    target::Target,
    worker::Worker,
};

/// The most answers that wait to be parsed or handed over.
pub(crate) const UNREAD: usize = 64;

/// The most network threads.
const MOST_NETWORK_THREADS: usize = 4;

/// How long to wait for the network threads at the end.
const LAST_WAIT: Duration = Duration::from_millis(100);

/// What all workers of one world share.
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

/// The live web: fetched politely, parsed in a thread pool.
///
/// Each host has its own queue with one worker, so that two requests to a host never
/// overlap and no host waits for another.
pub struct LiveWorld {
    shared: Arc<Shared>,
    network: Handle,
    /// Always `Some` until the drop.
    runtime: Option<Runtime>,
    stopper: Stopper,
    deadline: Option<Time>,
    /// Whether it waits where every host that is left backs off.
    waits: bool,
    waiting: RefCell<Waiting>,
}

/// Is told the hosts that a world waits for.
type Waiting = Box<dyn FnMut(&[BackOff], bool)>;

impl LiveWorld {
    /// Creates a world with `settings`. `robots` and `states` are what earlier worlds reported about
    /// hosts.
    ///
    /// # Errors
    /// If the settings are invalid or the threads cannot be started.
    pub fn new(
        settings: Settings,
        clock: Clock,
        robots: Vec<RobotsCopy>,
        states: Vec<HostState>,
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
        hosts.remember(robots, states);
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
            waits: true,
            waiting: RefCell::new(Box::new(|_, _| ())),
        })
    }

    /// Sets the deadline of the next calls of [`fetch`](World::fetch). A request that was not sent by
    /// then is answered [`Unreached`](Answer::Unreached).
    pub fn set_deadline(&mut self, deadline: Option<Time>) {
        self.deadline = deadline;
    }

    /// Sets whether [`fetch`](World::fetch) waits where every host that is left backs off. If not, the
    /// requests that are left are answered [`Unreached`](Answer::Unreached).
    pub fn set_waits(&mut self, waits: bool) {
        self.waits = waits;
    }

    /// Sets who is told whenever every host that is left backs off, and whether this world waits then.
    pub fn on_waiting(&mut self, waiting: impl FnMut(&[BackOff], bool) + 'static) {
        self.waiting = RefCell::new(Box::new(waiting));
    }

    /// The hosts that back off now, by name.
    pub fn back_offs(&self) -> Vec<BackOff> {
        let now = self.shared.clock.now();
        let hosts = self.shared.hosts.all();
        hosts.iter().filter_map(|host| host.politeness().back_off(now)).collect()
    }

    /// A handle to stop this world from another thread.
    pub fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// The number of requests for robots.txt so far, including redirects.
    pub fn robots_fetches(&self) -> u32 {
        self.shared.robots_fetches.load(Ordering::Relaxed)
    }

    /// Adds a request to the queue of its host.
    fn feed(&self, batch: &Arc<Batch>, request: Request) {
        let host = Target::parse(&request.address)
            .and_then(|target| self.shared.hosts.get(target.authority));
        let Some(host) = host else {
            let why = format!("{} is not an http or https address", request.address);
            let answer = Answer::Refused(fault(FaultKind::Unsafe, why));
            return batch.answer(request.page, answer, Span::default());
        };
        if host.push(request) {
            let worker = Worker { shared: Arc::clone(&self.shared), batch: Arc::clone(batch) };
            self.network.spawn(worker.run(host, InFlight::new(batch)));
        }
    }

    /// Handles events until nothing is in flight.
    fn listen(
        &self,
        batch: &Arc<Batch>,
        events: &mpsc::Receiver<Event>,
        arrive: &mut dyn FnMut(Arrival) -> Result<Vec<Request>>,
    ) -> Result<()> {
        let mut told = vec![];
        loop {
            let (is_idle, is_resting) = (batch.is_idle(), batch.is_resting());
            let event = match events.try_recv() {
                Ok(event) => event,
                Err(_) if is_idle => return Ok(()),
                Err(_) => {
                    if is_resting && !batch.has_given_up() {
                        self.rest(batch, &mut told);
                    }
                    // Never closed: the batch holds a sender.
                    events.recv().unwrap_or(Event::Idle)
                }
            };
            let arrival = match event {
                Event::Capture(capture, _unread) => Arrival::Capture(capture),
                Event::Host(update) => Arrival::Host(update),
                Event::Idle => continue,
            };
            for request in arrive(arrival)? {
                if !batch.is_stopped() {
                    self.feed(batch, request);
                }
            }
        }
    }
}

impl LiveWorld {
    /// Says that every host that is left backs off, unless that was said before, and ends the wait if this
    /// world does not wait.
    fn rest(&self, batch: &Batch, told: &mut Vec<BackOff>) {
        let back_offs = self.back_offs();
        if *told != back_offs {
            (self.waiting.borrow_mut())(&back_offs, self.waits);
            *told = back_offs;
        }
        if !self.waits {
            batch.give_up();
        }
    }
}

impl Drop for LiveWorld {
    fn drop(&mut self) {
        // A DNS look-up cannot be cancelled and may take very long.
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
            race(tokio::time::sleep(left), stopper.stopped()).await;
        });
    }

    fn fetch(
        &mut self,
        requests: Vec<Request>,
        arrive: &mut dyn FnMut(Arrival) -> Result<Vec<Request>>,
    ) -> Result<()> {
        let (sender, events) = mpsc::channel();
        let shared = &self.shared;
        let batch = Batch::new(shared.clock.clone(), self.deadline, self.stopper.clone(), sender);
        let batch = Arc::new(batch);
        if batch.is_stopped() {
            return Err(Error::Interrupted);
        }
        for request in requests {
            self.feed(&batch, request);
        }
        if let Err(error) = self.listen(&batch, &events, arrive) {
            // Answers in flight are discarded, but they must end before this call does.
            self.stopper.set_dropped(true);
            let ended = self.listen(&batch, &events, &mut |_| Ok(vec![]));
            self.stopper.set_dropped(false);
            return ended.and(Err(error));
        }
        for host in shared.hosts.all() {
            let news = host.politeness().news();
            if let Some(state) = news {
                arrive(Arrival::Host(HostUpdate::State(state)))?;
            }
        }
        if self.stopper.is_stopped() { Err(Error::Interrupted) } else { Ok(()) }
    }

    fn backing_off(&self) -> Vec<String> {
        let shared = &self.shared;
        let is_backing_off = |host: &crate::host::Host| {
            let wait = host.politeness().wait(&shared.settings, &shared.clock);
            wait.is_too_long(&shared.clock, self.deadline)
        };
        let hosts = shared.hosts.all();
        hosts.iter().filter(|host| is_backing_off(host)).map(|host| host.name.clone()).collect()
    }
}
