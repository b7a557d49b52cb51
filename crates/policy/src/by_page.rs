//! Vectors by page or host number, and values by page id.
use crawl::{Known, PageId, PageNo};

/// The value of a row, after growing the vector with defaults if it is too short.
pub(crate) fn row_mut<T: Clone + Default>(rows: &mut Vec<T>, row: usize) -> &mut T {
    if rows.len() <= row {
        rows.resize(row + 1, T::default());
    }
    &mut rows[row]
}

/// Values that are given by page id: for the lab, where the truth is known.
#[derive(Clone, Debug)]
pub(crate) struct GivenValues<T>(Vec<(PageId, T)>);

impl<T: Copy + Default> GivenValues<T> {
    pub(crate) fn new(mut values: Vec<(PageId, T)>) -> Self {
        values.sort_unstable_by_key(|&(page, _)| page);
        Self(values)
    }

    /// The value of a page; the default if none was given.
    pub(crate) fn get(&self, known: &Known<'_>, page: PageNo) -> T {
        let row = self.0.binary_search_by_key(&known.pages.id(page), |&(page, _)| page);
        row.map_or_else(|_| T::default(), |row| self.0[row].1)
    }
}
