//! The queue between the crawl loop and the writer thread.
//!
//! The loop fills one batch while the thread writes the previous one. The loop only waits if it is
//! faster than the disk.
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tracing::debug;

use crate::StoreError;
use crate::batch::Batch;
use crate::options::Options;
use crate::writer::Writer;

/// Passes batches to the writer thread.
pub(crate) struct Queue {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    state: Mutex<State>,
    /// Signals any change of the state.
    changed: Condvar,
    visits: usize,
    bytes: usize,
    wait: Duration,
}

struct State {
    batch: Batch,
    /// Requests to write the batch now, and how many of them are done.
    flushes_requested: u64,
    flushes_done: u64,
    /// Whether to write the CDXJ indexes too.
    with_cdxj: bool,
    /// Last observation that is durable.
    acknowledged: u64,
    last_write: Option<Instant>,
    closing: bool,
    failure: Option<StoreError>,
    has_ended: bool,
}

impl Queue {
    /// Starts the writer thread. `acknowledged` is the last durable observation.
    pub(crate) fn new(
        writer: Writer,
        options: &Options,
        acknowledged: u64,
    ) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                batch: Batch::default(),
                flushes_requested: 0,
                flushes_done: 0,
                with_cdxj: false,
                acknowledged,
                last_write: None,
                closing: false,
                failure: None,
                has_ended: false,
            }),
            changed: Condvar::new(),
            visits: options.batch_visits.max(1),
            bytes: options.batch_bytes,
            wait: options.batch_wait,
        });
        let writer_side = Arc::clone(&shared);
        let name = "repository".to_owned();
        let thread =
            thread::Builder::new().name(name).spawn(move || writer_side.write_all(writer))?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Adds to the batch. Waits while it is full.
    pub(crate) fn add(&self, fill: impl FnOnce(&mut Batch)) -> Result<(), StoreError> {
        let mut state = self.shared.lock();
        let mut wait_start = None;
        while !state.has_ended && self.shared.is_full(&state) {
            wait_start = wait_start.or_else(|| Some(Instant::now()));
            state = self.shared.wait(state);
        }
        let waited = wait_start.map(|start| start.elapsed());
        state.check()?;
        let was_due = self.shared.is_due(&state);
        let was_empty = state.batch.is_empty();
        fill(&mut state.batch);
        if was_empty || self.shared.is_due(&state) != was_due {
            self.shared.changed.notify_all();
        }
        drop(state);
        if let Some(waited) = waited {
            debug!(ms = waited.as_millis(), "waited for the writer");
        }
        Ok(())
    }

    /// Requests a write without waiting for it.
    pub(crate) fn flush_soon(&self) {
        self.shared.lock().flushes_requested += 1;
        self.shared.changed.notify_all();
    }

    /// Waits until everything is durable, and the CDXJ indexes are written if `with_cdxj`.
    pub(crate) fn flush(&self, with_cdxj: bool) -> Result<(), StoreError> {
        let mut state = self.shared.lock();
        state.check()?;
        state.flushes_requested += 1;
        state.with_cdxj |= with_cdxj;
        let ticket = state.flushes_requested;
        self.shared.changed.notify_all();
        while !state.has_ended && state.flushes_done < ticket {
            state = self.shared.wait(state);
        }
        state.check()
    }

    /// Last observation that is durable.
    pub(crate) fn acknowledged(&self) -> u64 {
        self.shared.lock().acknowledged
    }
}

/// Writes what is left. Call `flush` first to get errors.
impl Drop for Queue {
    fn drop(&mut self) {
        self.shared.lock().closing = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // The panic was already reported.
            let _ = thread.join();
        }
    }
}

impl State {
    /// Returns the error once, then [`StoreError::Stopped`].
    fn check(&mut self) -> Result<(), StoreError> {
        match self.failure.take() {
            Some(failure) => Err(failure),
            None if self.has_ended => Err(StoreError::Stopped),
            None => Ok(()),
        }
    }
}

impl Shared {
    /// Poisoning is harmless: every change of the state is a single assignment.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(&self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    fn is_full(&self, state: &State) -> bool {
        state.batch.visits.len() >= self.visits || state.batch.bytes >= self.bytes
    }

    /// Whether the thread should write now.
    fn is_due(&self, state: &State) -> bool {
        state.closing || state.flushes_requested > state.flushes_done || self.is_full(state)
    }

    /// How long the batch may still wait; `None` if it is empty.
    fn remaining_wait(&self, state: &State) -> Option<Duration> {
        if state.batch.is_empty() {
            return None;
        }
        Some(
            state
                .last_write
                .map_or(Duration::ZERO, |last| self.wait.saturating_sub(last.elapsed())),
        )
    }

    /// The writer thread: writes batches until the queue closes or an error occurs.
    fn write_all(&self, mut writer: Writer) {
        // Also on panic, so that nobody waits for ever.
        let _guard = EndGuard(self);
        let mut state = self.lock();
        loop {
            while !self.is_due(&state) {
                state = match self.remaining_wait(&state) {
                    None => self.wait(state),
                    Some(Duration::ZERO) => break,
                    Some(time) => {
                        let waited = self.changed.wait_timeout(state, time);
                        waited.unwrap_or_else(PoisonError::into_inner).0
                    }
                };
            }
            let batch = std::mem::take(&mut state.batch);
            let (ticket, closing) = (state.flushes_requested, state.closing);
            let with_cdxj = state.with_cdxj || closing;
            state.with_cdxj = false;
            drop(state);
            self.changed.notify_all();

            let written = writer.write(&batch);
            let written =
                written.and_then(|()| if with_cdxj { writer.write_cdxj() } else { Ok(()) });
            state = self.lock();
            if let Err(failure) = written {
                state.failure = Some(failure);
                return;
            }
            state.flushes_done = ticket;
            state.last_write = Some(Instant::now());
            state.acknowledged = batch.visits.last().map_or(state.acknowledged, |last| last.no);
            self.changed.notify_all();
            if closing && state.batch.is_empty() {
                drop(state);
                writer.close();
                return;
            }
        }
    }
}

/// Records that the thread has ended.
struct EndGuard<'s>(&'s Shared);

impl Drop for EndGuard<'_> {
    fn drop(&mut self) {
        self.0.lock().has_ended = true;
        self.0.changed.notify_all();
    }
}
