//! Loads a trace file as a history. A cache ensures that every distinct version is parsed only
//! once.
//!
//! A reading depends only on the address, the type and the bytes of a page. The cache key is the
//! digest of the trace file: a later tournament parses no HTML, and a changed trace is parsed
//! again. The texts are stored in a file of their own, page by page, since few detectors compare
//! texts.
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

/// A trace with its place in the cache.
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

/// Receives the number of rows of a trace read so far, and of all rows.
pub type Progress<'a> = dyn Fn(u64, u64) + Sync + 'a;

impl CachedTrace {
    /// Opens the trace at `path`, with its readings in the folder `cache`. Reads only the metadata
    /// of the trace.
    ///
    /// # Errors
    /// If the file cannot be opened or is not a valid trace.
    pub fn open(path: &Path, cache: &Path) -> Result<Self, ReadingsError> {
        let window = TraceReader::open(path)?.window();
        let fingerprint = fingerprint(path)
            .map_err(|source| ReadingsError::Open { path: path.to_owned(), source })?;
        Ok(Self { path: path.to_owned(), fingerprint, window, cache: cache.to_owned() })
    }

    /// Reads the trace into the cache unless it is there.
    ///
    /// # Errors
    /// If a row of the trace is invalid, or the cache cannot be written.
    pub fn read(&self, progress: &Progress<'_>) -> Result<(), ReadingsError> {
        if cache::is_whole(&self.history_file()) && texts::is_whole(&self.texts_file()) {
            return Ok(());
        }
        std::fs::create_dir_all(&self.cache).map_err(|source| self.unwritable(source))?;
        build::build(&mut TraceReader::open(&self.path)?, self, progress)
    }

    /// Whether any page is alive at the start of the window.
    ///
    /// # Errors
    /// If a row of the trace is invalid.
    pub fn has_pages_at_start(&self) -> Result<bool, ReadingsError> {
        // Rows are sorted by page and time: the last row of a page up to the start decides.
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

    /// Loads the history. The texts stay on disk and are loaded page by page.
    ///
    /// # Errors
    /// If the cache was damaged or removed in the meantime.
    pub fn load(&self) -> Result<(History, Arc<dyn Texts>), ReadingsError> {
        let (history, blocks) = cache::load(&self.history_file(), &self.name())?;
        Ok((history, Arc::new(texts::TextsFile::new(self.texts_file(), blocks))))
    }

    /// The name of the trace in results: the file name without its extension.
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

/// The digest of the bytes of a file.
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
