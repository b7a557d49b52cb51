//! Every fetched content, page by page, to export traces.
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use crawl::{PageNo, Time};
use rusqlite::{Row, Statement};

use super::{View, position};
use crate::summary::bad;
use crate::{StoreError, body_limit, schema};
use warc::{Position, WarcReader};

/// A visit that brought new bytes, or found the page gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureRow {
    /// Page number.
    pub page: PageNo,
    /// Address.
    pub address: String,
    /// Time of the visit.
    pub at: Time,
    /// Time of the previous informative visit; the change happened in between.
    pub before: Option<Time>,
    /// HTTP status; 410 for a page found gone without a response.
    pub status: u16,
    /// `Content-Type` header; empty if there is none.
    pub mime: String,
    /// The body; `None` if the page is gone.
    pub body: Option<Body>,
}

/// A body as sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// `Content-Encoding` header, for `extract::read::coding::decode`; empty if there is none.
    pub encoding: String,
    /// `Location` header of a redirect.
    pub location: Option<String>,
    /// Bytes.
    pub bytes: Vec<u8>,
}

/// Log columns of such a visit.
struct Logged {
    at: Time,
    before: Option<Time>,
    status: Option<u16>,
    mime: Option<String>,
    outcome: String,
    position: Option<Position>,
}

impl View {
    /// Time of the first and last visit with a response.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn window(&self) -> Result<Option<(Time, Time)>, StoreError> {
        let select = "SELECT min(at), max(at) FROM observation \
             WHERE outcome IN ('first', 'same', 'changed', 'missing', 'gone')";
        let found = self.connection().query_row(select, (), |row| {
            let (first, last): (Option<i64>, Option<i64>) = (row.get(0)?, row.get(1)?);
            Ok(first.zip(last))
        });
        let found = found.map_err(|e| self.error(e))?;
        Ok(found.map(|(first, last)| (Time::from_millis(first), Time::from_millis(last))))
    }

    /// Calls `each` with every visit that brought new bytes or found the page gone, sorted by
    /// address (in byte order) and time. Pages that were not fetched over HTTP and lost records are omitted.
    ///
    /// # Errors
    /// If the data folder cannot be read or is damaged; errors of `each`.
    pub fn captures<E: From<StoreError>>(
        &self,
        mut each: impl FnMut(CaptureRow) -> Result<(), E>,
    ) -> Result<(), E> {
        let error = |e| E::from(self.error(e));
        let connection = self.connection().unchecked_transaction().map_err(error)?;
        let table = schema::names(&connection).map_err(error)?.lost_record;
        let mut pages = connection
            .prepare("SELECT no, address, last FROM page WHERE last IS NOT NULL ORDER BY address")
            .map_err(error)?;
        let mut select = connection
            .prepare(&format!(
                "SELECT at, since, status, mime, outcome, warc_file.name, observation.offset, \
                 length, before, \
                 outcome = 'gone' OR (record IS 'response' AND digest IS NOT NULL \
                 AND NOT EXISTS (SELECT * FROM {table} AS lost WHERE lost.file = observation.file \
                 AND lost.offset = observation.offset)) \
                 FROM observation LEFT JOIN warc_file ON warc_file.no = observation.file \
                 WHERE observation.no = ?1"
            ))
            .map_err(error)?;
        let mut rows = pages.query(()).map_err(error)?;
        while let Some(row) = rows.next().map_err(error)? {
            let (page, address, last) = page(row).map_err(error)?;
            for logged in load_page_visits(&mut select, last).map_err(error)? {
                each(self.capture(page, &address, logged)?)?;
            }
        }
        Ok(())
    }

    fn capture(
        &self,
        page: PageNo,
        address: &str,
        logged: Logged,
    ) -> Result<CaptureRow, StoreError> {
        let Logged { at, before, status, mime, outcome, position } = logged;
        let body = match position.filter(|_| outcome != "gone") {
            None => None,
            Some(position) => Some(self.body(&position)?),
        };
        Ok(CaptureRow {
            page,
            address: address.to_owned(),
            at,
            before,
            status: status.unwrap_or(410),
            mime: mime.unwrap_or_default(),
            body,
        })
    }

    /// The body of the response in a record.
    ///
    /// # Errors
    /// If the archive cannot be read or is damaged.
    pub fn body(&self, position: &Position) -> Result<Body, StoreError> {
        let path = self.folder().warc(&position.file);
        let limit = body_limit::block_limit(self.body_limit()?);
        let mut reader = WarcReader::open_at(&path, position.offset)?.with_block_limit(limit);
        let record = reader.next().transpose()?;
        let response = record.as_ref().and_then(warc::Record::http_response).ok_or_else(|| {
            StoreError::damaged_record(&path, position.offset, "it has no HTTP response")
        })?;
        Ok(Body {
            encoding: response.header("Content-Encoding").unwrap_or_default().to_owned(),
            location: response.header("Location").map(str::to_owned),
            bytes: response.body.to_vec(),
        })
    }
}

impl View {
    /// A record as it is in its WARC file: one gzip member, which is a WARC file by itself.
    ///
    /// # Errors
    /// If the file cannot be read or is too short.
    pub fn record(&self, position: &Position) -> Result<Vec<u8>, StoreError> {
        let path = self.folder().warc(&position.file);
        let mut record = vec![];
        let mut read = || {
            let mut file = File::open(&path)?;
            file.seek(SeekFrom::Start(position.offset))?;
            file.take(position.length).read_to_end(&mut record)
        };
        let found = read().map_err(|error| StoreError::file("read", &path, error))?;
        if (found as u64) < position.length {
            let flaw = "the file ends inside it";
            return Err(StoreError::damaged_record(&path, position.offset, flaw));
        }
        Ok(record)
    }
}

fn page(row: &Row<'_>) -> rusqlite::Result<(PageNo, String, i64)> {
    Ok((PageNo(row.get(0)?), row.get(1)?, row.get(2)?))
}

/// Relevant visits to one page, earliest first.
fn load_page_visits(select: &mut Statement<'_>, last: i64) -> rusqlite::Result<Vec<Logged>> {
    let (mut next, mut all) = (Some(last), vec![]);
    while let Some(no) = next {
        let (logged, before): (Option<Logged>, Option<i64>) = select.query_row((no,), |row| {
            let at: i64 = row.get(0)?;
            let since: Option<i64> = row.get(1)?;
            let matters = row.get(9)?;
            let logged = Logged {
                at: Time::from_millis(at),
                before: since.map(|since| Time::from_millis(at - since)),
                status: row.get(2)?,
                mime: row.get(3)?,
                outcome: row.get(4)?,
                position: position(row, 5)?,
            };
            Ok((Some(logged).filter(|_| matters), row.get(8)?))
        })?;
        all.extend(logged);
        next = before;
        if next.is_some_and(|before| before >= no) {
            return Err(bad(8, "the number of an earlier observation"));
        }
    }
    all.reverse();
    Ok(all)
}
