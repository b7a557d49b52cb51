//! The database: its tables, its version, and how older ones are brought up to date.
//!
//! Every table and column is described in `docs/store.md`; a change here is a change there.
use std::path::Path;

use rusqlite::{Connection, OpenFlags, Transaction};

use crate::StoreError;

/// "Sand": what the head of the file says it is.
pub(crate) const APPLICATION_ID: i32 = 0x5361_6e64;

/// Brings a database from one version to the next.
type Upgrade = fn(&Transaction<'_>) -> rusqlite::Result<()>;

/// The upgrade at place `n` leads from version `n` to `n + 1`; version 0 is an empty file.
const UPGRADES: &[Upgrade] = &[begin, add_features, add_impact, add_windows, add_instruments];

/// The first version whose observations have a column for their impact.
pub(crate) const HAS_IMPACT: u32 = 3;

/// The version that we write.
pub(crate) const VERSION: u32 = UPGRADES.len() as u32;

/// Pages of the log before they are moved into the database: 16 MiB, so that a busy crawl does not
/// stop for it in every batch.
const CHECKPOINT_PAGES: u32 = 4_096;

/// What the writer keeps of the database in memory. Rows are mostly added at the end, so more does not
/// help.
const CACHE_KIB: i32 = 8_192;

fn begin(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(include_str!("schema.sql"))
}

fn add_features(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(include_str!("schema_2.sql"))
}

fn add_impact(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(include_str!("schema_3.sql"))
}

fn add_windows(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(include_str!("schema_4.sql"))
}

fn add_instruments(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(include_str!("schema_5.sql"))
}

/// Opens the database for writing, made or brought up to date where it has to be.
pub(crate) fn open(path: &Path) -> Result<Connection, StoreError> {
    let error = |e| StoreError::sql("open", path, e);
    let mut connection = Connection::open(path).map_err(error)?;
    check(&connection, path, VERSION)?;
    let setting = |connection: &Connection| {
        connection.busy_timeout(std::time::Duration::from_secs(10))?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
        connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
        connection.set_prepared_statement_cache_capacity(64);
        Ok(())
    };
    setting(&connection).map_err(error)?;
    upgrade(&mut connection, UPGRADES).map_err(|e| StoreError::sql("upgrade", path, e))?;
    Ok(connection)
}

/// Opens the database to look at it, beside whoever writes.
pub(crate) fn open_to_read(path: &Path) -> Result<Connection, StoreError> {
    let error = |e| StoreError::sql("open", path, e);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(error)?;
    connection.busy_timeout(std::time::Duration::from_secs(10)).map_err(error)?;
    connection.set_prepared_statement_cache_capacity(64);
    match check(&connection, path, VERSION)? {
        0 => Err(StoreError::damaged(path, "it is empty: it was never begun")),
        _ => Ok(connection),
    }
}

/// Whether nothing was ever written to the database, as where its maker was stopped at once.
///
/// # Errors
/// When it is another's, too new, or damaged.
pub(crate) fn is_unwritten(path: &Path) -> Result<bool, StoreError> {
    if !path.exists() {
        return Ok(true);
    }
    let connection = Connection::open(path).map_err(|e| StoreError::sql("open", path, e))?;
    Ok(check(&connection, path, VERSION)? == 0)
}

/// The version of a database that is ours and not too new; 0 where it is empty.
fn check(connection: &Connection, path: &Path, known: u32) -> Result<u32, StoreError> {
    let number = |pragma: &str| {
        connection.query_row(&format!("PRAGMA {pragma}"), (), |row| row.get::<_, i32>(0))
    };
    let error = |e| StoreError::sql("read", path, e);
    let (id, found) =
        (number("application_id").map_err(error)?, number("user_version").map_err(error)?);
    let tables: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_schema", (), |row| row.get(0))
        .map_err(error)?;
    if id != APPLICATION_ID && (id != 0 || found != 0 || tables != 0) {
        let folder = path.parent().unwrap_or(path).to_owned();
        let what = "a sanderling.db that Sanderling did not write".to_owned();
        return Err(StoreError::Foreign { folder, what });
    }
    let found = found.unsigned_abs();
    if found > known {
        return Err(StoreError::Newer { path: path.to_owned(), found, known });
    }
    Ok(found)
}

/// The version of a database that is open: a [`View`](crate::View) may be of an earlier one.
pub(crate) fn version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.query_row("PRAGMA user_version", (), |row| row.get(0))
}

