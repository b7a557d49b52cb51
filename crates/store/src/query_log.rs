//! What people ask the search page, without who asked: query text, day and count; and which address
//! was chosen, how often. No time of day, no address of a reader, nothing that joins two queries.
//!
//! It lives in `queries.db`, beside the repository and apart from it: it can be deleted at any time, and
//! a crawl never reads or writes it. Counts are gathered in memory and written by [`QueryLog::write`].
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, Transaction};
use text::workload::normalised;

use crate::StoreError;

/// "Sanq": what the head of the file says it is.
const APPLICATION_ID: i32 = 0x5361_6e71;
/// The version that we write.
const VERSION: u32 = 1;
/// Longer queries are no questions of people, or hold more than a question.
const LONGEST: usize = 200;
/// So many digits in a row may be a telephone number, an account or a card.
const DIGITS: usize = 7;
/// Days are kept this long.
const DAYS_KEPT: i64 = 400;
/// So many different queries of a day are kept, and as many different clicks: a flood of made-up queries
/// must not fill the disk.
const MOST_A_DAY: u64 = 100_000;
/// So many wait in memory for being written; more are dropped.
const MOST_WAITING: usize = 20_000;

const SCHEMA: &str = "\
    CREATE TABLE query (day INTEGER NOT NULL, text TEXT NOT NULL, count INTEGER NOT NULL, \
        PRIMARY KEY (day, text)) STRICT, WITHOUT ROWID; \
    CREATE TABLE click (day INTEGER NOT NULL, text TEXT NOT NULL, address TEXT NOT NULL, \
        count INTEGER NOT NULL, PRIMARY KEY (day, text, address)) STRICT, WITHOUT ROWID;";

/// Counts queries and clicks by day. A day is a number of days since the start of 1970, UTC.
#[derive(Debug)]
pub struct QueryLog {
    path: PathBuf,
    connection: Connection,
    asked: BTreeMap<(i64, String), u64>,
    clicked: BTreeMap<(i64, String, String), u64>,
    most_a_day: u64,
}

impl QueryLog {
    /// Opens the log of the data folder at `folder` for writing; it is made where there is none.
    ///
    /// # Errors
    /// When it cannot be made or read, or a later version wrote it.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let path = folder.join("queries.db");
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
        Ok(Self::over(path, connection))
    }

    /// Opens the log only to read it, beside whoever writes it; `None` where there is none.
    ///
    /// # Errors
    /// When it cannot be read, or a later version wrote it.
    pub fn open_to_read(folder: &Path) -> Result<Option<Self>, StoreError> {
        let path = folder.join("queries.db");
        if !path.exists() {
            return Ok(None);
        }
        let error = |e| StoreError::sql("open", &path, e);
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&path, flags).map_err(error)?;
        connection.busy_timeout(Duration::from_secs(5)).map_err(error)?;
        match check(&connection, &path)? {
            0 => Ok(None),
            _ => Ok(Some(Self::over(path, connection))),
        }
    }

    fn over(path: PathBuf, connection: Connection) -> Self {
        Self {
            path,
            connection,
            asked: BTreeMap::new(),
            clicked: BTreeMap::new(),
            most_a_day: MOST_A_DAY,
        }
    }

    /// Counts a query that was answered on `day`, unless it may be private.
    pub fn asked(&mut self, day: i64, query: &str) {
        let Some(text) = kept(query) else { return };
        count(&mut self.asked, (day, text));
    }

    /// Counts that the page at `address` was chosen among the answers to a query.
    pub fn clicked(&mut self, day: i64, query: &str, address: &str) {
        let Some(text) = kept(query) else { return };
        count(&mut self.clicked, (day, text, address.to_owned()));
    }

    /// Writes what was counted since the last time, and drops days that are too old. What cannot be
    /// written is tried again the next time.
    ///
    /// # Errors
    /// When the log cannot be written.
    pub fn write(&mut self) -> Result<(), StoreError> {
        let days = self.asked.keys().map(|(day, _)| day);
        let Some(&today) = days.chain(self.clicked.keys().map(|(day, ..)| day)).max() else {
            return Ok(());
        };
        self.add(today).map_err(|e| StoreError::sql("write", &self.path, e))?;
        self.asked.clear();
        self.clicked.clear();
        Ok(())
    }

    fn add(&mut self, today: i64) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction()?;
        let mut room = Room::new(&transaction, "query", self.most_a_day);
        for ((day, text), count) in &self.asked {
            let known = "UPDATE query SET count = count + ?3 WHERE day = ?1 AND text = ?2";
            let new = "INSERT INTO query (day, text, count) VALUES (?1, ?2, ?3)";
            let values: [&dyn rusqlite::ToSql; 3] = [day, text, count];
            let is_known = transaction.prepare_cached(known)?.execute(values)? > 0;
            if !is_known && room.takes(*day)? {
                transaction.prepare_cached(new)?.execute(values)?;
            }
        }
        let mut room = Room::new(&transaction, "click", self.most_a_day);
        for ((day, text, address), count) in &self.clicked {
            let known = "UPDATE click SET count = count + ?4 \
                 WHERE day = ?1 AND text = ?2 AND address = ?3";
            let new = "INSERT INTO click (day, text, address, count) VALUES (?1, ?2, ?3, ?4)";
            let values: [&dyn rusqlite::ToSql; 4] = [day, text, address, count];
            let is_known = transaction.prepare_cached(known)?.execute(values)? > 0;
            if !is_known && room.takes(*day)? {
                transaction.prepare_cached(new)?.execute(values)?;
            }
        }
        for table in ["query", "click"] {
            let delete = format!("DELETE FROM {table} WHERE day < ?1");
            transaction.execute(&delete, (today - DAYS_KEPT,))?;
        }
        transaction.commit()
    }

    /// Every query that was written, with its age in days and how often it was asked on that day; by
    /// age, then by text.
    ///
    /// # Errors
    /// When the log cannot be read.
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

    /// Every address that was chosen, with the query, the age in days and how often; by age, query and
    /// address.
    ///
    /// # Errors
    /// When the log cannot be read.
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

