//! Reads held snapshots from the database and, with content, from the archive.
use crawl::{PageNo, Snapshot, Validators};
use rusqlite::{Connection, OptionalExtension, Row};

use crate::StoreError;
use crate::folder::Folder;
use crate::read_back::Source;
use crate::summary::{self, Summary};
use warc::RecordLocation;

pub(crate) fn validators(connection: &Connection, page: PageNo) -> rusqlite::Result<Validators> {
    connection
        .prepare_cached("SELECT etag, last_modified FROM snapshot WHERE page = ?1")?
        .query_row((page.0,), |row| {
            Ok(Validators { entity_tag: row.get(0)?, last_modified: row.get(1)? })
        })
}

/// The held snapshot. With a body limit, it is read back from the archive with its content.
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
        Some((_, Some(source))) => source.read(folder, limit).map(Some),
        Some((summary, None)) => Ok(Some(summary.into_snapshot())),
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
    let columns = summary::COLUMNS;
    connection
        .prepare_cached(&format!(
            "SELECT {columns}, {SOURCE_COLUMNS} {FROM_HELD} WHERE page.no = ?1"
        ))?
        .query_row((page.0,), |row| {
            let source = source(row, summary::COLUMN_COUNT)?;
            Ok((Summary::from_row(row, 0)?, source))
        })
}

/// Columns for [`source`].
pub(crate) const SOURCE_COLUMNS: &str = "page.address, observation.mime, warc_file.name, \
    observation.offset, observation.length";

/// Held snapshots with their page, observation and WARC file.
pub(crate) const FROM_HELD: &str = "FROM snapshot \
    JOIN page ON page.no = snapshot.page \
    JOIN observation ON observation.no = snapshot.observation \
    LEFT JOIN warc_file ON warc_file.no = observation.file";

/// Where to read a snapshot back from; `None` if it was not fetched over HTTP.
pub(crate) fn source(row: &Row<'_>, first: usize) -> rusqlite::Result<Option<Source>> {
    let Some(file) = row.get(first + 2)? else { return Ok(None) };
    Ok(Some(Source {
        address: row.get(first)?,
        content_type: row.get(first + 1)?,
        file,
        place: RecordLocation { offset: row.get(first + 3)?, length: row.get(first + 4)? },
    }))
}
