//! Loading the states of instruments, for a crawl that goes on.
use crawl::Instrument;

use super::Store;
use crate::StoreError;
use crate::instruments::StateLoader;

impl Store {
    /// Loads what an instrument keeps into `into`. Pages of which nothing was stored, since they came
    /// while the instrument was not there, are read back from the archive; that is stored, so that
    /// it happens once. Returns whether all was loaded: `goes_on` is told now and then how many pages
    /// were read back, of how many, and may end it.
    ///
    /// # Errors
    /// When the store cannot be read or written, or is damaged.
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
