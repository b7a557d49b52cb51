//! Writes the CDXJ indexes of the archive from the log.
use std::time::Instant;

use rusqlite::{Connection, Row};
use tracing::debug;

use super::files::{FileRow, Files};
use crate::folder::Folder;
use crate::{StoreError, schema};
use warc::PayloadDigest;
use warc::cdxj::{CdxjEntry, IndexWriter, REVISIT, surt};

/// Rewrites the index of each of the first `count` files that grew since.
pub(super) fn update_stale(
    connection: &mut Connection,
    folder: &Folder,
    files: &mut Files,
    count: usize,
) -> Result<(), StoreError> {
    let stale = |row: &FileRow| row.indexed != row.bytes;
    let Some(first) = files.rows()[..count].iter().position(stale) else { return Ok(()) };
    for place in first..count {
        let row = &files.rows()[place];
        if row.indexed != row.bytes {
            let start = Instant::now();
            let mut writer = IndexWriter::new(&folder.cdxj(&row.name));
            let mut refused = None;
            each_entry(connection, files.rows(), place, &mut |entry| match writer.add(&entry) {
                Ok(()) => true,
                Err(error) => {
                    refused = Some(error);
                    false
                }
            })
            .map_err(|e| StoreError::sql("read", &folder.database(), e))?;
            match refused {
                Some(error) => return Err(error.into()),
                None => writer.finish()?,
            }
            debug!(file = row.name, ms = start.elapsed().as_millis(), "CDXJ index written");
            files.set_indexed(place);
        }
    }
    let save = |connection: &mut Connection| {
        let transaction = connection.transaction()?;
        files.save(&transaction, first)?;
        transaction.commit()
    };
    save(connection).map_err(|e| StoreError::sql("write", &folder.database(), e))
}

/// Removes the index of a WARC file that was removed.
pub(super) fn remove(folder: &Folder, name: &str) -> Result<(), StoreError> {
    let path = folder.cdxj(name);
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(StoreError::file("remove", &path, error))
        }
        _ => Ok(()),
    }
}

/// Calls `each` with the entries of one file, unsorted, until it returns false.
pub(crate) fn each_entry(
    connection: &Connection,
    files: &[FileRow],
    place: usize,
    each: &mut dyn FnMut(CdxjEntry) -> bool,
) -> rusqlite::Result<()> {
    let file = &files[place];
    let end = |first: fn(&FileRow) -> i64| files.get(place + 1).map_or(i64::MAX, first);
    let lost = schema::names(connection)?.lost_record;
    let mut take = |select: &str, first: i64, end: i64| -> rusqlite::Result<()> {
        let select = format!(
            "{select} AND NOT EXISTS (SELECT * FROM {lost} AS lost WHERE lost.file = answer.file \
             AND lost.offset = answer.offset)"
        );
        let mut select = connection.prepare_cached(&select)?;
        let rows = select.query_map((first, end, file.no), |row| entry(row, &file.name))?;
        for entry in rows {
            if !each(entry?) {
                break;
            }
        }
        Ok(())
    };
    take(
        "SELECT page.address, began, status, mime, payload, answer.offset, length, record \
         FROM observation AS answer JOIN page ON page.no = answer.page \
         WHERE answer.no >= ?1 AND answer.no < ?2 AND answer.file = ?3",
        file.first_observation,
        end(|file| file.first_observation),
    )?;
    take(
        "SELECT address, began, status, mime, payload, answer.offset, length, 'response' \
         FROM robots_record AS answer WHERE no >= ?1 AND no < ?2 AND answer.file = ?3",
        file.first_robots,
        end(|file| file.first_robots),
    )
}

fn entry(row: &Row<'_>, filename: &str) -> rusqlite::Result<CdxjEntry> {
    let url: String = row.get(0)?;
    let content_type: String = row.get(3)?;
    let is_revisit = row.get_ref(7)?.as_str() == Ok("revisit");
    let mime = content_type.trim().split([';', ' ', '\t', ',']).next().unwrap_or_default();
    Ok(CdxjEntry {
        key: surt(&url),
        at: warc::Timestamp::from_millis(row.get(1)?),
        url,
        mime: if is_revisit { REVISIT.to_owned() } else { mime.to_owned() },
        // The revisit record of a 304 has no HTTP headers, so other indexers find no status.
        status: Some(row.get(2)?).filter(|&status| !(is_revisit && status == 304)),
        digest: PayloadDigest::from_bytes(row.get(4)?).to_string(),
        offset: row.get(5)?,
        length: row.get(6)?,
        filename: filename.to_owned(),
    })
}
