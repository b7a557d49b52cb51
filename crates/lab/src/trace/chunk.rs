//! Reads one column of one row group, a few rows at a time.
use std::fs::File;
use std::sync::Arc;

use parquet::basic::Type as Physical;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::SerializedPageReader;

use super::column::{Kind, locate};

/// A column of a row group. One page is in memory at a time, decompressed.
pub(super) struct ColumnChunk {
    name: &'static str,
    kind: Kind,
    reader: ColumnReader,
    /// The definition level of a value; a lower one is a null.
    defined: i16,
}

impl ColumnChunk {
    /// Opens the column `name` of row group `group`. Reads nothing yet.
    pub(super) fn open(
        file: &Arc<File>,
        metadata: &ParquetMetaData,
        group: usize,
        name: &'static str,
    ) -> Result<Self> {
        let group = metadata.row_group(group);
        let schema = group.schema_descr();
        let Some((leaf, kind)) =
            locate(schema, name).and_then(|found| Some((found.leaf?, found.kind)))
        else {
            return Err(ParquetError::General(format!("column `{name}` is not in a row group")));
        };
        let descriptor = schema.column(leaf);
        let rows = usize::try_from(group.num_rows())?;
        let pages = SerializedPageReader::new(Arc::clone(file), group.column(leaf), rows, None)?;
        let smallest = smallest_value(descriptor.physical_type());
        let defined = descriptor.max_def_level();
        let reader = get_column_reader(descriptor, Box::new(CheckedPages { pages, smallest }));
        Ok(Self { name, kind, reader, defined })
    }

    /// The next values of a string column, at most `rows`: fewer at the end of the row group.
    pub(super) fn strings(&mut self, rows: usize) -> Result<Vec<Option<String>>> {
        let name = self.name;
        self.bytes(rows, |value| {
            let text = value.as_utf8().map_err(|_| {
                ParquetError::General(format!("column `{name}` has a string that is not UTF-8"))
            })?;
            Ok(text.to_owned())
        })
    }

    /// The next values of a binary column.
    pub(super) fn bodies(&mut self, rows: usize) -> Result<Vec<Option<Vec<u8>>>> {
        self.bytes(rows, |value| Ok(value.data().to_vec()))
    }

    fn bytes<T>(
        &mut self,
        rows: usize,
        take: impl Fn(ByteArray) -> Result<T>,
    ) -> Result<Vec<Option<T>>> {
        match &mut self.reader {
            ColumnReader::ByteArrayColumnReader(reader) => values(reader, self.defined, rows, take),
            _ => Err(self.unexpected()),
        }
    }

    /// The next values of a column of integers, or of times in milliseconds.
    pub(super) fn numbers(&mut self, rows: usize) -> Result<Vec<Option<i64>>> {
        let kind = self.kind;
        match &mut self.reader {
            ColumnReader::Int32ColumnReader(reader) => {
                values(reader, self.defined, rows, |value| Ok(kind.number32(value)))
            }
            ColumnReader::Int64ColumnReader(reader) => {
                values(reader, self.defined, rows, |value| Ok(kind.number64(value)))
            }
            _ => Err(self.unexpected()),
        }
    }

    fn unexpected(&self) -> ParquetError {
        ParquetError::General(format!("column `{}` changes its type", self.name))
    }
}

/// Reads values and definition levels, and inserts the nulls.
fn values<T: DataType, U>(
    reader: &mut ColumnReaderImpl<T>,
    defined: i16,
    rows: usize,
    take: impl Fn(T::T) -> Result<U>,
) -> Result<Vec<Option<U>>> {
    let (mut levels, mut present) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
    reader.read_records(rows, Some(&mut levels), None, &mut present)?;
    let mut present = present.into_iter();
    if defined == 0 {
        return present.map(|value| take(value).map(Some)).collect();
    }
    let place = |level| {
        let value = if level == defined { present.next() } else { None };
        value.map(&take).transpose()
    };
    levels.into_iter().map(place).collect()
}

/// The pages of a column, with a check that the Parquet crate lacks: it allocates a dictionary of
/// the size in the page header, which can exceed the memory if the file is damaged.
struct CheckedPages {
    pages: SerializedPageReader<File>,
    /// The minimum size of a value in bytes.
    smallest: usize,
}

/// The minimum size of a value in a dictionary, in bytes; for a byte array that of its length.
fn smallest_value(physical: Physical) -> usize {
    if physical == Physical::INT64 { 8 } else { 4 }
}

impl Iterator for CheckedPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for CheckedPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        if let Some(Page::DictionaryPage { buf, num_values, .. }) = &page
            && *num_values as usize > buf.len() / self.smallest
        {
            let bytes = buf.len();
            return Err(ParquetError::General(format!(
                "a dictionary of {bytes} bytes cannot hold {num_values} values"
            )));
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }
}
