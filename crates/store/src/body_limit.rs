//! The longest decoded body in a data folder. Crawls record the limit that they read bodies with, so that
//! every held page can be read again, whatever the settings say later.
use rusqlite::{Connection, OptionalExtension};

/// Key in `meta`.
pub(crate) const KEY: &str = "body_limit";

/// The limit in folders of versions that did not record it: more than any crawl accepted.
const UNRECORDED: usize = 1 << 30;

/// The longest head of an HTTP response in a record, and more.
const HEAD_BYTES: u64 = 1 << 20;

/// The recorded limit.
pub(crate) fn recorded(connection: &Connection) -> rusqlite::Result<usize> {
    let found: Option<String> = connection
        .prepare_cached("SELECT value FROM meta WHERE key = ?1")?
        .query_row((KEY,), |row| row.get(0))
        .optional()?;
    Ok(found.and_then(|text| text.parse().ok()).unwrap_or(UNRECORDED))
}

/// Records the limit of a crawl, unless a longer one is recorded. Returns the limit that holds.
pub(crate) fn record(connection: &Connection, limit: usize) -> rusqlite::Result<usize> {
    let is_new = !connection
        .query_row("SELECT EXISTS (SELECT * FROM observation)", (), |row| row.get::<_, bool>(0))?;
    let has_limit = connection.query_row(
        "SELECT EXISTS (SELECT * FROM meta WHERE key = ?1)",
        (KEY,),
        |row| row.get::<_, bool>(0),
    )?;
    let known = if is_new && !has_limit { 0 } else { recorded(connection)? };
    if limit > known || !has_limit {
        let longest = limit.max(known);
        connection
            .execute("INSERT OR REPLACE INTO meta VALUES (?1, ?2)", (KEY, longest.to_string()))?;
    }
    Ok(limit.max(known))
}

/// The longest block of a record that is read.
pub(crate) fn block_limit(body: usize) -> u64 {
    warc::DEFAULT_BLOCK_LIMIT.max(body as u64 + HEAD_BYTES)
}
