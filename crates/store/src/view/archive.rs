//! The files of the archive and every record in them, to export the archive.
use std::path::PathBuf;

use warc::cdxj::CdxjEntry;

use super::View;
use crate::StoreError;
use crate::writer::cdxj;
use crate::writer::files::Files;

/// A WARC file of the archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its acknowledged bytes. It may be longer while a crawl runs.
    pub bytes: u64,
}

impl View {
    /// The files of the archive, oldest first. Calls `each` with every capture in them, unsorted, until it
    /// returns false.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn archive(
        &self,
        each: &mut dyn FnMut(CdxjEntry) -> bool,
    ) -> Result<Vec<ArchiveFile>, StoreError> {
        let mut read = || {
            let connection = self.connection().unchecked_transaction()?;
            let files = Files::load(&connection)?;
            let mut goes_on = true;
            for place in 0..files.rows().len() {
                cdxj::each_entry(&connection, files.rows(), place, &mut |entry| {
                    goes_on = goes_on && each(entry);
                    goes_on
                })?;
            }
            let file = |row: &crate::writer::files::FileRow| ArchiveFile {
                path: self.folder().warc(&row.name),
                bytes: row.bytes,
            };
            Ok(files.rows().iter().map(file).collect())
        };
        read().map_err(|e: rusqlite::Error| self.error(e))
    }
}
