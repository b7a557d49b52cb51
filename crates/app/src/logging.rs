//! Logging to standard error: `-v`, `-vv` and `--log-format`.
use std::{
    io::{IsTerminal, stderr},
    sync::atomic::{AtomicBool, Ordering},
};

use clap::{ArgAction, Args, ValueEnum};
use tracing::{Level, level_filters::LevelFilter};
use tracing_subscriber::{filter::Targets, fmt, prelude::*};

/// Our own crates. Of libraries only warnings and errors are logged.
const OURS: [&str; 7] = ["sanderling", "web", "store", "index", "lab", "papers", "demo"];

/// Whether more than warnings is logged. Then no progress is drawn, since log lines would break it.
static IS_VERBOSE: AtomicBool = AtomicBool::new(false);

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Logging {
    /// Log to standard error; -vv also logs every visit and request
    #[arg(short, long, action = ArgAction::Count, global = true, help_heading = "Logging")]
    verbose: u8,
    /// Format of log lines: text, or one JSON object per line
    #[arg(long, value_enum, default_value_t, global = true, help_heading = "Logging")]
    log_format: Format,
}

/// Text for people, or one JSON object per line. Variants without doc comments keep `--help` short.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    #[default]
    Text,
    Json,
}

impl Logging {
    /// Starts logging.
    pub(crate) fn start(self) {
        let level = match self.verbose {
            0 => LevelFilter::WARN,
            1 => LevelFilter::INFO,
            _ => LevelFilter::DEBUG,
        };
        IS_VERBOSE.store(level > Level::WARN, Ordering::Relaxed);
        let targets = Targets::new()
            .with_default(LevelFilter::WARN)
            .with_targets(OURS.map(|name| (name, level)));
        let lines = fmt::layer().with_writer(stderr).with_ansi(stderr().is_terminal());
        let registry = tracing_subscriber::registry();
        match self.log_format {
            Format::Text => registry.with(lines.with_filter(targets)).init(),
            Format::Json => registry.with(lines.json().with_filter(targets)).init(),
        }
    }
}

/// Whether progress may be drawn on the terminal.
pub(crate) fn draws_progress(quiet: bool) -> bool {
    !quiet && !IS_VERBOSE.load(Ordering::Relaxed) && stderr().is_terminal()
}
