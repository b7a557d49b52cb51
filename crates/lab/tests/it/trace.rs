//! Trace files: what is written comes back, and what is wrong is said in one line.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BinaryArray, Int64Array, LargeBinaryArray, LargeStringArray, RecordBatch,
    StringArray, TimestampMicrosecondArray, TimestampMillisecondArray, UInt16Array,
};
use crawl::Time;
use lab::history::Window;
use lab::trace::{Flaw, Head, Row, TraceError, TraceReader, TraceWriter};
use parquet::arrow::ArrowWriter;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use tempfile::TempDir;

const DAY: i64 = 86_400_000;

fn window() -> Window {
    Window { start: Time::from_millis(DAY), end: Time::from_millis(8 * DAY) }
}

pub(super) fn row(url: &str, at: i64, body: Option<&str>) -> Row {
    Row {
        url: url.to_owned(),
        at: Time::from_millis(at),
        status: if body.is_some() { 200 } else { 404 },
        mime: "text/html".to_owned(),
        body: body.map(|body| body.as_bytes().to_vec()),
    }
}

fn sample() -> Vec<Row> {
    vec![
        row("https://e.org/", DAY, Some("<p>one")),
        row("https://e.org/", 2 * DAY, Some("<p>two")),
        row("https://e.org/a", DAY, Some("")),
        row("https://e.org/a", 3 * DAY, None),
        row("https://e.org/a", 4 * DAY, Some("back")),
        row("https://e.org/b%20c", 5 * DAY, Some("late")),
    ]
}

fn write(path: &Path, rows: &[Row]) -> Result<(), TraceError> {
    let metadata = [("trace.commit", "abc".to_owned())];
    let mut writer = TraceWriter::create(path, window(), "made by hand", &metadata)?;
    rows.iter().try_for_each(|row| writer.write(row.clone()))?;
    writer.finish()
}

pub(super) fn read(path: &Path) -> Result<Vec<Row>, TraceError> {
    let mut rows = Vec::new();
    for batch in TraceReader::open(path)?.batches()? {
        rows.extend(batch?);
    }
    Ok(rows)
}

pub(super) fn heads(path: &Path) -> Result<Vec<Head>, TraceError> {
    let mut rows = Vec::new();
    for batch in TraceReader::open(path)?.heads()? {
        rows.extend(batch?);
    }
    Ok(rows)
}

fn flaw(result: Result<Vec<Row>, TraceError>) -> (u64, Flaw) {
    match result {
        Err(TraceError::Row { row, flaw, .. }) => (row, flaw),
        other => panic!("expected a flaw, got {other:?}"),
    }
}

/// A folder and the path of a trace in it.
pub(super) fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("site.parquet");
    (folder, path)
}

/// Writes any columns as Parquet, as another program would.
fn write_foreign(path: &Path, columns: Vec<(&str, ArrayRef)>, pairs: &[(&str, &str)]) {
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, array)| (name, array, true)),
    )
    .unwrap();
    let pairs = pairs.iter().map(|(key, value)| KeyValue::new((*key).into(), (*value).to_owned()));
    let properties =
        WriterProperties::builder().set_key_value_metadata(Some(pairs.collect())).build();
    let file = fs::File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

pub(super) const WINDOW_PAIRS: [(&str, &str); 2] = [
    ("trace.window_start", "2022-07-16T18:48:02+00:00"),
    ("trace.window_end", "2023-07-15T18:48:02+00:00"),
];

/// Columns of one good row, with the usual types.
fn good_columns() -> Vec<(&'static str, ArrayRef)> {
    vec![
        ("url", Arc::new(StringArray::from(vec!["https://e.org/"]))),
        ("at", Arc::new(TimestampMillisecondArray::from(vec![DAY]).with_timezone("UTC"))),
        ("status", Arc::new(UInt16Array::from(vec![200]))),
        ("mime", Arc::new(StringArray::from(vec!["text/html"]))),
        ("body", Arc::new(BinaryArray::from(vec![Some(&b"x"[..])]))),
    ]
}

