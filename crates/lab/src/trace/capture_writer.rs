//! Writes a trace made from captures, whose times of change are uncertain.
use std::path::Path;

use crawl::Time;

use super::{Row, TraceError, TraceWriter};
use crate::history::Window;

/// A trace file that is being written, with the column `after`. A kind of its own, because the
/// columns of a file are settled when it is begun, and traces whose times are exact do not have it.
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

    /// Adds a row; rows come sorted by address and time. Its content appeared at an instant not
    /// known between `after` and its `at`, or exactly at `at` where that is `None`.
    ///
    /// # Errors
    /// If the row breaks a rule of the format, or the file cannot be written.
    pub fn write(&mut self, row: Row, after: Option<Time>) -> Result<(), TraceError> {
        self.0.add(row, after)
    }

    /// Ends the file and gives it its name, in place of what was there.
    ///
    /// # Errors
    /// If the file cannot be written; nothing is left behind then.
    pub fn finish(self) -> Result<(), TraceError> {
        self.0.finish()
    }
}
