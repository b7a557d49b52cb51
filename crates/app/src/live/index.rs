//! `sanderling index`: updates the search index.
use clap::Args;

use super::{
    FolderFlags, searching,
    tally::{counted, grouped},
};
use crate::{failure::Failure, output};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Delete the index and build it again
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
    if arguments.rebuild {
        index::discard(&settings.data)?;
    }
    let done = searching::catch_up(&settings.data, arguments.quiet)?;
    if arguments.quiet {
        return Ok(());
    }
    let pages = counted(done.pages, "page", "pages");
    let lines = match (done.rebuild_reason, done.checked) {
        (Some(why), _) => format!("Rebuilt, because {why}: {pages} can be found"),
        (None, 0) => format!("Up to date: {pages} can be found"),
        (None, checked) => format!("{} updated: {pages} can be found", grouped(checked)),
    };
    output::print(&lines)
}
