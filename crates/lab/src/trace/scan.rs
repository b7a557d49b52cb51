//! Reads the rows of a trace in order and in batches, with validation.
use std::fs::File;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crawl::Time;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::ParquetMetaData;

use super::chunk::ColumnChunk;
use super::column::{AFTER, BODY, HEAD, locate};
use super::guard::guarded;
use super::row::RowCheck;
use super::{Flaw, Head, Row, TraceError, TraceReader};

/// Rows per batch. A body has at most 1 MiB, so a batch has at most about 128 MiB.
const BATCH_ROWS: usize = 128;

/// Rows per batch without bodies.
const HEAD_BATCH_ROWS: usize = 4096;

/// The rows of a trace, batch by batch.
pub struct Batches<'reader>(Scan<'reader>);

/// The rows of a trace without their bodies, batch by batch.
pub struct HeadBatches<'reader>(Scan<'reader>);

impl Batches<'_> {
    pub(super) fn new(rows: RowGroups, path: &Path, expected: u64) -> Self {
        Self(Scan::new(RowGroups { bodies: true, ..rows }, path, expected))
    }
}

impl Iterator for Batches<'_> {
    type Item = Result<Vec<Row>, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.step(|check, head, body| {
            let Head { url, at, after, status, mime } = head;
            let row = Row { url, at, status, mime, body };
            check.row(&row, after)?;
            Ok(row)
        })
    }
}

impl HeadBatches<'_> {
    pub(super) fn new(rows: RowGroups, path: &Path, expected: u64) -> Self {
        Self(Scan::new(rows, path, expected))
    }
}

impl Iterator for HeadBatches<'_> {
    type Item = Result<Vec<Head>, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.step(|check, head, _| {
            check.head(&head.url, head.at, head.after, head.status)?;
            Ok(head)
        })
    }
}

/// The shared part of scans with and without bodies.
struct Scan<'reader> {
    path: PathBuf,
    /// `None` after the last batch or an error.
    groups: Option<RowGroups>,
    check: RowCheck,
    /// The number of the next row.
    row: u64,
    expected: u64,
    borrowed: PhantomData<&'reader mut TraceReader>,
}

impl Scan<'_> {
    fn new(groups: RowGroups, path: &Path, expected: u64) -> Self {
        Self {
            path: path.to_owned(),
            groups: Some(groups),
            check: RowCheck::default(),
            row: 0,
            expected,
            borrowed: PhantomData,
        }
    }

    /// The next batch; `checked` makes a row from a head and a body, and validates it.
    fn step<T>(
        &mut self,
        checked: impl Fn(&mut RowCheck, Head, Option<Vec<u8>>) -> Result<T, Flaw>,
    ) -> Option<Result<Vec<T>, TraceError>> {
        let mut groups = self.groups.take()?;
        let first = self.row;
        let path = &self.path;
        let check = &mut self.check;
        let batch = guarded(path, first, || {
            let values = groups.next_values().map_err(|source| TraceError::Batch {
                path: path.clone(),
                row: first,
                source,
            })?;
            let Some(values) = values else { return Ok(None) };
            let rows = values.rows().zip(first..).map(|(row, number)| {
                row.and_then(|(head, body)| checked(check, head, body))
                    .map_err(|flaw| TraceError::Row { path: path.clone(), row: number, flaw })
            });
            rows.collect::<Result<Vec<T>, TraceError>>().map(Some)
        });
        match batch {
            Ok(Some(rows)) => {
                self.row += rows.len() as u64;
                self.groups = Some(groups);
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

/// The row groups of a file; one is open at a time.
pub(super) struct RowGroups {
    file: Arc<File>,
    metadata: Arc<ParquetMetaData>,
    /// Whether bodies are read; otherwise they are not decompressed.
    bodies: bool,
    open: Option<RowGroup>,
    /// The next row group to open.
    next: usize,
}

impl RowGroups {
    pub(super) fn new(file: File, metadata: Arc<ParquetMetaData>) -> Self {
        Self { file: Arc::new(file), metadata, bodies: false, open: None, next: 0 }
    }

    /// The values of the next rows, all of one row group; `None` after the last row.
    fn next_values(&mut self) -> ParquetResult<Option<Values>> {
        let rows = if self.bodies { BATCH_ROWS } else { HEAD_BATCH_ROWS };
        loop {
            if let Some(open) = &mut self.open {
                let values = open.read(rows)?;
                if !values.url.is_empty() {
                    return Ok(Some(values));
                }
            }
            // Frees the pages of one group before those of the next are read.
            self.open = None;
            if self.next == self.metadata.num_row_groups() {
                return Ok(None);
            }
            self.open = Some(RowGroup::open(self)?);
            self.next += 1;
        }
    }
}

/// The columns of a row group that is being read.
struct RowGroup {
    url: ColumnChunk,
    at: ColumnChunk,
    after: Option<ColumnChunk>,
    status: ColumnChunk,
    mime: ColumnChunk,
    body: Option<ColumnChunk>,
}

impl RowGroup {
    fn open(groups: &RowGroups) -> ParquetResult<Self> {
        let RowGroups { file, metadata, bodies, next, .. } = groups;
        let column = |name| ColumnChunk::open(file, metadata, *next, name);
        let [url, at, status, mime] = HEAD.map(|head| column(head.name));
        let has_after = locate(metadata.file_metadata().schema_descr(), AFTER.name).is_some();
        Ok(Self {
            url: url?,
            at: at?,
            after: has_after.then(|| column(AFTER.name)).transpose()?,
            status: status?,
            mime: mime?,
            body: bodies.then(|| column(BODY.name)).transpose()?,
        })
    }

    /// The values of the next rows; empty after the last.
    fn read(&mut self, rows: usize) -> ParquetResult<Values> {
        let url = self.url.strings(rows)?;
        let count = url.len();
        let values = Values {
            at: self.at.numbers(rows)?,
            after: match &mut self.after {
                Some(after) => after.numbers(rows)?,
                None => vec![None; count],
            },
            status: self.status.numbers(rows)?,
            mime: self.mime.strings(rows)?,
            body: match &mut self.body {
                Some(body) => body.bodies(rows)?,
                None => vec![None; count],
            },
            url,
        };
        let Values { at, after, status, mime, body, .. } = &values;
        if [at.len(), after.len(), status.len(), mime.len(), body.len()] != [count; 5] {
            let text = "the columns of a row group have different numbers of rows";
            return Err(ParquetError::General(text.to_owned()));
        }
        Ok(values)
    }
}

/// The values of some rows, column by column.
struct Values {
    url: Vec<Option<String>>,
    at: Vec<Option<i64>>,
    after: Vec<Option<i64>>,
    status: Vec<Option<i64>>,
    mime: Vec<Option<String>>,
    body: Vec<Option<Vec<u8>>>,
}

impl Values {
    /// The rows; missing or out-of-range values are flaws.
    fn rows(self) -> impl Iterator<Item = Result<(Head, Option<Vec<u8>>), Flaw>> {
        let Self { url, at, after, status, mime, body } = self;
        let values = url.into_iter().zip(at).zip(after).zip(status).zip(mime).zip(body);
        values.map(|(((((url, at), after), status), mime), body)| {
            let status = status.ok_or(Flaw::Missing("status"))?;
            let head = Head {
                url: url.ok_or(Flaw::Missing("url"))?,
                at: Time::from_millis(at.ok_or(Flaw::Missing("at"))?),
                after: after.map(Time::from_millis),
                status: u16::try_from(status).map_err(|_| Flaw::Status(status))?,
                mime: mime.unwrap_or_default(),
            };
            Ok((head, body))
        })
    }
}
