//! What is held, for those who search it.
use crawl::{Digest, Form, PageNo, PageRecord, Snapshot, Time};
use rusqlite::{OptionalExtension, Params, Row};

use super::View;
use crate::StoreError;
use crate::column::{self, Named};
use crate::held::{self, FROM_HELD, SOURCE_COLUMNS};
use crate::load;
use crate::options::Options;
use crate::summary::{self, Summary, bad};

/// A held page with its text.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldPage {
    /// The page.
    pub page: PageNo,
    /// Where it is.
    pub address: String,
    /// When it became known.
    pub first_seen: Time,
    /// When the record came that it was read from.
    pub at: Time,
    /// What it says.
    pub snapshot: Snapshot,
}

/// What tells whether an index has a held page as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldDigest {
    /// The page.
    pub page: PageNo,
    /// What it was read from.
    pub form: Form,
    /// Whether it may be found: it does not ask not to be, and gives no other address as its own.
    pub wants_to_be_found: bool,
    /// Of title and text.
    pub text: Digest,
}

/// What a list of hits tells of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Brief {
    /// The page.
    pub page: PageNo,
    /// What is known of it.
    pub record: PageRecord,
}

impl View {
    /// The bits that belong to this data folder alone.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn identity(&self) -> Result<String, StoreError> {
        Ok(self.get("identity")?.unwrap_or_default())
    }

    /// The number of the last observation in the log; 0 where there is none.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn position(&self) -> Result<u64, StoreError> {
        let select = "SELECT coalesce(max(no), 0) FROM observation";
        self.connection().query_row(select, (), |row| row.get(0)).map_err(|e| self.error(e))
    }

    /// What tells an observation from one of the same number in another log, such as one that was
    /// put back to an earlier state and went on; `None` where there is none of that number.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn fingerprint(&self, observation: u64) -> Result<Option<u64>, StoreError> {
        let select = "SELECT page, at, outcome, digest FROM observation WHERE no = ?1";
        let fingerprint = |row: &Row<'_>| {
            let (page, at): (i64, i64) = (row.get(0)?, row.get(1)?);
            let (outcome, digest): (String, Option<Vec<u8>>) = (row.get(2)?, row.get(3)?);
            let told = format!("{page} {at} {outcome} {digest:?}");
            Ok(Digest::from_bytes(told.as_bytes()).0 as u64)
        };
        Ok(self.rows(select, (observation as i64,), fingerprint)?.pop())
    }

    /// The pages of which something else is held, or nothing any more, than at a position of the
    /// log; by number.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn touched(&self, after: u64) -> Result<Vec<PageNo>, StoreError> {
        let select = "SELECT page FROM snapshot WHERE observation > ?1 UNION \
             SELECT page FROM observation WHERE no > ?1 AND outcome = 'gone' ORDER BY page";
        self.rows(select, (after as i64,), |row| row.get(0).map(PageNo))
    }

    /// Every held page as it is known by, by number.
    ///
    /// # Errors
    /// When the store cannot be read, or is damaged.
    pub fn held_digests(&self) -> Result<Vec<HeldDigest>, StoreError> {
        let select = "SELECT page, form, noindex, canonical IS NOT NULL, text_digest \
             FROM snapshot ORDER BY page";
        self.rows(select, (), mark)
    }

    /// When each page that was visited after a position of the log was last found new or changed,
    /// by page number; pages may be left out that were not found so.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn last_changes(&self, after: u64) -> Result<Vec<(PageNo, Time)>, StoreError> {
        let select = "SELECT page, max(at) FROM observation \
             WHERE no > ?1 AND outcome IN ('first', 'changed') GROUP BY page ORDER BY page";
        let change = |row: &Row<'_>| Ok((PageNo(row.get(0)?), Time::from_millis(row.get(1)?)));
        self.rows(select, (after as i64,), change)
    }

    /// A held page with its text, read back from the archive; `None` where it is not held.
    ///
    /// # Errors
    /// When the store cannot be read, or is damaged.
    pub fn held(&self, page: PageNo) -> Result<Option<HeldPage>, StoreError> {
        let columns = summary::COLUMNS;
        let select = format!(
            "SELECT {columns}, {SOURCE_COLUMNS}, page.first_seen, observation.at {FROM_HELD} \
             WHERE page.no = ?1"
        );
        let found = || {
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
        let snapshot = match source {
            Some(source) => source.read(self.folder(), Options::default().body_limit)?,
            None => summary.into_snapshot(),
        };
        let (first_seen, at) = (Time::from_millis(first_seen), Time::from_millis(at));
        Ok(Some(HeldPage { page, address, first_seen, at, snapshot }))
    }

    /// What a visit brought, read back from the archive; `None` where it brought nothing to read.
    ///
    /// # Errors
    /// When the store cannot be read, or is damaged.
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
        Ok(Some((page, source.read(self.folder(), Options::default().body_limit)?)))
    }

    /// What is known of some pages, in their order; those that are not known are left out.
    ///
    /// # Errors
    /// When the store cannot be read, or is damaged.
    pub fn briefs(&self, pages: &[PageNo]) -> Result<Vec<Brief>, StoreError> {
        let select = "SELECT state, first_seen, last_tried, last_seen, visits, changes, misses, \
             failures, said_changed FROM page WHERE no = ?1";
        let briefs = || {
            let mut select = self.connection().prepare_cached(select)?;
            let mut briefs = vec![];
            for &page in pages {
                let record = select.query_row((page.0,), |row| load::record(row, 0)).optional()?;
                briefs.extend(record.map(|record| Brief { page, record }));
            }
            Ok(briefs)
        };
        briefs().map_err(|e: rusqlite::Error| self.error(e))
    }

    /// What a query gives, row by row.
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

fn mark(row: &Row<'_>) -> rusqlite::Result<HeldDigest> {
    let form: String = row.get(1)?;
    let (noindex, elsewhere): (bool, bool) = (row.get(2)?, row.get(3)?);
    let text = row.get_ref(4)?.as_blob().ok().and_then(column::digest);
    Ok(HeldDigest {
        page: PageNo(row.get(0)?),
        form: Form::by_name(&form).ok_or_else(|| bad(1, "a form"))?,
        wants_to_be_found: !noindex && !elsewhere,
        text: text.ok_or_else(|| bad(4, "a digest"))?,
    })
}
