//! The WARC files as the database knows them.
use rusqlite::{Connection, Transaction};

use crate::folder::Folder;
use warc::{CommittedFile, Position};

/// One WARC file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileRow {
    pub(crate) no: i64,
    pub(crate) name: String,
    pub(crate) bytes: u64,
    /// No visit before this one has a record in the file.
    pub(crate) first_observation: i64,
    /// Nor has any request for a robots.txt before this one.
    pub(crate) first_robots: i64,
    /// How many bytes the file had when its index was written.
    pub(crate) indexed: u64,
}

/// All of them, in the order they were begun.
#[derive(Debug)]
pub(crate) struct Files {
    rows: Vec<FileRow>,
}

impl Files {
    pub(crate) fn load(connection: &Connection) -> rusqlite::Result<Self> {
        let mut select = connection.prepare(
            "SELECT no, name, bytes, first_observation, first_robots, indexed FROM warc_file \
             ORDER BY no",
        )?;
        let rows = select.query_map((), |row| {
            Ok(FileRow {
                no: row.get(0)?,
                name: row.get(1)?,
                bytes: row.get(2)?,
                first_observation: row.get(3)?,
                first_robots: row.get(4)?,
                indexed: row.get(5)?,
            })
        })?;
        Ok(Self { rows: rows.collect::<Result<_, _>>()? })
    }

    pub(crate) fn rows(&self) -> &[FileRow] {
        &self.rows
    }

    pub(super) fn count(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn known(&self) -> Vec<CommittedFile> {
        let known = |row: &FileRow| CommittedFile { name: row.name.clone(), length: row.bytes };
        self.rows.iter().map(known).collect()
    }

    /// Takes in that a record was put at `position`, by the visit or the request for a robots.txt
    /// that these numbers come to. Returns the number of the file.
    pub(super) fn put(&mut self, position: &Position, observation: i64, robots: i64) -> i64 {
        let end = position.offset + position.length;
        match self.rows.last_mut() {
            Some(last) if last.name == *position.file => {
                last.bytes = end;
                last.no
            }
            _ => {
                let no = self.rows.len() as i64 + 1;
                self.rows.push(FileRow {
                    no,
                    name: position.file.to_string(),
                    bytes: end,
                    first_observation: observation,
                    first_robots: robots,
                    indexed: 0,
                });
                no
            }
        }
    }

    /// Saves the files from place `first` on.
    pub(super) fn save(&self, transaction: &Transaction<'_>, first: usize) -> rusqlite::Result<()> {
        let mut save = transaction.prepare_cached(
            "INSERT INTO warc_file (no, name, bytes, first_observation, first_robots, indexed) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
             ON CONFLICT (no) DO UPDATE SET bytes = ?3, indexed = ?6",
        )?;
        for row in &self.rows[first..] {
            save.execute((
                row.no,
                &row.name,
                row.bytes,
                row.first_observation,
                row.first_robots,
                row.indexed,
            ))?;
        }
        Ok(())
    }

    /// Has the indexes that are not there written again.
    pub(super) fn forget_missing_indexes(&mut self, folder: &Folder) {
        for row in &mut self.rows {
            if !folder.cdxj(&row.name).is_file() {
                row.indexed = 0;
            }
        }
    }

    pub(super) fn set_indexed(&mut self, place: usize) {
        self.rows[place].indexed = self.rows[place].bytes;
    }
}
