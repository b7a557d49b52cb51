//! Errors of trace files. Every message begins with the file.
use std::io;
use std::path::PathBuf;

use parquet::errors::ParquetError;
use thiserror::Error;

/// Why a trace cannot be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TraceError {
    /// The file cannot be opened.
    #[error("{}: cannot be opened", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The file has no bytes.
    #[error("{}: is empty, not a Parquet file", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The file does not begin like a Parquet file.
    #[error("{}: is not a Parquet file", path.display())]
    NotParquet {
        /// The file.
        path: PathBuf,
    },
    /// The file begins like a Parquet file, but its end is missing.
    #[error("{}: is cut off: it begins as a Parquet file but does not end as one", path.display())]
    CutOff {
        /// The file.
        path: PathBuf,
    },
    /// The Parquet reader failed.
    #[error("{}: is damaged", path.display())]
    Parquet {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: ParquetError,
    },
    /// The Parquet reader failed in a batch of rows.
    #[error("{}: is damaged at or after row {row} (from 0)", path.display())]
    Batch {
        /// The file.
        path: PathBuf,
        /// The first row of the batch, counted from 0.
        row: u64,
        /// The cause.
        #[source]
        source: ParquetError,
    },
    /// The Parquet reader panicked.
    #[error("{}: is damaged: the Parquet reader gave up at or after row {row} (from 0)", path.display())]
    GaveUp {
        /// The file.
        path: PathBuf,
        /// The first row of the batch, counted from 0.
        row: u64,
    },
    /// The number of rows differs from the metadata.
    #[error("{}: is damaged: it should hold {expected} rows and holds {found}", path.display())]
    RowCount {
        /// The file.
        path: PathBuf,
        /// The number in the metadata.
        expected: u64,
        /// The actual number.
        found: u64,
    },
    /// A column is missing.
    #[error("{}: has no column `{column}`; a trace has url, at, status, mime and body", path.display())]
    NoColumn {
        /// The file.
        path: PathBuf,
        /// The column.
        column: &'static str,
    },
    /// A column has a wrong type.
    #[error("{}: column `{column}` is {found}, expected {expected}", path.display())]
    ColumnType {
        /// The file.
        path: PathBuf,
        /// The column.
        column: &'static str,
        /// Its type.
        found: String,
        /// The allowed types.
        expected: &'static str,
    },
    /// A metadata key is missing.
    #[error("{}: has no metadata `{key}`, so the window it covers is not known", path.display())]
    NoMetadata {
        /// The file.
        path: PathBuf,
        /// The key.
        key: &'static str,
    },
    /// A metadata value is not an instant.
    #[error("{}: metadata `{key}` is {value:?}, expected an instant as in 2024-01-31T00:00:00Z", path.display())]
    NotAnInstant {
        /// The file.
        path: PathBuf,
        /// The key.
        key: &'static str,
        /// Its value.
        value: String,
        /// The cause.
        #[source]
        source: jiff::Error,
    },
    /// The window ends before it starts.
    #[error("{}: the window ends ({end}) at or before its start ({start})", path.display())]
    EmptyWindow {
        /// The file.
        path: PathBuf,
        /// The start as text.
        start: String,
        /// The end as text.
        end: String,
    },
    /// The window cannot be written as dates.
    #[error("{}: the window is not within the years -9999 to 9999", path.display())]
    WindowRange {
        /// The file.
        path: PathBuf,
    },
    /// A row breaks a rule of the format.
    #[error("{}: row {row} (from 0): {flaw}", path.display())]
    Row {
        /// The file.
        path: PathBuf,
        /// The row, counted from 0.
        row: u64,
        /// The error in the row.
        flaw: Flaw,
    },
    /// The file cannot be written.
    #[error("{}: cannot be written", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The Parquet writer failed.
    #[error("{}: cannot be written", path.display())]
    Encode {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: ParquetError,
    },
}

/// An error in one row of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Flaw {
    /// A required value is null.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// The address is not http or https.
    #[error("url is not an http or https address: {0:?}")]
    NotHttp(String),
    /// The rows are not sorted.
    #[error("url is before the one above it: {0:?}")]
    UrlBefore(String),
    /// The rows of one page are not sorted.
    #[error("at is before the one above it, for the same url {0:?}")]
    TimeBefore(String),
    /// A page has two contents at one instant.
    #[error("at is the same as the one above it, for the same url {0:?}")]
    TimeTwice(String),
    /// The time is out of the range of dates.
    #[error("at is not within the years -9999 to 9999")]
    TimeRange,
    /// The earliest time of the change is not before the latest.
    #[error("after is not before at")]
    AfterAt,
    /// The earliest time of the change is before the previous change.
    #[error("after is before the at of the row above it, for the same url {0:?}")]
    AfterBefore(String),
    /// The time is out of the range of dates.
    #[error("after is not within the years -9999 to 9999")]
    AfterRange,
    /// The status is not an HTTP status.
    #[error("status {0} is not within 100 to 599")]
    Status(i64),
    /// A page that exists has no body.
    #[error("status {0} needs a body, and there is none")]
    NoBody(u16),
    /// A page that does not exist has a body.
    #[error("status {0} cannot have a body, and there is one")]
    Body(u16),
    /// The body is too large for a trace.
    #[error("body of {0} bytes is larger than a trace can hold")]
    BodySize(usize),
}