/// The error of opening and reading a file with one column replaced (or left out).
fn foreign_error(name: &str, array: Option<&ArrayRef>, pairs: &[(&str, &str)]) -> String {
    let (_folder, path) = place();
    let mut columns = good_columns();
    columns.retain(|(column, _)| array.is_some() || *column != name);
    for (column, old) in &mut columns {
        if let Some(array) = array
            && *column == name
        {
            *old = Arc::clone(array);
        }
    }
    write_foreign(&path, columns, pairs);
    let text = read(&path).unwrap_err().to_string();
    text.strip_prefix(&format!("{}: ", path.display())).unwrap().to_owned()
}

#[test]
fn what_is_written_comes_back() {
    let (_folder, path) = place();
    write(&path, &sample()).unwrap();
    assert_eq!(read(&path).unwrap(), sample());
}

#[test]
fn the_head_comes_back() {
    let (_folder, path) = place();
    write(&path, &sample()).unwrap();
    let reader = TraceReader::open(&path).unwrap();
    assert_eq!(reader.window(), window());
    assert_eq!(reader.source(), "made by hand");
    assert_eq!(reader.rows(), 6);
    assert_eq!(reader.metadata("trace.commit"), Some("abc"));
    assert_eq!(reader.path(), path);
}

#[test]
fn rows_without_bodies_are_the_same_rows() {
    let (_folder, path) = place();
    write(&path, &sample()).unwrap();
    let expected: Vec<Head> = sample()
        .into_iter()
        .map(|Row { url, at, status, mime, .. }| Head { url, at, after: None, status, mime })
        .collect();
    assert_eq!(heads(&path).unwrap(), expected);
}

#[test]
fn many_rows_come_in_small_batches_and_in_order() {
    let (_folder, path) = place();
    let body = "x".repeat(40_000);
    let rows: Vec<Row> = (0..2_000)
        .map(|at| row(&format!("https://e.org/{:02}", at / 50), at, Some(&body)))
        .collect();
    write(&path, &rows).unwrap();
    let mut reader = TraceReader::open(&path).unwrap();
    let batches: Vec<Vec<Row>> = reader.batches().unwrap().map(Result::unwrap).collect();
    assert!(batches.iter().all(|batch| batch.len() <= 128));
    assert_eq!(batches.concat(), rows);
}

#[test]
fn a_trace_without_rows_is_a_trace() {
    let (_folder, path) = place();
    write(&path, &[]).unwrap();
    assert_eq!(read(&path).unwrap(), []);
}

#[test]
fn refuses_rows_that_break_a_rule() {
    let (_folder, path) = place();
    let url = "https://e.org/";
    let broken = |rows: &[Row]| {
        let error = write(&path, rows).unwrap_err();
        assert!(!path.exists());
        flaw(Err(error))
    };
    assert_eq!(
        broken(&[row("https://e.org/b", 1, None), row("https://e.org/a", 2, None)]),
        (1, Flaw::UrlBefore("https://e.org/a".into()))
    );
    assert_eq!(broken(&[row(url, 2, None), row(url, 1, None)]), (1, Flaw::TimeBefore(url.into())));
    assert_eq!(broken(&[row(url, 1, None), row(url, 1, None)]), (1, Flaw::TimeTwice(url.into())));
    assert_eq!(broken(&[row("", 1, None)]), (0, Flaw::NotHttp(String::new())));
    assert_eq!(broken(&[row("http:///a", 1, None)]), (0, Flaw::NotHttp("http:///a".into())));
    assert_eq!(broken(&[row("ftp://e.org/", 1, None)]), (0, Flaw::NotHttp("ftp://e.org/".into())));
    assert_eq!(broken(&[row(url, i64::MAX, None)]), (0, Flaw::TimeRange));
    assert_eq!(broken(&[Row { status: 204, ..row(url, 1, None) }]), (0, Flaw::NoBody(204)));
    assert_eq!(broken(&[Row { status: 404, ..row(url, 1, Some("x")) }]), (0, Flaw::Body(404)));
    assert_eq!(broken(&[Row { status: 7, ..row(url, 1, None) }]), (0, Flaw::Status(7)));
}

