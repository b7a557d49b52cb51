//! `sanderling lab list`: describes trace files.
use std::path::PathBuf;

use clap::Args;
use lab::{
    readings::{CachedTrace, ReadingsError},
    summary::{Summary, summarise},
    trace::{Gaps, TraceReader},
};
use serde_json::{Value, json};

use super::Cache;
use crate::{failure::Failure, live::tally::stamp, output, progress::Bars};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Trace files (Parquet)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    cache: Cache,
    /// Print JSON, one object for each trace
    #[arg(long)]
    json: bool,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

pub(crate) fn list(arguments: &Arguments) -> Result<(), Failure> {
    let cache = arguments.cache.folder();
    let bars = Bars::new(arguments.quiet);
    for (number, path) in arguments.files.iter().enumerate() {
        let what = format!("reading {}", path.display());
        let trace = CachedTrace::open(path, &cache)?;
        trace.read(&|rows, of| bars.bar(&what, "versions", of).set_position(rows))?;
        let summary = summarise(&trace.load()?.0);
        bars.clear();
        let gap = if number > 0 { "\n" } else { "" };
        let gaps = TraceReader::open(path).and_then(|mut trace| Gaps::from_reader(&mut trace));
        let gaps = gaps.map_err(ReadingsError::from)?;
        if arguments.json {
            output::print(&json(&summary, gaps.as_ref()).to_string())?;
            continue;
        }
        let gaps = gaps.map_or_else(String::new, |gaps| format!("\n  uncertain     {gaps}"));
        output::print(&format!("{gap}{summary}{gaps}"))?;
    }
    Ok(())
}

fn json(summary: &Summary, gaps: Option<&Gaps>) -> Value {
    json!({
        "name": summary.name,
        "source": summary.source,
        "window_start": stamp(summary.window.start),
        "window_end": stamp(summary.window.end),
        "weeks": summary.weeks,
        "pages_at_start": summary.pages_at_start,
        "pages": summary.pages,
        "versions": summary.versions,
        "changing_mean": summary.changing_mean,
        "changing_median": summary.changing_median,
        "born_per_week": summary.born_per_week,
        "gone_per_week": summary.gone_per_week,
        "never_changed": summary.never_changed,
        "new_pages": summary.new_pages,
        "linked": summary.linked,
        "linked_or_announced": summary.linked_or_announced,
        "linked_ever": summary.linked_ever,
        "uncertain_changes": gaps.map(|gaps| json!({
            "changes": gaps.changes,
            "uncertain": gaps.uncertain,
            "median_gap_seconds": gaps.median.millis() as f64 / 1e3,
        })),
    })
}
