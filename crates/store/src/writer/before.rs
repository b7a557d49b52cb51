//! What was so before each visit of a batch, and what that means for its record in the archive.
use std::collections::hash_map::Entry;

use crawl::{Exchange, Outcome, PageNo, Time};
use rayon::prelude::*;
use rusqlite::{Connection, OptionalExtension};
use rustc_hash::FxHashMap;

use crate::batch::{Batch, QueuedVisit};
use crate::summary::{self, Summary};
use warc::{PayloadDigest, Profile};

/// What there is to know about a visit before it can be written.
#[derive(Debug)]
pub(super) struct Decided {
    /// The visit to the same page before this one.
    pub(super) before: Option<i64>,
    /// The visit that brought what was held when this one was made.
    pub(super) held: Option<i64>,
    /// What is held from now on, where that is another.
    pub(super) summary: Option<Summary>,
    /// The digest of the payload: the one that came, or the one that a "not modified" vouches for.
    pub(super) payload: Option<PayloadDigest>,
    /// The response that already holds the payload.
    pub(super) original: Option<(Profile, Earlier)>,
}

/// A response of the same page in the archive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Earlier {
    pub(super) observation: i64,
    pub(super) began: Time,
    pub(super) payload: PayloadDigest,
}

/// What a page's next visit finds.
#[derive(Debug, Default)]
struct Before {
    last: Option<i64>,
    held: Option<HeldRow>,
}

#[derive(Debug)]
struct HeldRow {
    observation: i64,
    summary: Summary,
    /// The response in the archive, where the snapshot came by a wire.
    earlier: Option<Earlier>,
}

pub(super) fn decide(connection: &Connection, batch: &Batch) -> rusqlite::Result<Vec<Decided>> {
    let payload = |exchange: &Exchange| PayloadDigest::compute(&exchange.body);
    let payloads: Vec<Option<PayloadDigest>> =
        batch.visits.par_iter().map(|visit| visit.exchange.as_deref().map(payload)).collect();
    let known = batch.pages.first().map_or(u32::MAX, |first| first.page.0);
    let mut pages: FxHashMap<PageNo, Before> = FxHashMap::default();
    let mut decided = Vec::with_capacity(batch.visits.len());
    for (visit, payload) in batch.visits.iter().zip(payloads) {
        let page = visit.seen.page;
        let before = match pages.entry(page) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) if page.0 < known => entry.insert(find(connection, page)?),
            Entry::Vacant(entry) => entry.insert(Before::default()),
        };
        decided.push(decide_one(visit, payload, before));
    }
    Ok(decided)
}

fn decide_one(visit: &QueuedVisit, payload: Option<PayloadDigest>, page: &mut Before) -> Decided {
    let (no, last) = (visit.no as i64, page.last);
    page.last = Some(no);
    let held = page.held.as_ref().map(|held| held.observation);
    let mut decided = Decided { before: last, held, summary: None, payload, original: None };
    if visit.seen.outcome == Outcome::Gone {
        page.held = None;
        return decided;
    }
    let exchange = visit.exchange.as_deref();
    let Some(new) = &visit.new else {
        let is_304 = exchange.is_some_and(|exchange| exchange.status == 304);
        let earlier = page.held.as_ref().and_then(|held| held.earlier);
        if let Some(earlier) = earlier.filter(|_| is_304 && visit.seen.outcome == Outcome::Same) {
            decided.payload = Some(earlier.payload);
            decided.original = Some((Profile::NotModified, earlier));
        }
        return decided;
    };
    let summary = Summary::of(new);
    let same = page.held.as_ref().and_then(|held| {
        // The same bytes may read differently, by another header: then they are stored again, so
        // that what is held can always be read back from one record.
        let whole = exchange.is_some_and(|exchange| {
            exchange.status == 200 && exchange.truncated.is_none() && !exchange.body.is_empty()
        });
        let earlier = held.earlier?;
        let same = whole && Some(earlier.payload) == payload && held.summary == summary;
        same.then_some(earlier)
    });
    if let Some(earlier) = same {
        decided.original = Some((Profile::IdenticalPayload, earlier));
        return decided;
    }
    let earlier = exchange.zip(payload).map(|(exchange, payload)| Earlier {
        observation: no,
        began: exchange.at,
        payload,
    });
    page.held = Some(HeldRow { observation: no, summary: summary.clone(), earlier });
    decided.summary = Some(summary);
    decided
}

fn find(connection: &Connection, page: PageNo) -> rusqlite::Result<Before> {
    let columns = summary::COLUMNS;
    let mut select = connection.prepare_cached(&format!(
        "SELECT {columns}, page.last, snapshot.observation, observation.began, \
         observation.payload FROM page \
         LEFT JOIN snapshot ON snapshot.page = page.no \
         LEFT JOIN observation ON observation.no = snapshot.observation WHERE page.no = ?1"
    ))?;
    let rest = summary::COLUMN_COUNT;
    let found = select.query_row((page.0,), |row| {
        let last = row.get(rest)?;
        let Some(observation) = row.get(rest + 1)? else { return Ok(Before { last, held: None }) };
        let began: Option<i64> = row.get(rest + 2)?;
        let payload: Option<[u8; 20]> = row.get(rest + 3)?;
        let earlier = began.zip(payload).map(|(began, payload)| Earlier {
            observation,
            began: Time::from_millis(began),
            payload: PayloadDigest::from_bytes(payload),
        });
        let summary = Summary::from_row(row, 0)?;
        Ok(Before { last, held: Some(HeldRow { observation, summary, earlier }) })
    });
    Ok(found.optional()?.unwrap_or_default())
}
