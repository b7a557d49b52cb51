//! Reads held snapshots from the database and, with content, from the archive.
use crawl::{PageNo, Snapshot, Validators};
use rusqlite::{Connection, OptionalExtension, Row};

use crate::StoreError;
use crate::folder::Folder;
use crate::read_back::Source;
use crate::schema;
use crate::summary::{self, Summary};
use warc::RecordLocation;

pub(crate) fn validators(connection: &Connection, page: PageNo) -> rusqlite::Result<Validators> {
    connection
        .prepare_cached("SELECT etag, last_modified FROM snapshot WHERE page = ?1")?
        .query_row((page.0,), |row| {
            Ok(Validators { entity_tag: row.get(0)?, last_modified: row.get(1)? })
        })
}

/// The held snapshot. With a body limit, it is read back from the archive with its content; without content
/// if its record is damaged, because one page must not stop a crawl.
pub(crate) fn snapshot(
    connection: &Connection,
    folder: &Folder,
    page: PageNo,
    limit: Option<usize>,
) -> Result<Option<Snapshot>, StoreError> {
    let error = |e| StoreError::sql("read", &folder.database(), e);
    let Some(limit) = limit else {
        let summary = load_summary(connection, page).optional().map_err(error)?;
        return Ok(summary.map(Summary::into_snapshot));
    };
    let found = summary_and_source(connection, page).optional().map_err(error)?;
    match found {
        None => Ok(None),
        Some((summary, Some(source))) => {
            read_or_summary(summary, &source, folder, limit).map(|(snapshot, _)| Some(snapshot))
        }
        Some((summary, None)) => Ok(Some(summary.into_snapshot())),
    }
}

/// The snapshot with its content; or, if its record is damaged, without content and with what is wrong.
pub(crate) fn read_or_summary(
    summary: Summary,
    source: &Source,
    folder: &Folder,
    limit: usize,
) -> Result<(Snapshot, Option<String>), StoreError> {
    match source.read(folder, limit) {
        Ok(snapshot) => Ok((snapshot, None)),
        Err(error) if error.is_damage() => {
            tracing::warn!(url = source.address, %error, "held page cannot be read");
            Ok((summary.into_snapshot(), Some(error.to_string())))
        }
        Err(error) => Err(error),
    }
}

pub(crate) fn load_summary(connection: &Connection, page: PageNo) -> rusqlite::Result<Summary> {
    let columns = summary::COLUMNS;
    connection
        .prepare_cached(&format!("SELECT {columns} FROM snapshot WHERE page = ?1"))?
        .query_row((page.0,), |row| Summary::from_row(row, 0))
}

/// The held snapshot without content, and where to read it back from.
pub(crate) fn summary_and_source(
    connection: &Connection,
    page: PageNo,
) -> rusqlite::Result<(Summary, Option<Source>)> {
    let (columns, from) = (summary::COLUMNS, from_held(connection)?);
    connection
        .prepare_cached(&format!("SELECT {columns}, {SOURCE_COLUMNS} {from} WHERE page.no = ?1"))?
        .query_row((page.0,), |row| {
            let source = source(row, summary::COLUMN_COUNT)?;
            Ok((Summary::from_row(row, 0)?, source))
        })
}

/// Columns for [`source`].
pub(crate) const SOURCE_COLUMNS: &str = "page.address, observation.mime, warc_file.name, \
    observation.offset, observation.length";

/// Held snapshots with their page, observation and WARC file. A lost record has no file.
pub(crate) fn from_held(connection: &Connection) -> rusqlite::Result<String> {
    let lost = schema::names(connection)?.lost_record;
    Ok(format!(
        "FROM snapshot JOIN page ON page.no = snapshot.page \
         JOIN observation ON observation.no = snapshot.observation \
         LEFT JOIN warc_file ON warc_file.no = observation.file AND NOT EXISTS \
         (SELECT * FROM {lost} AS lost WHERE lost.file = observation.file \
         AND lost.offset = observation.offset)"
    ))
}

/// Where to read a snapshot back from; `None` if it was not fetched over HTTP, or its
/// record is lost.
pub(crate) fn source(row: &Row<'_>, first: usize) -> rusqlite::Result<Option<Source>> {
    let Some(file) = row.get(first + 2)? else { return Ok(None) };
    Ok(Some(Source {
        address: row.get(first)?,
        content_type: row.get(first + 1)?,
        file,
        place: RecordLocation { offset: row.get(first + 3)?, length: row.get(first + 4)? },
    }))
}
