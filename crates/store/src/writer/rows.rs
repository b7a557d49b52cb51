//! Writes the rows of a batch.
use crawl::{Observation, Outcome, PageRecord, RobotsCopy, RobotsState, State, Time};
use rusqlite::{ToSql, Transaction, params};

use super::archive::{Archived, StoredRecord};
use super::deduplicate::VisitContext;
use super::instruments;
use crate::batch::{Batch, CycleEvent, QueuedVisit};
use crate::column::{self, Named};
use crate::summary;

pub(super) fn write(
    transaction: &Transaction<'_>,
    batch: &Batch,
    contexts: &[VisitContext],
    archived: &Archived,
) -> rusqlite::Result<()> {
    write_pages(transaction, batch)?;
    if let Some(CycleEvent::Start { no, first, start }) = &batch.cycle {
        transaction.execute(
            "INSERT INTO cycle (no, kind, policy, detector, budget, unit, seed, started, first) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            params![
                no,
                start.kind,
                start.policy,
                start.detector,
                start.budget.map(column::budget_value),
                start.budget.map_or(column::VISITS, column::budget_unit),
                start.seed as i64,
                start.at.millis(),
                *first as i64
            ],
        )?;
    }
    instruments::write(transaction, batch)?;
    for ((visit, context), record) in batch.visits.iter().zip(contexts).zip(&archived.visits) {
        write_observation(transaction, visit, context, record.as_ref())?;
        write_page(transaction, visit)?;
        write_snapshot(transaction, visit, context)?;
        instruments::write_visit(transaction, visit)?;
    }
    for (copy, records) in batch.robots.iter().zip(&archived.robots) {
        write_robots(transaction, copy, records)?;
    }
    write_host_states(transaction, batch)?;
    if let Some(CycleEvent::End { no, at, received }) = &batch.cycle {
        let end = "UPDATE cycle SET ended = ?2, received = ?3 WHERE no = ?1";
        transaction.execute(end, (no, at.millis(), *received as i64))?;
    }
    for (key, value) in &batch.meta {
        transaction.execute("INSERT OR REPLACE INTO meta VALUES (?1, ?2)", (key, value))?;
    }
    Ok(())
}

fn write_pages(transaction: &Transaction<'_>, batch: &Batch) -> rusqlite::Result<()> {
    let mut host = transaction.prepare_cached("INSERT INTO host (no, name) VALUES (?1, ?2)")?;
    for (no, name) in &batch.hosts {
        host.execute((no, name))?;
    }
    let mut insert = transaction.prepare_cached(
        "INSERT INTO page (no, address, host, state, first_seen, last_tried, last_seen, visits, \
         changes, misses, failures, claimed_change) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
    )?;
    for new in &batch.pages {
        let PageRecord { state, first_seen, visits, changes, misses, failures, .. } = new.record;
        insert.execute(params![
            new.page.0,
            new.address,
            new.host,
            state.name(),
            first_seen.millis(),
            new.record.last_tried.map(Time::millis),
            new.record.last_seen.map(Time::millis),
            visits,
            changes,
            misses,
            failures,
            new.record.claimed_change.map(Time::millis),
        ])?;
    }
    let mut list = transaction
        .prepare_cached("INSERT INTO link_list (no, digest, pages) VALUES (?1, ?2, ?3)")?;
    for (no, digest, pages) in &batch.lists {
        list.execute((no, *digest as i64, pages))?;
    }
    Ok(())
}

fn write_observation(
    transaction: &Transaction<'_>,
    visit: &QueuedVisit,
    context: &VisitContext,
    record: Option<&StoredRecord>,
) -> rusqlite::Result<()> {
    let Observation {
        page,
        at,
        reason,
        outcome,
        fault,
        since,
        leads,
        signals,
        impact,
        expected,
        ..
    } = &visit.seen;
    let mut insert = transaction.prepare_cached(
        "INSERT INTO observation (no, cycle, page, at, reason, outcome, change, since, \
         fault_kind, fault, leads, signals, before, held, digest, began, status, mime, bytes, \
         payload, record, file, offset, length, impact, expected_odds, expected_correction) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, \
         ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27)",
    )?;
    let exchange = visit.exchange.as_deref();
    let text = visit.new.as_ref().map(|new| new.fingerprints.text.0.to_be_bytes());
    insert.execute(params![
        visit.no as i64,
        visit.seen.cycle,
        page.0,
        at.millis(),
        reason.name(),
        column::outcome_name(*outcome),
        column::change_of(*outcome),
        since.map(crawl::Span::millis),
        fault.as_ref().map(|fault| fault.kind.name()),
        fault.as_ref().map(|fault| &fault.why),
        (!leads.is_empty()).then(|| column::pack_pages(leads)),
        (!signals.is_empty()).then(|| column::pack_signals(signals)),
        context.before,
        context.held,
        text,
        exchange.map(|exchange| exchange.at.millis()),
        exchange.map(|exchange| exchange.status),
        exchange.map(|exchange| &exchange.content_type),
        exchange.map(|exchange| exchange.body.len()),
        record.map(|record| *record.payload.bytes()),
        record.map(|record| record.record.name()),
        record.map(|record| record.file),
        record.map(|record| record.offset),
        record.map(|record| record.length),
        impact,
        expected.map(|expected| expected.odds),
        expected.map(|expected| expected.correction),
    ])?;
    Ok(())
}

