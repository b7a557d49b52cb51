//! Database schema, its version and upgrades.
//!
//! `docs/store.md` describes every table and column; keep it up to date.
use std::{fmt::Write as _, path::Path};

use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction};

use crate::{StoreError, private};

/// "Sand", SQLite's `application_id`.
pub(crate) const APPLICATION_ID: i32 = 0x5361_6e64;

/// Upgrades a database by one version.
type Upgrade = fn(&Transaction<'_>) -> rusqlite::Result<()>;

/// `UPGRADES[n]` leads from version `n` to `n + 1`; version 0 is an empty file.
const UPGRADES: &[Upgrade] = &[
    create,
    add_features,
    add_impact,
    add_windows,
    add_instruments,
    rename_columns,
    add_units,
    add_lost_records,
    add_expectations,
    add_left_out,
];

/// First version with the column `observation.impact`.
pub(crate) const HAS_IMPACT: u32 = 3;

/// First version with the columns `observation.expected_odds` and `observation.expected_correction`.
pub(crate) const HAS_EXPECTATIONS: u32 = 9;

/// First version with the column `snapshot.left_out`.
pub(crate) const HAS_LEFT_OUT: u32 = 10;

/// Current schema version.
pub(crate) const VERSION: u32 = UPGRADES.len() as u32;

/// Size of the write-ahead log before a checkpoint: 16 MiB, so that not every batch waits for one.
const CHECKPOINT_PAGES: u32 = 4_096;

/// Page cache of the writer. Most rows are appended, so a larger one does not help.
const CACHE_KIB: i32 = 8_192;

fn create(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
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

fn rename_columns(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(include_str!("schema_6.sql"))
}

fn add_units(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(include_str!("schema_7.sql"))
}

fn add_lost_records(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(include_str!("schema_8.sql"))
}

fn add_expectations(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(include_str!("schema_9.sql"))
}

fn add_left_out(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(include_str!("schema_10.sql"))
}

/// Opens the database for writing, and creates or upgrades it if needed. One that fails SQLite's own check
/// is refused: what would be written into it could be lost with it. `check_rest` sees the database of a folder
/// that has one before anything is changed.
pub(crate) fn open(
    path: &Path,
    check_rest: impl FnOnce(&Connection) -> Result<(), StoreError>,
) -> Result<Connection, StoreError> {
    let error = |e| StoreError::sql("open", path, e);
    private::create_file(path).map_err(|e| StoreError::file("create", path, e))?;
    let mut connection = Connection::open(path).map_err(error)?;
    let found = check(&connection, path, VERSION)?;
    check_integrity(&connection, path, "quick_check")?;
    if found > 0 {
        check_rest(&connection)?;
    }
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

/// Opens the database read-only, also while another process writes.
pub(crate) fn open_to_read(path: &Path) -> Result<Connection, StoreError> {
    let error = |e| StoreError::sql("open", path, e);
    let connection = open_read_only(path).map_err(error)?;
    connection.busy_timeout(std::time::Duration::from_secs(10)).map_err(error)?;
    connection.set_prepared_statement_cache_capacity(64);
    match check(&connection, path, VERSION)? {
        0 => Err(StoreError::damaged(path, "it is empty")),
        _ => Ok(connection),
    }
}

/// Opens a database read-only, in a folder that may be read-only, too. SQLite makes files beside a database
/// with a write-ahead log, even to read it. Where it may not and no log is left over, nobody can write the
/// database either, so that it is read as a file that does not change.
pub(crate) fn open_read_only(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let open = || {
        let connection = Connection::open_with_flags(path, flags)?;
        connection.query_row("SELECT count(*) FROM sqlite_schema", (), |_| Ok(()))?;
        Ok(connection)
    };
    let opened: rusqlite::Result<Connection> = open();
    let Err(error) = &opened else { return opened };
    let is_closed = matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied)
    );
    let log = path.with_extension("db-wal");
    let has_log = std::fs::metadata(log).is_ok_and(|log| log.len() > 0);
    if !is_closed || has_log || !path.exists() {
        return opened;
    }
    let mut address = String::from("file:");
    for &byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                address.push(byte.into());
            }
            other => {
                let _ = write!(address, "%{other:02X}");
            }
        }
    }
    address.push_str("?immutable=1");
    Connection::open_with_flags(address, flags | OpenFlags::SQLITE_OPEN_URI)
}

/// Whether the database is missing or empty, as after a crash during creation.
///
/// # Errors
/// If it belongs to another program, is too new, or is damaged.
pub(crate) fn is_unwritten(path: &Path) -> Result<bool, StoreError> {
    if !path.exists() {
        return Ok(true);
    }
    let connection = Connection::open(path).map_err(|e| StoreError::sql("open", path, e))?;
    Ok(check(&connection, path, VERSION)? == 0)
}

