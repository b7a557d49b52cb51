//! Updates the search index of a data folder.
use std::path::Path;

use index::{CaughtUp, Index, IndexError};

use crate::{failure::Failure, progress::Bars};

/// Updates the index of a data folder to the end of the log, with a progress bar.
pub(crate) fn catch_up(folder: &Path, quiet: bool) -> Result<CaughtUp, Failure> {
    catch_up_open(&mut Index::open(folder)?, quiet)
}

/// The same for an index that is open.
pub(crate) fn catch_up_open(index: &mut Index, quiet: bool) -> Result<CaughtUp, Failure> {
    let bars = Bars::new(quiet);
    let caught_up = index.catch_up(&|done, of| {
        bars.bar("indexing", "pages", of as u64).set_position(done as u64);
    });
    bars.clear();
    Ok(caught_up?)
}

/// Updates the index unless another process writes it: a running crawl keeps it up to date.
pub(crate) fn catch_up_unless_in_use(folder: &Path, quiet: bool) -> Result<(), Failure> {
    match catch_up(folder, quiet) {
        Ok(_) => Ok(()),
        Err(Failure::InUse(_)) if index::Searcher::open(folder).is_ok() => Ok(()),
        Err(failure) => Err(failure),
    }
}

impl From<IndexError> for Failure {
    fn from(error: IndexError) -> Self {
        let line = crate::failure::with_causes(&error);
        match error {
            IndexError::InUse { .. } => Self::InUse(format!("{line}; wait until it has finished")),
            IndexError::Missing { .. } => {
                Self::Input(format!("{line}; make one with: sanderling index"))
            }
            IndexError::Store(error) => error.into(),
            _ => Self::Internal(line),
        }
    }
}
