//! The column `after`: what is written comes back, and what cannot be is refused.

use std::fs;
use std::path::Path;

use crawl::{Span, Time};
use lab::history::Window;
use lab::trace::{
    CaptureTraceWriter, Flaw, Gaps, Row, TraceError, TraceReader, TraceWriter, in_words,
};

const URL: &str = "https://e.org/";

fn day(days: i64) -> Time {
    Time::from_millis(0) + Span::from_days(days)
}

fn window() -> Window {
    Window { start: day(1), end: day(8) }
}

fn row(url: &str, at: i64) -> Row {
    let (url, mime) = (url.to_owned(), "text/html".to_owned());
    Row { url, at: day(at), status: 200, mime, body: Some(b"x".to_vec()) }
}

fn write(path: &Path, rows: &[(Row, Option<Time>)]) -> Result<(), TraceError> {
    let mut writer = CaptureTraceWriter::create(path, window(), "made by hand", &[])?;
    rows.iter().try_for_each(|(row, after)| writer.write(row.clone(), *after))?;
    writer.finish()
}

#[test]
fn uncertain_times_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let rows = [
        (row(URL, 1), None),
        (row(URL, 3), Some(day(1))),
        (row(URL, 8), Some(day(4))),
        (row("https://e.org/a", 5), Some(day(-9))),
    ];
    write(&path, &rows).unwrap();
    let mut reader = TraceReader::open(&path).unwrap();
    assert!(reader.has_uncertain_times());
    let after: Vec<_> =
        reader.heads().unwrap().flat_map(Result::unwrap).map(|head| head.after).collect();
    assert_eq!(after, rows.clone().map(|(_, after)| after));
    let bodies: Vec<Row> = reader.batches().unwrap().flat_map(Result::unwrap).collect();
    assert_eq!(bodies, rows.map(|(row, _)| row));
    let gaps = Gaps::from_reader(&mut reader).unwrap().unwrap();
    assert_eq!(gaps, Gaps { changes: 3, uncertain: 3, median: Span::from_days(4) });
    assert_eq!(gaps.to_string(), "the time of 3 of 3 changes, by 4.0 days in the median");
}

#[test]
fn a_trace_without_the_column_is_exact() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let mut writer = TraceWriter::create(&path, window(), "made by hand", &[]).unwrap();
    writer.write(row(URL, 1)).unwrap();
    writer.write(row(URL, 2)).unwrap();
    writer.finish().unwrap();
    let mut reader = TraceReader::open(&path).unwrap();
    assert!(!reader.has_uncertain_times());
    assert!(reader.heads().unwrap().flat_map(Result::unwrap).all(|head| head.after.is_none()));
    assert_eq!(Gaps::from_reader(&mut reader).unwrap(), None);
    let bytes = fs::read(&path).unwrap();
    assert!(!bytes.windows(5).any(|bytes| bytes == b"after"));
}

#[test]
fn uncertain_times_that_cannot_be_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let flaw = |rows: &[(Row, Option<Time>)]| match write(&path, rows) {
        Err(TraceError::Row { row, flaw, .. }) => (row, flaw),
        other => panic!("expected a flaw, got {other:?}"),
    };
    assert_eq!(flaw(&[(row(URL, 3), Some(day(3)))]), (0, Flaw::AfterAt));
    assert_eq!(flaw(&[(row(URL, 3), Some(day(4)))]), (0, Flaw::AfterAt));
    let rows = [(row(URL, 3), None), (row(URL, 6), Some(day(2)))];
    assert_eq!(flaw(&rows), (1, Flaw::AfterBefore(URL.into())));
    let never = Some(Time::from_millis(i64::MIN));
    assert_eq!(flaw(&[(row(URL, 3), never)]), (0, Flaw::AfterRange));
    assert_eq!(
        Flaw::AfterBefore(URL.into()).to_string(),
        "after is before the at of the row above it, for the same url \"https://e.org/\""
    );
    // Another page's times say nothing.
    write(&path, &[(row(URL, 3), None), (row("https://e.org/a", 6), Some(day(2)))]).unwrap();
}

#[test]
fn lengths_of_time_are_shown_in_the_largest_unit() {
    assert_eq!(in_words(Span::from_days(7)), "7.0 days");
    assert_eq!(in_words(Span::from_days(1)), "24.0 hours");
    assert_eq!(in_words(Span::from_millis(90_000)), "1.5 minutes");
}
