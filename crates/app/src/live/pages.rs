//! `sanderling export pages`: every known page, as JSON Lines or CSV.
use std::path::PathBuf;

use clap::Args;
use crawl::PageRecord;
use serde_json::json;
use store::Loaded;

use super::{FolderFlags, csv, export::Table, tally::stamp};
use crate::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The file to write [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The format of the lines
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Table::Jsonl)]
    format: Table,
    #[command(flatten)]
    folder: FolderFlags,
}

/// The columns.
const COLUMNS: [&str; 10] = [
    "url",
    "state",
    "first_seen",
    "last_tried",
    "last_seen",
    "visits",
    "changes",
    "misses",
    "failures",
    "claimed_change",
];

pub(crate) fn pages(arguments: &Arguments) -> Result<(), Failure> {
    let (_, view) = arguments.folder.open()?;
    let Loaded { pages, .. } = view.load()?;
    arguments.format.write(arguments.output.as_deref(), &COLUMNS, |write| {
        for page in pages.numbers() {
            let record = pages.record(page);
            write(&line(arguments.format, pages.address(page), &record))?;
        }
        Ok(())
    })
}

fn line(format: Table, address: &str, record: &PageRecord) -> String {
    let time = |time: Option<crawl::Time>| time.map(stamp);
    let state = format!("{:?}", record.state).to_lowercase();
    let state = state.as_str();
    let times = [time(record.last_tried), time(record.last_seen), time(record.claimed_change)];
    let PageRecord { visits, changes, misses, failures, .. } = *record;
    let counts = [visits, changes, u32::from(misses), u32::from(failures)];
    match format {
        Table::Jsonl => {
            let value = json!({
                "url": address,
                "state": state,
                "first_seen": stamp(record.first_seen),
                "last_tried": times[0],
                "last_seen": times[1],
                "visits": counts[0],
                "changes": counts[1],
                "misses": counts[2],
                "failures": counts[3],
                "claimed_change": times[2],
            });
            format!("{value}\n")
        }
        Table::Csv => {
            let [tried, seen, claimed] = times.map(Option::unwrap_or_default);
            let [visits, changes, misses, failures] = counts.map(|count| count.to_string());
            let first = stamp(record.first_seen);
            csv::line(&[
                address, state, &first, &tried, &seen, &visits, &changes, &misses, &failures,
                &claimed,
            ])
        }
    }
}
