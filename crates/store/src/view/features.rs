//! What features of pages are made from.
use flow::features::Features;

use super::View;
use crate::StoreError;
use crate::features::Shelf;
use crate::options::Options;

impl View {
    /// Loads what features of pages are made from into `into`. Pages of which it was not kept are
    /// read back from the archive, each time anew. Whether all was loaded: `goes_on` is told now and
    /// then how many pages were read back, of how many, and may end it.
    ///
    /// # Errors
    /// When the store cannot be read, or is damaged.
    pub fn load_features(
        &self,
        into: &mut Features,
        goes_on: &mut dyn FnMut(usize, usize) -> bool,
    ) -> Result<bool, StoreError> {
        let body_limit = Options::default().body_limit;
        let kept = Shelf { connection: self.connection(), folder: self.folder(), body_limit };
        kept.load(into, goes_on, &mut |_, _, _| Ok(()))
    }
}
