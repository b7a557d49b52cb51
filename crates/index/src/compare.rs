//! Compares an index with its repository, page by page.
use std::path::Path;

use crawl::PageNo;
use store::View;

use crate::document::is_digest_indexable;
use crate::{IndexError, Searcher};

/// Differences between an index and its repository. Exact while nobody writes either.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Log position of the index.
    pub index_position: u64,
    /// Last position of the log.
    pub log_position: u64,
    /// Number of pages with equal title and text in both.
    pub same: u64,
    /// Indexable pages that are not in the index.
    pub missing: Vec<PageNo>,
    /// Indexed pages that are not held or not indexable.
    pub extra: Vec<PageNo>,
    /// Pages whose indexed title or text differs from the held snapshot.
    pub different: Vec<PageNo>,
}

impl Agreement {
    /// Whether there are no differences.
    pub fn agrees(&self) -> bool {
        self.index_position == self.log_position
            && self.missing.is_empty()
            && self.extra.is_empty()
            && self.different.is_empty()
    }
}

/// Compares the index of the data folder `folder` with the held snapshots.
///
/// # Errors
/// If the index is missing or damaged, or the repository cannot be read.
pub fn compare(folder: &Path) -> Result<Agreement, IndexError> {
    let searcher = Searcher::open(folder)?;
    let view = View::open(folder)?;
    let mut agreement = Agreement {
        index_position: searcher.position(),
        log_position: view.position()?,
        ..Agreement::default()
    };
    let mut indexed = searcher.digests()?.into_iter().peekable();
    for held in view.held_digests()?.iter().filter(|held| is_digest_indexable(held)) {
        while let Some((page, _)) = indexed.next_if(|(page, _)| *page < held.page) {
            agreement.extra.push(page);
        }
        match indexed.next_if(|(page, _)| *page == held.page) {
            Some((_, digest)) if digest == held.text => agreement.same += 1,
            Some((page, _)) => agreement.different.push(page),
            None => agreement.missing.push(held.page),
        }
    }
    agreement.extra.extend(indexed.map(|(page, _)| page));
    Ok(agreement)
}
