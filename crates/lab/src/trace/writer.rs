//! Writes a trace in bounded memory. The file appears only when it is complete.
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crawl::Time;
use jiff::Timestamp;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnPath;

use super::column::AFTER;
use super::group::{Group, schema};
use super::row::RowCheck;
use super::{Row, SOURCE, TraceError, WINDOW_END, WINDOW_START};
use crate::history::Window;

/// Uncompressed bytes after which a row group ends. Reader and writer hold one group of one column
/// at a time, and zstd compresses the versions of a page together: with pages of 1 MiB instead, at
/// level
/// 9, rustsec takes 1.0 MiB instead of 0.5, and lean-community 18 instead of 2.5.
const GROUP_BYTES: usize = 64 << 20;

/// The zstd level. Measured on 300 MiB of nlab-cat: level 3 writes 9.6 MiB in 1 s, 9 writes 7.3 in
/// 1.6 s, 12 writes 7.1 in 2.3 s, 19 writes 5.9 in 29 s.
const ZSTD_LEVEL: i32 = 12;

/// A trace file that is being written.
///
/// Rows go to a hidden file in the same folder. [`finish`](Self::finish) renames it; dropping the
/// writer before that removes it.
pub struct TraceWriter {
    path: PathBuf,
    /// The hidden file; `None` after it was renamed.
    partial: Option<PathBuf>,
    /// `None` only inside `finish`.
    writer: Option<SerializedFileWriter<File>>,
    /// Whether there is a column for uncertain times.
    has_after: bool,
    check: RowCheck,
    /// The rows of the group that is not written yet.
    group: Group,
    rows: u64,
}

impl TraceWriter {
    /// Starts a trace of `window` with exact times at `path`. `source` describes the origin;
    /// `metadata` has additional keys and values.
    ///
    /// # Errors
    /// If the window is empty or the file cannot be written.
    pub fn create(
        path: &Path,
        window: Window,
        source: &str,
        metadata: &[(&str, String)],
    ) -> Result<Self, TraceError> {
        Self::begin(path, window, source, metadata, false)
    }

    /// The same, with or without a column for uncertain times.
    pub(super) fn begin(
        path: &Path,
        window: Window,
        source: &str,
        metadata: &[(&str, String)],
        has_after: bool,
    ) -> Result<Self, TraceError> {
        let (start, end) = (instant(path, window.start)?, instant(path, window.end)?);
        if window.start >= window.end {
            return Err(TraceError::EmptyWindow { path: path.to_owned(), start, end });
        }
        let pairs = [(WINDOW_START, start), (WINDOW_END, end), (SOURCE, source.to_owned())];
        let pairs = pairs.iter().chain(metadata);
        let pairs = pairs.map(|(key, value)| KeyValue::new((*key).to_owned(), value.clone()));
        let properties = properties(pairs.collect(), has_after);
        let (file, partial) = create_beside(path)
            .map_err(|source| TraceError::Write { path: path.to_owned(), source })?;
        let mut created = Self {
            path: path.to_owned(),
            partial: Some(partial),
            writer: None,
            has_after,
            check: RowCheck::default(),
            group: Group::default(),
            rows: 0,
        };
        let writer = schema(has_after).and_then(|schema| {
            SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))
        });
        created.writer = Some(writer.map_err(|source| created.encode_error(source))?);
        Ok(created)
    }

    /// Adds a row; rows must be sorted by address and time.
    ///
    /// # Errors
    /// If the row breaks a rule of the format, or the file cannot be written.
    pub fn write(&mut self, row: Row) -> Result<(), TraceError> {
        self.add(row, None)
    }

    /// Adds a row whose content appeared at an unknown instant between `after` and `at`.
    pub(super) fn add(&mut self, row: Row, after: Option<Time>) -> Result<(), TraceError> {
        self.check.row(&row, after).map_err(|flaw| TraceError::Row {
            path: self.path.clone(),
            row: self.rows,
            flaw,
        })?;
        self.rows += 1;
        self.group.push(row, after);
        if self.group.bytes() >= GROUP_BYTES {
            self.write_group()?;
        }
        Ok(())
    }

    /// Completes the file and renames it to its final name; an existing file is replaced.
    ///
    /// # Errors
    /// If the file cannot be written; no file is left behind then.
    pub fn finish(mut self) -> Result<(), TraceError> {
        self.write_group()?;
        let Some(writer) = self.writer.take() else { return Ok(()) };
        let file = writer.into_inner().map_err(|source| self.encode_error(source))?;
        file.sync_all().map_err(|source| self.write_error(source))?;
        if let Some(partial) = &self.partial {
            fs::rename(partial, &self.path).map_err(|source| self.write_error(source))?;
            self.partial = None;
        }
        Ok(())
    }

    fn write_group(&mut self) -> Result<(), TraceError> {
        let group = std::mem::take(&mut self.group);
        let Some(writer) = &mut self.writer else { return Ok(()) };
        let written = group.write(writer, self.has_after);
        written.map_err(|source| self.encode_error(source))
    }

    fn encode_error(&self, source: ParquetError) -> TraceError {
        TraceError::Encode { path: self.path.clone(), source }
    }

    fn write_error(&self, source: io::Error) -> TraceError {
        TraceError::Write { path: self.path.clone(), source }
    }
}

impl Drop for TraceWriter {
    fn drop(&mut self) {
        self.writer = None;
        if let Some(partial) = &self.partial {
            // The error has no receiver here, and a hidden file that remains does no harm.
            let _ = fs::remove_file(partial);
        }
    }
}

fn properties(pairs: Vec<KeyValue>, has_after: bool) -> WriterProperties {
    let level = ZstdLevel::try_new(ZSTD_LEVEL).unwrap_or_default();
    let mut builder = WriterProperties::builder()
        .set_compression(Compression::ZSTD(level))
        .set_created_by(concat!("sanderling ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(pairs))
        .set_max_row_group_row_count(None)
        .set_data_page_size_limit(GROUP_BYTES)
        .set_data_page_row_count_limit(usize::MAX)
        .set_offset_index_disabled(true)
        .set_column_statistics_enabled(ColumnPath::from("body"), EnabledStatistics::None)
        .set_column_statistics_enabled(ColumnPath::from("mime"), EnabledStatistics::None)
        .set_statistics_enabled(EnabledStatistics::Chunk);
    let after = has_after.then_some(AFTER.name);
    for column in ["at", "status", "body"].into_iter().chain(after) {
        builder = builder.set_column_dictionary_enabled(ColumnPath::from(column), false);
    }
    builder.build()
}

/// An instant in the format of the metadata.
fn instant(path: &Path, time: Time) -> Result<String, TraceError> {
    let instant = Timestamp::from_millisecond(time.millis());
    let instant = instant.map_err(|_| TraceError::WindowRange { path: path.to_owned() })?;
    Ok(instant.to_string())
}

/// Creates a hidden file in the folder of `path`, since renaming is atomic only within a file
/// system.
fn create_beside(path: &Path) -> io::Result<(File, PathBuf)> {
    let Some(name) = path.file_name() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"));
    };
    for number in 0_u32.. {
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}-{number}.part", std::process::id()));
        let partial = path.with_file_name(hidden);
        match File::options().write(true).create_new(true).open(&partial) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(file) => return Ok((file, partial)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}
