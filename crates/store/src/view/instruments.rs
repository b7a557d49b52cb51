//! Loading the states of instruments.
use crawl::Instrument;

use super::View;
use crate::StoreError;
use crate::instruments::StateLoader;
use crate::options::Options;

impl View {
    /// Loads what an instrument keeps into `into`. Pages of which nothing was stored are read back
    /// from the archive, each time again. Returns whether all was loaded: `goes_on` is told now and
    /// then how many pages were read back, of how many, and may end it.
    ///
    /// # Errors
    /// When the store cannot be read, or is damaged.
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
