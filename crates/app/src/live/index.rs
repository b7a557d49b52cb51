//! `sanderling index`: updates the search index.
use clap::Args;

use super::{
    FolderFlags, searching,
    tally::{counted, grouped},
};
use crate::{failure::Failure, output};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Build the index again from the archive. The old one stays until the new one is whole
    #[arg(long)]
    rebuild: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    folder: FolderFlags,
}

pub(crate) fn index(arguments: &Arguments) -> Result<(), Failure> {
    let (settings, _) = arguments.folder.open()?;
    let done = searching::catch_up(&settings.data, arguments.rebuild, arguments.quiet)?;
    if arguments.rebuild {
        for (address, flaw) in &done.unreadable {
            eprintln!("{address} is left out: {flaw}");
        }
    }
    if arguments.quiet {
        return Ok(());
    }
    let pages = counted(done.pages, "page", "pages");
    let lines = match (done.rebuild_reason, done.checked) {
        (Some(why), _) => format!("Rebuilt, because {why}: {pages} can be found"),
        (None, _) if arguments.rebuild => format!("Rebuilt: {pages} can be found"),
        (None, 0) => format!("Up to date: {pages} can be found"),
        (None, checked) => format!("{} updated: {pages} can be found", grouped(checked)),
    };
    output::print(&lines)
}
