//! Query log of the search page: query text, day and count; and clicked addresses with their
//! counts. It stores no times, no IP addresses, and nothing that links two queries.
//!
//! It is in `queries.db`, separate from the repository. It can be deleted at any time, and crawls
//! do not use it. Counts are collected in memory and written by [`QueryLog::write`].
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, Transaction};
use text::workload::normalised;

use crate::{StoreError, private, schema};

/// "Sanq", SQLite's `application_id`.
const APPLICATION_ID: i32 = 0x5361_6e71;
/// Schema version.
const VERSION: u32 = 1;
/// Longer queries are not logged.
const MAX_CHARACTERS: usize = 200;
/// Queries with this many digits are not logged: they may be telephone, account or card numbers.
const PRIVATE_DIGITS: usize = 7;
/// Older days are deleted.
const DAYS_KEPT: i64 = 400;
/// Maximum distinct queries per day, and distinct clicks, so that a flood of queries cannot fill
/// the disk.
const MAX_PER_DAY: u64 = 100_000;
/// Maximum entries in memory between writes. Further ones are dropped.
const MAX_IN_MEMORY: usize = 20_000;

const SCHEMA: &str = "\
    CREATE TABLE query (day INTEGER NOT NULL, text TEXT NOT NULL, count INTEGER NOT NULL, \
        PRIMARY KEY (day, text)) STRICT, WITHOUT ROWID; \
    CREATE TABLE click (day INTEGER NOT NULL, text TEXT NOT NULL, address TEXT NOT NULL, \
        count INTEGER NOT NULL, PRIMARY KEY (day, text, address)) STRICT, WITHOUT ROWID;";

/// Counts queries and clicks by day. Days are counted from 1970-01-01 UTC.
#[derive(Debug)]
pub struct QueryLog {
    path: PathBuf,
    connection: Connection,
    queries: BTreeMap<(i64, String), u64>,
    clicks: BTreeMap<(i64, String, String), u64>,
    max_per_day: u64,
}

