//! Repairs a data folder: what cannot be read is noted as lost, and the rest goes on without it.
use std::path::Path;

use rusqlite::Connection;

use crate::folder::Folder;
use crate::lock::Lock;
use crate::options::Options;
use crate::verify::{Damage, Verified, examine};
use crate::{Store, StoreError, schema};

/// What was repaired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repaired {
    /// What was checked, before the repair.
    pub verified: Verified,
    /// What was damaged. Records are noted as lost now; CDXJ indexes are written again.
    pub damage: Vec<Damage>,
}

impl Repaired {
    /// Addresses of the held pages that have no content now. Their next visit fetches it again.
    pub fn lost_pages(&self) -> impl Iterator<Item = &str> {
        let held = self.damage.iter().filter(|damage| damage.page.is_some());
        held.filter_map(|damage| damage.address.as_deref())
    }
}

/// Checks the data folder `folder` and goes on without what is damaged: lost records are noted, the pages
/// held in them are fetched unconditionally at their next visit, and damaged CDXJ indexes are written again.
/// No byte of the archive is changed.
///
/// # Errors
/// If the database or a whole WARC file is damaged; I/O errors.
pub fn repair(folder: &Path, options: Options) -> Result<Repaired, StoreError> {
    Store::open(folder, options.clone())?.finish()?;
    let (verified, damage) = examine(folder)?;
    if !damage.is_empty() {
        let folder = Folder::new(folder);
        let path = folder.database();
        let _lock = Lock::take(folder.root(), &folder.lock())?;
        let mut connection = schema::open(&path, |_| Ok(()))?;
        note(&mut connection, &damage).map_err(|e| StoreError::sql("write", &path, e))?;
        schema::close(&connection).map_err(|e| StoreError::sql("write", &path, e))?;
    }
    // Writes the CDXJ indexes again.
    Store::open(folder, options)?.finish()?;
    Ok(Repaired { verified, damage })
}

fn note(connection: &mut Connection, damage: &[Damage]) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    for Damage { file, offset, page, flaw, .. } in damage {
        if let Some(offset) = offset {
            let insert =
                "INSERT OR REPLACE INTO lost_record (file, offset, flaw) VALUES (?1, ?2, ?3)";
            transaction.execute(insert, (file, *offset, flaw))?;
        }
        if let Some(page) = page {
            // Without validators the server sends the whole page again.
            let forget = "UPDATE snapshot SET etag = NULL, last_modified = NULL WHERE page = ?1";
            transaction.execute(forget, (page.0,))?;
        }
        transaction.execute("UPDATE warc_file SET indexed = 0 WHERE no = ?1", (file,))?;
    }
    transaction.commit()
}
