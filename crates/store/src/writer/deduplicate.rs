//! Decides whether a visit is archived as a response or as a revisit of an earlier one.
use std::collections::hash_map::Entry;

use crawl::{Exchange, Outcome, PageNo, Time};
use rayon::prelude::*;
use rusqlite::{Connection, OptionalExtension};
use rustc_hash::FxHashMap;

use crate::batch::{Batch, QueuedVisit};
use crate::summary::{self, Summary};
use warc::{PayloadDigest, Profile};

/// What is needed to write a visit.
#[derive(Debug)]
pub(super) struct VisitContext {
    /// Previous observation of the page.
    pub(super) before: Option<i64>,
    /// Observation of the snapshot that was held at the time of the visit.
    pub(super) held: Option<i64>,
    /// New held snapshot, if it changed.
    pub(super) summary: Option<Summary>,
    /// Payload digest: of the body, or of the body that a 304 confirms.
    pub(super) payload: Option<PayloadDigest>,
    /// For a revisit: the response with the same payload.
    pub(super) original: Option<(Profile, EarlierResponse)>,
}

/// An earlier response of the page.
#[derive(Clone, Copy, Debug)]
pub(super) struct EarlierResponse {
    pub(super) observation: i64,
    pub(super) began: Time,
    pub(super) payload: PayloadDigest,
}

/// A page before its next visit.
#[derive(Debug, Default)]
struct PageBefore {
    last: Option<i64>,
    held: Option<HeldRow>,
}

#[derive(Debug)]
struct HeldRow {
    observation: i64,
    summary: Summary,
    /// Its response record, if it was fetched over HTTP.
    earlier: Option<EarlierResponse>,
}

pub(super) fn visit_contexts(
    connection: &Connection,
    batch: &Batch,
) -> rusqlite::Result<Vec<VisitContext>> {
    let payload = |exchange: &Exchange| PayloadDigest::compute(&exchange.body);
    let payloads: Vec<Option<PayloadDigest>> =
        batch.visits.par_iter().map(|visit| visit.exchange.as_deref().map(payload)).collect();
    let known = batch.pages.first().map_or(u32::MAX, |first| first.page.0);
    let mut pages: FxHashMap<PageNo, PageBefore> = FxHashMap::default();
    let mut contexts = Vec::with_capacity(batch.visits.len());
    for (visit, payload) in batch.visits.iter().zip(payloads) {
        let page = visit.seen.page;
        let before = match pages.entry(page) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) if page.0 < known => entry.insert(find(connection, page)?),
            Entry::Vacant(entry) => entry.insert(PageBefore::default()),
        };
        contexts.push(visit_context(visit, payload, before));
    }
    Ok(contexts)
}

fn visit_context(
    visit: &QueuedVisit,
    payload: Option<PayloadDigest>,
    page: &mut PageBefore,
) -> VisitContext {
    let (no, last) = (visit.no as i64, page.last);
    page.last = Some(no);
    let held = page.held.as_ref().map(|held| held.observation);
    let mut context = VisitContext { before: last, held, summary: None, payload, original: None };
    if visit.seen.outcome == Outcome::Gone {
        page.held = None;
        return context;
    }
    let exchange = visit.exchange.as_deref();
    let Some(new) = &visit.new else {
        let is_304 = exchange.is_some_and(|exchange| exchange.status == 304);
        let earlier = page.held.as_ref().and_then(|held| held.earlier);
        if let Some(earlier) = earlier.filter(|_| is_304 && visit.seen.outcome == Outcome::Same) {
            context.payload = Some(earlier.payload);
            context.original = Some((Profile::NotModified, earlier));
        }
        return context;
    };
    let summary = Summary::from_snapshot(new);
    let same = page.held.as_ref().and_then(|held| {
        // The same bytes may parse differently with other headers. Then they are stored again, so
        // that a held snapshot can be read back from one record.
        let whole = exchange.is_some_and(|exchange| {
            exchange.status == 200 && exchange.truncated.is_none() && !exchange.body.is_empty()
        });
        let earlier = held.earlier?;
        let same = whole && Some(earlier.payload) == payload && held.summary == summary;
        same.then_some(earlier)
    });
    if let Some(earlier) = same {
        context.original = Some((Profile::IdenticalPayload, earlier));
        return context;
    }
    let earlier = exchange.zip(payload).map(|(exchange, payload)| EarlierResponse {
        observation: no,
        began: exchange.at,
        payload,
    });
    page.held = Some(HeldRow { observation: no, summary: summary.clone(), earlier });
    context.summary = Some(summary);
    context
}

fn find(connection: &Connection, page: PageNo) -> rusqlite::Result<PageBefore> {
    let columns = summary::COLUMNS;
    let mut select = connection.prepare_cached(&format!(
        "SELECT {columns}, page.last, snapshot.observation, observation.began, \
         observation.payload, EXISTS (SELECT * FROM lost_record AS lost \
         WHERE lost.file = observation.file AND lost.offset = observation.offset) FROM page \
         LEFT JOIN snapshot ON snapshot.page = page.no \
         LEFT JOIN observation ON observation.no = snapshot.observation WHERE page.no = ?1"
    ))?;
    let rest = summary::COLUMN_COUNT;
    let found = select.query_row((page.0,), |row| {
        let last = row.get(rest)?;
        let Some(observation) = row.get(rest + 1)? else {
            return Ok(PageBefore { last, held: None });
        };
        let began: Option<i64> = row.get(rest + 2)?;
        let payload: Option<[u8; 20]> = row.get(rest + 3)?;
        let is_lost: bool = row.get(rest + 4)?;
        // A lost record cannot be referred to, so the same content is stored again.
        let payload = payload.filter(|_| !is_lost);
        let earlier = began.zip(payload).map(|(began, payload)| EarlierResponse {
            observation,
            began: Time::from_millis(began),
            payload: PayloadDigest::from_bytes(payload),
        });
        let summary = Summary::from_row(row, 0)?;
        Ok(PageBefore { last, held: Some(HeldRow { observation, summary, earlier }) })
    });
    Ok(found.optional()?.unwrap_or_default())
}
