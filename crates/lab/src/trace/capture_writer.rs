//! Writes a trace made from captures, with uncertain times of change.
use std::path::Path;

use crawl::Time;

use super::{Row, TraceError, TraceWriter};
use crate::history::Window;

/// A trace file with the column `after` that is being written. A type of its own, because the
/// columns of a file are fixed at its start, and traces with exact times have no such column.
pub struct CaptureTraceWriter(TraceWriter);

impl CaptureTraceWriter {
    /// Starts a trace as [`TraceWriter::create`] does.
    ///
    /// # Errors
    /// If the window is empty or nothing can be written there.
    pub fn create(
        path: &Path,
        window: Window,
        source: &str,
        metadata: &[(&str, String)],
    ) -> Result<Self, TraceError> {
        TraceWriter::begin(path, window, source, metadata, true).map(Self)
    }

    /// Adds a row; rows must be sorted by address and time. Its content appeared at an unknown
    /// instant between `after` and `at`, or exactly at `at` if `after` is `None`.
    ///
    /// # Errors
    /// If the row breaks a rule of the format, or the file cannot be written.
    pub fn write(&mut self, row: Row, after: Option<Time>) -> Result<(), TraceError> {
        self.0.add(row, after)
    }

    /// Completes the file and renames it to its final name; an existing file is replaced.
    ///
    /// # Errors
    /// If the file cannot be written; no file is left behind then.
    pub fn finish(self) -> Result<(), TraceError> {
        self.0.finish()
    }
}
