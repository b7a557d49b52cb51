//! `sanderling serve`: the search page and the API over what is held.
use clap::Args;

use crate::{failure::Failure, live::Reading};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    reading: Reading,
}

pub(crate) fn serve(arguments: &Arguments) -> Result<(), Failure> {
    let (_settings, _view) = arguments.reading.open()?;
    Ok(())
}
