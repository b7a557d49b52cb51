//! What importers of captures share: the window of the trace, and the rows of a page from what its
//! captures showed.
use std::path::{Path, PathBuf};

use crawl::{Span, Time};
use jiff::Timestamp;

use super::ImportError;
use super::warc::CaptureError;
use crate::history::Window;

/// What to import, and where to.
#[derive(Clone, Debug)]
pub struct Options {
    /// The files to read; which kinds, the importer says.
    pub files: Vec<PathBuf>,
    /// The window's start; `None` for the end of the first capture's day, in UTC.
    pub from: Option<Time>,
    /// The window's length; `None` to the end of the last capture's day.
    pub weeks: Option<u32>,
    /// A description of the origin; `None` for the names of the files.
    pub source: Option<String>,
    /// The file to write.
    pub output: PathBuf,
}

/// A row of a page: it showed something else from `at` on, or from an instant after `after`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Change<S> {
    pub(super) at: Time,
    pub(super) after: Option<Time>,
    pub(super) shown: S,
}

/// The rows of a page, and the captures that made none.
#[derive(Debug)]
pub(super) struct Changes<S> {
    pub(super) rows: Vec<Change<S>>,
    /// Captures without new content.
    pub(super) unchanged: usize,
    /// Captures of a page that did not exist, and had not existed before.
    pub(super) never_there: usize,
    /// Captures before the one that shows the state at the window's start.
    pub(super) outside: usize,
}

impl<S: Copy> Changes<S> {
    /// From the states of a page by time, one per instant, up to the window's end: one row for its state
    /// at the window's start, and one for each later capture with a new state.
    pub(super) fn new(
        seen: &[(Time, S)],
        window: Window,
        is_gone: impl Fn(S) -> bool,
        is_same: impl Fn(S, S) -> bool,
    ) -> Self {
        let mut found = Self { rows: vec![], unchanged: 0, never_there: 0, outside: 0 };
        let mut before: Option<(Time, S)> = None;
        for &(at, shown) in seen {
            let same = before.is_some_and(|(_, before)| is_same(before, shown));
            if found.rows.is_empty() && is_gone(shown) {
                found.never_there += 1;
            } else if same {
                found.unchanged += 1;
            } else {
                // Before a page's first capture nothing is known. If that is after the window's start,
                // the page existed at that time at the latest.
                let since_start = || (at > window.start).then_some(window.start);
                let after = before.map(|(at, _)| at).or_else(since_start);
                found.rows.push(Change { at, after, shown });
            }
            before = Some((at, shown));
        }
        // Before the window only the last state matters, and only if the page existed.
        let rows = &mut found.rows;
        let mut drop = rows.partition_point(|row| row.at <= window.start).saturating_sub(1);
        if rows.get(drop).is_some_and(|row| row.at <= window.start && is_gone(row.shown)) {
            drop += 1;
        }
        rows.drain(..drop);
        found.outside = drop;
        found
    }
}

/// The requested window, or that of the captures at `times`, checked against them. `captures` is the
/// number of all, of which these are the ones with evidence.
pub(super) fn window<I: Iterator<Item = Time>>(
    times: impl Fn() -> I,
    captures: usize,
    from: Option<Time>,
    weeks: Option<u32>,
) -> Result<Window, ImportError> {
    let (Some(first), Some(last)) = (times().min(), times().max()) else {
        return Err(CaptureError::NoEvidence { captures }.into());
    };
    let start = from.unwrap_or_else(|| end_of_day(first));
    let length = weeks.map(|weeks| Span::from_days(7).times(i64::from(weeks)));
    let end = length.map_or_else(
        || end_of_day(last),
        |length| Time::from_millis(start.millis().saturating_add(length.millis())),
    );
    let can_be_written = |time: Time| Timestamp::from_millisecond(time.millis()).is_ok();
    if weeks == Some(0) || !can_be_written(start) || !can_be_written(end) {
        return Err(ImportError::Weeks { weeks: weeks.unwrap_or_default() });
    }
    if start < first {
        let (first, start) = (written(first), written(start));
        return Err(CaptureError::TooEarly { first, start }.into());
    }
    if from.is_none() && end_of_day(first) == end_of_day(last) {
        let day = written(first).chars().take_while(|&letter| letter != 'T').collect();
        return Err(CaptureError::OneDay { day }.into());
    }
    if !times().any(|at| start < at && at <= end) {
        let [start, end, first, last] = [start, end, first, last].map(written);
        return Err(CaptureError::NoneInside { start, end, first, last }.into());
    }
    Ok(Window { start, end })
}

/// The first instant of the next day, in UTC.
fn end_of_day(time: Time) -> Time {
    let day = Span::from_days(1).millis();
    Time::from_millis((time.millis().div_euclid(day) + 1) * day)
}

/// An instant as RFC 3339.
pub(super) fn written(time: Time) -> String {
    Timestamp::from_millisecond(time.millis()).map_or_else(|_| "?".to_owned(), |at| at.to_string())
}

/// A description of the origin: the name of the first file without extensions, and the number of further
/// files.
pub(super) fn source_name(kind: &str, files: &[PathBuf]) -> String {
    let first = files.first().map_or(Path::new(""), PathBuf::as_path);
    let first = first.file_name().unwrap_or_default().to_string_lossy();
    let stem = first.strip_suffix(".gz").unwrap_or(&first);
    let endings = [".warc", ".cdxj", ".cdx"];
    let stem = endings.iter().find_map(|ending| stem.strip_suffix(ending)).unwrap_or(stem);
    match files.len() {
        0 | 1 => format!("{kind}:{stem}"),
        count => format!("{kind}:{stem} and {} more", count - 1),
    }
}
