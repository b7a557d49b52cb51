//! Loads the states of instruments from the database, and recomputes missing ones from the archive.
//!
//! Every state can be recomputed from held snapshots, so an unreadable row counts as missing. If
//! you change the bytes that an instrument writes, add an upgrade that deletes its rows.
use crawl::{Digest, Instrument, PageNo, Saved, Snapshot};
use rayon::prelude::*;
use rusqlite::{Connection, OptionalExtension, Row};

use crate::folder::Folder;
use crate::read_back::Source;
use crate::schema::Names;
use crate::summary::Summary;
use crate::{StoreError, column, held, schema};

/// Pages read in parallel. All of them are in memory at once.
const READ_PAGES: usize = 256;

/// Digest stored with a state, to detect corruption.
pub(crate) fn digest(state: &[u8]) -> [u8; 16] {
    Digest::from_bytes(state).0.to_be_bytes()
}

/// The state in column `first + 1`, with its digest in column `first`; `None` if it is corrupt.
pub(crate) fn state<'r>(row: &'r Row<'_>, first: usize) -> Option<&'r [u8]> {
    let blob = |place: usize| row.get_ref(place).ok()?.as_blob().ok();
    let (digest, bytes) = (column::digest(blob(first)?)?, blob(first + 1)?);
    (Digest::from_bytes(bytes) == digest).then_some(bytes)
}

/// Loads states.
pub(crate) struct StateLoader<'a> {
    pub(crate) connection: &'a Connection,
    pub(crate) folder: &'a Folder,
    /// Maximum bytes of a decoded body.
    pub(crate) body_limit: usize,
}

/// A held page whose state must be recomputed.
struct Missing {
    page: PageNo,
    /// The observation of the held snapshot.
    observation: i64,
}

impl StateLoader<'_> {
    /// Loads all states into `into`. Calls `save` with each recomputed state. Before each chunk,
    /// calls `goes_on` with the number of pages done and the total, and stops if it returns false.
    /// Returns whether all states were loaded.
    pub(crate) fn load(
        &self,
        into: &mut dyn Instrument,
        goes_on: &mut dyn FnMut(usize, usize) -> bool,
        save: &mut dyn FnMut(PageNo, i64, Vec<u8>) -> Result<(), StoreError>,
    ) -> Result<bool, StoreError> {
        let missing = self.stored(into).map_err(|e| self.error(e))?;
        let of = missing.len();
        for (number, part) in missing.chunks(READ_PAGES).enumerate() {
            if !goes_on(number * READ_PAGES, of) {
                return Ok(false);
            }
            for (row, snapshot) in part.iter().zip(self.read(part)?) {
                // Another process may have removed the page, or its record is damaged.
                let Some(snapshot) = snapshot else { continue };
                into.restore_page(row.page, Saved::Held(&snapshot));
                if let Some(state) = into.page_state(row.page) {
                    save(row.page, row.observation, state)?;
                }
            }
        }
        Ok(of == 0 || goes_on(of, of))
    }

    /// Restores stored states. Returns the held pages whose state is missing or older than the
    /// snapshot.
    fn stored(&self, into: &mut dyn Instrument) -> rusqlite::Result<Vec<Missing>> {
        let transaction = self.connection.unchecked_transaction()?;
        let Names { instrument, instrument_page, .. } = schema::names(&transaction)?;
        let whole = format!("SELECT digest, state FROM {instrument} WHERE name = ?1");
        let whole = transaction
            .query_row(&whole, (into.name(),), |row| Ok(state(row, 0).map(<[u8]>::to_vec)));
        if let Some(state) = whole.optional()?.flatten() {
            into.restore(&state);
        }
        let mut select = transaction.prepare(&format!(
            "SELECT snapshot.page, snapshot.observation, \
             saved.observation >= snapshot.observation, saved.digest, saved.state FROM snapshot \
             LEFT JOIN {instrument_page} AS saved \
             ON saved.instrument = ?1 AND saved.page = snapshot.page ORDER BY snapshot.page"
        ))?;
        let mut rows = select.query((into.name(),))?;
        let mut missing = vec![];
        while let Some(row) = rows.next()? {
            let page = PageNo(row.get(0)?);
            let is_current = row.get::<_, Option<bool>>(2)?.unwrap_or(false);
            let stored = if is_current { state(row, 3) } else { None };
            let is_restored =
                stored.is_some_and(|stored| into.restore_page(page, Saved::State(stored)));
            if !is_restored {
                missing.push(Missing { page, observation: row.get(1)? });
            }
        }
        Ok(missing)
    }

    /// Reads held snapshots with their content.
    fn read(&self, pages: &[Missing]) -> Result<Vec<Option<Snapshot>>, StoreError> {
        let mut found: Vec<Option<(Summary, Option<Source>)>> = Vec::with_capacity(pages.len());
        for Missing { page, .. } in pages {
            let row = held::summary_and_source(self.connection, *page).optional();
            found.push(row.map_err(|e| self.error(e))?);
        }
        let (folder, limit) = (self.folder, self.body_limit);
        found
            .into_par_iter()
            .map(|found| match found {
                None => Ok(None),
                // What is damaged is measured at its next visit.
                Some((summary, Some(source))) => {
                    let read = held::read_or_summary(summary, &source, folder, limit)?;
                    Ok(Some(read).filter(|(_, flaw)| flaw.is_none()).map(|(snapshot, _)| snapshot))
                }
                Some((summary, None)) => Ok(Some(summary.into_snapshot())),
            })
            .collect()
    }

    fn error(&self, source: rusqlite::Error) -> StoreError {
        StoreError::sql("read", &self.folder.database(), source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(digest: &[u8], bytes: &[u8]) -> Option<Vec<u8>> {
        let connection = Connection::open_in_memory().unwrap();
        let read = |row: &Row<'_>| Ok(state(row, 0).map(<[u8]>::to_vec));
        connection.query_row("SELECT ?1, ?2", (digest, bytes), read).unwrap()
    }

    #[test]
    fn only_what_was_written_reads_back() {
        let bytes = [1, 2, 3, 250];
        let digest = digest(&bytes);
        assert_eq!(read(&digest, &bytes).as_deref(), Some(&bytes[..]));
        for at in 0..bytes.len() {
            let mut flipped = bytes;
            flipped[at] ^= 4;
            assert_eq!(read(&digest, &flipped), None, "byte {at}");
        }
        assert_eq!(read(&digest, &bytes[..3]), None);
        assert_eq!(read(&digest[..15], &bytes), None);
    }
}
