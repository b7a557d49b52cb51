//! One page and its visits.
use std::collections::BTreeMap;

use crawl::{
    Counts, Directives, Fault, Form, Outcome, PageNo, PageRecord, Reason, Span, Time, Validators,
};
use rusqlite::{OptionalExtension, Row, ToSql};

use super::{View, position};
use crate::StoreError;
use crate::column::{Named, RecordForm};
use crate::load::{self, OBSERVATION_WIDTH};
use crate::schema;
use crate::summary::{self, Summary, bad};
use warc::Position;

/// A page.
#[derive(Clone, Debug, PartialEq)]
pub struct PageView {
    /// Page number.
    pub page: PageNo,
    /// Address.
    pub address: String,
    /// Counts and times of its visits.
    pub record: PageRecord,
    /// Its held snapshot, if any.
    pub held: Option<HeldView>,
}

/// A held snapshot without content.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldView {
    /// Form of the content.
    pub form: Form,
    /// Counts of its content.
    pub counts: Counts,
    /// Robots directives.
    pub directives: Directives,
    /// Validators for conditional requests.
    pub validators: Validators,
    /// When it was fetched.
    pub at: Time,
    /// Position in the archive.
    pub position: Option<Position>,
}

/// A visit.
#[derive(Clone, Debug, PartialEq)]
pub struct VisitRow {
    /// Number of the observation.
    pub no: u64,
    /// Cycle.
    pub cycle: Option<u32>,
    /// Time.
    pub at: Time,
    /// Reason.
    pub reason: Reason,
    /// Outcome, and how much changed.
    pub outcome: Outcome,
    /// Why it failed, if it did.
    pub fault: Option<Fault>,
    /// Time since the previous informative visit.
    pub since: Option<Span>,
    /// Number of leads.
    pub leads: usize,
    /// Impact on search results, as a share of the total value of all results; `None` if not
    /// measured.
    pub impact: Option<f32>,
    /// HTTP status, if there was a response.
    pub status: Option<u16>,
    /// `Content-Type` header.
    pub mime: Option<String>,
    /// Length of the body as sent.
    pub bytes: Option<u64>,
    /// Type of its archive record.
    pub record: Option<RecordForm>,
    /// Position of its archive record.
    pub position: Option<Position>,
}

impl View {
    /// The page at `address`. Scans all pages.
    ///
    /// # Errors
    /// If the database cannot be read or is damaged.
    pub fn page(&self, address: &str) -> Result<Option<PageView>, StoreError> {
        let found = self.one_page("page.address = ?1", address);
        found.optional().map_err(|e| self.error(e))
    }