impl QueryLog {
    /// Opens the log of the data folder `folder` for writing, and creates it if it is missing.
    ///
    /// # Errors
    /// On I/O errors, or if a later version wrote it.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let path = folder.join("queries.db");
        private::create_file(&path).map_err(|e| StoreError::file("create", &path, e))?;
        let error = |e| StoreError::sql("open", &path, e);
        let mut connection = Connection::open(&path).map_err(error)?;
        let found = check(&connection, &path)?;
        let mut prepare = || {
            connection.busy_timeout(Duration::from_secs(5))?;
            connection.pragma_update(None, "journal_mode", "WAL")?;
            connection.pragma_update(None, "synchronous", "NORMAL")?;
            if found == 0 {
                let transaction = connection.transaction()?;
                transaction.execute_batch(SCHEMA)?;
                transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
                transaction.pragma_update(None, "user_version", VERSION)?;
                transaction.commit()?;
            }
            Ok(())
        };
        prepare().map_err(error)?;
        Ok(Self::new(path, connection))
    }

    /// Opens the log read-only, also while another process writes it; `None` if there is none.
    ///
    /// # Errors
    /// If it cannot be read, or a later version wrote it.
    pub fn open_to_read(folder: &Path) -> Result<Option<Self>, StoreError> {
        let path = folder.join("queries.db");
        if !path.exists() {
            return Ok(None);
        }
        let error = |e| StoreError::sql("open", &path, e);
        let connection = schema::open_read_only(&path).map_err(error)?;
        connection.busy_timeout(Duration::from_secs(5)).map_err(error)?;
        match check(&connection, &path)? {
            0 => Ok(None),
            _ => Ok(Some(Self::new(path, connection))),
        }
    }

    /// Copies what is written to the data folder `to`, which has no query log.
    pub(crate) fn copy(&self, to: &Path) -> Result<(), StoreError> {
        schema::copy(&self.connection, &self.path, &to.join("queries.db"))
    }

    fn new(path: PathBuf, connection: Connection) -> Self {
        Self {
            path,
            connection,
            queries: BTreeMap::new(),
            clicks: BTreeMap::new(),
            max_per_day: MAX_PER_DAY,
        }
    }

    /// Counts a query on `day`, unless it may be private.
    pub fn record_query(&mut self, day: i64, query: &str) {
        let Some(text) = loggable(query) else { return };
        count(&mut self.queries, (day, text));
    }

    /// Counts a click on the result `address` of a query.
    pub fn record_click(&mut self, day: i64, query: &str, address: &str) {
        let Some(text) = loggable(query) else { return };
        count(&mut self.clicks, (day, text, address.to_owned()));
    }

    /// Writes all counts and deletes old days. Counts that cannot be written are kept for the next
    /// time.
    ///
    /// # Errors
    /// If the log cannot be written.
    pub fn write(&mut self) -> Result<(), StoreError> {
        let days = self.queries.keys().map(|(day, _)| day);
        let Some(&today) = days.chain(self.clicks.keys().map(|(day, ..)| day)).max() else {
            return Ok(());
        };
        self.add(today).map_err(|e| StoreError::sql("write", &self.path, e))?;
        self.queries.clear();
        self.clicks.clear();
        Ok(())
    }

    fn add(&mut self, today: i64) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction()?;
        let mut quota = DailyQuota::new(&transaction, "query", self.max_per_day);
        for ((day, text), count) in &self.queries {
            let known = "UPDATE query SET count = count + ?3 WHERE day = ?1 AND text = ?2";
            let new = "INSERT INTO query (day, text, count) VALUES (?1, ?2, ?3)";
            let values: [&dyn rusqlite::ToSql; 3] = [day, text, count];
            let is_known = transaction.prepare_cached(known)?.execute(values)? > 0;
            if !is_known && quota.take(*day)? {
                transaction.prepare_cached(new)?.execute(values)?;
            }
        }
        let mut quota = DailyQuota::new(&transaction, "click", self.max_per_day);
        for ((day, text, address), count) in &self.clicks {
            let known = "UPDATE click SET count = count + ?4 \
                 WHERE day = ?1 AND text = ?2 AND address = ?3";
            let new = "INSERT INTO click (day, text, address, count) VALUES (?1, ?2, ?3, ?4)";
            let values: [&dyn rusqlite::ToSql; 4] = [day, text, address, count];
            let is_known = transaction.prepare_cached(known)?.execute(values)? > 0;
            if !is_known && quota.take(*day)? {
                transaction.prepare_cached(new)?.execute(values)?;
            }
        }
        for table in ["query", "click"] {
            let delete = format!("DELETE FROM {table} WHERE day < ?1");
            transaction.execute(&delete, (today - DAYS_KEPT,))?;
        }
        transaction.commit()
    }

    /// Every query with its age in days and its count on that day, sorted by age and text.
    ///
    /// # Errors
    /// If the log cannot be read.
    pub fn days(&self, today: i64) -> Result<Vec<(u32, String, u64)>, StoreError> {
        let read = || {
            let select = "SELECT day, text, count FROM query ORDER BY day DESC, text";
            let mut select = self.connection.prepare(select)?;
            let rows = select.query_map((), |row| {
                let day: i64 = row.get(0)?;
                let age = u32::try_from((today - day).max(0)).unwrap_or(u32::MAX);
                Ok((age, row.get(1)?, row.get(2)?))
            })?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        read().map_err(|e| StoreError::sql("read", &self.path, e))
    }

    /// Every click with its age in days, query, address and count, sorted in this order.
    ///
    /// # Errors
    /// If the log cannot be read.
    pub fn clicks(&self, today: i64) -> Result<Vec<(u32, String, String, u64)>, StoreError> {
        let read = || {
            let select =
                "SELECT day, text, address, count FROM click ORDER BY day DESC, text, address";
            let mut select = self.connection.prepare(select)?;
            let rows = select.query_map((), |row| {
                let day: i64 = row.get(0)?;
                let age = u32::try_from((today - day).max(0)).unwrap_or(u32::MAX);
                Ok((age, row.get(1)?, row.get(2)?, row.get(3)?))
            })?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        read().map_err(|e| StoreError::sql("read", &self.path, e))
    }
}

/// How many more rows each day may get.
struct DailyQuota<'t> {
    transaction: &'t Transaction<'t>,
    table: &'static str,
    max: u64,
    left: BTreeMap<i64, u64>,
}

impl<'t> DailyQuota<'t> {
    fn new(transaction: &'t Transaction<'t>, table: &'static str, max: u64) -> Self {
        Self { transaction, table, max, left: BTreeMap::new() }
    }

    /// Takes one of the remaining rows of a day. Returns false if none is left.
    fn take(&mut self, day: i64) -> rusqlite::Result<bool> {
        if !self.left.contains_key(&day) {
            let select = format!("SELECT count(*) FROM {} WHERE day = ?1", self.table);
            let rows: u64 = self.transaction.query_row(&select, (day,), |row| row.get(0))?;
            self.left.insert(day, self.max.saturating_sub(rows));
        }
        let left = self.left.entry(day).or_default();
        let is_left = *left > 0;
        *left -= u64::from(is_left);
        Ok(is_left)
    }
}

fn count<Key: Ord>(counts: &mut BTreeMap<Key, u64>, key: Key) {
    let is_full = counts.len() >= MAX_IN_MEMORY;
    match counts.get_mut(&key) {
        Some(count) => *count += 1,
        None if is_full => {}
        None => {
            counts.insert(key, 1);
        }
    }
}

/// Leaves one file. What cannot be done now is done when it is next opened.
impl Drop for QueryLog {
    fn drop(&mut self) {
        if self.connection.is_readonly(rusqlite::MAIN_DB).is_ok_and(|is_read_only| !is_read_only) {
            let _ = schema::close(&self.connection);
        }
    }
}

/// The normalised query; `None` if it must not be logged.
fn loggable(query: &str) -> Option<String> {
    let plain: String = query.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let text = normalised(&plain);
    let is_long = text.chars().count() > MAX_CHARACTERS;
    (!text.is_empty() && !is_long && !is_private(&text)).then_some(text)
}

