//! Loads pages, links, hosts and the log from the database.
use crawl::{
    Expectation, HostNo, HostState, Links, Observation, PageNo, PageRecord, Pages, Reason,
    RobotsCopy, RobotsState, Span, State, Time,
};
use rusqlite::{Connection, OptionalExtension, Row};

use crate::StoreError;
use crate::column::{self, Named};
use crate::folder::Folder;
use crate::schema;
use crate::summary::bad;

/// What a crawl continues from.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Every known page.
    pub pages: Pages,
    /// The link graph.
    pub links: Links,
    /// Number of cycles so far, which is the number of the next one.
    pub cycles: u32,
}

pub(crate) fn load(connection: &Connection, folder: &Folder) -> Result<Loaded, StoreError> {
    let path = folder.database();
    let error = |e| StoreError::sql("read", &path, e);
    // One read transaction, so that pages and links match while another process writes.
    let transaction = connection.unchecked_transaction().map_err(error)?;
    let mut links = lists(&transaction).map_err(error)?;
    let pages = pages(&transaction, &mut links).map_err(error)?;
    let cycles = transaction
        .query_row("SELECT coalesce(max(no), -1) + 1 FROM cycle", (), |row| row.get(0))
        .map_err(error)?;
    Ok(Loaded { pages, links, cycles })
}

fn pages(connection: &Connection, links: &mut Links) -> rusqlite::Result<Pages> {
    let mut pages = Pages::default();
    let claimed_change = schema::names(connection)?.claimed_change;
    let mut select = connection.prepare(&format!(
        "SELECT no, host, links, address, state, first_seen, last_tried, last_seen, visits, \
         changes, misses, failures, {claimed_change} FROM page ORDER BY no"
    ))?;
    let mut rows = select.query(())?;
    while let Some(row) = rows.next()? {
        let address = row.get_ref(3)?.as_str().map_err(|_| bad(3, "an address"))?;
        let page = pages.restore(address, &record(row, 4)?);
        if page.0 != row.get::<_, u32>(0)? {
            return Err(bad(0, "the next page number and a unique address"));
        }
        if pages.host(page).0 != row.get::<_, u32>(1)? {
            return Err(bad(1, "the number of the address's host"));
        }
        if !links.restore_shown(row.get(2)?) {
            return Err(bad(2, "the number of a link list"));
        }
    }
    Ok(pages)
}

/// A page's record from nine columns, `state` to `claimed_change`.
pub(crate) fn record(row: &Row<'_>, first: usize) -> rusqlite::Result<PageRecord> {
    let state = row.get_ref(first)?.as_str().ok().and_then(State::by_name);
    Ok(PageRecord {
        state: state.ok_or_else(|| bad(first, "a state"))?,
        first_seen: time(row, first + 1)?.ok_or_else(|| bad(first + 1, "a time"))?,
        last_tried: time(row, first + 2)?,
        last_seen: time(row, first + 3)?,
        visits: row.get(first + 4)?,
        changes: row.get(first + 5)?,
        misses: row.get(first + 6)?,
        failures: row.get(first + 7)?,
        claimed_change: time(row, first + 8)?,
    })
}

fn lists(connection: &Connection) -> rusqlite::Result<Links> {
    let mut links = Links::default();
    let mut select = connection.prepare("SELECT no, digest, pages FROM link_list ORDER BY no")?;
    let mut rows = select.query(())?;
    let mut next = 0;
    while let Some(row) = rows.next()? {
        if row.get::<_, u32>(0)? != next {
            return Err(bad(0, "the next link list number"));
        }
        next += 1;
        let packed = row.get_ref(2)?.as_blob().ok().and_then(column::unpack_pages);
        links.restore_list(
            row.get::<_, i64>(1)? as u64,
            &packed.ok_or_else(|| bad(2, "a packed list"))?,
        );
    }
    Ok(links)
}

/// Number of columns that [`observation`] reads.
pub(crate) const OBSERVATION_WIDTH: usize = 15;

/// Columns for [`observation`].
pub(crate) fn observation_columns(connection: &Connection) -> rusqlite::Result<String> {
    let version = schema::version(connection)?;
    let impact = if version >= schema::HAS_IMPACT { "observation.impact" } else { "NULL" };
    let expected = if version >= schema::HAS_EXPECTATIONS {
        "observation.expected_odds, observation.expected_correction"
    } else {
        "NULL, NULL"
    };
    Ok(format!(
        "observation.page, page.host, observation.at, observation.reason, observation.outcome, \
         observation.change, observation.since, observation.fault_kind, observation.fault, \
         observation.leads, observation.signals, {impact}, observation.cycle, \
         {expected}"
    ))
}

pub(crate) fn observation(row: &Row<'_>) -> rusqlite::Result<Observation> {
    let text =
        |place: usize| row.get_ref(place)?.as_str_or_null().map_err(|_| bad(place, "a name"));
    let packed = |place: usize| {
        row.get_ref(place)?.as_blob_or_null().map_err(|_| bad(place, "packed numbers"))
    };
    let reason = text(3)?.and_then(Reason::by_name);
    let outcome = column::outcome(text(4)?.unwrap_or_default(), row.get(5)?);
    let leads = packed(9)?.map_or(Some(vec![]), column::unpack_pages);
    let signals = packed(10)?.map_or(Some(vec![]), column::unpack_signals);
    Ok(Observation {
        page: PageNo(row.get(0)?),
        host: HostNo(row.get(1)?),
        cycle: row.get::<_, Option<u32>>(12)?.unwrap_or_default(),
        at: Time::from_millis(row.get(2)?),
        reason: reason.ok_or_else(|| bad(3, "a reason"))?,
        outcome: outcome.ok_or_else(|| bad(4, "an outcome"))?,
        since: row.get::<_, Option<i64>>(6)?.map(Span::from_millis),
        fault: column::fault(text(7)?, row.get(8)?).map_err(|()| bad(7, "a fault"))?,
        leads: leads.ok_or_else(|| bad(9, "leads"))?,
        signals: signals.ok_or_else(|| bad(10, "signals"))?,
        impact: row.get(11)?,
        expected: expectation(row)?,
    })
}

