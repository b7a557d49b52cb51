//! Traces on disk: one Parquet file per site, one row per change of one page.
//!
//! The columns are `url`, `at`, `status`, `mime` and `body`; rows are sorted by (`url`, `at`); the
//! metadata has the window. A trace made from captures also has a column `after`, because each
//! change happened between two captures. [`TraceReader`] validates every row; [`TraceWriter`] and
//! [`CaptureTraceWriter`] write only what the reader accepts. All use a few tens of MiB of memory,
//! independent of the size of the site.
mod capture_writer;
mod chunk;
mod column;
mod error;
pub(crate) mod gaps;
mod group;
mod guard;
mod reader;
mod row;
mod rows_digest;
mod scan;
mod writer;

pub use capture_writer::CaptureTraceWriter;
pub use error::{Flaw, TraceError};
pub use gaps::{Gaps, in_words};
pub use reader::TraceReader;
pub use row::{Head, Row};
pub use rows_digest::RowsDigest;
pub use scan::{Batches, HeadBatches};
pub use writer::TraceWriter;

/// Metadata key: the start of the window, RFC 3339.
pub(crate) const WINDOW_START: &str = "trace.window_start";
/// Metadata key: the end of the window, RFC 3339.
pub(crate) const WINDOW_END: &str = "trace.window_end";
/// Metadata key: a description of the origin.
pub(crate) const SOURCE: &str = "trace.source";
/// Metadata key: what stands in the column `body`, if not bodies.
pub(crate) const BODIES: &str = "trace.bodies";
/// The value of [`BODIES`] in a trace that has digests of bodies only.
pub(crate) const DIGESTS: &str = "digests";
/// The media type of a digest that stands for a body. It may have the media type of that body as its
/// parameter `of`.
pub const DIGEST_TYPE: &str = "application/x-payload-digest";
