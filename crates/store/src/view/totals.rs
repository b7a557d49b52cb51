//! Counts over the data folder.
use std::collections::{BTreeMap, BTreeSet};

use crawl::{Allowance, Fault, FaultKind, Outcome, Time};
use rusqlite::OptionalExtension;

use super::View;
use crate::summary::bad;
use crate::{StoreError, column, column::NO_ROBOTS, schema};

/// Counts over the data folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Pages only seen as links, and not visited yet.
    pub linked: u64,
    /// Dead links: pages never held that were not found.
    pub missing: u64,
    /// Pages with a held snapshot.
    pub held: u64,
    /// Held redirects. Their targets are pages of their own.
    pub redirects: u64,
    /// Held files without text, such as images.
    pub without_text: u64,
    /// Pages that were held and are gone.
    pub gone: u64,
    /// Held pages with `noindex`.
    pub noindex: u64,
    /// Held pages that declare another canonical address.
    pub canonical_elsewhere: u64,
    /// Hosts of all known pages.
    pub hosts: u64,
    /// Observations in the log.
    pub observations: u64,
    /// Requests for robots.txt.
    pub robots_fetches: u64,
    /// WARC files.
    pub archive_files: u64,
    /// Bytes of the WARC files.
    pub archive_bytes: u64,
    /// Time of the first observation.
    pub first: Option<Time>,
    /// Time of the last observation.
    pub last: Option<Time>,
}

/// A cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CycleSummary {
    /// Number.
    pub no: u32,
    /// `crawl` or `refresh`.
    pub kind: String,
    /// Policy spec.
    pub policy: String,
    /// Change detector.
    pub detector: String,
    /// Budget in its unit; `None` for no limit.
    pub budget: Option<Allowance>,
    /// Bytes received; `None` if it was interrupted, still runs, or belongs to an older version.
    pub received: Option<u64>,
    /// Seed of the random generator.
    pub seed: u64,
    /// Start.
    pub started: Time,
    /// End; `None` if it was interrupted or still runs.
    pub ended: Option<Time>,
    /// Outcomes of its visits.
    pub outcomes: Outcomes,
}

/// Number of visits by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// Held for the first time.
    pub first: u64,
    /// Unchanged.
    pub same: u64,
    /// Changed.
    pub changed: u64,
    /// First 404.
    pub missing: u64,
    /// Gone.
    pub gone: u64,
    /// Failed.
    pub failed: u64,
    /// Not requested in time.
    pub unreached: u64,
    /// Forbidden by robots.txt or safety rules.
    pub refused: u64,
    /// Not requested, because the robots.txt of the host cannot be fetched.
    pub unreachable: u64,
}

impl Outcomes {
    /// Visits that count against the budget.
    pub fn visits(&self) -> u64 {
        self.first + self.same + self.changed + self.missing + self.gone + self.failed
    }

    /// Counts one more.
    pub fn add(&mut self, outcome: Outcome) {
        if let Some(count) = self.count(column::outcome_name(outcome)) {
            *count += 1;
        }
    }

    fn count(&mut self, name: &str) -> Option<&mut u64> {
        Some(match name {
            "first" => &mut self.first,
            "same" => &mut self.same,
            "changed" => &mut self.changed,
            "missing" => &mut self.missing,
            "gone" => &mut self.gone,
            "failed" => &mut self.failed,
            "unreached" => &mut self.unreached,
            "refused" => &mut self.refused,
            "unreachable" => &mut self.unreachable,
            _ => return None,
        })
    }
}

/// How often visits failed with one kind of fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultCount {
    /// Kind of fault.
    pub kind: FaultKind,
    /// Number of visits.
    pub count: u64,
    /// Address of the latest.
    pub address: String,
    /// Message of the latest.
    pub why: String,
}

/// A held page that was not read to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its address.
    pub address: String,
    /// What was left out.
    pub what: String,
}

impl View {
    /// Counts pages, hosts, observations and archive files.
    ///
    /// # Errors
    /// If the database cannot be read or is damaged.
    pub fn totals(&self) -> Result<Totals, StoreError> {
        self.count().map_err(|e| self.error(e))
    }