fn expectation(row: &Row<'_>) -> rusqlite::Result<Option<Expectation>> {
    let (odds, correction): (Option<f32>, Option<f32>) = (row.get(13)?, row.get(14)?);
    Ok(odds.map(|odds| Expectation { odds, correction: correction.unwrap_or_default() }))
}

pub(crate) fn replay(
    connection: &Connection,
    folder: &Folder,
    each: &mut dyn FnMut(&Observation),
) -> Result<(), StoreError> {
    let mut play = || -> rusqlite::Result<()> {
        let columns = observation_columns(connection)?;
        let mut select = connection.prepare(&format!(
            "SELECT {columns} FROM observation \
             JOIN page ON page.no = observation.page ORDER BY observation.no"
        ))?;
        let mut rows = select.query(())?;
        while let Some(row) = rows.next()? {
            each(&observation(row)?);
        }
        Ok(())
    };
    play().map_err(|e| StoreError::sql("read", &folder.database(), e))
}

pub(crate) fn robots(
    connection: &Connection,
    folder: &Folder,
) -> Result<Vec<RobotsCopy>, StoreError> {
    let load = || -> rusqlite::Result<Vec<RobotsCopy>> {
        let requested_at = schema::names(connection)?.robots_requested_at;
        let mut select = connection.prepare(&format!(
            "SELECT origin, {requested_at}, fetches, state, status, why, good_at, body, sitemaps \
             FROM robots ORDER BY origin"
        ))?;
        select.query_map((), robots_copy)?.collect()
    };
    load().map_err(|e| StoreError::sql("read", &folder.database(), e))
}

fn robots_copy(row: &Row<'_>) -> rusqlite::Result<RobotsCopy> {
    let state: String = row.get(3)?;
    let state = match (state.as_str(), row.get(4)?, row.get(5)?) {
        ("given", _, _) => RobotsState::Given,
        ("absent", Some(status), _) => RobotsState::Absent(status),
        ("unreachable", _, Some(why)) => RobotsState::Unreachable(column::robots_fault(why)),
        _ => return Err(bad(3, "a robots.txt state")),
    };
    let sitemaps: String = row.get(8)?;
    Ok(RobotsCopy {
        origin: row.get(0)?,
        requested_at: Time::from_millis(row.get(1)?),
        fetches: row.get(2)?,
        state,
        good: time(row, 6)?.zip(row.get(7)?),
        sitemaps: serde_json::from_str(&sitemaps).map_err(|_| bad(8, "a list of addresses"))?,
        exchanges: vec![],
    })
}

pub(crate) fn host_states(
    connection: &Connection,
    folder: &Folder,
) -> Result<Vec<HostState>, StoreError> {
    let load = || -> rusqlite::Result<Vec<HostState>> {
        let table = schema::names(connection)?.host_state;
        let mut select = connection.prepare(&format!(
            "SELECT host, last_answer, response_millis, back_off_until, strikes, last_strike \
             FROM {table} ORDER BY host"
        ))?;
        let rows = select.query_map((), |row| {
            Ok(HostState {
                host: row.get(0)?,
                last_answer: time(row, 1)?,
                response_millis: row.get(2)?,
                back_off_until: time(row, 3)?,
                strikes: row.get(4)?,
                last_strike: time(row, 5)?,
            })
        })?;
        rows.collect()
    };
    load().map_err(|e| StoreError::sql("read", &folder.database(), e))
}

pub(crate) fn get(
    connection: &Connection,
    folder: &Folder,
    key: &str,
) -> Result<Option<String>, StoreError> {
    connection
        .query_row("SELECT value FROM meta WHERE key = ?1", (key,), |row| row.get(0))
        .optional()
        .map_err(|e| StoreError::sql("read", &folder.database(), e))
}

/// The latest instant in the log of visits and cycles.
pub(crate) fn last_instant(
    connection: &Connection,
    folder: &Folder,
) -> Result<Option<Time>, StoreError> {
    let select = "SELECT max((SELECT coalesce(max(at), -1) FROM \
         (SELECT at FROM observation ORDER BY no DESC LIMIT 1)), \
         (SELECT coalesce(max(started), -1) FROM cycle), (SELECT coalesce(max(ended), -1) FROM cycle))";
    let found = connection.query_row(select, (), |row| row.get(0));
    let found: i64 = found.map_err(|e| StoreError::sql("read", &folder.database(), e))?;
    Ok(Some(Time::from_millis(found)).filter(|_| found >= 0))
}

/// A time, or null.
pub(crate) fn time(row: &Row<'_>, place: usize) -> rusqlite::Result<Option<Time>> {
    Ok(row.get::<_, Option<i64>>(place)?.map(Time::from_millis))
}
