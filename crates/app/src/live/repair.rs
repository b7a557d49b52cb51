//! `sanderling repair`: goes on without what is damaged, and takes back what was set aside.
use std::path::Path;

use clap::Args;
use crawl::{Allowance, PageNo};
use index::{Index, IndexError, Searcher};
use store::{Damage, Options, StoreError, View};

use super::{
    salvage,
    session::{Session, Work, is_begun},
    tally::{bytes, counted, grouped},
};
use crate::{
    failure::Failure,
    output,
    settings::{Settings, default_cycle_limit, keys::Flags},
};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Visit the held pages whose records are lost, so that they are whole again
    #[arg(long)]
    refetch: bool,
    /// Take back the visits in the folder set-aside: records that were after the end of the log
    #[arg(long)]
    recover: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn repair(arguments: &Arguments) -> Result<(), Failure> {
    let settings = Settings::load(&arguments.flags)?;
    if !is_begun(&settings) {
        return Err(StoreError::Missing { folder: settings.data }.into());
    }
    let repaired = store::repair(&settings.data, Options { body_limit: 0, ..Options::default() })?;
    let mut lines: Vec<String> = repaired.damage.iter().map(damage_line).collect();
    match repaired.damage.len() as u64 {
        0 => lines.push(format!(
            "Nothing is damaged: {} read",
            counted(repaired.verified.observations, "observation", "observations")
        )),
        count => lines.push(format!(
            "{} noted as lost or written again; no byte of the archive was changed",
            counted(count, "damaged place is", "damaged places are")
        )),
    }
    remove_lost(&settings.data)?;
    let found = salvage::Salvage::read(&settings.data)?;
    if arguments.recover {
        let done = salvage::recover(&settings, found)?;
        lines.push(format!(
            "{} taken back from {}/set-aside; {} not needed, because the log has later ones, or failed",
            counted(done.taken, "visit was", "visits were"),
            settings.data.display(),
            grouped(done.left),
        ));
    } else if found.records() > 0 {
        lines.push(format!(
            "{} after the end of the log in {}/set-aside; take them back with: sanderling repair --recover",
            counted(found.records(), "response is", "responses are"),
            settings.data.display(),
        ));
    }
    let lost = View::open(&settings.data)?.lost_pages()?;
    if arguments.refetch && !lost.is_empty() {
        lines.push(refetch(&settings, lost, arguments.quiet)?);
    } else if !lost.is_empty() {
        lines.push(format!(
            "{} no content until the next visit; fetch now with: sanderling repair --refetch",
            counted(lost.len() as u64, "held page has", "held pages have"),
        ));
    }
    if arguments.quiet { Ok(()) } else { output::print(&lines.join("\n")) }
}

/// A damaged file or record, in a line.
pub(super) fn damage_line(damage: &Damage) -> String {
    let place = match damage.offset {
        Some(offset) => format!("{}: the record at byte {offset}", damage.path.display()),
        None => damage.path.display().to_string(),
    };
    let address = damage.address.as_ref().map_or(String::new(), |address| format!(" ({address})"));
    format!("{place}{address}: {}", damage.flaw)
}

/// Says what was found after the end of the log.
pub(super) fn tell_set_aside(store: &store::Store) {
    for aside in store.set_aside() {
        eprintln!(
            "{} after the end of the log, as after a crash or an incomplete copy; {} moved to {}. To take \
             them back: sanderling repair --recover",
            counted(aside.records, "record was", "records were"),
            bytes(aside.bytes),
            aside.path.display(),
        );
    }
}

/// Removes pages from the search index whose records are lost.
fn remove_lost(folder: &Path) -> Result<(), Failure> {
    match Searcher::open(folder) {
        Err(IndexError::Missing { .. } | IndexError::Unusable { .. }) => return Ok(()),
        other => drop(other?),
    }
    let agreement = index::compare(folder)?;
    if agreement.extra.is_empty() {
        return Ok(());
    }
    let mut index = Index::open(folder)?;
    for &page in &agreement.extra {
        index.remove(page);
    }
    let position = index.position();
    Ok(index.commit(position)?)
}

/// Visits pages whose records are lost.
fn refetch(settings: &Settings, lost: Vec<PageNo>, quiet: bool) -> Result<String, Failure> {
    let count = lost.len() as u32;
    let (mut session, _) = Session::open_real(settings)?;
    session.visit_only(lost);
    let limit = settings.cycle_limit.unwrap_or_else(default_cycle_limit);
    let work = Work::Cycle(Allowance::Visits(count), None);
    let done = session.work_with_progress(work, Some(limit), quiet)?;
    drop(session);
    let left = View::open(&settings.data)?.lost_pages()?.len() as u64;
    Ok(format!(
        "{}: {}; {} still without content",
        counted(u64::from(done.tally.made()), "visit", "visits"),
        done.tally.words(),
        counted(left, "page is", "pages are"),
    ))
}