    /// The numbers of the pages at these addresses; unknown addresses are left out. Scans all pages once.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn find_all(&self, addresses: &[&str]) -> Result<BTreeMap<String, PageNo>, StoreError> {
        if addresses.is_empty() {
            return Ok(BTreeMap::new());
        }
        let list = serde_json::Value::from(addresses).to_string();
        let find = || {
            let mut select = self.connection().prepare_cached(
                "SELECT address, no FROM page WHERE address IN (SELECT value FROM json_each(?1))",
            )?;
            let rows = select.query_map((list,), |row| Ok((row.get(0)?, PageNo(row.get(1)?))))?;
            rows.collect::<rusqlite::Result<_>>()
        };
        find().map_err(|e: rusqlite::Error| self.error(e))
    }

    /// The page with this number.
    ///
    /// # Errors
    /// If the database cannot be read or is damaged.
    pub fn page_numbered(&self, page: PageNo) -> Result<Option<PageView>, StoreError> {
        let found = self.one_page("page.no = ?1", page.0);
        found.optional().map_err(|e| self.error(e))
    }

    fn one_page(&self, which: &str, value: impl ToSql) -> rusqlite::Result<PageView> {
        let columns = summary::COLUMNS;
        let claimed_change = schema::names(self.connection())?.claimed_change;
        let select = format!(
            "SELECT {columns}, page.no, page.state, page.first_seen, page.last_tried, \
             page.last_seen, page.visits, page.changes, page.misses, page.failures, \
             page.{claimed_change}, snapshot.etag, snapshot.last_modified, observation.at, \
             warc_file.name, observation.offset, observation.length, page.address FROM page \
             LEFT JOIN snapshot ON snapshot.page = page.no \
             LEFT JOIN observation ON observation.no = snapshot.observation \
             LEFT JOIN warc_file ON warc_file.no = observation.file \
             WHERE {which}"
        );
        self.connection().prepare_cached(&select)?.query_row((value,), page)
    }

    /// The `last` visits to a page, latest first.
    ///
    /// # Errors
    /// If the database cannot be read or is damaged.
    pub fn visits(&self, page: PageNo, last: usize) -> Result<Vec<VisitRow>, StoreError> {
        self.last_visits(page, last).map_err(|e| self.error(e))
    }

    fn last_visits(&self, page: PageNo, last: usize) -> rusqlite::Result<Vec<VisitRow>> {
        let connection = self.connection().unchecked_transaction()?;
        let latest = "SELECT last FROM page WHERE no = ?1";
        let latest: Option<Option<i64>> =
            connection.query_row(latest, (page.0,), |row| row.get(0)).optional()?;
        let columns = load::observation_columns(&connection)?;
        let mut select = connection.prepare_cached(&format!(
            "SELECT {columns}, observation.no, observation.cycle, \
             observation.status, observation.mime, observation.bytes, observation.record, \
             warc_file.name, observation.offset, observation.length, observation.before \
             FROM observation JOIN page ON page.no = observation.page \
             LEFT JOIN warc_file ON warc_file.no = observation.file WHERE observation.no = ?1"
        ))?;
        let (mut next, mut visits) = (latest.flatten(), vec![]);
        while let Some(no) = next.filter(|_| visits.len() < last) {
            let both = |row: &Row<'_>| Ok((visit(row)?, row.get(BEFORE)?));
            let (visit, before) = select.query_row((no,), both)?;
            visits.push(visit);
            // Prevents an endless loop in a damaged database.
            next = before;
            if next.is_some_and(|before| before >= no) {
                return Err(bad(BEFORE, "the number of an earlier observation"));
            }
        }
        Ok(visits)
    }
}

fn page(row: &Row<'_>) -> rusqlite::Result<PageView> {
    let first = summary::COLUMN_COUNT;
    let held = match load::time(row, first + 12)? {
        None => None,
        Some(at) => {
            let Summary { form, counts, directives, .. } = Summary::from_row(row, 0)?;
            let (entity_tag, last_modified) = (row.get(first + 10)?, row.get(first + 11)?);
            let validators = Validators { entity_tag, last_modified };
            let position = position(row, first + 13)?;
            Some(HeldView { form, counts, directives, validators, at, position })
        }
    };
    Ok(PageView {
        page: PageNo(row.get(first)?),
        address: row.get(first + 16)?,
        record: load::record(row, first + 1)?,
        held,
    })
}

/// Column of the previous visit.
const BEFORE: usize = OBSERVATION_WIDTH + 9;

fn visit(row: &Row<'_>) -> rusqlite::Result<VisitRow> {
    let seen = load::observation(row)?;
    let first = OBSERVATION_WIDTH;
    let record = row.get_ref(first + 5)?.as_str_or_null().map_err(|_| bad(first + 5, "a name"))?;
    Ok(VisitRow {
        no: row.get(first)?,
        cycle: row.get(first + 1)?,
        at: seen.at,
        reason: seen.reason,
        outcome: seen.outcome,
        fault: seen.fault,
        since: seen.since,
        leads: seen.leads.len(),
        impact: seen.impact,
        status: row.get(first + 2)?,
        mime: row.get(first + 3)?,
        bytes: row.get(first + 4)?,
        record: record.and_then(RecordForm::by_name),
        position: position(row, first + 6)?,
    })
}