/// What to select from in a database that may be of an earlier version: a [`View`](crate::View)
/// upgrades nothing.
pub(crate) struct Tables {
    pub(crate) host_state: &'static str,
    pub(crate) instrument: &'static str,
    pub(crate) instrument_page: &'static str,
}

/// The tables of a database that is open.
pub(crate) fn tables(connection: &Connection) -> rusqlite::Result<Tables> {
    const HOST_STATE: &str = "(SELECT host, last_answer, response_millis, \
         resting_until AS back_off_until, strikes, last_strike FROM manners)";
    Ok(match version(connection)? {
        5.. => Tables {
            host_state: "host_state",
            instrument: "instrument",
            instrument_page: "instrument_page",
        },
        4 => Tables {
            host_state: HOST_STATE,
            instrument: "(SELECT 'features' AS name, digest, models AS state FROM word_models)",
            instrument_page: "(SELECT 'features' AS instrument, page, observation, digest, \
                 facts AS state FROM facts)",
        },
        // What was stored of features before cannot be read any more.
        _ => Tables {
            host_state: HOST_STATE,
            instrument: "(SELECT NULL AS name, NULL AS digest, NULL AS state WHERE 0)",
            instrument_page: "(SELECT NULL AS instrument, NULL AS page, NULL AS observation, \
                 NULL AS digest, NULL AS state WHERE 0)",
        },
    })
}

/// Runs the upgrades that are missing, each wholly or not at all.
fn upgrade(connection: &mut Connection, upgrades: &[Upgrade]) -> rusqlite::Result<()> {
    let found = version(connection)?;
    for (version, upgrade) in (1_u32..).zip(upgrades).skip(found as usize) {
        let transaction = connection.transaction()?;
        upgrade(&transaction)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", version)?;
        transaction.commit()?;
    }
    if found > 0 && (found as usize) < upgrades.len() {
        tracing::info!(from = found, to = upgrades.len(), "data folder upgraded");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(connection: &Connection) -> u32 {
        super::version(connection).unwrap()
    }

    #[test]
    fn an_older_database_goes_through_every_upgrade_it_lacks_and_no_other() {
        let upgrades: &[Upgrade] = &[
            begin,
            |t| t.execute_batch("CREATE TABLE second(no INTEGER)"),
            |t| t.execute_batch("INSERT INTO second VALUES (3)"),
        ];
        let mut connection = Connection::open_in_memory().unwrap();
        upgrade(&mut connection, &upgrades[..1]).unwrap();
        assert_eq!(version(&connection), 1);
        upgrade(&mut connection, upgrades).unwrap();
        upgrade(&mut connection, upgrades).unwrap();
        assert_eq!(version(&connection), 3);
        let rows = connection.query_row("SELECT count(*) FROM second", (), |row| row.get(0));
        assert_eq!(rows, Ok(1));
    }

    #[test]
    fn an_upgrade_that_fails_changes_nothing() {
        let upgrades: &[Upgrade] = &[begin, |t| {
            t.execute_batch("CREATE TABLE second(no INTEGER); INSERT INTO nowhere VALUES (1)")
        }];
        let mut connection = Connection::open_in_memory().unwrap();
        assert!(upgrade(&mut connection, upgrades).is_err());
        assert_eq!(version(&connection), 1);
        assert!(connection.prepare("SELECT * FROM second").is_err());
    }

    #[test]
    fn a_newer_database_is_refused_by_its_number() {
        let connection = Connection::open_in_memory().unwrap();
        connection.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
        connection.pragma_update(None, "user_version", VERSION + 4).unwrap();
        let error = check(&connection, Path::new("x/sanderling.db"), VERSION).unwrap_err();
        assert!(matches!(error, StoreError::Newer { found, .. } if found == VERSION + 4));
        let text = error.to_string();
        assert!(text.contains(&format!("schema {}", VERSION + 4)), "{text}");
        assert!(text.contains("Nothing was changed"), "{text}");
    }
}
