//! The queue between the loop, which appends, and the thread that writes.
//!
//! The loop fills one batch while the thread writes the one before, so it does not wait for the
//! disk unless it appends faster than the disk takes; then it waits for room.
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::StoreError;
use crate::batch::Batch;
use crate::options::Options;
use crate::writer::Writer;

/// Hands batches to the thread that writes them.
pub(crate) struct Queue {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    state: Mutex<State>,
    /// Something in the state changed.
    changed: Condvar,
    visits: usize,
    bytes: usize,
    wait: Duration,
}

struct State {
    batch: Batch,
    /// How often the batch was asked to be written whatever it holds, and how often it was.
    asked: u64,
    answered: u64,
    /// The indexes are to be written too.
    index: bool,
    /// The number of the last visit that is on the disk.
    acknowledged: u64,
    last_write: Option<Instant>,
    closing: bool,
    failure: Option<StoreError>,
    is_over: bool,
}

impl Queue {
    /// Starts the thread; `acknowledged` is the last visit that is on the disk.
    pub(crate) fn new(
        writer: Writer,
        options: &Options,
        acknowledged: u64,
    ) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                batch: Batch::default(),
                asked: 0,
                answered: 0,
                index: false,
                acknowledged,
                last_write: None,
                closing: false,
                failure: None,
                is_over: false,
            }),
            changed: Condvar::new(),
            visits: options.batch_visits.max(1),
            bytes: options.batch_bytes,
            wait: options.batch_wait,
        });
        let theirs = Arc::clone(&shared);
        let name = "repository".to_owned();
        let thread = thread::Builder::new().name(name).spawn(move || theirs.write_all(writer))?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Adds to the batch, when there is room.
    pub(crate) fn add(&self, fill: impl FnOnce(&mut Batch)) -> Result<(), StoreError> {
        let mut state = self.shared.lock();
        while !state.is_over && self.shared.is_full(&state) {
            state = self.shared.wait(state);
        }
        state.check()?;
        let was_due = self.shared.is_due(&state);
        let was_empty = state.batch.is_empty();
        fill(&mut state.batch);
        if was_empty || self.shared.is_due(&state) != was_due {
            self.shared.changed.notify_all();
        }
        Ok(())
    }

    /// Has the batch written now, without waiting for it.
    pub(crate) fn flush_soon(&self) {
        self.shared.lock().asked += 1;
        self.shared.changed.notify_all();
    }

    /// Waits until everything added is on the disk, and the indexes too where `index` says so.
    pub(crate) fn flush(&self, index: bool) -> Result<(), StoreError> {
        let mut state = self.shared.lock();
        state.check()?;
        state.asked += 1;
        state.index |= index;
        let ticket = state.asked;
        self.shared.changed.notify_all();
        while !state.is_over && state.answered < ticket {
            state = self.shared.wait(state);
        }
        state.check()
    }

    /// The number of the last visit that is on the disk.
    pub(crate) fn acknowledged(&self) -> u64 {
        self.shared.lock().acknowledged
    }
}

/// What was added is still written; who wants to know whether that succeeded settles first.
impl Drop for Queue {
    fn drop(&mut self) {
        self.shared.lock().closing = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // A panic there has been reported, and nobody is left to whom it matters.
            let _ = thread.join();
        }
    }
}

impl State {
    /// The failure for the first who asks, that there was one for all others.
    fn check(&mut self) -> Result<(), StoreError> {
        match self.failure.take() {
            Some(failure) => Err(failure),
            None if self.is_over => Err(StoreError::GivenUp),
            None => Ok(()),
        }
    }
}

impl Shared {
    /// A panic while the state was held leaves it whole: every change is a single assignment.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(&self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    fn is_full(&self, state: &State) -> bool {
        state.batch.visits.len() >= self.visits || state.batch.bytes >= self.bytes
    }

    /// Whether the thread should write what there is.
    fn is_due(&self, state: &State) -> bool {
        state.closing || state.asked > state.answered || self.is_full(state)
    }

    /// How long the batch may still wait; `None` for as long as nothing comes.
    fn may_wait(&self, state: &State) -> Option<Duration> {
        if state.batch.is_empty() {
            return None;
        }
        Some(
            state
                .last_write
                .map_or(Duration::ZERO, |last| self.wait.saturating_sub(last.elapsed())),
        )
    }

    /// The thread: takes batches and writes them, until the end or a failure.
    fn write_all(&self, mut writer: Writer) {
        // However this ends, whoever waits must not wait for ever.
        let _over = Over(self);
        let mut state = self.lock();
        loop {
            while !self.is_due(&state) {
                state = match self.may_wait(&state) {
                    None => self.wait(state),
                    Some(Duration::ZERO) => break,
                    Some(time) => {
                        let waited = self.changed.wait_timeout(state, time);
                        waited.unwrap_or_else(PoisonError::into_inner).0
                    }
                };
            }
            let batch = std::mem::take(&mut state.batch);
            let (ticket, closing) = (state.asked, state.closing);
            let index = state.index || closing;
            state.index = false;
            drop(state);
            self.changed.notify_all();

            let written = writer.write(&batch);
            let written = written.and_then(|()| if index { writer.index() } else { Ok(()) });
            state = self.lock();
            if let Err(failure) = written {
                state.failure = Some(failure);
                return;
            }
            state.answered = ticket;
            state.last_write = Some(Instant::now());
            state.acknowledged = batch.visits.last().map_or(state.acknowledged, |last| last.no);
            self.changed.notify_all();
            if closing && state.batch.is_empty() {
                return;
            }
        }
    }
}

/// Tells everyone that the thread has ended.
struct Over<'s>(&'s Shared);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.lock().is_over = true;
        self.0.changed.notify_all();
    }
}
