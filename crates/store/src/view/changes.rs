//! Every change that was observed, in the order of the log.
use crawl::{Digest, Outcome, PageNo, Time};
use rusqlite::Row;

use super::{View, position};
use crate::StoreError;
use crate::column;
use crate::summary::bad;
use warc::{PayloadDigest, Position};

/// A visit that found something new: a page held for the first time, changed, or gone.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeRow {
    /// The number of its observation.
    pub no: u64,
    /// The page.
    pub page: PageNo,
    /// Its address.
    pub address: String,
    /// When it was found.
    pub at: Time,
    /// The visit before that told us something: the change came between the two.
    pub before: Option<Time>,
    /// First, changed (and how much) or gone.
    pub outcome: Outcome,
    /// What was held until then.
    pub old: Option<Version>,
    /// What came, where something did; of a page that is gone, the answer that said so.
    pub new: Option<Version>,
}

/// One content of a page, and where it is in the archive.
#[derive(Clone, Debug, PartialEq)]
pub struct Version {
    /// When it came.
    pub at: Time,
    /// The status of HTTP.
    pub status: Option<u16>,
    /// Of title and visible text; none where nothing was read, as of a page that is gone.
    pub text: Option<Digest>,
    /// Of the body as it was sent.
    pub payload: Option<PayloadDigest>,
    /// Where the record is.
    pub position: Option<Position>,
}

/// The columns of a [`Version`] of the visit that goes by this name in a query, and of its file.
macro_rules! version {
    ($visit:literal, $file:literal) => {
        concat!(
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
    "SELECT new.no, new.page, page.address, new.at, new.since, new.outcome, new.change, old.no, ",
    version!("old", "old_file"),
    ", ",
    version!("new", "new_file"),
    " FROM observation AS new JOIN page ON page.no = new.page ",
    "LEFT JOIN warc_file AS new_file ON new_file.no = new.file ",
    "LEFT JOIN observation AS old ON old.no = new.held ",
    "LEFT JOIN warc_file AS old_file ON old_file.no = old.file ",
    "WHERE new.no > ?1 AND new.outcome IN ('first', 'changed', 'gone') ORDER BY new.no"
);

impl View {
    /// Hands over every observation that found something new, in the order of the log; only those
    /// with numbers above `after` where that is given.
    ///
    /// # Errors
    /// When the store cannot be read, or is damaged; or what `each` returns.
    pub fn changes<E: From<StoreError>>(
        &self,
        after: Option<u64>,
        mut each: impl FnMut(ChangeRow) -> Result<(), E>,
    ) -> Result<(), E> {
        let error = |e| E::from(self.error(e));
        let mut select = self.connection().prepare(SELECT).map_err(error)?;
        let after = after.map_or(0, |after| i64::try_from(after).unwrap_or(i64::MAX));
        let mut rows = select.query((after,)).map_err(error)?;
        while let Some(row) = rows.next().map_err(error)? {
            each(change(row).map_err(error)?)?;
        }
        Ok(())
    }
}

fn change(row: &Row<'_>) -> rusqlite::Result<ChangeRow> {
    let at = Time::from_millis(row.get(3)?);
    let since: Option<i64> = row.get(4)?;
    let outcome: String = row.get(5)?;
    let has_old = row.get::<_, Option<i64>>(7)?.is_some();
    let new = version(row, 15)?;
    Ok(ChangeRow {
        no: row.get(0)?,
        page: PageNo(row.get(1)?),
        address: row.get(2)?,
        at,
        before: since.map(|since| Time::from_millis(at.millis() - since)),
        outcome: column::outcome(&outcome, row.get(6)?).ok_or_else(|| bad(5, "an outcome"))?,
        old: if has_old { Some(version(row, 8)?) } else { None },
        new: (new.text.is_some() || new.status.is_some()).then_some(new),
    })
}

fn version(row: &Row<'_>, first: usize) -> rusqlite::Result<Version> {
    let text = row.get_ref(first + 2)?.as_blob_or_null().map_err(|_| bad(first + 2, "a digest"))?;
    let payload: Option<[u8; 20]> = row.get(first + 3)?;
    Ok(Version {
        at: Time::from_millis(row.get(first)?),
        status: row.get(first + 1)?,
        text: text.and_then(column::digest),
        payload: payload.map(PayloadDigest::from_bytes),
        position: position(row, first + 4)?,
    })
}
