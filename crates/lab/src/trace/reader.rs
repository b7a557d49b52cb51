//! Reads a trace: its head at once, its rows in small batches, each row checked.
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use arrow_array::{ArrayRef, RecordBatch};
use flow::Time;
use jiff::Timestamp;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};

use super::column::{self, AFTER, BODY, Column, HEAD};
use super::guard::guarded;
use super::row::RowCheck;
use super::{Flaw, Head, Row, SOURCE, TraceError, WINDOW_END, WINDOW_START};
use crate::history::Window;

/// Rows handed over at once. A body may have 1 MiB, so this bounds a batch to about 128 MiB.
const BATCH_ROWS: usize = 128;

/// Rows without bodies handed over at once.
const HEAD_BATCH_ROWS: usize = 4096;

/// The four bytes at both ends of a Parquet file.
const MAGIC: [u8; 4] = *b"PAR1";

/// A trace file whose head is known to be right. Its rows are checked as they are read.
#[derive(Debug)]
pub struct TraceReader {
    path: PathBuf,
    file: File,
    metadata: ArrowReaderMetadata,
    window: Window,
    source: String,
    rows: u64,
}

impl TraceReader {
    /// Opens the trace at `path` and checks its columns and its metadata.
    ///
    /// # Errors
    /// If it is not a whole Parquet file, lacks a column or its window, or cannot be opened.
    pub fn open(path: &Path) -> Result<Self, TraceError> {
        let mut file = open(path)?;
        check_ends(path, &mut file)?;
        let metadata = guarded(path, 0, || {
            ArrowReaderMetadata::load(&file, ArrowReaderOptions::new())
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
        let rows = u64::try_from(metadata.metadata().file_metadata().num_rows()).unwrap_or(0);
        Ok(Self { path: path.to_owned(), file, metadata, window, source, rows })
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The time it covers.
    pub fn window(&self) -> Window {
        self.window
    }

    /// Where it comes from, in words; the file's name if it does not say.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// How many rows it says it holds. [`batches`](Self::batches) ends in an error if it does not.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// A value of the file's metadata, such as `trace.commit`.
    pub fn metadata(&self, key: &str) -> Option<&str> {
        value(&self.metadata, key)
    }

    /// Whether it may hold changes whose times are known only to lie between two instants.
    pub fn has_uncertain_times(&self) -> bool {
        has_after(&self.metadata)
    }

    /// Its rows from the first to the last, in batches of at most 128. After an error there are
    /// no more.
    ///
    /// The reader is borrowed for as long because the system keeps one place per open file: two
    /// readings at a time need two readers.
    ///
    /// # Errors
    /// If the file cannot be read any more.
    pub fn batches(&mut self) -> Result<Batches<'_>, TraceError> {
        let columns = [&HEAD[0], &HEAD[1], &HEAD[2], &HEAD[3], &AFTER, &BODY];
        Ok(Batches(self.scan(&columns, BATCH_ROWS)?))
    }

    /// Its rows without their bodies, from the first to the last: much cheaper, since the bodies
    /// are not even decompressed. Whether bodies are there where they must be is not checked.
    ///
    /// # Errors
    /// If the file cannot be read any more.
    pub fn heads(&mut self) -> Result<HeadBatches<'_>, TraceError> {
        let columns = [&HEAD[0], &HEAD[1], &HEAD[2], &HEAD[3], &AFTER];
        Ok(HeadBatches(self.scan(&columns, HEAD_BATCH_ROWS)?))
    }

    fn scan(&mut self, columns: &[&Column], rows: usize) -> Result<Scan<'_>, TraceError> {
        let path = &self.path;
        let file = self
            .file
            .try_clone()
            .map_err(|source| TraceError::Open { path: path.clone(), source })?;
        let names = columns.iter().map(|column| column.name);
        let mask = ProjectionMask::columns(self.metadata.parquet_schema(), names);
        let reader = guarded(path, 0, || {
            ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone())
                .with_projection(mask)
                .with_batch_size(rows)
                .build()
                .map_err(|source| TraceError::Parquet { path: path.clone(), source })
        })?;
        Ok(Scan {
            path: path.clone(),
            reader: Some(reader),
            check: RowCheck::default(),
            row: 0,
            expected: self.rows,
            borrowed: PhantomData,
        })
    }
}

/// The rows of a trace, batch by batch.
pub struct Batches<'reader>(Scan<'reader>);

/// The rows of a trace without their bodies, batch by batch.
pub struct HeadBatches<'reader>(Scan<'reader>);

impl Iterator for Batches<'_> {
    type Item = Result<Vec<Row>, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.step(|check, number, batch| {
            let bodies = column::bodies(array(batch, BODY.name)?)?;
            Some(
                heads(batch)?
                    .zip(bodies)
                    .zip(number..)
                    .map(|((head, body), number)| {
                        let Head { url, at, after, status, mime } =
                            head.map_err(|flaw| (number, flaw))?;
                        let row = Row { url, at, status, mime, body };
                        check.row(&row, after).map_err(|flaw| (number, flaw))?;
                        Ok(row)
                    })
                    .collect(),
            )
        })
    }
}

