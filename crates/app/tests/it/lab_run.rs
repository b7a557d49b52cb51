//! `sanderling lab run` from end to end.
use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use crate::common::{errors, run, sanderling};

const TABLES: [&str; 5] = ["results.csv", "cycles.csv", "webs.csv", "results.json", "report.html"];

fn tables(folder: &Path) -> Vec<String> {
    TABLES.iter().map(|name| fs::read_to_string(folder.join(name)).unwrap()).collect()
}

#[test]
fn a_tournament_writes_its_tables_and_names_the_report() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(
        folder.path(),
        "lab run --synthetic poisson:40,hubs:60 --cycles 6 --warm-up 2 --budgets 0.1,3 --seeds 1,2 \
         --policies random,round-robin,oracle-changes --out out",
    );
    assert_eq!(errors(&output), "");
    assert!(output.status.success());
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.contains("Report: out/report.html"), "{printed}");
    assert!(printed.lines().all(|line| line.chars().count() <= 100), "{printed}");
    let results = fs::read_to_string(folder.path().join("out/results.csv")).unwrap();
    let mut lines = results.lines();
    assert_eq!(lines.next(), Some("trace,policy,budget,seed,metric,value"));
    // Two webs, three policies, two budgets, two seeds and eighteen metrics; then two bounds each.
    assert_eq!(lines.clone().filter(|line| !line.contains(",upper-bound,")).count(), 432);
    assert_eq!(lines.filter(|line| line.contains(",upper-bound,")).count(), 8);
    assert!(printed.contains("\n  hubs-60-1     "), "{printed}");
    assert!(
        printed.contains(" pseudo-queries made from titles, headings and links\n"),
        "{printed}"
    );
    let cycles = fs::read_to_string(folder.path().join("out/cycles.csv")).unwrap();
    assert!(cycles.starts_with("trace,policy,budget,seed,cycle,metric,value\n"));
    assert!(cycles.contains("poisson-40-1,round-robin,3,1,6,visits,3\n"), "{cycles}");
}

#[test]
fn what_is_asked_is_a_file_pseudo_queries_or_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let said = |queries: &str, out: &str| {
        let flags = "--synthetic poisson:40 --cycles 3 --budgets 3 --policies round-robin";
        let output = run(folder.path(), &format!("lab run {flags} {queries} --out {out}"));
        assert_eq!(errors(&output), "");
        let webs = fs::read_to_string(folder.path().join(out).join("webs.csv")).unwrap();
        (String::from_utf8(output.stdout).unwrap(), webs.lines().nth(1).unwrap().to_owned())
    };
    let (printed, webs) = said("--queries none", "none");
    assert!(!printed.contains("Queries by web") && webs.ends_with(",,,,,,"), "{printed}{webs}");
    // Words of the made-up webs, some of which every page of 40 is likely to lack.
    fs::write(folder.path().join("few.tsv"), "nowhere to be found\t2\n").unwrap();
    let (printed, webs) = said("--queries few.tsv --query-limit 30", "few");
    assert!(printed.contains("30 pseudo-queries"), "{printed}");
    assert!(webs.contains("queries of few.tsv, of which only 0 of 1 fit"), "{webs}");
}

#[test]
fn a_file_and_flags_that_say_the_same_give_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let text = "synthetic = { kind = \"clustered\", pages = 50, seed = 3 }\ncycle = \"2w\"\n\
                budgets = [0.1]\npolicies = [\"freshness-index\", \"round-robin\"]\n";
    fs::write(folder.path().join("test.toml"), text).unwrap();
    let by_file = run(folder.path(), "lab run test.toml --out file --quiet");
    let by_parts = run(
        folder.path(),
        "lab run --synthetic kind=clustered,pages=50,seed=3 --cycle 2w --budgets 0.1 \
         --policies freshness-index,round-robin --out parts --quiet",
    );
    let by_flags = run(
        folder.path(),
        "lab run --synthetic clustered:50:3 --cycle 2w --budgets 0.1 \
         --policies freshness-index,round-robin --out flags --quiet",
    );
    for output in [by_file, by_flags, by_parts] {
        assert_eq!(errors(&output), "");
        assert!(output.stdout.is_empty(), "--quiet prints nothing");
    }
    let file = tables(&folder.path().join("file"));
    for other in ["flags", "parts"] {
        let other = tables(&folder.path().join(other));
        assert_eq!(file[0], other[0]);
        assert_eq!(file[1], other[1]);
    }
}

#[test]
fn a_flag_overrules_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let text = "synthetic = \"poisson:30\"\ncycles = 3\nbudgets = [0.5]\npolicies = \"random\"\n";
    fs::write(folder.path().join("test.toml"), text).unwrap();
    run(folder.path(), "lab run test.toml --budgets 7 --out out --quiet");
    let results = &tables(&folder.path().join("out"))[0];
    assert!(results.contains("poisson-30-1,random,7,1,visits,21"), "{results}");
    assert!(!results.contains(",0.5,"), "{results}");
}

