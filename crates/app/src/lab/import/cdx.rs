//! `sanderling lab import cdx`: a trace from the lists of captures that web archives publish.
use std::path::PathBuf;

use clap::Args;
use lab::import::cdx::{self, Summary};

use super::captures::Flags;
use crate::{failure::Failure, live::tally::stamp, output};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// CDX or CDXJ files, compressed with gzip or not
    #[arg(required = true, value_name = "FILES")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn cdx(arguments: &Arguments) -> Result<(), Failure> {
    let options = arguments.flags.options(&arguments.files)?;
    let summary = cdx::import(&options)?;
    if arguments.flags.quiet {
        return Ok(());
    }
    for warning in &summary.warnings {
        eprintln!("warning: {warning}");
    }
    output::print(&format!("{}\nTrace: {}", described(&summary), arguments.flags.output.display()))
}

fn described(summary: &Summary) -> String {
    let Summary { captures, pages, versions, vanished, unchanged, .. } = summary;
    let mut lines = vec![
        format!(
            "{captures} captures: {pages} pages, {versions} versions, {vanished} disappearances, \
             {unchanged} unchanged"
        ),
        format!(
            "Window: {} to {}, {} of the pages at its start",
            stamp(summary.window.start),
            stamp(summary.window.end),
            summary.pages_at_start
        ),
    ];
    match &summary.gaps {
        Some(gaps) => lines.push(format!(
            "Uncertain: {gaps}. Changes between two captures of a page were not seen"
        )),
        None => lines.push("No page changed".to_owned()),
    }
    lines.push(
        "The trace has digests in place of bodies: a change is another digest, and pages have neither \
         text nor links"
            .to_owned(),
    );
    for (reason, count) in &summary.skipped {
        lines.push(format!("Skipped: {count} captures {}", reason.words()));
    }
    if summary.malformed > 0 {
        lines.push(format!("{} lines could not be read", summary.malformed));
    }
    lines.join("\n")
}
