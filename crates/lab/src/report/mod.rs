//! Reports of results: CSV, JSON, a table for the terminal and one HTML file.
//!
//! Reports depend on [`Results`] only, so the same results give the same bytes. Means are taken
//! over seeds first, then over webs. [`stats`] defines the intervals.
pub mod csv;
pub mod figure;
pub mod html;
pub mod json;
pub mod stats;
mod summary;
pub mod terminal;
pub mod words;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

pub use self::html::html;
use crate::results::Results;

/// Why a report could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// A file or its directory could not be written.
    #[error("cannot write {}", path.display())]
    Write {
        /// The file or directory.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
}

/// Writes `results.csv`, `cycles.csv`, `webs.csv`, `results.json` and `report.html` into `dir`,
/// which is created if needed. Each file is replaced atomically.
///
/// # Errors
/// If the directory or a file cannot be written.
pub fn write_all(results: &Results, dir: &Path) -> Result<(), ReportError> {
    fs::create_dir_all(dir)
        .map_err(|source| ReportError::Write { path: dir.to_owned(), source })?;
    write_whole(dir, "results.csv", |file| csv::results(results, file))?;
    write_whole(dir, "cycles.csv", |file| csv::cycles(results, file))?;
    write_whole(dir, "webs.csv", |file| csv::webs(results, file))?;
    write_whole(dir, "results.json", |file| json::results(results, file))?;
    write_whole(dir, "report.html", |mut file| {
        io::Write::write_all(&mut file, html(results).as_bytes())
    })
}

/// Writes a file atomically: to a temporary file, which is then renamed.
///
/// # Errors
/// If the file cannot be written.
pub fn write_whole(
    dir: &Path,
    name: &str,
    write: impl FnOnce(&File) -> io::Result<()>,
) -> Result<(), ReportError> {
    let (path, partial) = (dir.join(name), dir.join(format!(".{name}.partial")));
    File::create(&partial)
        .and_then(|file| write(&file).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&partial, &path))
        .map_err(|source| {
            // The first error is reported; a failed removal of the temporary file is not.
            let _ = fs::remove_file(&partial);
            ReportError::Write { path, source }
        })
}