fn write_page(transaction: &Transaction<'_>, visit: &QueuedVisit) -> rusqlite::Result<()> {
    let mut update = transaction.prepare_cached(
        "UPDATE page SET state = ?2, last_tried = ?3, last_seen = ?4, visits = ?5, changes = ?6, \
         misses = ?7, failures = ?8, claimed_change = ?9, links = ?10, last = ?11 WHERE no = ?1",
    )?;
    let PageRecord { state, visits, changes, misses, failures, .. } = visit.record;
    update.execute(params![
        visit.seen.page.0,
        state.name(),
        visit.record.last_tried.map(Time::millis),
        visit.record.last_seen.map(Time::millis),
        visits,
        changes,
        misses,
        failures,
        visit.record.claimed_change.map(Time::millis),
        visit.list,
        visit.no as i64,
    ])?;
    let mut relink =
        transaction.prepare_cached("UPDATE page SET state = ?2 WHERE no = ?1 AND state = ?3")?;
    for page in &visit.relinked {
        relink.execute((page.0, State::Linked.name(), State::Gone.name()))?;
    }
    // Sitemaps repeat the same dates, so write only newer ones.
    let mut claim = transaction.prepare_cached(
        "UPDATE page SET claimed_change = ?2 \
         WHERE no = ?1 AND (claimed_change IS NULL OR claimed_change < ?2)",
    )?;
    for signal in visit.seen.signals.iter().filter(|signal| signal.source.has_date()) {
        claim.execute((signal.page.0, signal.changed.millis()))?;
    }
    Ok(())
}

fn write_snapshot(
    transaction: &Transaction<'_>,
    visit: &QueuedVisit,
    context: &VisitContext,
) -> rusqlite::Result<()> {
    let page = visit.seen.page.0;
    let left_out = visit.new.as_ref().and_then(|new| new.left_out);
    if visit.seen.outcome == Outcome::Gone {
        transaction.prepare_cached("DELETE FROM snapshot WHERE page = ?1")?.execute((page,))?;
    } else if let Some(summary) = &context.summary {
        let mut replace = transaction.prepare_cached(summary::REPLACE)?;
        let validators = visit.validators.clone().unwrap_or_default();
        let write = |values: &[&dyn ToSql]| replace.execute(values);
        summary.values(page, visit.no as i64, &validators, left_out, write)?;
    } else {
        if let Some(validators) = &visit.validators {
            let update = "UPDATE snapshot SET etag = ?2, last_modified = ?3 WHERE page = ?1";
            let values = (page, &validators.entity_tag, &validators.last_modified);
            transaction.prepare_cached(update)?.execute(values)?;
        }
        // Held by a version that did not say so.
        if left_out.is_some() {
            let update = "UPDATE snapshot SET left_out = ?2 WHERE page = ?1";
            transaction.prepare_cached(update)?.execute((page, left_out))?;
        }
    }
    Ok(())
}

fn write_robots(
    transaction: &Transaction<'_>,
    copy: &RobotsCopy,
    records: &[(i64, StoredRecord)],
) -> rusqlite::Result<()> {
    let (state, status, why) = match &copy.state {
        RobotsState::Given => ("given", None, None),
        RobotsState::Absent(status) => ("absent", Some(*status), None),
        RobotsState::Unreachable(fault) => ("unreachable", None, Some(column::robots_why(fault))),
    };
    transaction
        .prepare_cached(
            "INSERT OR REPLACE INTO robots (origin, requested_at, fetches, state, status, why, good_at, \
             body, sitemaps) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?
        .execute(params![
            copy.origin,
            copy.requested_at.millis(),
            copy.fetches,
            state,
            status,
            why,
            copy.good.as_ref().map(|(at, _)| at.millis()),
            copy.good.as_ref().map(|(_, body)| body),
            serde_json::Value::from(copy.sitemaps.clone()).to_string(),
        ])?;
    let mut insert = transaction.prepare_cached(
        "INSERT INTO robots_record (no, origin, address, began, status, mime, bytes, payload, \
         file, offset, length) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?;
    for (exchange, (no, record)) in copy.exchanges.iter().zip(records) {
        insert.execute(params![
            no,
            copy.origin,
            exchange.address,
            exchange.at.millis(),
            exchange.status,
            exchange.content_type,
            exchange.body.len(),
            *record.payload.bytes(),
            record.file,
            record.offset,
            record.length,
        ])?;
    }
    Ok(())
}

fn write_host_states(transaction: &Transaction<'_>, batch: &Batch) -> rusqlite::Result<()> {
    let mut replace = transaction.prepare_cached(
        "INSERT OR REPLACE INTO host_state (host, last_answer, response_millis, back_off_until, \
         strikes, last_strike) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    for state in batch.host_states.values() {
        replace.execute((
            &state.host,
            state.last_answer.map(Time::millis),
            state.response_millis,
            state.back_off_until.map(Time::millis),
            state.strikes,
            state.last_strike.map(Time::millis),
        ))?;
    }
    Ok(())
}
