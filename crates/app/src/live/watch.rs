//! The progress line of a crawl on a terminal.
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::tally::{Tally, counted};
use crate::logging::draws_progress;

/// A line that is redrawn at most ten times a second. Without a terminal nothing is drawn.
pub(crate) struct Line {
    what: &'static str,
    quiet: bool,
    bar: ProgressBar,
    started: Instant,
    drawn: Option<Instant>,
}

impl Line {
    pub(crate) fn new(what: &'static str, quiet: bool) -> Self {
        let visible = draws_progress(quiet);
        let target =
            if visible { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(None, target);
        let style = ProgressStyle::with_template("{spinner} {msg}");
        bar.set_style(style.expect("the template is valid"));
        bar.set_message(what.to_owned());
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { what, quiet, bar, started: Instant::now(), drawn: None }
    }

    pub(crate) fn show(&mut self, tally: &Tally) {
        let now = Instant::now();
        if self.drawn.is_some_and(|drawn| now - drawn < Duration::from_millis(100)) {
            return;
        }
        self.drawn = Some(now);
        let rate = f64::from(tally.made()) / self.started.elapsed().as_secs_f64().max(0.001);
        let visits = counted(u64::from(tally.made()), "visit", "visits");
        self.bar.set_message(format!(
            "{}: {visits}, {rate:.1} a second: {}",
            self.what,
            tally.words()
        ));
    }

    /// Says something above the line, on standard error, unless it is quiet.
    pub(crate) fn say(&self, words: &str) {
        if !self.quiet {
            self.bar.suspend(|| eprintln!("{words}"));
        }
    }

    /// Prints above the line.
    pub(crate) fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
