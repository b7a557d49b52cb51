//! Help, logging, aliases and hints of the command line.
use std::fs;

use serde_json::Value;

use crate::common::{errors, json, run, sanderling, text, tiny::TinyWeb};

fn web() -> TinyWeb {
    TinyWeb::new(&[("/", "<a href=/a>a</a>"), ("/a", "<p>a</p>")])
}

#[test]
fn a_command_without_its_subcommand_prints_help() {
    let folder = tempfile::tempdir().unwrap();
    for command in ["", "lab", "export", "lab import"] {
        let output = run(folder.path(), command);
        assert_eq!((output.status.code(), errors(&output).as_str()), (Some(0), ""), "{command}");
        assert!(text(&output).contains("\nUsage: sanderling"), "{command}: {}", text(&output));
    }
    let output = run(folder.path(), "lab fly");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
}

#[test]
fn refresh_and_run_do_not_promise_pseudo_queries() {
    let folder = tempfile::tempdir().unwrap();
    for command in ["crawl --help", "refresh --help", "run --help"] {
        let help = text(&run(folder.path(), command));
        assert!(help.contains("Query workload (TSV: query, count)"), "{help}");
        assert!(!help.contains("pseudo"), "{help}");
    }
}

#[test]
fn the_log_is_json_lines_on_standard_error_and_changes_nothing_else() {
    let (folder, web) = (tempfile::tempdir().unwrap(), web());
    let crawl = "crawl http://tiny.example/";
    let logged = web.run(folder.path(), &format!("-vv --log-format json {crawl}"));
    let lines: Vec<Value> =
        errors(&logged).lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let with = |message: &str| -> Vec<&Value> {
        let fields = lines.iter().map(|line| &line["fields"]);
        fields.filter(|fields| fields["message"] == message).collect()
    };
    assert_eq!(with("cycle started")[0]["kind"], "crawl");
    assert_eq!(with("cycle finished")[0]["visits"], 2);
    let observed: Vec<&str> =
        with("observation").iter().map(|fields| fields["url"].as_str().unwrap()).collect();
    assert_eq!(observed, ["http://tiny.example/", "http://tiny.example/a"]);
    assert_eq!(with("observation")[0]["outcome"], "first");

    let refresh = "refresh --budget 2";
    let words = |output| {
        // Times differ from run to run.
        let text = text(output);
        text.split(" in ").next().unwrap().to_owned()
    };
    let logged = web.run(folder.path(), &format!("-v --log-format json {refresh}"));
    let quiet = web.run(folder.path(), refresh);
    assert_eq!(errors(&quiet), "");
    assert_eq!(words(&logged), words(&quiet));
    assert!(errors(&logged).lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    assert!(
        errors(&logged).contains("\"policy\":\"unified\"") && !errors(&logged).contains("DEBUG")
    );
}

#[test]
fn the_interval_keeps_its_earlier_names() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let refused = |arguments: &str, line: &str| {
        assert_eq!(errors(&run(path, arguments)), format!("error: {line}\n"), "{arguments}");
    };
    let why = "\"x\" is not a length of time such as 500ms, 1s, 30m, 12h or 1d";
    refused("refresh --interval x", &format!("--interval: {why}"));
    refused("refresh --every x", &format!("--interval: {why}"));
    let output = sanderling(path).arg("refresh").env("SANDERLING_EVERY", "x").output().unwrap();
    assert_eq!(errors(&output), format!("error: SANDERLING_EVERY: {why}\n"));
    fs::write(path.join("old.toml"), "every = \"x\"\n").unwrap();
    refused("refresh --config old.toml", &format!("old.toml: every: {why}"));
    fs::write(path.join("both.toml"), "every = \"1d\"\ninterval = \"1d\"\n").unwrap();
    refused(
        "refresh --config both.toml",
        "both.toml: every: set twice, also as interval; keep one",
    );
    refused(
        "run --data data",
        "run needs a budget and an interval, such as --budget 200 --interval 1d",
    );
    for name in ["--cycle", "--interval"] {
        let lab = format!("lab run --synthetic poisson:20:1:1 {name} 2w --out out");
        let output = run(path, &lab);
        assert!(
            errors(&output).contains("too short for 1 cycle of 14 days"),
            "{}",
            errors(&output)
        );
    }
    let short =
        run(path, "lab run --synthetic poisson:20:1:1 --interval 1h --cycles 200 --out out");
    assert!(errors(&short).contains("200 cycles of 1 hour\n"), "{}", errors(&short));
}

#[test]
fn a_crawl_says_what_to_do_next_with_the_same_flags() {
    let (folder, web) = (tempfile::tempdir().unwrap(), web());
    fs::write(folder.path().join("my.toml"), "budget = 5\n").unwrap();
    let output = web.run(folder.path(), "crawl http://tiny.example/ --config my.toml");
    let next = "Next: sanderling refresh --budget 200 --config my.toml --data data, or sanderling status \
                --config my.toml --data data\n";
    assert!(text(&output).ends_with(next), "{}", text(&output));
}

#[test]
fn a_refused_loopback_address_names_the_flag_that_allows_it() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), "crawl http://127.0.0.1:9/ --data data");
    assert_eq!(output.status.code(), Some(6));
    assert!(errors(&output).contains("add --allow HOST"), "{}", errors(&output));
}

#[test]
fn an_old_folder_is_upgraded_and_the_log_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/../store/tests/fixtures/v4/data");
    crate::common::copy(fixture.as_ref(), &folder.path().join("data"));
    let output = run(folder.path(), "-v verify --data data --json");
    assert_eq!(json(&output)["observations"], 175);
    assert!(errors(&output).contains("data folder upgraded"), "{}", errors(&output));
    let again = run(folder.path(), "-v verify --data data --json");
    assert!(!errors(&again).contains("upgraded"), "{}", errors(&again));
}
