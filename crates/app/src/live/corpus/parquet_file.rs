//! A corpus as a Parquet file.
use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use parquet::{
    basic::{Compression, ZstdLevel},
    data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int64Type},
    errors::{ParquetError, Result},
    file::{
        metadata::KeyValue,
        properties::WriterProperties,
        writer::{SerializedFileWriter, SerializedRowGroupWriter},
    },
    schema::parser::parse_message_type,
};

use super::documents::{Deletion, Document, Item};
use crate::{failure::Failure, partial_file::PartialFile};

/// Bytes of text after which a row group ends.
const GROUP_BYTES: usize = 16 << 20;

/// The columns. Those of a page are null for a deletion.
const SCHEMA: &str = "message corpus {
    required binary url (STRING);
    required boolean deleted;
    optional binary title (STRING);
    optional binary text (STRING);
    optional binary language (STRING);
    optional int64 fetched (TIMESTAMP(MILLIS,true));
    optional int64 changed (TIMESTAMP(MILLIS,true));
    optional binary digest (STRING);
    optional int64 deleted_at (TIMESTAMP(MILLIS,true));
    optional binary reason (STRING);
}";

/// A file that is being written. It appears when it is complete.
pub(super) struct ParquetFile {
    partial: PartialFile,
    writer: SerializedFileWriter<File>,
    group: Vec<Item>,
    bytes: usize,
}

impl ParquetFile {
    /// Begins the file. The cursor is in its metadata.
    pub(super) fn create(path: &Path, cursor: &str) -> std::result::Result<Self, Failure> {
        let partial = PartialFile::create(path)?;
        let file = partial.file().try_clone();
        let begin = |file: File| {
            let level = ZstdLevel::try_new(3)?;
            let pairs = vec![KeyValue::new("cursor".to_owned(), cursor.to_owned())];
            let properties = WriterProperties::builder()
                .set_compression(Compression::ZSTD(level))
                .set_created_by(concat!("sanderling ", env!("CARGO_PKG_VERSION")).to_owned())
                .set_key_value_metadata(Some(pairs))
                .build();
            let schema = Arc::new(parse_message_type(SCHEMA)?);
            SerializedFileWriter::new(file, schema, Arc::new(properties))
        };
        let writer = file.map_err(ParquetError::from).and_then(begin);
        let place = PathBuf::from(path);
        let writer = writer.map_err(|error| {
            Failure::Internal(format!("{}: cannot be written: {error}", place.display()))
        })?;
        Ok(Self { partial, writer, group: vec![], bytes: 0 })
    }

    pub(super) fn write(&mut self, item: Item) -> io::Result<()> {
        self.bytes += match &item {
            Item::Page(document) => document.text.len() + document.title.len() + 256,
            Item::Deleted(_) => 256,
        };
        self.group.push(item);
        if self.bytes >= GROUP_BYTES { self.write_group() } else { Ok(()) }
    }

    pub(super) fn finish(mut self) -> io::Result<()> {
        self.write_group()?;
        self.writer.finish().map_err(io::Error::other)?;
        self.partial.finish()
    }

    fn write_group(&mut self) -> io::Result<()> {
        self.bytes = 0;
        let items = std::mem::take(&mut self.group);
        if items.is_empty() {
            return Ok(());
        }
        let mut write = || {
            let mut group = self.writer.next_row_group()?;
            write_columns(&mut group, &items)?;
            group.close().map(drop)
        };
        write().map_err(io::Error::other)
    }
}

fn write_columns(group: &mut SerializedRowGroupWriter<'_, File>, items: &[Item]) -> Result<()> {
    let bytes = |text: &str| ByteArray::from(text.as_bytes().to_vec());
    let url = |item: &Item| match item {
        Item::Page(document) => bytes(&document.url),
        Item::Deleted(deletion) => bytes(&deletion.url),
    };
    column::<ByteArrayType>(group, items.iter().map(url).map(Some), false)?;
    let deleted = |item: &Item| Some(matches!(item, Item::Deleted(_)));
    column::<BoolType>(group, items.iter().map(deleted), false)?;
    let pages = || {
        items.iter().map(|item| match item {
            Item::Page(document) => Some(document),
            Item::Deleted(_) => None,
        })
    };
    let texts: [fn(&Document) -> &str; 2] = [|it| &it.title, |it| &it.text];
    for text in texts {
        column::<ByteArrayType>(group, pages().map(|it| it.map(text).map(bytes)), true)?;
    }
    let language = |it: &Document| Some(bytes(&it.language)).filter(|_| !it.language.is_empty());
    column::<ByteArrayType>(group, pages().map(|it| it.and_then(language)), true)?;
    column::<Int64Type>(group, pages().map(|it| it.map(|it| it.fetched.millis())), true)?;
    column::<Int64Type>(group, pages().map(|it| it.map(|it| it.changed.millis())), true)?;
    let digest = |it: &Document| bytes(&format!("xxh3:{:032x}", it.digest.0));
    column::<ByteArrayType>(group, pages().map(|it| it.map(digest)), true)?;
    let deletions = || {
        items.iter().map(|item| match item {
            Item::Page(_) => None,
            Item::Deleted(deletion) => Some(deletion),
        })
    };
    let at = |it: &Deletion| it.at.millis();
    column::<Int64Type>(group, deletions().map(|it| it.map(at)), true)?;
    column::<ByteArrayType>(group, deletions().map(|it| it.map(|it| bytes(it.reason))), true)
}

/// Writes the next column of a row group.
fn column<D: DataType>(
    group: &mut SerializedRowGroupWriter<'_, File>,
    values: impl Iterator<Item = Option<D::T>>,
    is_optional: bool,
) -> Result<()> {
    let Some(mut column) = group.next_column()? else {
        return Err(ParquetError::General("the schema has too few columns".to_owned()));
    };
    let (mut present, mut levels) = (vec![], vec![]);
    for value in values {
        levels.push(i16::from(value.is_some()));
        present.extend(value);
    }
    let levels = is_optional.then_some(&levels[..]);
    column.typed::<D>().write_batch(&present, levels, None)?;
    column.close()
}