/// How many more rows a day may get.
struct Room<'t> {
    transaction: &'t Transaction<'t>,
    table: &'static str,
    most: u64,
    left: BTreeMap<i64, u64>,
}

impl<'t> Room<'t> {
    fn new(transaction: &'t Transaction<'t>, table: &'static str, most: u64) -> Self {
        Self { transaction, table, most, left: BTreeMap::new() }
    }

    /// Takes one of the rows that are left for a day, if there is one.
    fn takes(&mut self, day: i64) -> rusqlite::Result<bool> {
        if !self.left.contains_key(&day) {
            let select = format!("SELECT count(*) FROM {} WHERE day = ?1", self.table);
            let rows: u64 = self.transaction.query_row(&select, (day,), |row| row.get(0))?;
            self.left.insert(day, self.most.saturating_sub(rows));
        }
        let left = self.left.entry(day).or_default();
        let takes = *left > 0;
        *left -= u64::from(takes);
        Ok(takes)
    }
}

fn count<Key: Ord>(counts: &mut BTreeMap<Key, u64>, key: Key) {
    let is_full = counts.len() >= MOST_WAITING;
    match counts.get_mut(&key) {
        Some(count) => *count += 1,
        None if is_full => {}
        None => {
            counts.insert(key, 1);
        }
    }
}

/// A query as it is kept; `None` where it must not be.
fn kept(query: &str) -> Option<String> {
    let plain: String = query.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let text = normalised(&plain);
    let is_long = text.chars().count() > LONGEST;
    (!text.is_empty() && !is_long && !is_private(&text)).then_some(text)
}

/// Whether a text looks as if it named a person: an e-mail address, or digits enough for a telephone
/// number, a card or an account, also where they are written in groups.
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
            // Groups of one number are apart by a character or two: "(030) 12 34 56".
            if gap > 2 || !matches!(letter, ' ' | '-' | '.' | '/' | '(' | ')' | '+') {
                digits = 0;
            }
        }
        if digits >= DIGITS {
            return true;
        }
    }
    false
}

/// The version of a log that is ours and not too new; 0 where it is empty.
fn check(connection: &Connection, path: &Path) -> Result<u32, StoreError> {
    let number = |pragma: &str| {
        connection
            .query_row(&format!("PRAGMA {pragma}"), (), |row| row.get::<_, i32>(0))
            .map_err(|e| StoreError::sql("read", path, e))
    };
    let (id, found) = (number("application_id")?, number("user_version")?.unsigned_abs());
    if id != APPLICATION_ID && (id != 0 || found != 0) {
        return Err(StoreError::damaged(path, "it is no query log of Sanderling"));
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
            log.asked(TODAY, query);
        }
        log.asked(TODAY - 2, "tide tables");
        log.asked(TODAY, "   ");
        log.clicked(TODAY, "Tide tables", "https://a.example/");
        log.write().unwrap();
        log.asked(TODAY, "tide tables");
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
        assert_eq!(kept(&"long ".repeat(41)), None);
        assert_eq!(kept("a\u{0}b\n").as_deref(), Some("a b"));
    }

    #[test]
    fn a_flood_and_old_days_do_not_fill_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = QueryLog::open(folder.path()).unwrap();
        log.most_a_day = 3;
        log.asked(TODAY - DAYS_KEPT - 1, "old");
        log.write().unwrap();
        for number in 0..10 {
            log.asked(TODAY, &format!("made up {number}"));
        }
        log.write().unwrap();
        // What is known still counts when the day is full.
        log.asked(TODAY, "made up 1");
        log.asked(TODAY, "another");
        log.write().unwrap();
        let counts: Vec<u64> = days(folder.path()).into_iter().map(|(.., count)| count).collect();
        assert_eq!(counts, [1, 2, 1]);
        for number in 0..MOST_WAITING + 5 {
            log.asked(TODAY, &format!("{number}"));
        }
        assert_eq!(log.asked.len(), MOST_WAITING);
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
