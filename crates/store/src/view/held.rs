//! Held snapshots, for search.
use crawl::{Digest, Form, PageNo, PageRecord, Snapshot, Time};
use rusqlite::{OptionalExtension, Params, Row};

use super::View;
use crate::StoreError;
use crate::body_limit;
use crate::column::{self, Named};
use crate::held::{self, SOURCE_COLUMNS, from_held};
use crate::load;
use crate::schema;
use crate::summary::{self, Summary, bad};

/// A held page with its content.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldPage {
    /// Page number.
    pub page: PageNo,
    /// Address.
    pub address: String,
    /// When it was first seen.
    pub first_seen: Time,
    /// When the snapshot was fetched.
    pub at: Time,
    /// Held snapshot; without content if its record is damaged or lost.
    pub snapshot: Snapshot,
    /// What is wrong with its record, if it is damaged.
    pub damage: Option<String>,
}

/// What decides whether the index has the current version of a held page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldDigest {
    /// Page number.
    pub page: PageNo,
    /// Form of the content.
    pub form: Form,
    /// Whether it may be indexed: no `noindex`, no other canonical address, and its record is not lost.
    pub allows_indexing: bool,
    /// Digest of title and text.
    pub text: Digest,
}

/// The record of a page, for lists of hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Brief {
    /// Page number.
    pub page: PageNo,
    /// Its record.
    pub record: PageRecord,
}

