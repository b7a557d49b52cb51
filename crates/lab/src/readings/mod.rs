//! From a trace file to a history: every distinct version is read once, and never again.
//!
//! A reading depends on a page's address, type and bytes alone. All readings of a trace are kept in
//! the cache folder under the digest of the trace's own bytes, so a second tournament starts without
//! touching HTML, and a trace that differs in one byte is read anew. Texts are kept beside them,
//! page by page, for the few detectors that compare texts.
mod build;
mod cache;
mod error;
mod texts;

use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
    sync::Arc,
};

use xxhash_rust::xxh3::Xxh3;

pub use self::error::ReadingsError;
use crate::{
    compare::Texts,
    history::{History, Window},
    trace::TraceReader,
};

/// A trace whose readings are, or will be, in the cache.
#[derive(Clone, Debug)]
pub struct CachedTrace {
    /// The trace file.
    pub path: PathBuf,
    /// The digest of its bytes.
    pub fingerprint: u128,
    /// The time it covers.
    pub window: Window,
    cache: PathBuf,
}

/// Told how far the reading of a trace has come: rows done, and rows in all.
pub type Progress<'a> = dyn Fn(u64, u64) + Sync + 'a;

impl CachedTrace {
    /// The trace at `path`, with its readings in the folder `cache`. Nothing is read yet but what
    /// says that it is a trace.
    ///
    /// # Errors
    /// When the file cannot be opened or is not what a trace must be.
    pub fn open(path: &Path, cache: &Path) -> Result<Self, ReadingsError> {
        let window = TraceReader::open(path)?.window();
        let fingerprint = fingerprint(path)
            .map_err(|source| ReadingsError::Open { path: path.to_owned(), source })?;
        Ok(Self { path: path.to_owned(), fingerprint, window, cache: cache.to_owned() })
    }

    /// Makes sure that the readings are in the cache.
    ///
    /// # Errors
    /// When a row of the trace is not what it must be, or the cache cannot be written.
    pub fn read(&self, progress: &Progress<'_>) -> Result<(), ReadingsError> {
        if cache::is_whole(&self.history_file()) && texts::is_whole(&self.texts_file()) {
            return Ok(());
        }
        std::fs::create_dir_all(&self.cache).map_err(|source| self.unwritable(source))?;
        build::build(&mut TraceReader::open(&self.path)?, self, progress)
    }

    /// Whether any page is alive at the window's start.
    ///
    /// # Errors
    /// When a row of the trace is not what it must be.
    pub fn has_pages_at_start(&self) -> Result<bool, ReadingsError> {
        // Rows come by page and time: the last of a page's rows up to the start says.
        let mut last: Option<(String, bool)> = None;
        for batch in TraceReader::open(&self.path)?.heads()? {
            for row in batch?.into_iter().filter(|row| row.at <= self.window.start) {
                if last.as_ref().is_some_and(|(url, alive)| *alive && *url != row.url) {
                    return Ok(true);
                }
                last = Some((row.url, (200..300).contains(&row.status)));
            }
        }
        Ok(last.is_some_and(|(_, alive)| alive))
    }

    /// The history, and its texts, which stay on disk until they are asked for.
    ///
    /// # Errors
    /// When the cache was damaged or removed since.
    pub fn load(&self) -> Result<(History, Arc<dyn Texts>), ReadingsError> {
        let (history, blocks) = cache::load(&self.history_file(), &self.name())?;
        Ok((history, Arc::new(texts::TextsFile::new(self.texts_file(), blocks))))
    }

    /// The name of the trace in results: its file's name without the ending.
    pub fn name(&self) -> String {
        self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }

    fn history_file(&self) -> PathBuf {
        self.cache.join(format!("{:032x}.readings", self.fingerprint))
    }

    fn texts_file(&self) -> PathBuf {
        self.cache.join(format!("{:032x}.texts", self.fingerprint))
    }

    fn unwritable(&self, source: std::io::Error) -> ReadingsError {
        ReadingsError::Cache { folder: self.cache.clone(), source }
    }
}

/// The digest of a file's bytes.
fn fingerprint(path: &Path) -> std::io::Result<u128> {
    let mut file = File::open(path)?;
    let mut hasher = Xxh3::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hasher.digest128()),
            read => hasher.update(&buffer[..read]),
        }
    }
}
