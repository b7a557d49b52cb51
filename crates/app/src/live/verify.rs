//! `sanderling verify`: checks a whole data folder for consistency.
use std::path::Path;

use clap::Args;
use index::{Agreement, IndexError, Searcher};
use serde_json::json;
use store::{Options, Store, StoreError};

use super::{
    FolderFlags, repair, searching,
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
    folder: FolderFlags,
}

pub(crate) fn verify(arguments: &Arguments) -> Result<(), Failure> {
    let settings = arguments.folder.settings()?;
    if !is_begun(&settings) {
        return Err(StoreError::Missing { folder: settings.data }.into());
    }
    // First clean up what a killed crawl left unfinished, as the next crawl would. A folder that cannot be
    // written is checked as it is.
    let is_read_only =
        match Store::open(&settings.data, Options { body_limit: 0, ..Options::default() }) {
            Ok(store) => {
                repair::tell_set_aside(&store);
                store.finish()?;
                false
            }
            Err(error) if error.is_read_only() => true,
            Err(error) => return Err(error.into()),
        };
    let (found, damage) = store::examine(&settings.data)?;
    for damage in &damage {
        eprintln!("{}", repair::damage_line(damage));
    }
    if !damage.is_empty() {
        return Err(Failure::Data(format!(
            "{} damaged; everything else is consistent. To go on without: sanderling repair",
            counted(damage.len() as u64, "place in the archive is", "places in the archive are")
        )));
    }
    let indexed = check_index(&settings.data, is_read_only)?;
    if arguments.json {
        return output::print(&format!(
            "{:#}",
            json!({
                "pages": found.pages, "observations": found.observations,
                "responses": found.responses, "revisits": found.revisits,
                "files": found.files, "bytes": found.bytes, "read_again": found.read_again,
                "indexed": indexed, "lost": found.lost,
            })
        ));
    }
    output::print(&format!(
        "Consistent: {} observations of {} pages; {} responses and {} revisits in {} ({}), all in the \
         CDXJ indexes; {} held snapshots read again from the archive; {}{}",
        grouped(found.observations),
        grouped(found.pages),
        grouped(found.responses),
        grouped(found.revisits),
        counted(found.files, "WARC file", "WARC files"),
        bytes(found.bytes),
        grouped(found.read_again),
        indexed.map_or("no search index".to_owned(), |pages| {
            format!("{} in the search index", counted(pages, "page", "pages"))
        }),
        match found.lost {
            0 => String::new(),
            lost => format!("; {} known to be lost", counted(lost, "record is", "records are")),
        },
    ))
}

/// Updates the search index, if there is one, and compares it with the held pages.
fn check_index(folder: &Path, is_read_only: bool) -> Result<Option<u64>, Failure> {
    if let Err(IndexError::Missing { .. }) = Searcher::open(folder) {
        return Ok(None);
    }
    if !is_read_only {
        searching::catch_up(folder, false, true)?;
    }
    let agreement = index::compare(folder)?;
    if agreement.agrees() {
        return Ok(Some(agreement.same));
    }
    let Agreement { index_position, log_position, missing, extra, different, .. } = agreement;
    Err(Failure::Data(format!(
        "the search index differs from the held pages: {} missing, {} not held, {} with another text; it \
         reflects observation {index_position} of {log_position}; rebuild it with: sanderling index --rebuild",
        counted(missing.len() as u64, "page", "pages"),
        extra.len(),
        different.len(),
    )))
}
