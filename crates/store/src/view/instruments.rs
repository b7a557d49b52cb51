//! Loads instruments read-only.
use crawl::Instrument;
use rusqlite::OptionalExtension;

use super::View;
use crate::StoreError;
use crate::instruments::{self, StateLoader};
use crate::schema::{self, Names};

impl View {
    /// The stored state of an instrument as a whole; `None` if there is none or it is damaged.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn instrument_state(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let read = || {
            let Names { instrument, .. } = schema::names(self.connection())?;
            let select = format!("SELECT digest, state FROM {instrument} WHERE name = ?1");
            let state =
                |row: &rusqlite::Row<'_>| Ok(instruments::state(row, 0).map(<[u8]>::to_vec));
            Ok(self.connection().query_row(&select, (name,), state).optional()?.flatten())
        };
        read().map_err(|e| StoreError::sql("read", &self.folder().database(), e))
    }

    /// Loads the stored state of an instrument into `into`. Missing page states are recomputed from
    /// the archive and not stored. Calls `goes_on` with the number of recomputed pages and the
    /// total, and stops if it returns false. Returns whether all states were loaded.
    ///
    /// # Errors
    /// If the data folder cannot be read or is damaged.
    pub fn load_instrument(
        &self,
        into: &mut dyn Instrument,
        goes_on: &mut dyn FnMut(usize, usize) -> bool,
    ) -> Result<bool, StoreError> {
        let body_limit = self.body_limit()?;
        let loader =
            StateLoader { connection: self.connection(), folder: self.folder(), body_limit };
        loader.load(into, goes_on, &mut |_, _, _| Ok(()))
    }
}