impl View {
    /// Random identity of this data folder.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn identity(&self) -> Result<String, StoreError> {
        Ok(self.get("identity")?.unwrap_or_default())
    }

    /// Number of the last observation in the log; 0 if it is empty.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn position(&self) -> Result<u64, StoreError> {
        let select = "SELECT coalesce(max(no), 0) FROM observation";
        self.connection().query_row(select, (), |row| row.get(0)).map_err(|e| self.error(e))
    }

    /// Fingerprint of an observation, `None` if it does not exist. It tells apart logs that share
    /// numbers, for example after restoring a backup.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn fingerprint(&self, observation: u64) -> Result<Option<u64>, StoreError> {
        let select = "SELECT page, at, outcome, digest FROM observation WHERE no = ?1";
        let fingerprint = |row: &Row<'_>| {
            let (page, at): (i64, i64) = (row.get(0)?, row.get(1)?);
            let (outcome, digest): (String, Option<Vec<u8>>) = (row.get(2)?, row.get(3)?);
            let text = format!("{page} {at} {outcome} {digest:?}");
            Ok(Digest::from_bytes(text.as_bytes()).0 as u64)
        };
        Ok(self.rows(select, (observation as i64,), fingerprint)?.pop())
    }

    /// Pages whose held snapshot changed or was removed after a log position, by number.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn pages_changed_since(&self, position: u64) -> Result<Vec<PageNo>, StoreError> {
        let select = "SELECT page FROM snapshot WHERE observation > ?1 UNION \
             SELECT page FROM observation WHERE no > ?1 AND outcome = 'gone' ORDER BY page";
        self.rows(select, (position as i64,), |row| row.get(0).map(PageNo))
    }

    /// Digests of all held pages, by number.
    ///
    /// # Errors
    /// If the database cannot be read or is damaged.
    pub fn held_digests(&self) -> Result<Vec<HeldDigest>, StoreError> {
        let lost = schema::names(self.connection()).map_err(|e| self.error(e))?.lost_record;
        let select = format!(
            "SELECT snapshot.page, form, noindex, canonical IS NOT NULL, text_digest, \
             EXISTS (SELECT * FROM {lost} AS lost JOIN observation \
             ON lost.file = observation.file AND lost.offset = observation.offset \
             WHERE observation.no = snapshot.observation) \
             FROM snapshot ORDER BY snapshot.page"
        );
        self.rows(&select, (), held_digest)
    }

    /// Held pages whose records are lost, by number.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn lost_pages(&self) -> Result<Vec<PageNo>, StoreError> {
        let lost = schema::names(self.connection()).map_err(|e| self.error(e))?.lost_record;
        let select = format!(
            "SELECT snapshot.page FROM {lost} AS lost \
             JOIN observation ON observation.file = lost.file AND observation.offset = lost.offset \
             JOIN snapshot ON snapshot.observation = observation.no ORDER BY snapshot.page"
        );
        self.rows(&select, (), |row| row.get(0).map(PageNo))
    }

    /// When each page was last found new or changed after a log position, by number. Pages without
    /// such a visit are omitted.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn last_changes(&self, after: u64) -> Result<Vec<(PageNo, Time)>, StoreError> {
        let select = "SELECT page, max(at) FROM observation \
             WHERE no > ?1 AND outcome IN ('first', 'changed') GROUP BY page ORDER BY page";
        let change = |row: &Row<'_>| Ok((PageNo(row.get(0)?), Time::from_millis(row.get(1)?)));
        self.rows(select, (after as i64,), change)
    }

    /// A held page with its content, read back from the archive; `None` if it is not held. A page whose
    /// record is damaged has no content and says why.
    ///
    /// # Errors
    /// If the data folder cannot be read.
    pub fn held(&self, page: PageNo) -> Result<Option<HeldPage>, StoreError> {
        let columns = summary::COLUMNS;
        let found = || {
            let from = from_held(self.connection())?;
            let select = format!(
                "SELECT {columns}, {SOURCE_COLUMNS}, page.first_seen, observation.at {from} \
                 WHERE page.no = ?1"
            );
            let mut select = self.connection().prepare_cached(&select)?;
            let found = select.query_row((page.0,), |row| {
                let first = summary::COLUMN_COUNT;
                let times = (row.get::<_, i64>(first + 5)?, row.get::<_, i64>(first + 6)?);
                let address: String = row.get(first)?;
                Ok((Summary::from_row(row, 0)?, held::source(row, first)?, address, times))
            });
            found.optional()
        };
        let Some((summary, source, address, (first_seen, at))) =
            found().map_err(|e: rusqlite::Error| self.error(e))?
        else {
            return Ok(None);
        };
        let (snapshot, damage) = match source {
            Some(source) => {
                held::read_or_summary(summary, &source, self.folder(), self.body_limit()?)?
            }
            None => (summary.into_snapshot(), None),
        };
        let (first_seen, at) = (Time::from_millis(first_seen), Time::from_millis(at));
        Ok(Some(HeldPage { page, address, first_seen, at, snapshot, damage }))
    }

    /// The snapshot that a visit fetched, read back from the archive; `None` if it fetched none.
    ///
    /// # Errors
    /// If the data folder cannot be read or is damaged.
    pub fn version(&self, observation: u64) -> Result<Option<(PageNo, Snapshot)>, StoreError> {
        let select = format!(
            "SELECT {SOURCE_COLUMNS}, page.no FROM observation \
             JOIN page ON page.no = observation.page \
             LEFT JOIN warc_file ON warc_file.no = observation.file \
             WHERE observation.no = ?1 AND observation.record = 'response' \
             AND observation.digest IS NOT NULL"
        );
        let found = self
            .connection()
            .query_row(&select, (observation as i64,), |row| {
                Ok((held::source(row, 0)?, PageNo(row.get(5)?)))
            })
            .optional()
            .map_err(|e| self.error(e))?;
        let Some((Some(source), page)) = found else { return Ok(None) };
        Ok(Some((page, source.read(self.folder(), self.body_limit()?)?)))
    }

    /// Records of some pages, in this order; unknown pages are omitted.
    ///
    /// # Errors
    /// If the database cannot be read or is damaged.
    pub fn briefs(&self, pages: &[PageNo]) -> Result<Vec<Brief>, StoreError> {
        let briefs = || {
            let claimed_change = schema::names(self.connection())?.claimed_change;
            let mut select = self.connection().prepare_cached(&format!(
                "SELECT state, first_seen, last_tried, last_seen, visits, changes, misses, \
                 failures, {claimed_change} FROM page WHERE no = ?1"
            ))?;
            let mut briefs = vec![];
            for &page in pages {
                let record = select.query_row((page.0,), |row| load::record(row, 0)).optional()?;
                briefs.extend(record.map(|record| Brief { page, record }));
            }
            Ok(briefs)
        };
        briefs().map_err(|e: rusqlite::Error| self.error(e))
    }

    /// The recorded limit of bodies.
    pub(super) fn body_limit(&self) -> Result<usize, StoreError> {
        body_limit::recorded(self.connection()).map_err(|e| self.error(e))
    }

    /// All rows of a query.
    fn rows<T>(
        &self,
        select: &str,
        parameters: impl Params,
        row: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let rows = || {
            let mut select = self.connection().prepare_cached(select)?;
            select.query_map(parameters, row)?.collect::<rusqlite::Result<Vec<T>>>()
        };
        rows().map_err(|e| self.error(e))
    }
}

fn held_digest(row: &Row<'_>) -> rusqlite::Result<HeldDigest> {
    let form: String = row.get(1)?;
    let (noindex, elsewhere): (bool, bool) = (row.get(2)?, row.get(3)?);
    let is_lost: bool = row.get(5)?;
    let text = row.get_ref(4)?.as_blob().ok().and_then(column::digest);
    Ok(HeldDigest {
        page: PageNo(row.get(0)?),
        form: Form::by_name(&form).ok_or_else(|| bad(1, "a form"))?,
        allows_indexing: !noindex && !elsewhere && !is_lost,
        text: text.ok_or_else(|| bad(4, "a digest"))?,
    })
}
