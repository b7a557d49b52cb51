//! Sends changes to the webhook of the settings.
//!
//! The log is the queue: `webhook.json` in the data folder holds the number of the last change that was
//! delivered. It is written after the receiver has answered with a 2xx status, so nothing is lost in a crash;
//! a delivery may be repeated. One process delivers at a time.
use std::{
    fmt::Write as _,
    fs::{self, File, OpenOptions, TryLockError},
    io::Write as _,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use http::{HeaderName, HeaderValue, header};
use ring::hmac;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{ChangeRow, StoreError, View};
use tracing::{info, warn};
use web::{Clock, Poster};

use super::{
    changes::{self, Change, LoggedChanges},
    summaries::{ChangeSummary, Summaries},
};
use crate::{
    failure::{Failure, file_error, with_causes},
    live::tally::stamp,
    settings::{Settings, Webhook},
};

/// The file with the state of delivery, and the lock of the process that delivers.
const FILE: &str = "webhook.json";
const LOCK: &str = "webhook.lock";
/// The most changes in one delivery.
const MOST: usize = 100;
/// How often to look for changes.
const TICK: Duration = Duration::from_secs(1);
/// The time for an answer.
const LIMIT: Duration = Duration::from_secs(10);
/// The wait after a failed delivery, which doubles up to the longest.
const FIRST_WAIT: Duration = Duration::from_secs(2);
const LONGEST_WAIT: Duration = Duration::from_hours(1);
/// The time for the summaries of a delivery.
const SUMMARY_TIME: Duration = Duration::from_secs(5);

/// Deliveries of this process, for metrics.
pub(crate) static COUNTS: Counts =
    Counts { delivered: AtomicU64::new(0), failed: AtomicU64::new(0), pending: AtomicU64::new(0) };

/// Counts of deliveries.
pub(crate) struct Counts {
    /// Changes delivered.
    pub(crate) delivered: AtomicU64,
    /// Deliveries that failed.
    pub(crate) failed: AtomicU64,
    /// Observations in the log that have not been looked at, because a delivery failed.
    pub(crate) pending: AtomicU64,
}

/// What the file holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Delivered {
    /// The number of the last observation that was looked at.
    delivered: u64,
}

/// The thread that delivers. It ends when this is dropped.
pub(crate) struct Deliverer {
    stop: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Deliverer {
    /// Starts the thread if the settings name a webhook. Changes from now on are sent; if some were not
    /// delivered before, these first.
    pub(crate) fn start(settings: &Arc<Settings>) -> Result<Option<Self>, Failure> {
        let Some(webhook) = settings.serve.webhook.clone() else { return Ok(None) };
        let poster = Poster::new(&settings.web, LIMIT)
            .map_err(|error| Failure::Input(with_causes(&error)))?;
        let view = View::open(&settings.data)?;
        let path = settings.data.join(FILE);
        if !path.exists() {
            write(&path, &Delivered { delivered: view.position()? })?;
        }
        let delivery = Delivery {
            delivered: read(&path)?,
            folder: settings.data.clone(),
            path,
            webhook,
            poster,
            view,
            summaries: Summaries::default(),
            failures: 0,
            lock: None,
        };
        let (stop, stopped) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("webhook".to_owned())
            .spawn(move || delivery.run(&stopped))
            .map_err(|error| Failure::Internal(format!("cannot start a thread: {error}")))?;
        Ok(Some(Self { stop: Some(stop), thread: Some(thread) }))
    }
}

impl Drop for Deliverer {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has stopped already.
            let _ = thread.join();
        }
    }
}

fn read(path: &Path) -> Result<Delivered, Failure> {
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::Input(file_error("read", path, &error)))?;
    serde_json::from_str(&text).map_err(|error| {
        Failure::Data(format!(
            "{}: {error}; delete it to send only changes found from then on",
            path.display()
        ))
    })
}

/// Writes the file as a whole: a crash leaves the old one or the new one.
fn write(path: &Path, delivered: &Delivered) -> Result<(), Failure> {
    let partial = path.with_extension("json.partial");
    let written = || {
        let mut file = File::create(&partial)?;
        file.write_all(format!("{}\n", json!(delivered)).as_bytes())?;
        file.sync_all()?;
        fs::rename(&partial, path)
    };
    written()
        .map_err(|error: std::io::Error| Failure::Internal(file_error("written", path, &error)))
}

/// The state of the thread.
struct Delivery {
    folder: PathBuf,
    path: PathBuf,
    webhook: Webhook,
    poster: Poster,
    view: View,
    summaries: Summaries,
    delivered: Delivered,
    /// Failed deliveries in a row.
    failures: u32,
    /// Held while this process is the one that delivers.
    lock: Option<File>,
}

impl Delivery {
    fn run(mut self, stopped: &mpsc::Receiver<()>) {
        let mut wait_until = Instant::now();
        let mut last = false;
        loop {
            if Instant::now() >= wait_until || last {
                match self.deliver_all(last) {
                    Ok(()) => self.failures = 0,
                    Err(why) => {
                        let wait = back_off(self.failures);
                        self.failures = self.failures.saturating_add(1);
                        COUNTS.failed.fetch_add(1, Ordering::Relaxed);
                        wait_until = Instant::now() + wait;
                        warn!(%why, wait = ?wait, "the webhook was not delivered; it is sent again");
                    }
                }
            }
            if last {
                return;
            }
            // Nothing is ever sent; the sender is dropped to stop. What was found until then is tried once
            // more; the rest stays for the next start.
            last = stopped.recv_timeout(TICK) != Err(RecvTimeoutError::Timeout);
        }
    }

