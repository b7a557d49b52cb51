//! Whether a trace is as published: its rows have the digest that the manifest names.
use std::fs;
use std::path::Path;

use super::Corpus;
use crate::readings::{CachedTrace, ReadingsError};
use crate::trace::{RowsDigest, TraceReader};

/// How a trace compares with the one of its name in the corpus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Publication {
    /// It has the same rows.
    AsPublished,
    /// It has other rows.
    Other {
        /// Those of this trace.
        found: RowsDigest,
        /// Those of the published one.
        published: RowsDigest,
    },
    /// The corpus has no trace of this name.
    NotOfTheCorpus,
}

/// Compares the trace at `path` with the corpus. The digest of a file is kept in the folder `cache`, since
/// it takes all bodies to compute it.
///
/// # Errors
/// If the trace cannot be read.
pub fn verify(corpus: &Corpus, path: &Path, cache: &Path) -> Result<Publication, ReadingsError> {
    let trace = CachedTrace::open(path, cache)?;
    let Some(site) = corpus.site(&trace.name()) else { return Ok(Publication::NotOfTheCorpus) };
    let published = site.rows;
    let kept = cache.join(format!("{:032x}.rows", trace.fingerprint));
    let known = fs::read_to_string(&kept).ok().as_deref().and_then(parse);
    let found = if let Some(known) = known {
        known
    } else {
        let found = RowsDigest::from_reader(&mut TraceReader::open(path)?)?;
        // Without a cache it is computed again the next time.
        let _ = fs::create_dir_all(cache)
            .and_then(|()| fs::write(&kept, format!("{} {found}\n", found.rows)));
        found
    };
    Ok(if found == published {
        Publication::AsPublished
    } else {
        Publication::Other { found, published }
    })
}

fn parse(text: &str) -> Option<RowsDigest> {
    let (rows, digest) = text.trim_end().split_once(' ')?;
    RowsDigest::parse(rows.parse().ok()?, digest)
}
