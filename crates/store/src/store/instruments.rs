//! Loads instruments when a crawl continues.
use crawl::Instrument;

use super::Store;
use crate::StoreError;
use crate::instruments::StateLoader;

impl Store {
    /// Loads the stored state of an instrument into `into`. If pages have no state, because they
    /// were fetched without the instrument, it is recomputed from the archive and stored. Calls
    /// `goes_on` with the number of recomputed pages and the total, and stops if it returns false.
    /// Returns whether all states were loaded.
    ///
    /// # Errors
    /// If the data folder cannot be read or written, or is damaged.
    pub fn load_instrument(
        &self,
        into: &mut dyn Instrument,
        goes_on: &mut dyn FnMut(usize, usize) -> bool,
    ) -> Result<bool, StoreError> {
        self.queue.flush(false)?;
        let body_limit = self.options.body_limit;
        let loader = StateLoader { connection: &self.reader, folder: &self.folder, body_limit };
        let name = into.name();
        let is_whole = loader.load(into, goes_on, &mut |page, observation, state| {
            self.queue.add(|batch| {
                batch.bytes += state.len();
                batch.page_states.push((name, page, observation, state));
            })
        })?;
        self.queue.flush(false)?;
        Ok(is_whole)
    }
}
