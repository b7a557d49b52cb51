//! Rows of `warc_file`.
use rusqlite::{Connection, Transaction};
use tracing::debug;

use crate::StoreError;
use crate::folder::Folder;
use warc::{CommittedFile, Position};

/// A WARC file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileRow {
    pub(crate) no: i64,
    pub(crate) name: String,
    pub(crate) bytes: u64,
    /// The file has no records of earlier observations.
    pub(crate) first_observation: i64,
    /// The file has no earlier robots.txt records.
    pub(crate) first_robots: i64,
    /// Length of the file when its CDXJ index was written.
    pub(crate) indexed: u64,
}

/// All WARC files, oldest first.
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

    pub(super) fn committed(&self) -> Vec<CommittedFile> {
        let known = |row: &FileRow| CommittedFile { name: row.name.clone(), length: row.bytes };
        self.rows.iter().map(known).collect()
    }

    /// Records that the file at `position` grew. `observation` and `robots` are the next numbers,
    /// for a new file. Returns the file number.
    pub(super) fn put(&mut self, position: &Position, observation: i64, robots: i64) -> i64 {
        let end = position.offset + position.length;
        match self.rows.last_mut() {
            Some(last) if last.name == *position.file => {
                last.bytes = end;
                last.no
            }
            _ => {
                let no = self.rows.len() as i64 + 1;
                let closed_bytes = self.rows.last().map(|last| last.bytes);
                debug!(file = &*position.file, closed_bytes, "WARC file started");
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

    /// Saves the files from index `first` on.
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

    /// Marks missing CDXJ indexes as stale.
    pub(super) fn reset_missing_cdxj(&mut self, folder: &Folder) {
        for row in &mut self.rows {
            if !folder.cdxj(&row.name).is_file() {
                row.indexed = 0;
            }
        }
    }

    /// Checks that no file has lost acknowledged bytes.
    pub(super) fn check_lengths(&self, folder: &Folder) -> Result<(), StoreError> {
        for row in &self.rows {
            let path = folder.warc(&row.name);
            let found = match std::fs::metadata(&path) {
                Ok(about) => about.len(),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    let flaw = "it is missing, but the log refers to it";
                    return Err(StoreError::damaged(&path, flaw));
                }
                Err(error) => return Err(StoreError::file("find", &path, error)),
            };
            if found < row.bytes {
                let flaw = format!("it has {found} bytes, but {} were acknowledged", row.bytes);
                return Err(StoreError::damaged(&path, flaw));
            }
        }
        Ok(())
    }

    /// Marks the CDXJ indexes of some files as stale.
    pub(super) fn reset_cdxj(&mut self, names: &[String]) {
        for row in self.rows.iter_mut().filter(|row| names.contains(&row.name)) {
            row.indexed = 0;
        }
    }

    pub(super) fn set_indexed(&mut self, place: usize) {
        self.rows[place].indexed = self.rows[place].bytes;
    }
}
