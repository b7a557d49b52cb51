//! What runs on a data folder now, and when the next cycle starts.
use std::{fs, path::Path};

use crawl::Time;
use store::{CycleSummary, StoreError, View};

/// The key under which `run` notes the start of its next cycle, in milliseconds.
pub(super) const NEXT_CYCLE: &str = "next_cycle";

/// What runs now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Activity {
    /// Whether a process has the data folder open for writing.
    pub(crate) is_open: bool,
    /// Whether its last cycle still runs.
    pub(crate) is_running: bool,
    /// When `run` starts its next cycle.
    pub(crate) next_start: Option<Time>,
}

/// Reads what runs; `last` is the last cycle.
pub(crate) fn read(
    folder: &Path,
    view: &View,
    last: Option<&CycleSummary>,
) -> Result<Activity, StoreError> {
    let is_open = writer_is_alive(folder);
    let next = view.get(NEXT_CYCLE)?.and_then(|word| word.parse().ok()).map(Time::from_millis);
    let started = last.map(|cycle| cycle.started);
    Ok(Activity {
        is_open,
        is_running: is_open && last.is_some_and(|cycle| cycle.ended.is_none()),
        // Once that cycle has begun, the note is old.
        next_start: next.filter(|&next| is_open && started.is_none_or(|last| next > last)),
    })
}

/// Whether the process named in the lock file lives. The lock itself is not tried: that could keep a
/// process that starts just now from getting it.
fn writer_is_alive(folder: &Path) -> bool {
    let text = fs::read_to_string(folder.join("lock")).unwrap_or_default();
    let Ok(process) = text.trim().parse::<u32>() else { return false };
    // Where the system does not tell, an unfinished cycle is taken for a running one.
    let processes = Path::new("/proc");
    !processes.join("self").exists() || processes.join(process.to_string()).exists()
}