    fn count(&self) -> rusqlite::Result<Totals> {
        let connection = self.connection().unchecked_transaction()?;
        let number = |select: &str| connection.query_row(select, (), |row| row.get::<_, u64>(0));
        let mut states = BTreeMap::new();
        // As `PageRecord::state_name`.
        let mut select = connection.prepare(
            "SELECT CASE WHEN state <> 'held' AND misses > 0 AND changes = 0 THEN 'missing' \
             ELSE state END AS name, count(*) FROM page GROUP BY name",
        )?;
        let rows = select.query_map((), |row| Ok((row.get::<_, String>(0)?, row.get(1)?)))?;
        for row in rows {
            let (state, count) = row?;
            states.insert(state, count);
        }
        let state = |name: &str| states.get(name).copied().unwrap_or(0);
        let observations = number("SELECT coalesce(max(no), 0) FROM observation")?;
        let at = |no: u64| {
            connection.query_row("SELECT at FROM observation WHERE no = ?1", (no,), |row| {
                row.get(0).map(Time::from_millis)
            })
        };
        let any = observations > 0;
        Ok(Totals {
            linked: state("linked"),
            held: state("held"),
            missing: state("missing"),
            redirects: number("SELECT count(*) FROM snapshot WHERE form = 'moved'")?,
            without_text: number("SELECT count(*) FROM snapshot WHERE form = 'other'")?,
            gone: state("gone"),
            noindex: number("SELECT count(*) FROM snapshot WHERE noindex")?,
            canonical_elsewhere: number("SELECT count(canonical) FROM snapshot")?,
            hosts: number("SELECT count(*) FROM host")?,
            observations,
            robots_fetches: number("SELECT coalesce(sum(fetches), 0) FROM robots")?,
            archive_files: number("SELECT count(*) FROM warc_file")?,
            archive_bytes: number("SELECT coalesce(sum(bytes), 0) FROM warc_file")?,
            first: any.then(|| at(1)).transpose()?,
            last: any.then(|| at(observations)).transpose()?,
        })
    }

    /// The `last` cycles, latest at the end.
    ///
    /// # Errors
    /// If the database cannot be read or is damaged.
    pub fn cycles(&self, last: usize) -> Result<Vec<CycleSummary>, StoreError> {
        self.last_cycles(last, true).map_err(|e| self.error(e))
    }

    /// The same with all counts 0: without reading the log.
    ///
    /// # Errors
    /// If the database cannot be read or is damaged.
    pub fn cycles_uncounted(&self, last: usize) -> Result<Vec<CycleSummary>, StoreError> {
        self.last_cycles(last, false).map_err(|e| self.error(e))
    }

