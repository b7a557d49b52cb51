//! What features of pages are made from, for a crawl that goes on.
use flow::features::Features;

use super::Store;
use crate::StoreError;
use crate::batch::facts_bytes;
use crate::features::Shelf;

impl Store {
    /// Loads what features of pages are made from into `into`. Pages of which it was not kept, since
    /// they came while no policy looked at it, are read back from the archive; that is kept, so that
    /// it happens once. Whether all was loaded: `goes_on` is told now and then how many pages were
    /// read back, of how many, and may end it.
    ///
    /// # Errors
    /// When the store cannot be read or written, or is damaged.
    pub fn load_features(
        &self,
        into: &mut Features,
        goes_on: &mut dyn FnMut(usize, usize) -> bool,
    ) -> Result<bool, StoreError> {
        self.queue.settle(false)?;
        let body_limit = self.options.body_limit;
        let kept = Shelf { connection: &self.reader, folder: &self.folder, body_limit };
        let is_whole = kept.load(into, goes_on, &mut |page, observation, facts| {
            self.queue.add(|batch| {
                batch.bytes += facts_bytes(facts);
                batch.facts.push((page, observation, facts.clone()));
            })
        })?;
        self.queue.settle(false)?;
        Ok(is_whole)
    }
}