/// Checks that the database is ours and not too new. Returns its version, 0 if it is empty.
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

/// Runs one of SQLite's own checks.
pub(crate) fn check_integrity(
    connection: &Connection,
    path: &Path,
    check: &str,
) -> Result<(), StoreError> {
    let found = connection.query_row(&format!("PRAGMA {check}(1)"), (), |row| row.get(0));
    let found: String = found.map_err(|e| StoreError::sql("check", path, e))?;
    match found.as_str() {
        "ok" => Ok(()),
        flaw => Err(StoreError::damaged(
            path,
            format!(
                "SQLite's own check finds: {}. It can still be read, and is not written. Restore it from a \
                 copy; the archive beside it is not affected",
                flaw.trim_start_matches("*** in database main ***").trim()
            ),
        )),
    }
}

/// Leaves one file: writes the log back into the database and returns to a rollback journal. While others
/// read, the log is only written back and emptied.
pub(crate) fn close(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(std::time::Duration::from_millis(200))?;
    let pragma = |text: &str| connection.query_row(text, (), |_| Ok(()));
    pragma("PRAGMA wal_checkpoint(TRUNCATE)")?;
    match pragma("PRAGMA journal_mode = DELETE") {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => Ok(()),
        other => other,
    }
}

/// Writes the database `from` as of now into the new file `to`.
pub(crate) fn copy(connection: &Connection, from: &Path, to: &Path) -> Result<(), StoreError> {
    let error = |e| StoreError::file("create", to, e);
    // SQLite takes names in UTF-8 only.
    let name = to.to_str().ok_or_else(|| error(std::io::ErrorKind::InvalidFilename.into()))?;
    private::create_file(to).map_err(error)?;
    let copied = connection.execute("VACUUM INTO ?1", (name,));
    copied.map_err(|e| StoreError::sql("copy", from, e))?;
    std::fs::File::open(to).and_then(|file| file.sync_all()).map_err(error)
}

/// Version of an open database. A [`View`](crate::View) may have an older one.
pub(crate) fn version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.query_row("PRAGMA user_version", (), |row| row.get(0))
}

/// Names of tables and columns that differ between versions. A [`View`](crate::View) reads older
/// databases without upgrading them.
pub(crate) struct Names {
    pub(crate) host_state: &'static str,
    pub(crate) instrument: &'static str,
    pub(crate) instrument_page: &'static str,
    /// Column of `page`.
    pub(crate) claimed_change: &'static str,
    /// Column of `robots`.
    pub(crate) robots_requested_at: &'static str,
    /// Records that are lost.
    pub(crate) lost_record: &'static str,
    /// Columns of `cycle`: the unit of the budget, and the bytes received.
    pub(crate) cycle_costs: &'static str,
}

/// The names in an open database.
pub(crate) fn names(connection: &Connection) -> rusqlite::Result<Names> {
    const LATEST: Names = Names {
        host_state: "host_state",
        instrument: "instrument",
        instrument_page: "instrument_page",
        claimed_change: "claimed_change",
        robots_requested_at: "requested_at",
        lost_record: "lost_record",
        cycle_costs: "unit, received",
    };
    const VERSION_7: Names =
        Names { lost_record: "(SELECT NULL AS file, NULL AS offset WHERE 0)", ..LATEST };
    const VERSION_6: Names = Names { cycle_costs: "'visits', NULL", ..VERSION_7 };
    const VERSION_5: Names =
        Names { claimed_change: "said_changed", robots_requested_at: "asked", ..VERSION_6 };
    const VERSION_4: Names = Names {
        host_state: "(SELECT host, last_answer, response_millis, \
             resting_until AS back_off_until, strikes, last_strike FROM manners)",
        instrument: "(SELECT 'features' AS name, digest, models AS state FROM word_models)",
        instrument_page: "(SELECT 'features' AS instrument, page, observation, digest, \
             facts AS state FROM facts)",
        ..VERSION_5
    };
    // The format of features changed in version 4. Older rows cannot be decoded.
    const VERSION_1: Names = Names {
        instrument: "(SELECT NULL AS name, NULL AS digest, NULL AS state WHERE 0)",
        instrument_page: "(SELECT NULL AS instrument, NULL AS page, NULL AS observation, \
             NULL AS digest, NULL AS state WHERE 0)",
        ..VERSION_4
    };
    Ok(match version(connection)? {
        8.. => LATEST,
        7 => VERSION_7,
        6 => VERSION_6,
        5 => VERSION_5,
        4 => VERSION_4,
        _ => VERSION_1,
    })
}

/// Runs the missing upgrades, each in a transaction.
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
            create,
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
        let upgrades: &[Upgrade] = &[create, |t| {
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
