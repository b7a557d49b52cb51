//! Traces on disk: one Parquet file per site, one row per change of one page.
//!
//! The columns are `url`, `at`, `status`, `mime` and `body`, the rows are sorted by (`url`, `at`), and
//! the file's metadata says which window of time it covers. A trace made from captures has a column
//! `after` as well, because it knows each change only to lie between two instants. [`TraceReader`]
//! checks all of it while it reads, so that everything behind it can rely on it; [`TraceWriter`] and
//! [`CaptureTraceWriter`] write only what the reader accepts. All hold a few tens of MiB at a time,
//! however large the site is.
mod capture_writer;
mod chunk;
mod column;
mod error;
pub(crate) mod gaps;
mod group;
mod guard;
mod reader;
mod row;
mod scan;
mod writer;

pub use capture_writer::CaptureTraceWriter;
pub use error::{Flaw, TraceError};
pub use gaps::{Gaps, in_words};
pub use reader::TraceReader;
pub use row::{Head, Row};
pub use scan::{Batches, HeadBatches};
pub use writer::TraceWriter;

/// Metadata: the window's first instant, RFC 3339.
pub(crate) const WINDOW_START: &str = "trace.window_start";
/// Metadata: the window's last instant, RFC 3339.
pub(crate) const WINDOW_END: &str = "trace.window_end";
/// Metadata: where the trace comes from, in words.
pub(crate) const SOURCE: &str = "trace.source";
