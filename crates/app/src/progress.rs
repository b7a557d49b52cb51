//! Progress bars on a terminal.
use std::sync::{Mutex, PoisonError};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lab::tournament::Watcher;

use crate::logging::draws_progress;

/// One bar at a time: reading a trace, then the runs. Nothing is drawn without a terminal.
pub(crate) struct Bars {
    visible: bool,
    current: Mutex<(String, ProgressBar)>,
}

impl Bars {
    pub(crate) fn new(quiet: bool) -> Self {
        let visible = draws_progress(quiet);
        Self { visible, current: Mutex::new((String::new(), ProgressBar::hidden())) }
    }

    /// The bar for `what`. It replaces the bar before.
    pub(crate) fn bar(&self, what: &str, unit: &str, length: u64) -> ProgressBar {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if current.0 != what {
            current.1.finish_and_clear();
            let target = if self.visible {
                ProgressDrawTarget::stderr()
            } else {
                ProgressDrawTarget::hidden()
            };
            let bar = ProgressBar::with_draw_target(Some(length), target);
            let style =
                format!("{{msg}} {{wide_bar}} {{human_pos}} of {{human_len}} {unit}, {{eta}} left");
            bar.set_style(
                ProgressStyle::with_template(&style).expect("the template is valid for any unit"),
            );
            bar.set_message(what.to_owned());
            *current = (what.to_owned(), bar);
        }
        current.1.clone()
    }

    pub(crate) fn clear(&self) {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).1.finish_and_clear();
    }
}

impl Watcher for Bars {
    fn reading(&self, web: &str, rows: u64, of: u64) {
        self.bar(&format!("reading {web}"), "versions", of).set_position(rows);
    }

    fn begin(&self, runs: usize, finished_before: usize) {
        let bar = self.bar("runs", "runs", runs as u64);
        bar.set_position(finished_before as u64);
        // Estimate the time left from the new runs, not from those of an earlier process.
        bar.reset_eta();
    }

    fn finished(&self, _web: &str) {
        let bar = self.current.lock().unwrap_or_else(PoisonError::into_inner).1.clone();
        bar.inc(1);
    }
}
