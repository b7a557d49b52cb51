//! `sanderling lab list`: describes trace files.
use std::path::{Path, PathBuf};

use clap::Args;
use lab::{
    readings::{CachedTrace, ReadingsError},
    summary::{Summary, summarise},
    trace::{Gaps, RowsDigest, TraceReader},
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
    /// Also print the number of rows and their digest, by which a corpus knows a trace
    #[arg(long)]
    digest: bool,
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
        let has_digests = TraceReader::open(path).map_err(ReadingsError::from)?.has_digests_only();
        let digest = arguments.digest.then(|| rows_digest(path)).transpose()?;
        if arguments.json {
            let mut listed = json(&summary, gaps.as_ref());
            listed["bodies"] = json!(if has_digests { "digests" } else { "whole" });
            if let Some(digest) = digest {
                listed["rows"] = json!(digest.rows);
                listed["rows_digest"] = json!(digest.to_string());
            }
            output::print(&listed.to_string())?;
            continue;
        }
        let gaps = gaps.map_or_else(String::new, |gaps| format!("\n  uncertain     {gaps}"));
        let bodies = "\n  bodies        none, only digests: no texts and no links";
        let bodies = if has_digests { bodies } else { "" };
        let digest = digest.map(|digest| format!("\n  rows          {}, {digest}", digest.rows));
        output::print(&format!("{gap}{summary}{gaps}{bodies}{}", digest.unwrap_or_default()))?;
    }
    Ok(())
}

fn rows_digest(path: &Path) -> Result<RowsDigest, ReadingsError> {
    Ok(RowsDigest::from_reader(&mut TraceReader::open(path)?)?)
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
