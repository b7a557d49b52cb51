//! Reproductions of papers: experiment files, analyses, claims and reports.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails as the test does")]
mod claims;
mod discovery;
mod files;
mod forecasts;
mod made;
mod run;
mod search;

use std::{
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
};

use crawl::{Span, Time};
use lab::{
    history::Window,
    tournament::Watcher,
    trace::{Row, TraceWriter},
};
use papers::{
    Follower, Inputs, Measured, Part, Reproduction, WebKind, carry_out, figure::Figure, parse,
};

/// The first day of all traces: 5 January 2026, a Monday.
const DAY_ZERO: Time = Time::from_millis(1_767_571_200_000);
const DAY: Span = Span::from_days(1);

/// Hears nothing.
struct Quiet;

impl Watcher for Quiet {
    fn reading(&self, _web: &str, _rows: u64, _of: u64) {}
    fn begin(&self, _runs: usize, _finished_before: usize) {}
    fn finished(&self, _web: &str) {}
}

impl Follower for Quiet {
    fn part(&self, _part: &Part, _kind: WebKind) {}
}

fn inputs(folder: &Path, traces: Vec<PathBuf>, is_quick: bool) -> Inputs {
    Inputs {
        traces,
        out: folder.join("out"),
        cache: folder.join("cache"),
        queries: None,
        is_quick,
        part: None,
    }
}

/// Carries out the plan of an experiment file.
fn carried_out(file: &str, inputs: &Inputs) -> Reproduction {
    let plan = parse(file).unwrap();
    carry_out(&plan, inputs, &Quiet, &AtomicBool::new(false)).unwrap().unwrap()
}

/// The figure of an analysis on the first kind of web of its part.
fn figure<'a>(made: &'a Reproduction, part: &str) -> &'a Figure {
    let place = made.plan.parts.iter().position(|other| other.name == part).unwrap();
    match &made.measured[place][0].1 {
        Measured::Analysis(figure) => figure,
        other => panic!("{part}: {other:?}"),
    }
}

/// A version of an HTML page.
fn row(url: &str, at: Time, body: String) -> Row {
    Row {
        url: url.to_owned(),
        at,
        status: 200,
        mime: "text/html".to_owned(),
        body: Some(body.into_bytes()),
    }
}

/// Writes a trace of so many days; rows are by address and time.
fn trace(folder: &Path, name: &str, days: i64, rows: Vec<Row>) -> PathBuf {
    let path = folder.join(format!("{name}.parquet"));
    let window = Window { start: DAY_ZERO, end: DAY_ZERO + DAY.times(days) };
    let mut writer = TraceWriter::create(&path, window, "made by hand", &[]).unwrap();
    for row in rows {
        writer.write(row).unwrap();
    }
    writer.finish().unwrap();
    path
}
