//! Every host: what it gave, and why it gives nothing now.
use std::collections::BTreeMap;

use crawl::{Fault, FaultKind, HostState, Outcome, Time};

use super::View;
use crate::summary::bad;
use crate::{StoreError, column};

/// What a host gave, and how its last visit ended.
#[derive(Clone, Debug, PartialEq)]
pub struct HostSummary {
    /// Its name, with the port where addresses give one.
    pub host: String,
    /// Known pages.
    pub pages: u64,
    /// Held pages.
    pub held: u64,
    /// Dead links: pages never held that were not found.
    pub missing: u64,
    /// Pages that were tried, whatever the outcome.
    pub tried: u64,
    /// Its last visit, or attempt at one.
    pub last: Option<HostVisit>,
    /// It gets no requests before this time.
    pub back_off_until: Option<Time>,
    /// How often in a row it asked for fewer requests or could not be reached.
    pub strikes: u32,
}

/// A visit to a host.
#[derive(Clone, Debug, PartialEq)]
pub struct HostVisit {
    /// Address of the page.
    pub address: String,
    /// When.
    pub at: Time,
    /// How it ended.
    pub outcome: Outcome,
    /// Why it failed, if it did.
    pub fault: Option<Fault>,
    /// HTTP status, if there was a response.
    pub status: Option<u16>,
}

impl HostSummary {
    /// Whether it was tried, and nothing of it is held.
    pub fn gave_nothing(&self) -> bool {
        self.held == 0 && self.tried > 0
    }

    /// Whether it could not be reached when it was last visited, or must be left alone at `now`. Pages of
    /// it may be held.
    pub fn is_failing(&self, now: Time) -> bool {
        use FaultKind::{Busy, Connect, Name, Timeout, Tls};
        let is_of_host = |visit: &HostVisit| {
            visit.fault.as_ref().is_some_and(|fault| {
                let is_refused = visit.outcome == Outcome::Refused && !fault.kind.is_rule();
                is_refused || matches!(fault.kind, Busy | Connect | Name | Timeout | Tls)
            })
        };
        self.back_off_until.is_some_and(|until| until > now)
            || self.last.as_ref().is_some_and(is_of_host)
    }
}

impl View {
    /// Every host with known pages, by name. Scans all pages.
    ///
    /// # Errors
    /// If the database cannot be read or is damaged.
    pub fn hosts(&self) -> Result<Vec<HostSummary>, StoreError> {
        let states = self.host_states()?;
        let states: BTreeMap<&str, &HostState> =
            states.iter().map(|state| (state.host.as_str(), state)).collect();
        let mut hosts = self.summarise_hosts().map_err(|e| self.error(e))?;
        for host in &mut hosts {
            if let Some(state) = states.get(host.host.as_str()) {
                (host.back_off_until, host.strikes) = (state.back_off_until, state.strikes);
            }
        }
        Ok(hosts)
    }

    fn summarise_hosts(&self) -> rusqlite::Result<Vec<HostSummary>> {
        let mut select = self.connection().prepare_cached(
            "SELECT host.name, counts.pages, counts.held, counts.missing, counts.tried, \
             page.address, observation.at, observation.outcome, observation.change, \
             observation.fault_kind, observation.fault, observation.status FROM \
             (SELECT host, count(*) AS pages, sum(state = 'held') AS held, \
              sum(state <> 'held' AND misses > 0 AND changes = 0) AS missing, \
              count(last) AS tried, max(last) AS last FROM page GROUP BY host) AS counts \
             JOIN host ON host.no = counts.host \
             LEFT JOIN observation ON observation.no = counts.last \
             LEFT JOIN page ON page.no = observation.page ORDER BY host.name",
        )?;
        let rows = select.query_map((), |row| {
            let text = |place: usize| {
                row.get_ref(place)?.as_str_or_null().map_err(|_| bad(place, "a name"))
            };
            let last = match text(7)? {
                None => None,
                Some(name) => Some(HostVisit {
                    address: row.get(5)?,
                    at: Time::from_millis(row.get(6)?),
                    outcome: column::outcome(name, row.get(8)?)
                        .ok_or_else(|| bad(7, "an outcome"))?,
                    fault: column::fault(text(9)?, row.get(10)?).map_err(|()| bad(9, "a fault"))?,
                    status: row.get(11)?,
                }),
            };
            Ok(HostSummary {
                host: row.get(0)?,
                pages: row.get(1)?,
                held: row.get(2)?,
                missing: row.get(3)?,
                tried: row.get(4)?,
                last,
                back_off_until: None,
                strikes: 0,
            })
        })?;
        rows.collect()
    }
}
