//! One call of `fetch`: its deadline, how it is stopped, and what it reports.
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    time::{Duration, Instant},
};

use crawl::{Answer, Capture, Cost, HostUpdate, PageNo, Span, Time};
use tokio::{
    sync::{OwnedSemaphorePermit, watch},
    time::{sleep, sleep_until},
};

use crate::{
    Clock,
    politeness::Wait,
    race::{Raced, race},
};

/// Requests that were sent in time may end this long after the deadline.
const GRACE: Duration = Duration::from_secs(5);

/// Requests in flight may end this long after a stop.
const STOP_GRACE: Duration = Duration::from_secs(3);

/// Whether a world was stopped.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StopState {
    /// When [`Stopper::stop`] was called.
    stopped: Option<Instant>,
    /// The caller of `fetch` failed and discards all answers.
    is_dropped: bool,
}

impl StopState {
    fn is_over(&self) -> bool {
        self.stopped.is_some() || self.is_dropped
    }
}

/// Stops a world from another thread, such as one that handles signals.
#[derive(Clone, Debug)]
pub struct Stopper(pub(crate) Arc<watch::Sender<StopState>>);

impl Stopper {
    pub(crate) fn new() -> Self {
        Self(Arc::new(watch::Sender::new(StopState::default())))
    }

    /// Sends no more requests; requests in flight get three more seconds.
    pub fn stop(&self) {
        self.0.send_modify(|ending| {
            ending.stopped.get_or_insert_with(Instant::now);
        });
    }

    /// Whether [`stop`](Self::stop) was called.
    pub fn is_stopped(&self) -> bool {
        self.0.borrow().stopped.is_some()
    }

    /// Sets whether answers are discarded.
    pub(crate) fn set_dropped(&self, is_dropped: bool) {
        self.0.send_modify(|ending| ending.is_dropped = is_dropped);
    }

    /// Waits for a stop.
    pub(crate) async fn stopped(&self) {
        // Cannot fail while we hold the sender.
        let _ = self.0.subscribe().wait_for(StopState::is_over).await;
    }
}

/// A message to the thread that called `fetch`.
pub(crate) enum Event {
    Capture(Capture, Option<OwnedSemaphorePermit>),
    Host(HostUpdate),
    /// Nothing is in flight, or everything in flight waits for the end of a back-off.
    Idle,
}

/// One call of `fetch`.
pub(crate) struct Batch {
    clock: Clock,
    deadline: Option<Time>,
    /// When requests in flight are cut.
    cut_at: Option<Instant>,
    stopper: Stopper,
    events: mpsc::Sender<Event>,
    busy: AtomicUsize,
    /// How many of those in flight wait for the end of a back-off.
    resting: AtomicUsize,
    /// Whether back-offs are waited for no longer.
    gave_up: watch::Sender<bool>,
}

impl Batch {
    pub(crate) fn new(
        clock: Clock,
        deadline: Option<Time>,
        stopper: Stopper,
        events: mpsc::Sender<Event>,
    ) -> Self {
        let left = deadline.map(|deadline| clock.real_time(deadline - clock.now()));
        let cut_at = left.and_then(|left| Instant::now().checked_add(left + GRACE));
        Self {
            clock,
            deadline,
            cut_at,
            stopper,
            events,
            busy: AtomicUsize::new(0),
            resting: AtomicUsize::new(0),
            gave_up: watch::Sender::new(false),
        }
    }

