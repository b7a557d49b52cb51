//! `sanderling lab import warc`: a trace from captures.
use std::path::PathBuf;

use clap::Args;
use lab::import::warc::{self, Progress, Summary};

use super::captures::Flags;
use crate::{failure::Failure, output, progress::Bars};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// WARC files, CDXJ indexes, or folders of them
    #[arg(required = true, value_name = "FILES")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn warc(arguments: &Arguments) -> Result<(), Failure> {
    let options = arguments.flags.options(&arguments.files)?;
    let bars = Bars::new(arguments.flags.quiet);
    let summary = warc::import(&options, &mut |progress| match progress {
        Progress::Bytes(done, of) => bars.bar("reading", "bytes", of).set_position(done),
        Progress::Indexed(done, of) => {
            bars.bar("reading by index", "records", of as u64).set_position(done as u64);
        }
        Progress::Rows(done, of) => {
            bars.bar("writing", "versions", of as u64).set_position(done as u64);
        }
    })?;
    bars.clear();
    if arguments.flags.quiet {
        return Ok(());
    }
    for warning in &summary.warnings {
        eprintln!("warning: {warning}");
    }
    output::print(&format!("{}\nTrace: {}", described(&summary), arguments.flags.output.display()))
}

fn described(summary: &Summary) -> String {
    let mut lines = vec![format!(
        "{} captures: {} pages, {} versions ({:.1} MB), {} disappearances, {} unchanged",
        summary.captures,
        summary.pages,
        summary.versions,
        summary.bytes as f64 / 1e6,
        summary.vanished,
        summary.unchanged
    )];
    match &summary.gaps {
        Some(gaps) => lines.push(format!("Uncertain: {gaps}")),
        None => lines.push("No page changed".to_owned()),
    }
    for (reason, count) in &summary.skipped {
        lines.push(format!("Skipped: {count} captures {}", reason.words()));
    }
    if summary.too_large > 0 {
        let pages = summary.too_large;
        lines.push(format!("{pages} pages were skipped: a version is above 1 MiB"));
    }
    if summary.damaged > 0 {
        lines.push(format!("{} damaged places were skipped", summary.damaged));
    }
    lines.join("\n")
}
