//! What features of pages are made from, as rows.
use flow::features::Facts;
use flow::{Outcome, PageNo};
use rusqlite::Transaction;

use crate::batch::{Batch, KeptVisit};
use crate::features;

/// Writes what came without a visit. Before the visits, whose facts are later.
pub(super) fn write(transaction: &Transaction<'_>, batch: &Batch) -> rusqlite::Result<()> {
    for (page, observation, facts) in &batch.facts {
        write_facts(transaction, *page, *observation, facts)?;
    }
    if let Some(models) = &batch.models {
        let (digest, bytes) = features::encode(models);
        let replace = "INSERT OR REPLACE INTO word_models (no, digest, models) VALUES (1, ?1, ?2)";
        transaction.execute(replace, (digest, bytes))?;
    }
    Ok(())
}

/// Writes what a visit changed: a page that is gone has no facts.
pub(super) fn write_visit(
    transaction: &Transaction<'_>,
    visit: &KeptVisit,
) -> rusqlite::Result<()> {
    let page = visit.seen.page;
    if visit.seen.outcome == Outcome::Gone {
        transaction.prepare_cached("DELETE FROM facts WHERE page = ?1")?.execute((page.0,))?;
    } else if let Some(facts) = &visit.facts {
        write_facts(transaction, page, visit.no as i64, facts)?;
    }
    Ok(())
}

fn write_facts(
    transaction: &Transaction<'_>,
    page: PageNo,
    observation: i64,
    facts: &Facts,
) -> rusqlite::Result<()> {
    let (digest, bytes) = features::encode(facts);
    let replace = "INSERT OR REPLACE INTO facts (page, observation, digest, facts) \
         VALUES (?1, ?2, ?3, ?4)";
    let values = (page.0, observation, digest, bytes);
    transaction.prepare_cached(replace)?.execute(values)?;
    Ok(())
}
