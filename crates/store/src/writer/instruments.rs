//! Writes instrument states.
use crawl::{Outcome, PageNo};
use rusqlite::Transaction;

use crate::batch::{Batch, QueuedVisit};
use crate::instruments::digest;

/// Writes states that do not come from visits. Call it before visits are written, whose states are
/// newer.
pub(super) fn write(transaction: &Transaction<'_>, batch: &Batch) -> rusqlite::Result<()> {
    for (name, page, observation, state) in &batch.page_states {
        write_page(transaction, name, *page, *observation, state)?;
    }
    for (name, state) in &batch.states {
        let replace = "INSERT OR REPLACE INTO instrument (name, digest, state) VALUES (?1, ?2, ?3)";
        transaction.execute(replace, (name, digest(state), state))?;
    }
    Ok(())
}

/// Writes the states of a visit, or deletes them if the page is gone.
pub(super) fn write_visit(
    transaction: &Transaction<'_>,
    visit: &QueuedVisit,
) -> rusqlite::Result<()> {
    let page = visit.seen.page;
    if visit.seen.outcome == Outcome::Gone {
        let delete = "DELETE FROM instrument_page WHERE page = ?1";
        transaction.prepare_cached(delete)?.execute((page.0,))?;
        return Ok(());
    }
    for (name, state) in &visit.states {
        write_page(transaction, name, page, visit.no as i64, state)?;
    }
    Ok(())
}

fn write_page(
    transaction: &Transaction<'_>,
    name: &str,
    page: PageNo,
    observation: i64,
    state: &[u8],
) -> rusqlite::Result<()> {
    let replace = "INSERT OR REPLACE INTO instrument_page \
         (instrument, page, observation, digest, state) VALUES (?1, ?2, ?3, ?4, ?5)";
    let values = (name, page.0, observation, digest(state), state);
    transaction.prepare_cached(replace)?.execute(values)?;
    Ok(())
}
