//! Every observed change, in log order.
use crawl::{Digest, Outcome, PageNo, Time};
use rusqlite::{OptionalExtension, Row};

use super::{View, position};
use crate::StoreError;
use crate::column;
use crate::summary::bad;
use warc::{PayloadDigest, Position};

/// A visit that found a page new, changed or gone. A page that was not held cannot go away.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeRow {
    /// Number of the observation.
    pub no: u64,
    /// Page number.
    pub page: PageNo,
    /// Address.
    pub address: String,
    /// Time of the visit.
    pub at: Time,
    /// Time of the previous informative visit; the change happened in between.
    pub before: Option<Time>,
    /// First, changed (and how much) or gone.
    pub outcome: Outcome,
    /// Whether a crawl, which follows links from the seeds, made the visit: to a crawl every page is new.
    pub is_initial: bool,
    /// The version held before.
    pub old: Option<Version>,
    /// The fetched version; for a page that is gone, its 404 or 410 response.
    pub new: Option<Version>,
}

/// A version of a page, and where it is in the archive.
#[derive(Clone, Debug, PartialEq)]
pub struct Version {
    /// Number of the observation that fetched it.
    pub no: u64,
    /// When it was fetched.
    pub at: Time,
    /// HTTP status.
    pub status: Option<u16>,
    /// Digest of title and visible text; `None` if there is none, as for a page that is gone.
    pub text: Option<Digest>,
    /// Digest of the body as sent.
    pub payload: Option<PayloadDigest>,
    /// Position of the record.
    pub position: Option<Position>,
}

/// Columns of a [`Version`], given the aliases of its observation and file.
macro_rules! version {
    ($visit:literal, $file:literal) => {
        concat!(
            $visit,
            ".no, ",
            $visit,
            ".at, ",
            $visit,
            ".status, ",
            $visit,
            ".digest, ",
            $visit,
            ".payload, ",
            $file,
            ".name, ",
            $visit,
            ".offset, ",
            $visit,
            ".length"
        )
    };
}

const SELECT: &str = concat!(
    "SELECT new.no, new.page, page.address, new.at, new.since, new.outcome, new.change, ",
    "cycle.kind, ",
    version!("old", "old_file"),
    ", ",
    version!("new", "new_file"),
    " FROM observation AS new JOIN page ON page.no = new.page ",
    "LEFT JOIN warc_file AS new_file ON new_file.no = new.file ",
    "LEFT JOIN observation AS old ON old.no = new.held ",
    "LEFT JOIN warc_file AS old_file ON old_file.no = old.file ",
    "LEFT JOIN cycle ON cycle.no = new.cycle ",
    "WHERE (new.outcome IN ('first', 'changed') ",
    "OR (new.outcome = 'gone' AND new.held IS NOT NULL)) "
);

impl View {
    /// Calls `each` with every observation of a change, in log order; only those after `after`, if
    /// given.
    ///
    /// # Errors
    /// If the database cannot be read or is damaged; errors of `each`.
    pub fn changes<E: From<StoreError>>(
        &self,
        after: Option<u64>,
        mut each: impl FnMut(ChangeRow) -> Result<(), E>,
    ) -> Result<(), E> {
        let error = |e| E::from(self.error(e));
        let select = format!("{SELECT} AND new.no > ?1 ORDER BY new.no");
        let mut select = self.connection().prepare(&select).map_err(error)?;
        let after = after.map_or(0, |after| i64::try_from(after).unwrap_or(i64::MAX));
        let mut rows = select.query((after,)).map_err(error)?;
        while let Some(row) = rows.next().map_err(error)? {
            each(change(row).map_err(error)?)?;
        }
        Ok(())
    }

    /// The change that an observation found; `None` if it found none.
    ///
    /// # Errors
    /// If the database cannot be read or is damaged.
    pub fn change(&self, observation: u64) -> Result<Option<ChangeRow>, StoreError> {
        let found = || {
            let mut select =
                self.connection().prepare_cached(&format!("{SELECT} AND new.no = ?1"))?;
            select.query_row((observation as i64,), change).optional()
        };
        found().map_err(|e| self.error(e))
    }
}

fn change(row: &Row<'_>) -> rusqlite::Result<ChangeRow> {
    let at = Time::from_millis(row.get(3)?);
    let since: Option<i64> = row.get(4)?;
    let outcome: String = row.get(5)?;
    let kind = row.get_ref(7)?.as_str_or_null().map_err(|_| bad(7, "a kind of cycle"))?;
    let has_old = row.get::<_, Option<i64>>(8)?.is_some();
    let new = version(row, 16)?;
    Ok(ChangeRow {
        no: row.get(0)?,
        page: PageNo(row.get(1)?),
        address: row.get(2)?,
        at,
        before: since.map(|since| Time::from_millis(at.millis() - since)),
        outcome: column::outcome(&outcome, row.get(6)?).ok_or_else(|| bad(5, "an outcome"))?,
        is_initial: kind == Some("crawl"),
        old: if has_old { Some(version(row, 8)?) } else { None },
        new: (new.text.is_some() || new.status.is_some()).then_some(new),
    })
}

fn version(row: &Row<'_>, first: usize) -> rusqlite::Result<Version> {
    let text = row.get_ref(first + 3)?.as_blob_or_null().map_err(|_| bad(first + 3, "a digest"))?;
    let payload: Option<[u8; 20]> = row.get(first + 4)?;
    Ok(Version {
        no: row.get(first)?,
        at: Time::from_millis(row.get(first + 1)?),
        status: row.get(first + 2)?,
        text: text.and_then(column::digest),
        payload: payload.map(PayloadDigest::from_bytes),
        position: position(row, first + 5)?,
    })
}
