//! Traces as other programs write them: other types, encodings, compressions and row groups.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BinaryViewArray, DictionaryArray, Int8Array, Int32Array, RecordBatch, StringArray,
    StringViewArray, TimestampMicrosecondArray, TimestampMillisecondArray,
    TimestampNanosecondArray, TimestampSecondArray, UInt8Array, UInt32Array, UInt64Array,
};
use lab::trace::{Row, TraceError};
use parquet::arrow::ArrowWriter;
use parquet::basic::{BrotliLevel, Compression, Encoding, GzipLevel, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder, WriterVersion};
use parquet::schema::types::ColumnPath;

use super::trace::{WINDOW_PAIRS, heads, place, read, row};

const ROWS: i64 = 1000;

/// Rows of which every tenth says that a page vanished, with bodies of many sizes.
fn rows() -> Vec<Row> {
    let body = |at: i64| (at % 10 != 9).then(|| format!("<p>{at}").repeat(at as usize % 50));
    (0..ROWS).map(|at| row(&page(at), at, body(at).as_deref())).collect()
}

fn page(at: i64) -> String {
    format!("https://e.org/{:03}", at / 4)
}

/// The columns of these rows, none of whose types is one that Sanderling writes.
fn columns(rows: &[Row], nullable: bool) -> RecordBatch {
    let urls: DictionaryArray<Int32Type> = rows.iter().map(|row| &*row.url).collect();
    let nanos = rows.iter().map(|row| row.at.millis() * 1_000_000 + 999_999);
    let bodies = rows.iter().map(|row| row.body.as_deref());
    let columns: [(&str, ArrayRef); 5] = [
        ("at", Arc::new(TimestampNanosecondArray::from_iter_values(nanos).with_timezone("UTC"))),
        ("body", Arc::new(bodies.collect::<BinaryViewArray>())),
        ("mime", Arc::new(StringViewArray::from_iter_values(rows.iter().map(|row| &row.mime)))),
        (
            "status",
            Arc::new(UInt64Array::from_iter_values(rows.iter().map(|row| row.status.into()))),
        ),
        ("url", Arc::new(urls)),
    ];
    let columns =
        columns.into_iter().map(|(name, array)| (name, array, nullable || name == "body"));
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

fn write(path: &Path, batch: &RecordBatch, properties: WriterPropertiesBuilder) {
    let pair = |(key, value): (&str, &str)| KeyValue::new(key.into(), value.to_owned());
    let pairs = WINDOW_PAIRS.map(pair).to_vec();
    let properties = properties.set_key_value_metadata(Some(pairs)).build();
    let file = File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

/// Checks that the rows come back from a file with these properties.
fn check(properties: &WriterPropertiesBuilder) {
    let (_folder, path) = place();
    for nullable in [true, false] {
        write(&path, &columns(&rows(), nullable), properties.clone());
        assert_eq!(read(&path).unwrap(), rows());
        let heads = heads(&path).unwrap();
        assert_eq!(heads.len(), rows().len());
        assert!(
            heads.iter().zip(rows()).all(|(head, row)| head.url == row.url && head.at == row.at)
        );
    }
}

#[test]
fn reads_every_compression() {
    let codecs = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::BROTLI(BrotliLevel::default()),
        Compression::LZ4,
        Compression::LZ4_RAW,
        Compression::ZSTD(ZstdLevel::default()),
    ];
    for codec in codecs {
        check(&WriterProperties::builder().set_compression(codec));
    }
}

#[test]
fn reads_small_pages_and_row_groups() {
    let builder = WriterProperties::builder().set_write_batch_size(7);
    check(&builder.clone().set_data_page_row_count_limit(10));
    check(&builder.clone().set_max_row_group_row_count(Some(33)));
    check(&builder.set_max_row_group_row_count(Some(1)));
}

#[test]
fn reads_every_encoding_and_version_of_pages() {
    let path = ColumnPath::from;
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        let builder = WriterProperties::builder().set_writer_version(version);
        check(&builder);
        let plain = builder.set_dictionary_enabled(false);
        check(&plain);
        for strings in [Encoding::DELTA_BYTE_ARRAY, Encoding::DELTA_LENGTH_BYTE_ARRAY] {
            check(
                &plain
                    .clone()
                    .set_column_encoding(path("url"), strings)
                    .set_column_encoding(path("body"), strings)
                    .set_column_encoding(path("at"), Encoding::DELTA_BINARY_PACKED)
                    .set_column_encoding(path("status"), Encoding::BYTE_STREAM_SPLIT),
            );
        }
    }
}

/// Reads a file of one row with one column replaced.
#[expect(clippy::needless_pass_by_value, reason = "callers make the array for it")]
fn read_with(name: &str, array: ArrayRef) -> Result<Row, TraceError> {
    let (_folder, path) = place();
    let good = columns(&rows()[..1], true);
    let fields = good.schema();
    let columns = fields.fields().iter().zip(good.columns()).map(|(field, old)| {
        let array = if field.name() == name { &array } else { old };
        (field.name().clone(), Arc::clone(array), true)
    });
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    write(&path, &batch, WriterProperties::builder());
    read(&path).map(|rows| rows[0].clone())
}

/// The same, where it is refused: the message without the file's name.
fn refused(name: &str, array: ArrayRef) -> String {
    let text = read_with(name, array).unwrap_err().to_string();
    text.split_once(".parquet: ").unwrap().1.to_owned()
}

#[test]
fn reads_integers_and_times_as_they_are_meant() {
    let status = |array: ArrayRef| read_with("status", array).unwrap().status;
    assert_eq!(status(Arc::new(Int32Array::from(vec![200]))), 200);
    assert_eq!(status(Arc::new(UInt32Array::from(vec![200]))), 200);
    assert_eq!(status(Arc::new(UInt8Array::from(vec![200]))), 200);
    let status = |array| refused("status", array);
    let range = "is not within 100 to 599";
    assert_eq!(
        status(Arc::new(UInt32Array::from(vec![u32::MAX]))),
        format!("row 0 (from 0): status 4294967295 {range}")
    );
    assert_eq!(
        status(Arc::new(UInt64Array::from(vec![u64::MAX]))),
        format!("row 0 (from 0): status 9223372036854775807 {range}")
    );
    assert_eq!(
        status(Arc::new(Int8Array::from(vec![-7]))),
        format!("row 0 (from 0): status -7 {range}")
    );
    // The zone is only how a program shows the time; what is stored is UTC.
    let berlin = TimestampMicrosecondArray::from(vec![5999]).with_timezone("Europe/Berlin");
    assert_eq!(read_with("at", Arc::new(berlin)).unwrap().at.millis(), 5);
}

#[test]
fn refuses_what_cannot_be_meant() {
    let time = "expected a timestamp in UTC";
    let nanos = TimestampNanosecondArray::from(vec![1]);
    assert_eq!(refused("at", Arc::new(nanos)), format!("column `at` is Timestamp(ns), {time}"));
    // Parquet has no seconds, so Arrow writes them as plain numbers.
    let seconds = TimestampSecondArray::from(vec![1]).with_timezone("UTC");
    assert_eq!(refused("at", Arc::new(seconds)), format!("column `at` is Int64, {time}"));
    let millis = TimestampMillisecondArray::from(vec![1]).with_timezone("UTC");
    assert_eq!(
        refused("status", Arc::new(millis)),
        "column `status` is Timestamp(ms, \"UTC\"), expected an integer"
    );
    assert_eq!(
        refused("status", Arc::new(StringArray::from(vec!["200"]))),
        "column `status` is Utf8, expected an integer"
    );
}
