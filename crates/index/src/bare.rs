//! The engine without us, for the benchmark that compares both.
use std::path::Path;

use tantivy::directory::MmapDirectory;
use tantivy::{IndexSettings, TantivyDocument};

use crate::{Entry, analysis, document, schema};

/// An empty index of tantivy in `folder`, with the schema and the analysis of ours.
///
/// # Errors
/// When the folder cannot be used.
pub fn index(folder: &Path) -> tantivy::Result<tantivy::Index> {
    let directory = MmapDirectory::open(folder)?;
    let index = tantivy::Index::create(directory, schema::schema().0, IndexSettings::default())?;
    index.tokenizers().register(analysis::NAME, analysis::Marked::default());
    Ok(index)
}

/// What is added of a page.
pub fn document(entry: &Entry<'_>) -> TantivyDocument {
    document::document(entry, &schema::schema().1)
}
