//! Bad input: one clear line that names the place, exit code 2, and nothing half-written.
use std::{fs, path::Path};

use crawl::{Span, Time};
use lab::{
    history::Window,
    trace::{Row, TraceWriter},
};

use crate::common::{errors, run};

/// Runs the program and expects it to refuse with this line.
#[track_caller]
fn refused(folder: &Path, arguments: &str, line: &str) {
    let output = run(folder, arguments);
    assert_eq!(errors(&output), format!("error: {line}\n"), "{arguments}");
    assert_eq!(output.status.code(), Some(2), "{arguments}");
    assert!(output.stdout.is_empty(), "{arguments}");
    assert!(!folder.join("out").exists(), "{arguments} wrote something");
}

/// A trace of two pages over four weeks.
fn write_trace(path: &Path) {
    write_trace_born(path, 0);
}

/// The same with pages that are born some days after the window's start.
fn write_trace_born(path: &Path, days: i64) {
    let start = Time::from_millis(1_700_000_000_000);
    let window = Window { start, end: start + Span::from_days(28) };
    let mut writer = TraceWriter::create(path, window, "a test", &[]).unwrap();
    for name in ["a", "b"] {
        for week in 0..3 {
            let body = format!("<title>{name}</title><p>week {week} of {name}</p>");
            let row = Row {
                url: format!("https://example.org/{name}"),
                at: start + Span::from_days(days + 7 * week),
                status: 200,
                mime: "text/html".to_owned(),
                body: Some(body.into_bytes()),
            };
            writer.write(row).unwrap();
        }
    }
    writer.finish().unwrap();
}

#[test]
fn flags_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |arguments: &str, line: &str| refused(folder.path(), arguments, line);
    let run = |flags: &str| format!("lab run --synthetic poisson:20 --out out {flags}");
    refused(&run("--budgets 0"), "--budgets: 0 is not a budget; it must be above 0");
    refused(&run("--budgets -0.1"), "--budgets: -0.1 is not a budget; it must be above 0");
    refused(&run("--budgets ten"), "--budgets: \"ten\" is not a number");
    refused(
        &run("--budgets 1.5"),
        "--budgets: 1.5 is not a budget; from 1 on it is a whole number of visits per cycle, \
         below 1 a share of the pages",
    );
    refused(&run("--budgets 0.1,0.1"), "--budgets: 0.1 is named twice");
    refused(
        &run("--policies freshnes-index"),
        "--policies: unknown policy \"freshnes-index\"; did you mean \"freshness-index\"?",
    );
    refused(
        &run("--policies frequency,link-sample:depth=2"),
        "--policies: link-sample has no parameter \"depth\"; there are: d, batch, chance, count",
    );
    refused(
        &run("--policies link-sample:d=many"),
        "--policies: link-sample: d cannot be \"many\"; it is a whole number from -20 to 20",
    );
    refused(&run("--policies link-sample:d=1:d=2"), "--policies: link-sample: d is given twice");
    refused(&run("--policies ideal:d=1"), "--policies: ideal has no parameters");
    refused(
        &run("--policies link-sampel:d=1"),
        "--policies: unknown policy \"link-sampel\"; did you mean \"link-sample\"?",
    );
    // The same policy, written in two ways.
    refused(
        &run("--policies link-sample,link-sample:d=3"),
        "--policies: link-sample:d=3 is named twice",
    );
    refused(
        "refresh --budget 1 --data out --policy random:d=1",
        "--policy: random has no parameter \"d\"; it has none",
    );
    refused(
        "demo --out out --policy site-sample:size=-1",
        "--policy: site-sample: size cannot be \"-1\"; it is a whole number from 0 to 1000000",
    );
    refused(
        &run("--detector bites"),
        "--detector: unknown detector \"bites\"; did you mean \"bytes\"?",
    );
    refused(
        &run("--interval fortnight"),
        "--interval: \"fortnight\" is not a length of time such as 12h, 1d, 1w or 2w",
    );
    refused(&run("--cycles 0"), "--cycles: \"0\" is not a whole number of 1 or more");
    refused(&run("--warm-up -1"), "--warm-up: \"-1\" is not a whole number of 0 or more");
    refused(&run("--pages some"), "--pages: \"some\" is neither fixed nor growing");
    refused(&run("--start empty"), "--start: an empty start needs seed_urls");
    refused(
        &run("--polices random"),
        "unexpected argument '--polices' found; tip: a similar argument exists: '--policies'",
    );
    refused(
        "lab run --synthetic poison --out out",
        "--synthetic: unknown kind \"poison\"; did you mean \"poisson\"?",
    );
    refused(
        "lab run --out out",
        "no web to run on; add trace files with --traces FILES or a synthetic web with --synthetic \
         poisson",
    );
}