    /// Whether it was stopped or its answers are discarded.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopper.0.borrow().is_over()
    }

    /// Whether the deadline has passed, also by a clock that nobody can set back.
    pub(crate) fn is_over(&self) -> bool {
        self.deadline.is_some_and(|deadline| self.clock.now() >= deadline)
            || self.cut_at.is_some_and(|cut| Instant::now() >= cut)
    }

    /// Whether this wait ends too late.
    pub(crate) fn is_too_long(&self, wait: Wait) -> bool {
        wait.is_too_long(&self.clock, self.deadline)
    }

    /// Sleeps, at most until a stop.
    pub(crate) async fn sleep(&self, wait: Duration) {
        race(sleep(wait), self.stopper.stopped()).await;
    }

    /// Waits for the end of a back-off, at most until a stop or until back-offs are waited for no longer.
    pub(crate) async fn rest(&self, wait: Duration) {
        let _resting = Resting::new(self);
        let mut gave_up = self.gave_up.subscribe();
        let ended = async {
            // Cannot fail while we hold the sender.
            let _ = gave_up.wait_for(|gave_up| *gave_up).await;
        };
        race(self.sleep(wait), ended).await;
    }

    /// Whether everything in flight waits for the end of a back-off.
    pub(crate) fn is_resting(&self) -> bool {
        let resting = self.resting.load(Ordering::Acquire);
        resting > 0 && resting == self.busy.load(Ordering::Acquire)
    }

    /// Waits for no back-off any longer.
    pub(crate) fn give_up(&self) {
        self.gave_up.send_replace(true);
    }

    /// Whether back-offs are waited for no longer.
    pub(crate) fn has_given_up(&self) -> bool {
        *self.gave_up.borrow()
    }

    /// Waits for the deadline or a stop.
    pub(crate) async fn over(&self) {
        match self.deadline {
            Some(deadline) => {
                let left = self.clock.real_time(deadline - self.clock.now());
                race(sleep(left), self.stopper.stopped()).await;
            }
            None => self.stopper.stopped().await,
        }
    }

    /// Waits until requests in flight must be cut.
    pub(crate) async fn cut(&self) {
        let mut endings = self.stopper.0.subscribe();
        loop {
            let ending = *endings.borrow_and_update();
            if ending.is_dropped {
                return;
            }
            let stop_at = ending.stopped.map(|stopped| stopped + STOP_GRACE);
            let at = match (self.cut_at, stop_at) {
                (Some(one), Some(other)) => Some(one.min(other)),
                (one, other) => one.or(other),
            };
            let Some(at) = at else {
                let _ = endings.changed().await;
                continue;
            };
            if let Raced::Done(()) = race(sleep_until(at.into()), endings.changed()).await {
                return;
            }
        }
    }

    /// Reports a capture without an exchange. The visit kept its host busy for `took`.
    pub(crate) fn answer(&self, page: PageNo, answer: Answer, took: Span) {
        let cost = Cost { bytes: 0, time: took };
        let capture = Capture { cost, ..Capture::new(page, self.clock.now(), answer) };
        self.send(Event::Capture(capture, None));
    }

    /// Reports an update of a host.
    pub(crate) fn host_update(&self, update: HostUpdate) {
        self.send(Event::Host(update));
    }

    /// Sends an event. An error means that the receiver is gone, so nobody needs the event.
    pub(crate) fn send(&self, event: Event) {
        let _ = self.events.send(event);
    }

    /// Whether nothing is in flight.
    pub(crate) fn is_idle(&self) -> bool {
        self.busy.load(Ordering::Acquire) == 0
    }
}

/// A task in flight. A batch ends when all of these are dropped, after
/// everything they sent.
pub(crate) struct InFlight(Arc<Batch>);

impl InFlight {
    pub(crate) fn new(batch: &Arc<Batch>) -> Self {
        batch.busy.fetch_add(1, Ordering::AcqRel);
        Self(Arc::clone(batch))
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        if self.0.busy.fetch_sub(1, Ordering::AcqRel) == 1 || self.0.is_resting() {
            self.0.send(Event::Idle);
        }
    }
}

/// A task in flight that waits for the end of a back-off.
struct Resting<'b>(&'b Batch);

impl<'b> Resting<'b> {
    fn new(batch: &'b Batch) -> Self {
        batch.resting.fetch_add(1, Ordering::AcqRel);
        if batch.is_resting() {
            batch.send(Event::Idle);
        }
        Self(batch)
    }
}

impl Drop for Resting<'_> {
    fn drop(&mut self) {
        self.0.resting.fetch_sub(1, Ordering::AcqRel);
    }
}
