//! One call of `fetch`: when it must end, and what it hands over.
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    time::{Duration, Instant},
};

use flow::{Answer, Capture, Exchange, Note, PageNo, Time};
use tokio::{
    sync::{OwnedSemaphorePermit, watch},
    time::{sleep, sleep_until},
};

use crate::{
    Clock,
    first::{First, first},
    polite::Wait,
};

/// How much longer than the deadline a request may take that was begun in time.
const GRACE: Duration = Duration::from_secs(5);

/// How long a request may still take after being told to stop.
const STOP_GRACE: Duration = Duration::from_secs(3);

/// Whether everything is to end.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ending {
    /// When it was told to stop.
    stopped: Option<Instant>,
    /// Nobody wants the answers any more.
    is_dropped: bool,
}

impl Ending {
    fn is_over(&self) -> bool {
        self.stopped.is_some() || self.is_dropped
    }
}

/// Stops a world from another thread, such as one that handles signals.
#[derive(Clone, Debug)]
pub struct Stopper(pub(crate) Arc<watch::Sender<Ending>>);

impl Stopper {
    pub(crate) fn new() -> Self {
        Self(Arc::new(watch::Sender::new(Ending::default())))
    }

    /// Nothing new is begun from now on; requests under way get three more seconds.
    pub fn stop(&self) {
        self.0.send_modify(|ending| {
            ending.stopped.get_or_insert_with(Instant::now);
        });
    }

    /// Whether it was told to stop.
    pub fn is_stopped(&self) -> bool {
        self.0.borrow().stopped.is_some()
    }

    /// Lets go of, or takes up again, what is under way.
    pub(crate) fn set_dropped(&self, is_dropped: bool) {
        self.0.send_modify(|ending| ending.is_dropped = is_dropped);
    }

    /// Waits until told to stop.
    pub(crate) async fn stopped(&self) {
        // It cannot fail while we hold the sender.
        let _ = self.0.subscribe().wait_for(Ending::is_over).await;
    }
}

/// What reaches the thread that called `fetch`.
pub(crate) enum Event {
    Capture(Capture, Option<OwnedSemaphorePermit>),
    Note(Note),
    /// Nothing is under way any more.
    Quiet,
}

/// One call of `fetch`.
pub(crate) struct Round {
    clock: Clock,
    deadline: Option<Time>,
    /// When even what was begun in time is cut.
    cut_at: Option<Instant>,
    stopper: Stopper,
    events: mpsc::Sender<Event>,
    busy: AtomicUsize,
}

impl Round {
    pub(crate) fn new(
        clock: Clock,
        deadline: Option<Time>,
        stopper: Stopper,
        events: mpsc::Sender<Event>,
    ) -> Self {
        let left = deadline.map(|deadline| clock.real_time(deadline - clock.now()));
        let cut_at = left.and_then(|left| Instant::now().checked_add(left + GRACE));
        Self { clock, deadline, cut_at, stopper, events, busy: AtomicUsize::new(0) }
    }

    /// Whether it was told to stop, or nobody wants its answers.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopper.0.borrow().is_over()
    }

    /// Whether it is too late to begin anything.
    pub(crate) fn is_over(&self) -> bool {
        self.deadline.is_some_and(|deadline| self.clock.now() >= deadline)
    }

    /// Whether waiting for this long would be too long.
    pub(crate) fn is_too_long(&self, wait: Wait) -> bool {
        wait.is_too_long(&self.clock, self.deadline)
    }

    /// Waits, but not on when told to stop.
    pub(crate) async fn rest(&self, wait: Duration) {
        first(sleep(wait), self.stopper.stopped()).await;
    }

    /// Waits until nothing may be begun any more.
    pub(crate) async fn over(&self) {
        match self.deadline {
            Some(deadline) => {
                let left = self.clock.real_time(deadline - self.clock.now());
                first(sleep(left), self.stopper.stopped()).await;
            }
            None => self.stopper.stopped().await,
        }
    }

    /// Waits until what is under way must be cut.
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
            if let First::Wanted(()) = first(sleep_until(at.into()), endings.changed()).await {
                return;
            }
        }
    }

    /// Hands over a capture that needs no reading.
    pub(crate) fn answer(&self, page: PageNo, answer: Answer, exchange: Option<Box<Exchange>>) {
        let capture = Capture { page, at: self.clock.now(), answer, exchange };
        self.send(Event::Capture(capture, None));
    }

    pub(crate) fn note(&self, note: Note) {
        self.send(Event::Note(note));
    }

    /// The receiver lives for as long as something is under way; if it does not, nobody listens.
    pub(crate) fn send(&self, event: Event) {
        let _ = self.events.send(event);
    }

    /// Whether nothing is under way.
    pub(crate) fn is_quiet(&self) -> bool {
        self.busy.load(Ordering::Acquire) == 0
    }
}

/// Something under way. The round is not over before all of these are gone, and what they send is
/// sent before.
pub(crate) struct Busy(Arc<Round>);

impl Busy {
    pub(crate) fn new(round: &Arc<Round>) -> Self {
        round.busy.fetch_add(1, Ordering::AcqRel);
        Self(Arc::clone(round))
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        if self.0.busy.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.0.send(Event::Quiet);
        }
    }
}