#[test]
fn an_experiment_that_does_not_fit_the_web_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    write_trace(&folder.path().join("tiny.parquet"));
    let refused = |arguments: &str, line: &str| refused(folder.path(), arguments, line);
    refused(
        "lab run --traces tiny.parquet --cycle 5w --out out",
        "tiny: covers 28.0 days, too short for 1 cycle of 35 days",
    );
    refused(
        "lab run --traces tiny.parquet --cycles 5 --out out",
        "tiny: covers 28.0 days, too short for 5 cycles of 7 days",
    );
    refused(
        "lab run --traces tiny.parquet --warm-up 4 --out out",
        "tiny: has 4 cycles, so warm_up must be less than that",
    );
    write_trace_born(&folder.path().join("late.parquet"), 2);
    refused(
        "lab run --traces late.parquet --out out",
        "late: no page of it is alive at the start of its window",
    );
    refused(
        "lab run --traces tiny.parquet --policies known-rates --out out",
        "tiny: known-rates needs a synthetic web of kind poisson or clustered",
    );
}

#[test]
fn files_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole.parquet");
    write_trace(&whole);
    let bytes = fs::read(&whole).unwrap();
    fs::write(folder.path().join("cut.parquet"), &bytes[..bytes.len() / 2]).unwrap();
    fs::write(folder.path().join("empty.parquet"), "").unwrap();
    fs::write(folder.path().join("notes.parquet"), "not a trace\n").unwrap();
    for (file, line) in [
        ("missing.parquet", "--traces: missing.parquet: no such file"),
        ("*.trace", "--traces: no file matches *.trace"),
        ("notes.parquet", "notes.parquet: is not a Parquet file"),
    ] {
        refused(folder.path(), &format!("lab run --traces {file} --out out"), line);
    }
    for file in ["cut.parquet", "empty.parquet"] {
        for command in [
            format!("lab run --traces {file} --out out"),
            format!("lab run --traces whole.parquet {file} --out out"),
            format!("lab list {file}"),
        ] {
            let output = run(folder.path(), &command);
            let errors = errors(&output);
            assert!(errors.starts_with(&format!("error: {file}: ")), "{errors}");
            assert_eq!(errors.lines().count(), 1, "{errors}");
            assert_eq!(output.status.code(), Some(2));
            assert!(!folder.path().join("out").exists());
        }
    }
}

#[test]
fn files_of_queries_are_refused_by_name_and_line() {
    let folder = tempfile::tempdir().unwrap();
    let cases: [(&str, &[u8], &str); 4] = [
        (
            "tabs.tsv",
            b"apple\t3\npear 2\n",
            "tabs.tsv, line 2: expected a query, one tab and a count, found 0 tabs",
        ),
        (
            "count.tsv",
            b"apple\tmany\n",
            "count.tsv, line 1: expected a positive number of at most 1e15, found \"many\"",
        ),
        ("nothing.tsv", b"\n", "nothing.tsv: contains no query"),
        ("bytes.tsv", b"apple\t3\n\n\xff\t1\n", "bytes.tsv, line 3: invalid UTF-8"),
    ];
    for (file, bytes, _) in &cases {
        fs::write(folder.path().join(file), bytes).unwrap();
    }
    let run = |flags: &str| format!("lab run --synthetic poisson:20 --out out {flags}");
    for (file, _, why) in &cases {
        let line = format!("--queries: {why}");
        refused(folder.path(), &run(&format!("--queries {file}")), &line);
    }
    let line = "--query-limit: \"0\" is not a whole number of 1 or more";
    refused(folder.path(), &run("--query-limit 0"), line);
    let output = crate::common::run(folder.path(), &run("--queries missing.tsv"));
    let errors = errors(&output);
    assert!(errors.starts_with("error: --queries: missing.tsv: cannot be read"), "{errors}");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn an_experiment_file_is_refused_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("test.toml");
    for (text, line) in [
        ("budgts = [0.1]\n", "test.toml: unknown key \"budgts\"; did you mean \"budgets\"?"),
        (
            "synthetic = \"poisson\"\nbudgets = [0.1, -2]\n",
            "test.toml: budgets: -2 is not a budget; it must be above 0",
        ),
        ("budgets = true\n", "test.toml: budgets: a boolean is not allowed here"),
        (
            "synthetic = \"poisson\"\npolicies = [\"random\", \"directory-sample:distance=far\"]\n",
            "test.toml: policies: directory-sample: distance cannot be \"far\"; it is one of \
             corrected, literal",
        ),
        ("budgets = [[1]]\n", "test.toml: budgets: a list inside a list is not allowed here"),
        (
            "synthetic = { kind = \"poisson\", pags = 3 }\n",
            "test.toml: synthetic: unknown key \"pags\"; did you mean \"pages\"?",
        ),
        (
            "synthetic = { pages = 3 }\n",
            "test.toml: synthetic: a kind is needed, such as kind = \"poisson\"",
        ),
    ] {
        fs::write(&file, text).unwrap();
        refused(folder.path(), "lab run test.toml --out out", line);
    }
    fs::write(&file, "policy = \"directory-sample:d=x\"\n").unwrap();
    refused(
        folder.path(),
        "refresh --budget 1 --data out --config test.toml",
        "test.toml: policy: directory-sample: d cannot be \"x\"; it is a whole number from -20 to 20",
    );
    fs::write(&file, "cycle = \"1w\"\nbudgets = [0.1,\n").unwrap();
    let output = run(folder.path(), "lab run test.toml --out out");
    assert!(errors(&output).starts_with("error: test.toml:"), "{}", errors(&output));
    assert_eq!(errors(&output).lines().count(), 1);
    assert_eq!(output.status.code(), Some(2));
}