#[test]
fn a_policy_with_parameters_has_its_canonical_name_in_the_results() {
    let folder = tempfile::tempdir().unwrap();
    let text = "synthetic = \"poisson:30\"\ncycles = 3\nbudgets = [7]\n\
                policies = [\"link-sample:chance=history:d=-2\", \"directory-sample:d=1\"]\n";
    fs::write(folder.path().join("test.toml"), text).unwrap();
    let output = run(folder.path(), "lab run test.toml --out out --quiet");
    assert_eq!(errors(&output), "");
    let results = &tables(&folder.path().join("out"))[0];
    for name in ["link-sample:d=-2:chance=history", "directory-sample"] {
        assert!(results.contains(&format!("poisson-30-1,{name},7,1,visits,21")), "{results}");
    }
}

#[test]
fn names_are_listed_with_their_parameters() {
    let folder = tempfile::tempdir().unwrap();
    let text = String::from_utf8(run(folder.path(), "lab names").stdout).unwrap();
    let of_size = "\n  site-sample                 a few pages of every site, ";
    assert!(text.contains(of_size), "{text}");
    assert!(text.contains("\n    size                      samples of each site; "), "{text}");
    assert!(text.contains("; a whole number from 0 to 1000000 [default: 0]\n"), "{text}");
    let json = run(folder.path(), "lab names --json").stdout;
    let names: serde_json::Value = serde_json::from_slice(&json).unwrap();
    let policies = names["policies"].as_array().unwrap();
    let policy = |name: &str| policies.iter().find(|one| one["name"] == name).unwrap();
    assert_eq!(policy("random")["parameters"], serde_json::json!([]));
    let parameters = policy("directory-sample")["parameters"].as_array().unwrap();
    assert_eq!(
        *parameters.iter().find(|one| one["name"] == "distance").unwrap(),
        serde_json::json!({
            "name": "distance",
            "default": "corrected",
            "meaning": "signs as the paper says in words, or eq. 2 as it is printed",
            "allowed": "one of corrected, literal",
        })
    );
}

#[test]
fn a_reader_that_leaves_early_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in ["lab names", "--help", "lab run --synthetic poisson:20 --cycles 2 --out out"]
    {
        let mut child = sanderling(folder.path())
            .args(arguments.split_whitespace())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The other end of the pipe is closed before anything is read from it.
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(errors(&output), "", "{arguments}");
        assert!(output.status.success(), "{arguments}");
    }
}

#[test]
fn a_rerun_skips_what_is_finished_and_writes_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let command = "lab run --synthetic drift:40 --cycles 5 --seeds 1,2 --out out --quiet";
    run(folder.path(), command);
    let out = folder.path().join("out");
    let (before, journal) = (tables(&out), fs::read(out.join("runs.jsonl")).unwrap());
    run(folder.path(), command);
    assert_eq!(tables(&out), before);
    assert_eq!(fs::read(out.join("runs.jsonl")).unwrap(), journal, "no run was done again");
}

#[test]
fn an_interrupted_tournament_keeps_finished_runs_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    // Long enough that it cannot be over before the interrupt comes.
    let budgets: Vec<String> = (1..=24).map(|budget| budget.to_string()).collect();
    let arguments = format!(
        "lab run --synthetic poisson:200 --cycle 2d --budgets {} --policies {} --seeds 1 --quiet",
        budgets.join(","),
        "random,round-robin,frequency,freshness-index,directory-sample,oracle-freshness"
    );
    let arguments: Vec<&str> = arguments.split_whitespace().collect();
    let mut child = sanderling(folder.path())
        .args(&arguments)
        .args(["--out", "out"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let journal = folder.path().join("out/runs.jsonl");
    let has_run = || fs::read_to_string(&journal).is_ok_and(|text| text.contains("\"run\""));
    while !has_run() {
        assert_eq!(child.try_wait().unwrap(), None, "it ended before its first run");
        std::thread::yield_now();
    }
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let message = errors(&output);
    assert!(message.starts_with("interrupted: "), "{message}");
    assert!(message.contains("runs are finished and written to out"), "{message}");
    let partial = tables(&folder.path().join("out"));
    assert!(partial[0].lines().count() > 1, "finished runs are in the table");

    let finished = fs::read_to_string(&journal).unwrap();
    let output =
        sanderling(folder.path()).args(&arguments).args(["--out", "out"]).output().unwrap();
    assert!(output.status.success(), "{}", errors(&output));
    assert!(fs::read_to_string(&journal).unwrap().starts_with(&finished), "none is done again");
    sanderling(folder.path()).args(&arguments).args(["--out", "whole"]).output().unwrap();
    let (resumed, whole) =
        (tables(&folder.path().join("out")), tables(&folder.path().join("whole")));
    assert_eq!(resumed, whole);
}