/// Whether a text may identify a person: an e-mail address, or enough digits for a telephone, card
/// or account number, also in groups.
pub fn is_private(text: &str) -> bool {
    let letters: Vec<char> = text.chars().collect();
    let is_word = |place: usize| letters.get(place).is_some_and(|c| c.is_alphanumeric());
    let has_mailbox = letters
        .iter()
        .enumerate()
        .any(|(place, &c)| c == '@' && place > 0 && is_word(place - 1) && is_word(place + 1));
    has_mailbox || has_long_number(&letters)
}

fn has_long_number(letters: &[char]) -> bool {
    let (mut digits, mut gap) = (0, 0);
    for &letter in letters {
        if letter.is_numeric() {
            digits += 1;
            gap = 0;
        } else {
            gap += 1;
            // Groups of one number are separated by one or two characters: "(030) 12 34 56".
            if gap > 2 || !matches!(letter, ' ' | '-' | '.' | '/' | '(' | ')' | '+') {
                digits = 0;
            }
        }
        if digits >= PRIVATE_DIGITS {
            return true;
        }
    }
    false
}

/// Checks the application ID and returns the schema version, 0 if the file is empty.
fn check(connection: &Connection, path: &Path) -> Result<u32, StoreError> {
    let number = |pragma: &str| {
        connection
            .query_row(&format!("PRAGMA {pragma}"), (), |row| row.get::<_, i32>(0))
            .map_err(|e| StoreError::sql("read", path, e))
    };
    let (id, found) = (number("application_id")?, number("user_version")?.unsigned_abs());
    if id != APPLICATION_ID && (id != 0 || found != 0) {
        return Err(StoreError::damaged(path, "not a Sanderling query log"));
    }
    if found > VERSION {
        return Err(StoreError::Newer { path: path.to_owned(), found, known: VERSION });
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TODAY: i64 = 20_000;

    fn days(folder: &Path) -> Vec<(u32, String, u64)> {
        QueryLog::open_to_read(folder).unwrap().unwrap().days(TODAY).unwrap()
    }

    #[test]
    fn queries_are_counted_by_day_in_one_form() {
        let folder = tempfile::tempdir().unwrap();
        assert!(QueryLog::open_to_read(folder.path()).unwrap().is_none());
        let mut log = QueryLog::open(folder.path()).unwrap();
        for query in ["Tide  tables", "tide tables", " TIDE\ttables "] {
            log.record_query(TODAY, query);
        }
        log.record_query(TODAY - 2, "tide tables");
        log.record_query(TODAY, "   ");
        log.record_click(TODAY, "Tide tables", "https://a.example/");
        log.write().unwrap();
        log.record_query(TODAY, "tide tables");
        log.write().unwrap();
        log.write().unwrap();
        let text = || "tide tables".to_owned();
        assert_eq!(days(folder.path()), [(0, text(), 4), (2, text(), 1)]);
        let clicks = [(0, text(), "https://a.example/".to_owned(), 1)];
        assert_eq!(log.clicks(TODAY).unwrap(), clicks);
    }

    #[test]
    fn what_may_be_private_is_not_kept() {
        for query in [
            "who is jo@example.org",
            "call 5551234",
            "030 / 12 34 56 7",
            "4111-1111-1111-1111",
            "+44 (0)20 7946 0958",
            "٠١٢٣٤٥٦٧",
        ] {
            assert!(is_private(query), "{query}");
        }
        for query in ["rust 2024 edition", "rfc 9309", "@home", "a@ b", "123456", "covid 19 2021"] {
            assert!(!is_private(query), "{query}");
        }
        assert_eq!(loggable(&"long ".repeat(41)), None);
        assert_eq!(loggable("a\u{0}b\n").as_deref(), Some("a b"));
    }

    #[test]
    fn a_flood_and_old_days_do_not_fill_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = QueryLog::open(folder.path()).unwrap();
        log.max_per_day = 3;
        log.record_query(TODAY - DAYS_KEPT - 1, "old");
        log.write().unwrap();
        for number in 0..10 {
            log.record_query(TODAY, &format!("made up {number}"));
        }
        log.write().unwrap();
        // Known queries still count when the day is full.
        log.record_query(TODAY, "made up 1");
        log.record_query(TODAY, "another");
        log.write().unwrap();
        let counts: Vec<u64> = days(folder.path()).into_iter().map(|(.., count)| count).collect();
        assert_eq!(counts, [1, 2, 1]);
        for number in 0..MAX_IN_MEMORY + 5 {
            log.record_query(TODAY, &format!("{number}"));
        }
        assert_eq!(log.queries.len(), MAX_IN_MEMORY);
    }

    #[test]
    fn a_log_of_a_later_version_or_of_others_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let log = QueryLog::open(folder.path()).unwrap();
        log.connection.pragma_update(None, "user_version", VERSION + 1).unwrap();
        drop(log);
        assert!(matches!(QueryLog::open(folder.path()), Err(StoreError::Newer { .. })));
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("queries.db"), "my own notes, not a database").unwrap();
        assert!(matches!(QueryLog::open(folder.path()), Err(StoreError::Damaged { .. })));
    }
}
