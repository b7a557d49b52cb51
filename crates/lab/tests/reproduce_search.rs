//! The surveys of the paper of 2005, from end to end: what stays of impact, and pages to show.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails as the test does")]
mod common;

use std::{path::Path, sync::atomic::AtomicBool};

use common::tiny;
use flow::Span;
use lab::{
    history::Window,
    reproduce::{
        Follower, Inputs, Measured, Part, Reproduction, WebKind, carry_out, figure::Figure, html,
        judge, markdown, parse, terminal,
    },
    tournament::Watcher,
    trace::{Row, TraceWriter},
};

const SURVEYS: &str = r#"
paper = "pandey-2005"
detector = "shingles"

[[part]]
name = "figure-3"
title = "Halves"
figure = "Figure 3"
webs = ["sites"]
survey = "predictability"
queries = 30

[[part]]
name = "figure-5"
title = "Pages"
figure = "Figure 5"
webs = ["sites"]
survey = "examples"
queries = 30
"#;

struct Quiet;

impl Watcher for Quiet {
    fn reading(&self, _web: &str, _rows: u64, _of: u64) {}
    fn begin(&self, _runs: usize, _finished_before: usize) {}
    fn finished(&self, _web: &str) {}
}

impl Follower for Quiet {
    fn part(&self, _part: &Part, _kind: WebKind) {}
}

/// 28 pages over 20 weeks. Page 0 is rewritten every week and never holds what is asked for. Page 7 is
/// the same for eight weeks, then holds the title of many others.
fn write(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("site.parquet");
    let weeks = 20;
    let window = Window { start: tiny::DAY_ZERO, end: tiny::DAY_ZERO + tiny::WEEK.times(weeks) };
    let mut writer = TraceWriter::create(&path, window, "made by hand", &[]).unwrap();
    for page in 0..28 {
        let topic = ["tide tables", "harbour seals", "boat repair", "winter storms"][page % 4];
        let text = |week: i64| match page {
            0 => (0..80).map(|n| format!("filler{week}x{n}")).collect::<Vec<_>>().join(" "),
            7 if week >= 8 => "tide tables ".repeat(30),
            _ if page % 5 == 1 => {
                format!("week {week} of {}", format!("{topic} ").repeat(1 + week as usize % 3))
            }
            _ => format!("{topic} and what else there is to say about number {page}"),
        };
        let mut last = String::new();
        for week in 0..weeks {
            if text(week) == last {
                continue;
            }
            last = text(week);
            writer
                .write(Row {
                    url: format!("http://a.example/{page:02}"),
                    // In the middle of the week, so that it is found in the next cycle.
                    at: tiny::DAY_ZERO
                        + tiny::WEEK.times(week)
                        + Span::from_days(i64::from(week > 0)),
                    status: 200,
                    mime: "text/html".to_owned(),
                    body: Some(
                        format!(
                            "<title>{}</title><p>{last}",
                            if page == 0 { "Zero" } else { topic }
                        )
                        .into_bytes(),
                    ),
                })
                .unwrap();
        }
    }
    writer.finish().unwrap();
    path
}

fn done(folder: &Path, threads: usize) -> Reproduction {
    let inputs = Inputs {
        traces: vec![write(folder)],
        out: folder.join("out"),
        cache: folder.join("cache"),
        queries: None,
        is_quick: false,
        part: None,
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let plan = parse(SURVEYS).unwrap();
    pool.install(|| carry_out(&plan, &inputs, &Quiet, &AtomicBool::new(false))).unwrap().unwrap()
}

fn figure(done: &Reproduction, part: usize) -> &Figure {
    match &done.measured[part][0].1 {
        Measured::Survey(figure) => figure,
        other => panic!("{other:?}"),
    }
}

#[test]
fn impact_of_both_halves_is_drawn_and_examples_are_told_with_their_text() {
    let folder = tempfile::tempdir().unwrap();
    let done = done(folder.path(), 1);
    let halves = figure(&done, 0);
    assert_eq!(halves.scatters.len(), 2);
    let dots: usize = halves.scatters[0].groups.iter().map(|group| group.1.len()).sum();
    assert!((1..=28).contains(&dots), "{dots}");
    let examples = &figure(&done, 1).examples;
    let needless = examples.iter().find(|example| example.says.starts_with("Visited for nothing"));
    let needless = needless.unwrap();
    assert_eq!(needless.address, "http://a.example/00");
    assert!(needless.added[0].starts_with("filler") && needless.removed[0].starts_with("filler"));
    assert!(needless.queries.is_empty());
    for example in examples.iter().filter(|example| example.says.starts_with("Found late")) {
        assert!(!example.queries.is_empty(), "{example:?}");
    }
    // Every form of the report has them.
    let judged = judge(&done);
    let page = html::html(&done, &judged, "today");
    assert!(page.contains("a.example/00") && page.contains("class=\"dots c0\""));
    assert!(!page.contains("http:"));
    assert!(markdown::page(&done, &judged, "today").contains("> Added: filler"));
    assert!(terminal::table(&done, &judged).contains("http://a.example/00"));
}

#[test]
fn surveys_are_the_same_for_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let (one, three) = (done(folder.path(), 1), done(folder.path(), 3));
    for part in 0..2 {
        assert_eq!(figure(&one, part), figure(&three, part));
    }
}