#[test]
fn a_broken_row_is_named_with_its_file_and_number() {
    let (_folder, path) = place();
    let mut columns = good_columns();
    columns[0].1 = Arc::new(StringArray::from(vec!["https://e.org/b", "https://e.org/a"]));
    columns[1].1 = Arc::new(TimestampMillisecondArray::from(vec![1, 2]).with_timezone("UTC"));
    columns[2].1 = Arc::new(UInt16Array::from(vec![200, 200]));
    columns[3].1 = Arc::new(StringArray::from(vec!["text/html", "text/html"]));
    columns[4].1 = Arc::new(BinaryArray::from(vec![Some(&b"x"[..]), Some(b"y")]));
    write_foreign(&path, columns, &WINDOW_PAIRS);
    assert_eq!(
        read(&path).unwrap_err().to_string(),
        format!(
            "{}: row 1 (from 0): url is before the one above it: \"https://e.org/a\"",
            path.display()
        )
    );
    assert!(matches!(heads(&path).unwrap_err(), TraceError::Row { row: 1, .. }));
}

#[test]
fn reads_the_types_that_other_programs_write() {
    let (_folder, path) = place();
    write_foreign(
        &path,
        vec![
            ("body", Arc::new(LargeBinaryArray::from(vec![Some(&b"x"[..])]))),
            ("extra", Arc::new(Int64Array::from(vec![1]))),
            ("mime", Arc::new(LargeStringArray::from(vec![None::<&str>]))),
            ("status", Arc::new(Int64Array::from(vec![200]))),
            ("at", Arc::new(TimestampMicrosecondArray::from(vec![-1]).with_timezone("+00:00"))),
            ("url", Arc::new(LargeStringArray::from(vec!["https://e.org/"]))),
        ],
        &WINDOW_PAIRS,
    );
    let expected = Row { mime: String::new(), ..row("https://e.org/", -1, Some("x")) };
    assert_eq!(read(&path).unwrap(), [expected]);
    assert_eq!(TraceReader::open(&path).unwrap().source(), "site.parquet");
}

#[test]
fn says_what_is_wrong_with_a_column() {
    let said = |name, array: Option<ArrayRef>| foreign_error(name, array.as_ref(), &WINDOW_PAIRS);
    assert_eq!(
        said("mime", None),
        "has no column `mime`; a trace has url, at, status, mime and body"
    );
    assert_eq!(
        said("url", Some(Arc::new(Int64Array::from(vec![1])))),
        "column `url` is Int64, expected a string"
    );
    assert_eq!(
        said("at", Some(Arc::new(TimestampMillisecondArray::from(vec![1])))),
        "column `at` is Timestamp(ms), expected a timestamp in UTC"
    );
    assert_eq!(
        said("body", Some(Arc::new(StringArray::from(vec!["x"])))),
        "column `body` is Utf8, expected binary"
    );
    assert_eq!(
        said("status", Some(Arc::new(UInt16Array::from(vec![None])))),
        "row 0 (from 0): status is missing"
    );
    assert_eq!(
        said("status", Some(Arc::new(Int64Array::from(vec![-1])))),
        "row 0 (from 0): status -1 is not within 100 to 599"
    );
    assert_eq!(
        said("body", Some(Arc::new(BinaryArray::from(vec![None])))),
        "row 0 (from 0): status 200 needs a body, and there is none"
    );
}

