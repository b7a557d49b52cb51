//! Following the log while another process writes it.
use crawl::{Observation, PageNo, Pages};

use super::View;
use crate::StoreError;
use crate::load::{self, OBSERVATION_WIDTH};
use crate::summary::bad;

/// What is known of pages as of a position of the log; brought forward by [`View::follow`].
#[derive(Clone, Debug, Default)]
pub struct Followed {
    pages: Pages,
    position: u64,
}

impl Followed {
    /// Every page that is known there.
    pub fn pages(&self) -> &Pages {
        &self.pages
    }

    /// The number of the last observation that was taken in.
    pub fn position(&self) -> u64 {
        self.position
    }
}

impl View {
    /// Brings `followed` up to the end of the log and hands over every observation on the way. Only
    /// what is new is read. After an error `followed` may be half-way: begin with a new one.
    ///
    /// # Errors
    /// When the store cannot be read, or is damaged.
    pub fn follow(
        &self,
        followed: &mut Followed,
        each: &mut dyn FnMut(&Observation),
    ) -> Result<(), StoreError> {
        self.play_on(followed, each).map_err(|e| self.error(e))
    }

    fn play_on(
        &self,
        followed: &mut Followed,
        each: &mut dyn FnMut(&Observation),
    ) -> rusqlite::Result<()> {
        // One read transaction, so that the pages added here have just what the log tells of them.
        let transaction = self.connection().unchecked_transaction()?;
        let known = followed.pages.len();
        let mut select = transaction.prepare_cached(
            "SELECT no, address, state, first_seen, last_tried, last_seen, visits, changes, \
             misses, failures, said_changed FROM page WHERE no >= ?1 ORDER BY no",
        )?;
        let mut rows = select.query((known as i64,))?;
        while let Some(row) = rows.next()? {
            let address = row.get_ref(1)?.as_str().map_err(|_| bad(1, "an address"))?;
            let page = followed.pages.restore(address, &load::record(row, 2)?);
            if page != PageNo(row.get(0)?) {
                return Err(bad(0, "the next page number, and an address that no page had before"));
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
            // A page that was added just now is as of the end of the log already.
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
