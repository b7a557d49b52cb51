//! Follows the log while another process writes it.
use crawl::{Observation, PageNo, PageRecord, Pages, State};

use super::View;
use crate::StoreError;
use crate::load::{self, OBSERVATION_WIDTH};
use crate::schema;
use crate::summary::bad;

/// The pages as of a log position; updated by [`View::follow`].
#[derive(Clone, Debug, Default)]
pub struct Followed {
    pages: Pages,
    position: u64,
}

impl Followed {
    /// Every page known at that position.
    pub fn pages(&self) -> &Pages {
        &self.pages
    }

    /// Number of the last observation read.
    pub fn position(&self) -> u64 {
        self.position
    }
}

impl View {
    /// Updates `followed` to the end of the log. Calls `each` with every new observation, its number
    /// and the pages as they were before it. After an error `followed` may be inconsistent; start with
    /// a new one.
    ///
    /// # Errors
    /// If the database cannot be read or is damaged.
    pub fn follow(
        &self,
        followed: &mut Followed,
        each: &mut dyn FnMut(&Pages, u64, &Observation),
    ) -> Result<(), StoreError> {
        self.advance(followed, each).map_err(|e| self.error(e))
    }

    fn advance(
        &self,
        followed: &mut Followed,
        each: &mut dyn FnMut(&Pages, u64, &Observation),
    ) -> rusqlite::Result<()> {
        // One read transaction, so that new pages match the end of the log.
        let transaction = self.connection().unchecked_transaction()?;
        let known = followed.pages.len() as i64;
        let claimed_change = schema::names(&transaction)?.claimed_change;
        let mut select = transaction.prepare_cached(&format!(
            "SELECT no, address, state, first_seen, last_tried, last_seen, visits, changes, \
             misses, failures, {claimed_change} FROM page WHERE no >= ?1 ORDER BY no"
        ))?;
        let mut rows = select.query((known,))?;
        while let Some(row) = rows.next()? {
            let address = row.get_ref(1)?.as_str().map_err(|_| bad(1, "an address"))?;
            let page = followed.pages.restore(address, &as_discovered(&load::record(row, 2)?));
            if page != PageNo(row.get(0)?) {
                return Err(bad(0, "the next page number and a unique address"));
            }
        }
        let columns = load::observation_columns(&transaction)?;
        let mut select = transaction.prepare_cached(&format!(
            "SELECT {columns}, observation.no FROM observation \
             JOIN page ON page.no = observation.page \
             WHERE observation.no > ?1 ORDER BY observation.no"
        ))?;
        let mut rows = select.query((followed.position as i64,))?;
        while let Some(row) = rows.next()? {
            let seen = load::observation(row)?;
            followed.position = row.get(OBSERVATION_WIDTH)?;
            let is_known = |page: PageNo| page.index() < followed.pages.len();
            let linked = seen.leads.iter().copied().chain(seen.signals.iter().map(|it| it.page));
            if !linked.chain([seen.page]).all(is_known) {
                return Err(bad(OBSERVATION_WIDTH, "an observation of known pages"));
            }
            each(&followed.pages, followed.position, &seen);
            followed.pages.apply(seen.page, seen.at, seen.outcome);
            for &lead in &seen.leads {
                followed.pages.relink(lead);
            }
            for &signal in &seen.signals {
                followed.pages.signal(signal);
            }
        }
        Ok(())
    }
}

/// The record of a page before its first visit. The log has the rest.
fn as_discovered(record: &PageRecord) -> PageRecord {
    PageRecord {
        state: State::Linked,
        first_seen: record.first_seen,
        last_tried: None,
        last_seen: None,
        visits: 0,
        changes: 0,
        misses: 0,
        failures: 0,
        claimed_change: record.claimed_change,
    }
}
