//! Follows the log while another process writes it.
use crawl::{Observation, PageNo, Pages};

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
    /// Updates `followed` to the end of the log and calls `each` with every new observation. After
    /// an error `followed` may be inconsistent; start with a new one.
    ///
    /// # Errors
    /// If the database cannot be read or is damaged.
    pub fn follow(
        &self,
        followed: &mut Followed,
        each: &mut dyn FnMut(&Observation),
    ) -> Result<(), StoreError> {
        self.advance(followed, each).map_err(|e| self.error(e))
    }

    fn advance(
        &self,
        followed: &mut Followed,
        each: &mut dyn FnMut(&Observation),
    ) -> rusqlite::Result<()> {
        // One read transaction, so that new pages match the end of the log.
        let transaction = self.connection().unchecked_transaction()?;
        let known = followed.pages.len();
        let claimed_change = schema::names(&transaction)?.claimed_change;
        let mut select = transaction.prepare_cached(&format!(
            "SELECT no, address, state, first_seen, last_tried, last_seen, visits, changes, \
             misses, failures, {claimed_change} FROM page WHERE no >= ?1 ORDER BY no"
        ))?;
        let mut rows = select.query((known as i64,))?;
        while let Some(row) = rows.next()? {
            let address = row.get_ref(1)?.as_str().map_err(|_| bad(1, "an address"))?;
            let page = followed.pages.restore(address, &load::record(row, 2)?);
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
            // New pages already include these observations.
            if seen.page.index() < known {
                followed.pages.apply(seen.page, seen.at, seen.outcome);
            }
            for &lead in seen.leads.iter().filter(|lead| lead.index() < known) {
                followed.pages.relink(lead);
            }
            for &signal in seen.signals.iter().filter(|signal| signal.page.index() < known) {
                followed.pages.signal(signal);
            }
            followed.position = row.get(OBSERVATION_WIDTH)?;
            each(&seen);
        }
        Ok(())
    }
}
