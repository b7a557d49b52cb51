//! Whether an index and its repository agree, page by page.
use std::path::Path;

use crawl::PageNo;
use store::View;

use crate::document::is_digest_findable;
use crate::{IndexError, Searcher};

/// How an index and its repository agree. It is exact while nobody writes either.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// The position of the log that the index reflects.
    pub index_position: u64,
    /// The position of the log.
    pub log_position: u64,
    /// How many pages are in both, with the same title and text.
    pub same: u64,
    /// The pages that should be found and are not in the index.
    pub missing: Vec<PageNo>,
    /// The pages in the index that are not held, or not to be found.
    pub extra: Vec<PageNo>,
    /// The pages that are in the index with another title or text than is held.
    pub different: Vec<PageNo>,
}

impl Agreement {
    /// Whether they agree in everything.
    pub fn agrees(&self) -> bool {
        self.index_position == self.log_position
            && self.missing.is_empty()
            && self.extra.is_empty()
            && self.different.is_empty()
    }
}

/// Compares the index of the data folder at `folder` with what is held, page by page.
///
/// # Errors
/// When there is no index or it is damaged; when the repository cannot be read.
pub fn compare(folder: &Path) -> Result<Agreement, IndexError> {
    let searcher = Searcher::open(folder)?;
    let view = View::open(folder)?;
    let mut agreement = Agreement {
        index_position: searcher.position(),
        log_position: view.position()?,
        ..Agreement::default()
    };
    let mut indexed = searcher.digests()?.into_iter().peekable();
    for mark in view.held_digests()?.iter().filter(|mark| is_digest_findable(mark)) {
        while let Some((page, _)) = indexed.next_if(|(page, _)| *page < mark.page) {
            agreement.extra.push(page);
        }
        match indexed.next_if(|(page, _)| *page == mark.page) {
            Some((_, digest)) if digest == mark.text => agreement.same += 1,
            Some((page, _)) => agreement.different.push(page),
            None => agreement.missing.push(mark.page),
        }
    }
    agreement.extra.extend(indexed.map(|(page, _)| page));
    Ok(agreement)
}
