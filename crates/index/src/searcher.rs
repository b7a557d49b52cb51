//! Searching.
use std::path::Path;

use crate::{Ask, Found, IndexError};

/// Reads an index, beside whoever writes it. Cheap to share between threads.
#[derive(Debug)]
pub struct Searcher {}

impl Searcher {
    /// Opens the index of the data folder at `folder`.
    ///
    /// # Errors
    /// When there is none yet, or it is damaged.
    pub fn open(folder: &Path) -> Result<Self, IndexError> {
        Err(IndexError::Missing { folder: folder.to_owned() })
    }

    /// Searches what was committed last.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn search(&self, _ask: &Ask) -> Result<Found, IndexError> {
        Ok(Found::default())
    }

    /// The position of the log that the last commit reflects.
    pub fn position(&self) -> u64 {
        0
    }

    /// How many pages can be found.
    pub fn pages(&self) -> u64 {
        0
    }
}
