//! Collects and writes one row group of a trace.
use std::io::Write;

use crawl::Time;
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::Type;

use super::Row;

/// The number of rows passed to the Parquet crate at once. It copies them, so they are dropped
/// after each step.
const STEP_ROWS: usize = 64;

/// The schema of every trace. All columns are nullable in Parquet, as in traces of other programs;
/// the reader checks for nulls.
pub(super) fn schema(has_after: bool) -> Result<Type> {
    let after = if has_after { "optional int64 after (TIMESTAMP(MILLIS,true));" } else { "" };
    parse_message_type(&format!(
        "message trace {{
            optional binary url (STRING);
            optional int64 at (TIMESTAMP(MILLIS,true));
            optional int32 status (INTEGER(16,false));
            optional binary mime (STRING);
            optional binary body;
            {after}
        }}"
    ))
}

/// The rows collected for a row group.
#[derive(Default)]
pub(super) struct Group {
    url: Values<ByteArray>,
    at: Values<i64>,
    status: Values<i32>,
    mime: Values<ByteArray>,
    body: Values<ByteArray>,
    after: Values<i64>,
    bytes: usize,
}

impl Group {
    /// Adds a row.
    pub(super) fn push(&mut self, row: Row, after: Option<Time>) {
        self.bytes += row.url.len() + row.body.as_ref().map_or(0, Vec::len) + 64;
        self.url.push(Some(bytes(row.url.into_bytes())));
        self.at.push(Some(row.at.millis()));
        self.status.push(Some(i32::from(row.status)));
        self.mime.push(Some(bytes(row.mime.into_bytes())));
        self.body.push(row.body.map(bytes));
        self.after.push(after.map(Time::millis));
    }

    /// The approximate size of its rows in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Writes the group and clears its rows. An empty group is not written.
    pub(super) fn write<W: Write + Send>(
        self,
        writer: &mut SerializedFileWriter<W>,
        has_after: bool,
    ) -> Result<()> {
        if self.url.levels.is_empty() {
            return Ok(());
        }
        let mut group = writer.next_row_group()?;
        self.url.write::<ByteArrayType, W>(&mut group)?;
        self.at.write::<Int64Type, W>(&mut group)?;
        self.status.write::<Int32Type, W>(&mut group)?;
        self.mime.write::<ByteArrayType, W>(&mut group)?;
        self.body.write::<ByteArrayType, W>(&mut group)?;
        if has_after {
            self.after.write::<Int64Type, W>(&mut group)?;
        }
        group.close().map(drop)
    }
}

/// Values in the form of the Parquet crate, without spare capacity, because there are many.
fn bytes(mut value: Vec<u8>) -> ByteArray {
    value.shrink_to_fit();
    ByteArray::from(value)
}

/// A nullable column: the values, and per row the definition level, which is 0 for a null.
struct Values<T> {
    levels: Vec<i16>,
    present: Vec<T>,
}

impl<T> Default for Values<T> {
    fn default() -> Self {
        Self { levels: Vec::new(), present: Vec::new() }
    }
}

impl<T> Values<T> {
    fn push(&mut self, value: Option<T>) {
        self.levels.push(i16::from(value.is_some()));
        self.present.extend(value);
    }

    /// Writes the next column of a row group.
    fn write<D: DataType<T = T>, W: Write + Send>(
        self,
        group: &mut SerializedRowGroupWriter<'_, W>,
    ) -> Result<()> {
        let Some(mut column) = group.next_column()? else {
            return Err(ParquetError::General("the schema has too few columns".to_owned()));
        };
        let mut present = self.present.into_iter();
        for levels in self.levels.chunks(STEP_ROWS) {
            let count = levels.iter().filter(|level| **level > 0).count();
            let values: Vec<T> = present.by_ref().take(count).collect();
            column.typed::<D>().write_batch(&values, Some(levels), None)?;
        }
        column.close()
    }
}
