//! `sanderling verify`: reads everything in a data folder and says whether it agrees.
use clap::Args;
use serde_json::json;
use store::{Options, Store, StoreError};

use super::{
    Reading,
    session::is_begun,
    tally::{bytes, counted, grouped},
};
use crate::{failure::Failure, output};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reading: Reading,
}

pub(crate) fn verify(arguments: &Arguments) -> Result<(), Failure> {
    let settings = arguments.reading.settings()?;
    if !is_begun(&settings) {
        return Err(StoreError::Missing { folder: settings.data }.into());
    }
    // What a killed crawl left unfinished is put in order first, as the next crawl would.
    Store::open(&settings.data, Options::default())?.finish()?;
    let found = store::verify(&settings.data)?;
    if arguments.json {
        return output::print(&format!(
            "{:#}",
            json!({
                "pages": found.pages, "observations": found.observations,
                "responses": found.responses, "revisits": found.revisits,
                "files": found.files, "bytes": found.bytes, "read_again": found.read_again,
            })
        ));
    }
    output::print(&format!(
        "Everything agrees: {} observations of {} pages; {} responses and {} revisits in {} \
         ({}), each in its index; {} held snapshots read again from the archive",
        grouped(found.observations),
        grouped(found.pages),
        grouped(found.responses),
        grouped(found.revisits),
        counted(found.files, "WARC file", "WARC files"),
        bytes(found.bytes),
        grouped(found.read_again),
    ))
}
