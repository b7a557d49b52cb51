//! What features of pages are made from, out of the database again; where it is not there, out of
//! the archive.
//!
//! All of it can be made anew from what is held, so a row that does not read is no flaw of the data
//! folder: it counts as missing. Whoever changes [`Facts`] or [`Models`] adds an upgrade that empties
//! their tables.
use flow::features::{Facts, Features, Models};
use flow::{Digest, PageNo, Snapshot};
use rayon::prelude::*;
use rusqlite::{Connection, OptionalExtension, Row};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::folder::Folder;
use crate::read_back::Source;
use crate::summary::Summary;
use crate::{StoreError, column, held, schema};

/// So many pages are read at once, by all cores; they are in memory together.
const READ_PAGES: usize = 256;

/// A value as its columns have it: a digest, by which flipped bits are found out, and the bytes.
pub(crate) fn encode<T: Serialize>(value: &T) -> ([u8; 16], Vec<u8>) {
    let bytes = postcard::to_stdvec(value).expect("numbers and lists can always be written");
    (Digest::of(&bytes).0.to_be_bytes(), bytes)
}

/// The value in the columns `first` and the one after; `None` where it is not what was written.
pub(crate) fn decode<T: DeserializeOwned>(row: &Row<'_>, first: usize) -> Option<T> {
    let blob = |place: usize| row.get_ref(place).ok()?.as_blob().ok();
    let (digest, bytes) = (column::digest(blob(first)?)?, blob(first + 1)?);
    if Digest::of(bytes) != digest {
        return None;
    }
    match postcard::take_from_bytes(bytes) {
        Ok((value, [])) => Some(value),
        _ => None,
    }
}

/// Where features are loaded from.
pub(crate) struct Shelf<'a> {
    pub(crate) connection: &'a Connection,
    pub(crate) folder: &'a Folder,
    /// How many bytes a decoded body may have.
    pub(crate) body_limit: usize,
}

/// A held page whose facts have to be made from what is held.
struct Missing {
    page: PageNo,
    /// The visit that brought what is held.
    observation: i64,
}

impl Shelf<'_> {
    /// Loads everything into `into`. Hands over to `keep` what had to be read back from the archive.
    /// Whether that was done to the end: `goes_on` is told before each part how many pages are done,
    /// of how many, and may say no.
    pub(crate) fn load(
        &self,
        into: &mut Features,
        goes_on: &mut dyn FnMut(usize, usize) -> bool,
        keep: &mut dyn FnMut(PageNo, i64, &Facts) -> Result<(), StoreError>,
    ) -> Result<bool, StoreError> {
        let missing = self.kept(into).map_err(|e| self.error(e))?;
        let of = missing.len();
        for (number, part) in missing.chunks(READ_PAGES).enumerate() {
            if !goes_on(number * READ_PAGES, of) {
                return Ok(false);
            }
            for (row, snapshot) in part.iter().zip(self.read(part)?) {
                // A page may be gone by now, where another process writes.
                let Some(snapshot) = snapshot else { continue };
                into.restore_from(row.page, &snapshot);
                if let Some(facts) = into.facts(row.page) {
                    keep(row.page, row.observation, facts)?;
                }
            }
        }
        Ok(of == 0 || goes_on(of, of))
    }

    /// Takes in what was kept; returns what was not, or before what is held now.
    fn kept(&self, into: &mut Features) -> rusqlite::Result<Vec<Missing>> {
        let transaction = self.connection.unchecked_transaction()?;
        let has_tables = schema::version(&transaction)? >= schema::HAS_FEATURES;
        let columns = if has_tables {
            let models = "SELECT digest, models FROM word_models";
            let models = transaction.query_row(models, (), |row| Ok(decode::<Models>(row, 0)));
            if let Some(models) = models.optional()?.flatten() {
                into.restore_models(models);
            }
            "facts.observation >= snapshot.observation, facts.digest, facts.facts FROM snapshot \
             LEFT JOIN facts ON facts.page = snapshot.page"
        } else {
            "NULL, NULL, NULL FROM snapshot"
        };
        let select =
            format!("SELECT snapshot.page, snapshot.observation, {columns} ORDER BY snapshot.page");
        let mut select = transaction.prepare(&select)?;
        let mut rows = select.query(())?;
        let mut missing = vec![];
        while let Some(row) = rows.next()? {
            let page = PageNo(row.get(0)?);
            let is_of_what_is_held = row.get::<_, Option<bool>>(2)?.unwrap_or(false);
            let facts = if is_of_what_is_held { decode::<Facts>(row, 3) } else { None };
            match facts {
                Some(facts) => into.restore(page, facts),
                None => missing.push(Missing { page, observation: row.get(1)? }),
            }
        }
        Ok(missing)
    }

    /// What is held of some pages, with its text.
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
                Some((_, Some(source))) => source.read(folder, limit).map(Some),
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
    use std::sync::Arc;

    use flow::features::{Drift, Window, WordCounts};
    use flow::words::Language;
    use flow::{Counts, Form};

    use super::*;

    fn facts() -> Facts {
        Facts {
            form: Form::Text,
            counts: Counts { words: 300, images: 2, tables: 0, emails: 1, text_bytes: 1_500 },
            out_links: 7,
            page_rank: 1.5,
            in_links: 4,
            language: Language::German,
            words: Arc::new(WordCounts::of(vec![5, 5, 1_000])),
            drift: Some(Drift {
                cosine: 0.5,
                images: -1,
                tables: 0,
                text_bytes: 10,
                words: 2,
                page_rank: -0.25,
                in_links: 0,
                out_links: 1,
                emails: 0,
            }),
            window: Window::default(),
        }
    }

    /// What [`decode`] makes of two columns.
    fn read(digest: &[u8], bytes: &[u8]) -> Option<Facts> {
        let connection = Connection::open_in_memory().unwrap();
        let read = connection.query_row("SELECT ?1, ?2", (digest, bytes), |row| Ok(decode(row, 0)));
        read.unwrap()
    }

    /// If this fails, rows that are on disks read no longer: see the head of this file.
    #[test]
    fn facts_are_written_as_they_always_were() {
        let (_, bytes) = encode(&facts());
        #[rustfmt::skip]
        let expected: &[u8] = &[
            1, // text
            0xac, 0x02, 2, 0, 1, 0xdc, 0x0b, // 300 words, images, tables, e-mails, 1,500 bytes
            7, 0, 0, 0xc0, 0x3f, 4, // links, 1.5, links to it
            2, // German
            2, 5, 2, 0xe8, 0x07, 1, // two words: 5 twice, 1,000 once
            1, 0, 0, 0, 0x3f, 1, 0, 20, 4, // 0.5, then zigzag: -1, 0, 10, 2
            0, 0, 0x80, 0xbe, 0, 2, 0, // -0.25, 0, 1, 0
            0, // no visits looked back on
        ];
        assert_eq!(bytes, expected);
    }

    #[test]
    fn only_what_was_written_reads_back() {
        let (digest, bytes) = encode(&facts());
        assert_eq!(read(&digest, &bytes), Some(facts()));
        for at in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[at] ^= 4;
            assert_eq!(read(&digest, &flipped), None, "byte {at}");
        }
        let with = |bytes: &[u8]| read(&Digest::of(bytes).0.to_be_bytes(), bytes);
        assert_eq!(with(&bytes[..bytes.len() - 1]), None);
        assert_eq!(with(&[&bytes[..], &[0]].concat()), None);
        assert_eq!(read(&digest[..15], &bytes), None);
    }
}
