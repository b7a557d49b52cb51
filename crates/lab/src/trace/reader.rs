//! Reads a trace: the metadata on opening, the rows in small batches, with validation.
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crawl::Time;
use jiff::Timestamp;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};

use super::column::{AFTER, BODY, Column, HEAD, locate};
use super::guard::guarded;
use super::scan::{Batches, HeadBatches, RowGroups};
use super::{BODIES, DIGESTS, SOURCE, TraceError, WINDOW_END, WINDOW_START};
use crate::history::Window;

/// The magic number at both ends of a Parquet file.
const MAGIC: [u8; 4] = *b"PAR1";

/// A trace file with valid columns and metadata. Rows are validated as they are read.
#[derive(Debug)]
pub struct TraceReader {
    path: PathBuf,
    file: File,
    metadata: Arc<ParquetMetaData>,
    window: Window,
    source: String,
    rows: u64,
}

impl TraceReader {
    /// Opens the trace at `path` and checks its columns and its metadata.
    ///
    /// # Errors
    /// If it is not a complete Parquet file, lacks a column or its window, or cannot be opened.
    pub fn open(path: &Path) -> Result<Self, TraceError> {
        let mut file = open(path)?;
        check_ends(path, &mut file)?;
        let metadata = guarded(path, 0, || {
            ParquetMetaDataReader::new()
                .parse_and_finish(&file)
                .map_err(|source| TraceError::Parquet { path: path.to_owned(), source })
        })?;
        for column in HEAD.iter().chain([&BODY]) {
            check_column(path, &metadata, column)?;
        }
        if has_after(&metadata) {
            check_column(path, &metadata, &AFTER)?;
        }
        let window = window(path, &metadata)?;
        let source = value(&metadata, SOURCE).map_or_else(|| file_name(path), str::to_owned);
        let rows = u64::try_from(metadata.file_metadata().num_rows()).unwrap_or(0);
        let metadata = Arc::new(metadata);
        Ok(Self { path: path.to_owned(), file, metadata, window, source, rows })
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The time it covers.
    pub fn window(&self) -> Window {
        self.window
    }

    /// A description of the origin; by default the name of the file.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The number of rows in the metadata. [`batches`](Self::batches) ends with an error if it is
    /// wrong.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// A value of the metadata, such as `trace.commit`.
    pub fn metadata(&self, key: &str) -> Option<&str> {
        value(&self.metadata, key)
    }

    /// Whether it can have changes with uncertain times.
    pub fn has_uncertain_times(&self) -> bool {
        has_after(&self.metadata)
    }

    /// Whether it has digests in place of bodies: then its pages have no text and no links.
    pub fn has_digests_only(&self) -> bool {
        self.metadata(BODIES) == Some(DIGESTS)
    }

    /// All rows in order, in batches of at most 128. After an error there are no more.
    ///
    /// The reader is borrowed, because an open file has one position: two concurrent scans need two
    /// readers.
    ///
    /// # Errors
    /// If the file cannot be read any more.
    pub fn batches(&mut self) -> Result<Batches<'_>, TraceError> {
        Ok(Batches::new(self.row_groups()?, &self.path, self.rows))
    }

    /// All rows in order, without their bodies. This is much faster, since bodies are not
    /// decompressed. Missing bodies are not detected.
    ///
    /// # Errors
    /// If the file cannot be read any more.
    pub fn heads(&mut self) -> Result<HeadBatches<'_>, TraceError> {
        Ok(HeadBatches::new(self.row_groups()?, &self.path, self.rows))
    }

    fn row_groups(&self) -> Result<RowGroups, TraceError> {
        let failed = |source| TraceError::Open { path: self.path.clone(), source };
        let file = self.file.try_clone().map_err(failed)?;
        Ok(RowGroups::new(file, Arc::clone(&self.metadata)))
    }
}

fn open(path: &Path) -> Result<File, TraceError> {
    let failed = |source| TraceError::Open { path: path.to_owned(), source };
    let file = File::open(path).map_err(failed)?;
    // On Unix a folder can be opened; reading it fails later with an unclear message.
    if file.metadata().map_err(failed)?.is_dir() {
        return Err(failed(std::io::ErrorKind::IsADirectory.into()));
    }
    Ok(file)
}

/// Distinguishes empty, foreign and truncated files, which the Parquet reader does not.
fn check_ends(path: &Path, file: &mut File) -> Result<(), TraceError> {
    let failed = |source| TraceError::Open { path: path.to_owned(), source };
    let length = file.metadata().map_err(failed)?.len();
    if length == 0 {
        return Err(TraceError::Empty { path: path.to_owned() });
    }
    let mut ends = [[0; 4]; 2];
    if length >= 4 {
        file.read_exact(&mut ends[0]).map_err(failed)?;
        file.seek(SeekFrom::End(-4)).map_err(failed)?;
        file.read_exact(&mut ends[1]).map_err(failed)?;
    }
    match ends {
        [MAGIC, MAGIC] if length >= 12 => Ok(()),
        [MAGIC, _] => Err(TraceError::CutOff { path: path.to_owned() }),
        _ => Err(TraceError::NotParquet { path: path.to_owned() }),
    }
}

fn has_after(metadata: &ParquetMetaData) -> bool {
    locate(metadata.file_metadata().schema_descr(), AFTER.name).is_some()
}

fn check_column(
    path: &Path,
    metadata: &ParquetMetaData,
    column: &Column,
) -> Result<(), TraceError> {
    let Some(found) = locate(metadata.file_metadata().schema_descr(), column.name) else {
        return Err(TraceError::NoColumn { path: path.to_owned(), column: column.name });
    };
    if (column.accepts)(found.kind) {
        return Ok(());
    }
    Err(TraceError::ColumnType {
        path: path.to_owned(),
        column: column.name,
        found: found.type_name,
        expected: column.expected,
    })
}

fn window(path: &Path, metadata: &ParquetMetaData) -> Result<Window, TraceError> {
    let instant = |key| {
        let Some(value) = value(metadata, key) else {
            return Err(TraceError::NoMetadata { path: path.to_owned(), key });
        };
        value.parse::<Timestamp>().map_err(|source| TraceError::NotAnInstant {
            path: path.to_owned(),
            key,
            value: value.to_owned(),
            source,
        })
    };
    let (start, end) = (instant(WINDOW_START)?, instant(WINDOW_END)?);
    if start >= end {
        return Err(TraceError::EmptyWindow {
            path: path.to_owned(),
            start: start.to_string(),
            end: end.to_string(),
        });
    }
    let time = |instant: Timestamp| Time::from_millis(instant.as_millisecond());
    Ok(Window { start: time(start), end: time(end) })
}

fn value<'file>(metadata: &'file ParquetMetaData, key: &str) -> Option<&'file str> {
    let pairs = metadata.file_metadata().key_value_metadata()?;
    pairs.iter().find(|pair| pair.key == key)?.value.as_deref()
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
