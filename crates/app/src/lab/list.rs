//! `sanderling lab list`: what is in trace files.
use std::path::PathBuf;

use clap::Args;
use lab::{
    readings::{CachedTrace, ReadingsError},
    summary::summarise,
    trace::{Gaps, TraceReader},
};

use crate::{failure::Failure, output, progress::Bars};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Trace files (Parquet)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The folder where readings of traces are kept [default: `$SANDERLING_CACHE`, else
    /// ~/.cache/sanderling]
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

pub(crate) fn list(arguments: &Arguments) -> Result<(), Failure> {
    let cache = super::cache_folder(arguments.cache.as_ref());
    let bars = Bars::new(arguments.quiet);
    for (number, path) in arguments.files.iter().enumerate() {
        let what = format!("reading {}", path.display());
        let trace = CachedTrace::open(path, &cache)?;
        trace.read(&|rows, of| bars.bar(&what, "versions", of).set_position(rows))?;
        let summary = summarise(&trace.load()?.0);
        bars.clear();
        let gap = if number > 0 { "\n" } else { "" };
        let gaps = TraceReader::open(path).and_then(|mut trace| Gaps::of(&mut trace));
        let gaps = gaps.map_err(ReadingsError::from)?;
        let gaps = gaps.map_or_else(String::new, |gaps| format!("\n  uncertain     {gaps}"));
        output::print(&format!("{gap}{summary}{gaps}"))?;
    }
    Ok(())
}
