//! The search index of a data folder, brought up to what is held.
use std::path::Path;

use index::{BroughtUp, Index, IndexError};

use crate::{failure::Failure, progress::Bars};

/// Brings the index of a data folder up to the log, with a bar where that takes a while.
pub(crate) fn bring_up(folder: &Path, quiet: bool) -> Result<BroughtUp, Failure> {
    bring_up_open(&mut Index::open(folder)?, quiet)
}

/// The same for an index that is open.
pub(crate) fn bring_up_open(index: &mut Index, quiet: bool) -> Result<BroughtUp, Failure> {
    let bars = Bars::new(quiet);
    let brought = index.bring_up(&|done, of| {
        bars.bar("indexing", "pages", of as u64).set_position(done as u64);
    });
    bars.clear();
    Ok(brought?)
}

/// The same, but content with the index as it is where another process writes it: a crawl keeps it in
/// step.
pub(crate) fn bring_up_unless_in_use(folder: &Path, quiet: bool) -> Result<(), Failure> {
    match bring_up(folder, quiet) {
        Ok(_) => Ok(()),
        Err(Failure::InUse(_)) if index::Searcher::open(folder).is_ok() => Ok(()),
        Err(failure) => Err(failure),
    }
}

impl From<IndexError> for Failure {
    fn from(error: IndexError) -> Self {
        let line = crate::failure::with_causes(&error);
        match error {
            IndexError::InUse { .. } => Self::InUse(format!("{line}; wait until it is done")),
            IndexError::Missing { .. } => {
                Self::Input(format!("{line}; make one with: sanderling index"))
            }
            IndexError::Store(error) => error.into(),
            _ => Self::Ours(line),
        }
    }
}