#[test]
fn says_what_is_wrong_with_the_window() {
    let said = |pairs: &[(&str, &str)]| foreign_error("none", Some(&good_columns()[0].1), pairs);
    assert_eq!(
        said(&WINDOW_PAIRS[..1]),
        "has no metadata `trace.window_end`, so the window it covers is not known"
    );
    assert_eq!(
        said(&[("trace.window_start", "yesterday"), WINDOW_PAIRS[1]]),
        "metadata `trace.window_start` is \"yesterday\", expected an instant as in \
         2024-01-31T00:00:00Z"
    );
    assert_eq!(
        said(&[WINDOW_PAIRS[0], ("trace.window_end", "2022-07-16T20:48:02+02:00")]),
        "the window ends (2022-07-16T18:48:02Z) at or before its start (2022-07-16T18:48:02Z)"
    );
}

#[test]
fn says_what_is_wrong_with_a_file_that_is_no_trace() {
    let (folder, path) = place();
    write(&path, &sample()).unwrap();
    let whole = fs::read(&path).unwrap();
    let said = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        let text = read(&path).unwrap_err().to_string();
        text.strip_prefix(&format!("{}: ", path.display())).unwrap().to_owned()
    };
    assert_eq!(said(b""), "is empty, not a Parquet file");
    assert_eq!(said(b"ab"), "is not a Parquet file");
    assert_eq!(said(b"a text file, nothing else"), "is not a Parquet file");
    let cut = "is cut off: it begins as a Parquet file but does not end as one";
    assert_eq!(said(&whole[..whole.len() / 2]), cut);
    assert_eq!(said(&whole[..4]), cut);
    assert!(matches!(read(folder.path()), Err(TraceError::Open { .. })));
    assert!(matches!(read(&folder.path().join("none")), Err(TraceError::Open { .. })));
}

#[test]
fn a_damaged_file_is_an_error_and_never_a_crash() {
    let (_folder, path) = place();
    write(&path, &sample()).unwrap();
    let whole = fs::read(&path).unwrap();
    let mut seen = [0; 2];
    let mut attempt = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        for result in [read(&path).map(drop), heads(&path).map(drop)] {
            seen[usize::from(result.is_err())] += 1;
        }
    };
    for place in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[place] ^= [0x01, 0x80, 0xff][place % 3];
        attempt(&bytes);
    }
    for length in (0..whole.len()).step_by(7) {
        attempt(&whole[..length]);
        // Cut in the middle, with the right end.
        attempt(&[&whole[..length], &whole[whole.len() - length / 2..]].concat());
    }
    assert!(seen[1] > whole.len() / 2, "most damage is seen: {seen:?}");
}

#[test]
fn a_writer_that_is_dropped_leaves_nothing_and_harms_nothing() {
    let (folder, path) = place();
    fs::write(&path, "what was there").unwrap();
    let mut writer = TraceWriter::create(&path, window(), "x", &[]).unwrap();
    writer.write(sample()[0].clone()).unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    drop(writer);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert_eq!(fs::read_to_string(&path).unwrap(), "what was there");
}

#[test]
fn a_finished_writer_leaves_one_file() {
    let (folder, path) = place();
    fs::write(&path, "what was there").unwrap();
    write(&path, &sample()).unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert_eq!(read(&path).unwrap(), sample());
}

#[test]
fn refuses_a_place_or_a_window_that_cannot_be() {
    let (folder, path) = place();
    let none = folder.path().join("none/site.parquet");
    let created = |path: &Path, window| TraceWriter::create(path, window, "x", &[]).map(drop);
    assert!(matches!(created(&none, window()), Err(TraceError::Write { .. })));
    assert!(matches!(created(Path::new("/"), window()), Err(TraceError::Write { .. })));
    let backwards = Window { start: window().end, end: window().start };
    assert!(matches!(created(&path, backwards), Err(TraceError::EmptyWindow { .. })));
    let endless = Window { start: window().start, end: Time::from_millis(i64::MAX) };
    assert!(matches!(created(&path, endless), Err(TraceError::WindowRange { .. })));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
