//! Updates the search index of a data folder.
use std::path::Path;

use index::{CaughtUp, Index, IndexError};

use super::tally::counted;
use crate::{failure::Failure, progress::Bars};

/// Updates the index of a data folder to the end of the log, or builds it again, with a progress bar.
pub(crate) fn catch_up(folder: &Path, rebuild: bool, quiet: bool) -> Result<CaughtUp, Failure> {
    let mut index = Index::open(folder)?;
    if !rebuild {
        return catch_up_open(&mut index, quiet);
    }
    let bars = Bars::new(quiet);
    let done = index.rebuild(&|done, of| {
        bars.bar("indexing", "pages", of as u64).set_position(done as u64);
    });
    bars.clear();
    Ok(done?)
}

/// Updates an open index. Pages that cannot be read are left out, which is said.
pub(crate) fn catch_up_open(index: &mut Index, quiet: bool) -> Result<CaughtUp, Failure> {
    let bars = Bars::new(quiet);
    let caught_up = index.catch_up(&|done, of| {
        bars.bar("indexing", "pages", of as u64).set_position(done as u64);
    });
    bars.clear();
    let caught_up = caught_up?;
    if let Some((address, flaw)) = caught_up.unreadable.first() {
        let others = match caught_up.unreadable.len() - 1 {
            0 => String::new(),
            count => format!(" and {}", counted(count as u64, "other page", "other pages")),
        };
        eprintln!("searches do not find {address}{others}: {flaw}");
    }
    Ok(caught_up)
}

/// Updates the index unless another process writes it, or nobody can: a running crawl keeps it up to date,
/// and a folder that is only read is searched as it is.
pub(crate) fn catch_up_unless_in_use(folder: &Path, quiet: bool) -> Result<(), Failure> {
    match Index::open(folder) {
        Ok(mut index) => catch_up_open(&mut index, quiet).map(|_| ()),
        Err(error) => {
            let is_in_use = matches!(error, IndexError::InUse { .. });
            if !is_in_use && !error.is_read_only() {
                return Err(error.into());
            }
            match index::Searcher::open(folder) {
                Ok(_) => Ok(()),
                Err(_) if is_in_use => Err(error.into()),
                // An index that cannot be written can still be searched, unless it cannot be read either.
                Err(unreadable) => Err(unreadable.into()),
            }
        }
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
            error if error.is_full() => Self::DiskFull(line),
            _ => Self::Internal(line),
        }
    }
}
