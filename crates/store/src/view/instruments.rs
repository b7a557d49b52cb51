//! Loads instruments read-only.
use crawl::Instrument;

use super::View;
use crate::StoreError;
use crate::instruments::StateLoader;
use crate::options::Options;

impl View {
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
        let body_limit = Options::default().body_limit;
        let loader =
            StateLoader { connection: self.connection(), folder: self.folder(), body_limit };
        loader.load(into, goes_on, &mut |_, _, _| Ok(()))
    }
}
