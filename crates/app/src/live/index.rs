//! `sanderling index`: brings the search index up to what is held.
use clap::Args;

use super::{
    Reading, searching,
    tally::{counted, grouped},
};
use crate::{failure::Failure, output};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Throw the index away and build it anew
    #[arg(long)]
    rebuild: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    reading: Reading,
}

pub(crate) fn index(arguments: &Arguments) -> Result<(), Failure> {
    let (settings, _) = arguments.reading.open()?;
    if arguments.rebuild {
        index::discard(&settings.data)?;
    }
    let brought = searching::bring_up(&settings.data, arguments.quiet)?;
    if arguments.quiet {
        return Ok(());
    }
    let pages = counted(brought.pages, "page", "pages");
    let lines = match (brought.begun_anew, brought.touched) {
        (Some(why), _) => format!("Built anew, because {why}: {pages} can be found"),
        (None, 0) => format!("Nothing to do: {pages} can be found"),
        (None, touched) => format!("{} brought up to date: {pages} can be found", grouped(touched)),
    };
    output::print(&lines)
}
