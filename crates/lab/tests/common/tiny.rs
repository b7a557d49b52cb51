//! The tiny web of `golden/web.txt`, as a trace, and experiments on it.
use std::path::{Path, PathBuf};

use crawl::{Span, Time};
use lab::{
    history::Window,
    oracle::ORACLES,
    quality::Queries,
    tournament::{Contender, Experiment, PageSet, PaperSetting, Start, WebSource},
    trace::{Row, TraceWriter},
};

use super::DAY;

/// Day 0 of the tiny web: 5 January 2026, a Monday.
pub(crate) const DAY_ZERO: Time = Time::from_millis(1_767_571_200_000);
pub(crate) const WEEK: Span = Span::from_days(7);

/// The rows of the tiny web, as `golden/web.txt` tells them.
pub(crate) fn rows() -> Vec<Row> {
    let (mut rows, mut page) = (vec![], ("", ""));
    for line in include_str!("../golden/web.txt").lines() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (first, rest) =
            line.split_once(' ').expect("an address and a type, or a day and a body");
        if first.starts_with("http") {
            page = (first, rest);
            continue;
        }
        let day: i64 = first.parse().expect("a day");
        let body = Some(rest.trim_start()).filter(|&body| body != "gone");
        rows.push(Row {
            url: page.0.to_owned(),
            at: DAY_ZERO + DAY.times(day),
            status: if body.is_some() { 200 } else { 404 },
            mime: page.1.to_owned(),
            body: body.map(|body| body.as_bytes().to_vec()),
        });
    }
    rows
}

/// Writes rows as a trace of 56 days.
pub(crate) fn write_rows(path: &Path, rows: Vec<Row>) {
    let window = Window { start: DAY_ZERO, end: DAY_ZERO + DAY.times(56) };
    let mut writer = TraceWriter::create(path, window, "made by hand", &[]).unwrap();
    for row in rows {
        writer.write(row).unwrap();
    }
    writer.finish().unwrap();
}

/// Writes the tiny web as a trace into a folder.
pub(crate) fn write(folder: &Path) -> PathBuf {
    let path = folder.join("tiny.parquet");
    write_rows(&path, rows());
    path
}

/// Every policy, and every oracle that can run on a recorded web.
pub(crate) fn all_policies() -> Vec<Contender> {
    let oracles = ORACLES.iter().map(|&(name, _)| name).filter(|&name| name != "known-rates");
    policy::ALL
        .iter()
        .map(|entry| entry.name)
        .chain(oracles)
        .map(|name| name.parse().unwrap())
        .collect()
}

/// Weekly cycles with two visits each, on fixed pages all held at the start, by round-robin.
pub(crate) fn experiment(webs: Vec<WebSource>) -> Experiment {
    Experiment {
        webs,
        cycle: WEEK,
        cycles: None,
        warm_up: 0,
        budgets: vec![2.0],
        policies: vec!["round-robin".parse().unwrap()],
        seeds: vec![1],
        detector: "digest".into(),
        pages: PageSet::Fixed,
        start: Start::Synchronised,
        queries: Queries::None,
        halves: false,
        weights: instruments::weights::Weights::default(),
        weighted: true,
        paper: PaperSetting::default(),
        settings: vec![("cycle".into(), "1w".into())],
    }
}