    /// Delivers what is new; a single batch if it is the last turn.
    fn deliver_all(&mut self, is_last: bool) -> Result<(), String> {
        if !self.has_turn()? {
            return Ok(());
        }
        loop {
            let stored = |error: StoreError| with_causes(&error);
            let end = self.view.position().map_err(stored)?;
            COUNTS.pending.store(end.saturating_sub(self.delivered.delivered), Ordering::Relaxed);
            if end <= self.delivered.delivered {
                return Ok(());
            }
            // To a first crawl everything is new.
            let LoggedChanges { rows, next, has_more } =
                changes::logged(&self.view, self.delivered.delivered, MOST, |row| !row.is_initial)
                    .map_err(stored)?;
            let next = if has_more { next } else { next.max(end) };
            if !rows.is_empty() {
                let count = rows.len() as u64;
                self.send(rows, next)?;
                COUNTS.delivered.fetch_add(count, Ordering::Relaxed);
                info!(changes = count, next, "webhook delivered");
            }
            self.delivered.delivered = next;
            write(&self.path, &self.delivered).map_err(|failure| failure.to_string())?;
            if is_last {
                return Ok(());
            }
        }
    }

    /// Whether this process may deliver: only one does. Whoever takes over begins where the other ended.
    fn has_turn(&mut self) -> Result<bool, String> {
        if self.lock.is_some() {
            return Ok(true);
        }
        let path = self.folder.join(LOCK);
        let open = OpenOptions::new().create(true).write(true).truncate(false).open(&path);
        let file = open.map_err(|error| file_error("opened", &path, &error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(false),
            Err(TryLockError::Error(error)) => return Err(file_error("locked", &path, &error)),
        }
        self.delivered = read(&self.path).map_err(|failure| failure.to_string())?;
        self.lock = Some(file);
        Ok(true)
    }

    fn send(&self, rows: Vec<ChangeRow>, next: u64) -> Result<(), String> {
        let stored = |error: StoreError| with_causes(&error);
        let summaries = self.summaries.of(&self.view, &rows, Some(SUMMARY_TIME)).map_err(stored)?;
        let changes: Vec<serde_json::Value> = rows
            .into_iter()
            .zip(summaries)
            .map(|(row, summary): (_, Option<Arc<ChangeSummary>>)| Change { row, summary }.json())
            .collect();
        let identity = self.view.identity().map_err(stored)?;
        let body = json!({
            "folder": identity,
            "sent": stamp(Clock::real().now()),
            "changes": changes,
            "next": next,
        });
        let body = format!("{body}\n").into_bytes();
        let mut headers = vec![
            (header::CONTENT_TYPE, HeaderValue::from_static("application/json")),
            (
                header::USER_AGENT,
                HeaderValue::from_static(concat!("sanderling/", env!("CARGO_PKG_VERSION"))),
            ),
        ];
        let mut add = |name: &'static str, value: String| {
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.push((HeaderName::from_static(name), value));
            }
        };
        // The same for a repeated delivery, so that the receiver can tell.
        add("sanderling-delivery", format!("{identity}-{next}"));
        if let Some(secret) = &self.webhook.secret {
            add("sanderling-signature", signature(&secret.0, &body));
        }
        let status = self.poster.post(&self.webhook.url, &headers, body)?;
        if status.is_success() {
            Ok(())
        } else {
            Err(format!("the receiver answered with status {status}"))
        }
    }
}

/// The wait after this many failures in a row before.
fn back_off(failures: u32) -> Duration {
    FIRST_WAIT.saturating_mul(2_u32.saturating_pow(failures)).min(LONGEST_WAIT)
}

/// The HMAC-SHA-256 of a body in hexadecimal, as `sha256=…`.
fn signature(secret: &str, body: &[u8]) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let tag = hmac::sign(&key, body);
    let mut text = String::from("sha256=");
    for byte in tag.as_ref() {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_that_of_rfc_4231() {
        // Test case 2.
        assert_eq!(
            signature("Jefe", b"what do ya want for nothing?"),
            "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }

    #[test]
    fn waits_double_up_to_an_hour() {
        let waits: Vec<u64> = (0..13).map(|failures| back_off(failures).as_secs()).collect();
        assert_eq!(waits[..4], [2, 4, 8, 16]);
        assert_eq!((waits[11], waits[12]), (3_600, 3_600));
        assert_eq!(back_off(u32::MAX), LONGEST_WAIT);
    }

    #[test]
    fn what_was_delivered_reads_back_and_nonsense_is_refused_with_a_hint() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        write(&path, &Delivered { delivered: 7 }).unwrap();
        assert_eq!(read(&path).unwrap(), Delivered { delivered: 7 });
        fs::write(&path, "{").unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains("webhook.json") && error.contains("delete it"), "{error}");
    }
}