    /// Numbers of the cycles that were crawls, not refreshes.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn crawls(&self) -> Result<BTreeSet<u32>, StoreError> {
        let crawls = || {
            let mut select = self
                .connection()
                .prepare_cached("SELECT no FROM cycle WHERE kind = 'crawl' ORDER BY no")?;
            select.query_map((), |row| row.get(0))?.collect::<rusqlite::Result<_>>()
        };
        crawls().map_err(|e| self.error(e))
    }

    /// Time of the last observation.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn last_visit(&self) -> Result<Option<Time>, StoreError> {
        let select = "SELECT at FROM observation ORDER BY no DESC LIMIT 1";
        let found =
            self.connection().query_row(select, (), |row| row.get(0).map(Time::from_millis));
        found.optional().map_err(|e| self.error(e))
    }

    /// Number of WARC files, and their bytes.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn archive_size(&self) -> Result<(u64, u64), StoreError> {
        let select = "SELECT count(*), coalesce(sum(bytes), 0) FROM warc_file";
        self.connection()
            .query_row(select, (), |row| Ok((row.get(0)?, row.get(1)?)))
            .map_err(|e| self.error(e))
    }

    /// Kind and policy of a cycle; `None` if there is no such cycle.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn planned(&self, cycle: u32) -> Result<Option<(String, String)>, StoreError> {
        let select = "SELECT kind, policy FROM cycle WHERE no = ?1";
        self.connection()
            .query_row(select, (cycle,), |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()
            .map_err(|e| self.error(e))
    }

    fn last_cycles(&self, last: usize, is_counted: bool) -> rusqlite::Result<Vec<CycleSummary>> {
        let connection = self.connection().unchecked_transaction()?;
        let costs = schema::names(&connection)?.cycle_costs;
        let mut select = connection.prepare(&format!(
            "SELECT no, kind, policy, detector, budget, seed, started, ended, first, {costs} \
             FROM cycle ORDER BY no DESC LIMIT ?1",
        ))?;
        let rows = select.query_map((last as i64,), |row| {
            let (value, unit) = (row.get::<_, Option<u64>>(4)?, row.get::<_, String>(9)?);
            let budget = |value| column::budget(value, &unit).ok_or_else(|| bad(9, "a budget"));
            let summary = CycleSummary {
                no: row.get(0)?,
                kind: row.get(1)?,
                policy: row.get(2)?,
                detector: row.get(3)?,
                budget: value.map(budget).transpose()?,
                received: row.get(10)?,
                seed: row.get::<_, i64>(5)? as u64,
                started: Time::from_millis(row.get(6)?),
                ended: row.get::<_, Option<i64>>(7)?.map(Time::from_millis),
                outcomes: Outcomes::default(),
            };
            Ok((summary, row.get::<_, i64>(8)?))
        })?;
        let mut cycles: Vec<(CycleSummary, i64)> = rows.collect::<Result<_, _>>()?;
        // What was not held cannot go away. Older versions said so.
        let mut outcomes = connection.prepare(&format!(
            "SELECT CASE WHEN outcome = 'gone' AND held IS NULL THEN 'missing' \
             WHEN outcome = 'refused' AND fault_kind NOT IN ('robots', 'excluded', 'unsafe') THEN 'unreachable' \
             WHEN outcome = 'refused' AND fault LIKE '{NO_ROBOTS}%' THEN 'unreachable' \
             ELSE outcome END AS name, count(*) FROM observation \
             WHERE no >= ?1 AND no < ?2 AND cycle = ?3 GROUP BY name",
        ))?;
        let mut end = i64::MAX;
        for (cycle, first) in cycles.iter_mut().filter(|_| is_counted) {
            let mut rows = outcomes.query((*first, end, cycle.no))?;
            while let Some(row) = rows.next()? {
                let name: String = row.get(0)?;
                *cycle.outcomes.count(&name).ok_or_else(|| bad(0, "an outcome"))? = row.get(1)?;
            }
            end = *first;
        }
        Ok(cycles.into_iter().map(|(cycle, _)| cycle).rev().collect())
    }

    /// The held pages that were not read to their end, in the order of their numbers.
    ///
    /// # Errors
    /// If the database cannot be read or is damaged.
    pub fn left_out(&self) -> Result<Vec<LeftOut>, StoreError> {
        self.select_left_out().map_err(|e| self.error(e))
    }

    fn select_left_out(&self) -> rusqlite::Result<Vec<LeftOut>> {
        if schema::version(self.connection())? < schema::HAS_LEFT_OUT {
            return Ok(vec![]);
        }
        let mut select = self.connection().prepare(
            "SELECT address, left_out FROM snapshot JOIN page ON page.no = snapshot.page \
             WHERE left_out IS NOT NULL ORDER BY snapshot.page",
        )?;
        let rows =
            select.query_map((), |row| Ok(LeftOut { address: row.get(0)?, what: row.get(1)? }))?;
        rows.collect()
    }

    /// Faults since `since`, if given; the most frequent first.
    ///
    /// # Errors
    /// If the database cannot be read or is damaged.
    pub fn faults(&self, since: Option<Time>) -> Result<Vec<FaultCount>, StoreError> {
        self.count_faults(since).map_err(|e| self.error(e))
    }

    fn count_faults(&self, since: Option<Time>) -> rusqlite::Result<Vec<FaultCount>> {
        // Older versions have one kind for a robots.txt that forbids and one that cannot be fetched.
        let mut select = self.connection().prepare(&format!(
            "SELECT kinds.fault_kind, kinds.count, page.address, observation.fault FROM \
             (SELECT fault_kind, fault LIKE '{NO_ROBOTS}%' AS is_old, count(*) AS count, \
              max(no) AS latest FROM observation \
              WHERE fault_kind IS NOT NULL AND at >= ?1 GROUP BY fault_kind, is_old) AS kinds \
             JOIN observation ON observation.no = kinds.latest \
             JOIN page ON page.no = observation.page \
             ORDER BY kinds.count DESC, kinds.fault_kind",
        ))?;
        let rows = select.query_map((since.map_or(i64::MIN, Time::millis),), |row| {
            let kind: String = row.get(0)?;
            let fault = column::fault(Some(&kind), row.get(3)?).ok().flatten();
            let Fault { kind, why } = fault.ok_or_else(|| bad(0, "a fault"))?;
            Ok(FaultCount { kind, count: row.get(1)?, address: row.get(2)?, why })
        })?;
        rows.collect()
    }
}
