//! `sanderling export folder`: a copy of the data folder, also while a crawl runs.
use std::path::PathBuf;

use clap::Args;

use super::{FolderFlags, tally::bytes};
use crate::{failure::Failure, output};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The folder to make
    #[arg(long, short, value_name = "DIR")]
    output: PathBuf,
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    folder: FolderFlags,
}

pub(crate) fn folder(arguments: &Arguments) -> Result<(), Failure> {
    let (settings, _) = arguments.folder.open()?;
    let copied = store::copy(&settings.data, &arguments.output)?;
    if arguments.quiet {
        return Ok(());
    }
    let place = arguments.output.display();
    output::print(&format!(
        "Copied to {place}, with {} of WARC files; for search, run: sanderling index --data {place}",
        bytes(copied)
    ))
}