impl Iterator for HeadBatches<'_> {
    type Item = Result<Vec<Head>, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.step(|check, number, batch| {
            Some(
                heads(batch)?
                    .zip(number..)
                    .map(|(head, number)| {
                        let head = head.map_err(|flaw| (number, flaw))?;
                        check
                            .head(&head.url, head.at, head.after, head.status)
                            .map_err(|flaw| (number, flaw))?;
                        Ok(head)
                    })
                    .collect(),
            )
        })
    }
}

/// What reading with and without bodies have in common.
struct Scan<'reader> {
    path: PathBuf,
    /// `None` after the last batch or an error.
    reader: Option<ParquetRecordBatchReader>,
    check: RowCheck,
    /// The number of the next row.
    row: u64,
    expected: u64,
    borrowed: PhantomData<&'reader mut TraceReader>,
}

/// The checked rows of a batch, or the first that is wrong; `None` if the batch has not the
/// columns that the file promised.
type Checked<T> = Option<Result<Vec<T>, (u64, Flaw)>>;

impl Scan<'_> {
    fn step<T>(
        &mut self,
        take: impl FnOnce(&mut RowCheck, u64, &RecordBatch) -> Checked<T>,
    ) -> Option<Result<Vec<T>, TraceError>> {
        let mut reader = self.reader.take()?;
        let first = self.row;
        let path = &self.path;
        let check = &mut self.check;
        let batch = guarded(path, first, || {
            let Some(batch) = reader.next() else { return Ok(None) };
            let batch = batch.map_err(|source| TraceError::Batch {
                path: path.clone(),
                row: first,
                source,
            })?;
            match take(check, first, &batch) {
                Some(Ok(rows)) => Ok(Some(rows)),
                Some(Err((row, flaw))) => Err(TraceError::Row { path: path.clone(), row, flaw }),
                None => Err(TraceError::GaveUp { path: path.clone(), row: first }),
            }
        });
        match batch {
            Ok(Some(rows)) => {
                self.row += rows.len() as u64;
                self.reader = Some(reader);
                Some(Ok(rows))
            }
            Ok(None) if first == self.expected => None,
            Ok(None) => {
                let (expected, found) = (self.expected, first);
                Some(Err(TraceError::RowCount { path: path.clone(), expected, found }))
            }
            Err(error) => Some(Err(error)),
        }
    }
}

fn array<'batch>(batch: &'batch RecordBatch, name: &str) -> Option<&'batch ArrayRef> {
    batch.column_by_name(name)
}

/// The values of a batch, row by row; a row whose values are missing or out of range is a flaw.
fn heads(batch: &RecordBatch) -> Option<impl Iterator<Item = Result<Head, Flaw>>> {
    let [url, at, status, mime] = HEAD.map(|column| array(batch, column.name));
    let after = match array(batch, AFTER.name) {
        Some(after) => column::times(after)?,
        None => vec![None; batch.num_rows()],
    };
    let values = column::strings(url?)?
        .into_iter()
        .zip(column::times(at?)?)
        .zip(after)
        .zip(column::integers(status?)?)
        .zip(column::strings(mime?)?);
    Some(values.map(|((((url, at), after), status), mime)| {
        let status = status.ok_or(Flaw::Missing("status"))?;
        Ok(Head {
            url: url.ok_or(Flaw::Missing("url"))?,
            at: Time::from_millis(at.ok_or(Flaw::Missing("at"))?),
            after: after.map(Time::from_millis),
            status: u16::try_from(status).map_err(|_| Flaw::Status(status))?,
            mime: mime.unwrap_or_default(),
        })
    }))
}

fn open(path: &Path) -> Result<File, TraceError> {
    let failed = |source| TraceError::Open { path: path.to_owned(), source };
    let file = File::open(path).map_err(failed)?;
    // Opening a folder succeeds on Unix and reading it fails later, with a text that does not help.
    if file.metadata().map_err(failed)?.is_dir() {
        return Err(failed(std::io::ErrorKind::IsADirectory.into()));
    }
    Ok(file)
}

/// Tells an empty, a foreign and a cut off file apart, which the Parquet reader does not.
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

fn has_after(metadata: &ArrowReaderMetadata) -> bool {
    metadata.schema().field_with_name(AFTER.name).is_ok()
}

fn check_column(
    path: &Path,
    metadata: &ArrowReaderMetadata,
    column: &Column,
) -> Result<(), TraceError> {
    let Ok(field) = metadata.schema().field_with_name(column.name) else {
        return Err(TraceError::NoColumn { path: path.to_owned(), column: column.name });
    };
    if (column.accepts)(field.data_type()) {
        return Ok(());
    }
    Err(TraceError::ColumnType {
        path: path.to_owned(),
        column: column.name,
        found: field.data_type().to_string(),
        expected: column.expected,
    })
}

fn window(path: &Path, metadata: &ArrowReaderMetadata) -> Result<Window, TraceError> {
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

fn value<'file>(metadata: &'file ArrowReaderMetadata, key: &str) -> Option<&'file str> {
    let pairs = metadata.metadata().file_metadata().key_value_metadata()?;
    pairs.iter().find(|pair| pair.key == key)?.value.as_deref()
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
