//! What changed after a log position, for programs that keep a copy of the held pages.
use std::collections::BTreeMap;

use crawl::{Outcome, PageNo, Snapshot, Time};
use extract::read::coding;
use rusqlite::OptionalExtension;

use super::View;
use crate::StoreError;
use crate::held::{self, SOURCE_COLUMNS, from_held};

/// A page whose held snapshot may differ from the one at a log position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CorpusChange {
    /// Number of the observation. A reader that has all changes up to a number misses none.
    pub no: u64,
    /// Page number.
    pub page: PageNo,
    /// Time of that observation.
    pub at: Time,
    /// Whether it was found new, changed or gone. Otherwise only what surrounds the text, or what the
    /// page asks of crawlers, is different.
    pub is_change: bool,
}

/// The decoded body of a held page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldBody {
    /// `Content-Type` header.
    pub content_type: String,
    /// The body without content coding.
    pub bytes: Vec<u8>,
}

impl View {
    /// The pages that changed after the observation `since`, up to the observation `end`; each once, in
    /// order of their latest change.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn corpus_changes(&self, since: u64, end: u64) -> Result<Vec<CorpusChange>, StoreError> {
        let read = || {
            let connection = self.connection().unchecked_transaction()?;
            let mut changes: BTreeMap<u32, CorpusChange> = BTreeMap::new();
            // With `max`, SQLite takes the other columns from the row that has it.
            let observed = "SELECT page, max(no), at FROM observation WHERE no > ?1 AND no <= ?2 \
                 AND outcome IN ('first', 'changed', 'gone') GROUP BY page";
            let replaced = "SELECT snapshot.page, observation.no, observation.at FROM snapshot \
                 JOIN observation ON observation.no = snapshot.observation \
                 WHERE snapshot.observation > ?1 AND snapshot.observation <= ?2";
            for (select, is_change) in [(observed, true), (replaced, false)] {
                let mut select = connection.prepare_cached(select)?;
                let mut rows = select.query((since as i64, end.min(i64::MAX as u64) as i64))?;
                while let Some(row) = rows.next()? {
                    let page = PageNo(row.get(0)?);
                    let at = Time::from_millis(row.get(2)?);
                    let change = CorpusChange { no: row.get(1)?, page, at, is_change };
                    changes.entry(page.0).or_insert(change);
                }
            }
            let mut changes: Vec<CorpusChange> = changes.into_values().collect();
            changes.sort_unstable_by_key(|change| (change.no, change.page));
            Ok(changes)
        };
        read().map_err(|e: rusqlite::Error| self.error(e))
    }

    /// The snapshot of a page that was held after the observation `no`, read back from the archive; `None`
    /// if none was held then.
    ///
    /// # Errors
    /// If the data folder cannot be read or is damaged.
    pub fn held_at(&self, page: PageNo, no: u64) -> Result<Option<Snapshot>, StoreError> {
        for visit in self.visits(page, usize::MAX)?.into_iter().filter(|visit| visit.no <= no) {
            if visit.outcome == Outcome::Gone {
                return Ok(None);
            }
            if matches!(visit.outcome, Outcome::First | Outcome::Changed(_) | Outcome::Same)
                && let Some((_, snapshot)) = self.version(visit.no)?
            {
                return Ok(Some(snapshot));
            }
        }
        Ok(None)
    }

    /// When a visit last found a page new or changed.
    ///
    /// # Errors
    /// If the database cannot be read or is damaged.
    pub fn last_change(&self, page: PageNo) -> Result<Option<Time>, StoreError> {
        let visits = self.visits(page, usize::MAX)?;
        let is_change = |outcome: Outcome| matches!(outcome, Outcome::First | Outcome::Changed(_));
        Ok(visits.iter().find(|visit| is_change(visit.outcome)).map(|visit| visit.at))
    }

    /// The decoded body of a held page; `None` if it is not held or was not fetched over HTTP.
    ///
    /// # Errors
    /// If the data folder cannot be read or is damaged.
    pub fn held_body(&self, page: PageNo) -> Result<Option<HeldBody>, StoreError> {
        let found = || {
            let from = from_held(self.connection())?;
            let select = format!("SELECT {SOURCE_COLUMNS} {from} WHERE page.no = ?1");
            let mut select = self.connection().prepare_cached(&select)?;
            select.query_row((page.0,), |row| held::source(row, 0)).optional()
        };
        let Some(source) = found().map_err(|e: rusqlite::Error| self.error(e))?.flatten() else {
            return Ok(None);
        };
        let limit = self.body_limit()?;
        let record = source.record(self.folder(), limit)?;
        let Some(response) = record.http_response() else { return Ok(None) };
        let encoding = response.header("Content-Encoding").unwrap_or_default();
        let bytes = coding::decode(encoding, response.body, limit).map_err(|error| {
            let path = self.folder().warc(&source.file);
            StoreError::damaged_record(&path, source.place.offset, error.to_string())
        })?;
        Ok(Some(HeldBody { content_type: source.content_type, bytes: bytes.into_owned() }))
    }
}
