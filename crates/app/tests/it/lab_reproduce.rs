//! `sanderling lab reproduce` from end to end.
use std::fs;

use crate::common::{errors, run};

const SMALL: &str = r#"
paper = "tan-2007"
clustered = { pages = 100, seeds = [1, 2], weeks = 12 }

[[part]]
name = "figure-6"
title = "Policies"
figure = "Figure 6"
webs = ["together", "clustered"]
cycle = ["2w"]
budgets = [0.088]
metrics = ["change_ratio"]
policies = ["RNS = random", "RR = round-robin"]
"#;

#[test]
fn a_file_is_run_judged_and_written_as_html_json_and_markdown() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mine.toml"), SMALL).unwrap();
    let output = run(folder.path(), "lab reproduce mine.toml --quick --markdown mine.md");
    assert_eq!(errors(&output), "");
    assert!(output.status.success());
    let printed = String::from_utf8(output.stdout).unwrap();
    // One part can be judged in the world: two policies that are the same on it.
    assert!(printed.contains("7 claims. In the paper's own world: 0 met, "), "{printed}");
    assert!(
        printed.contains("On recorded sites: 0 met, 0 contradicted, 0 undecided, 7 not"),
        "{printed}"
    );
    assert!(printed.ends_with("Report: out/mine/report.html\n"), "{printed}");
    assert!(printed.lines().all(|line| line.chars().count() <= 100), "{printed}");
    for file in
        ["out/mine/report.html", "out/mine/reproduce.json", "out/mine/runs.jsonl", "mine.md"]
    {
        assert!(folder.path().join(file).exists(), "{file}");
    }
    let page = fs::read_to_string(folder.path().join("mine.md")).unwrap();
    assert!(page.contains("### S4. "), "{page}");
    let quiet = run(folder.path(), "lab reproduce mine.toml --quick --quiet");
    assert!(quiet.status.success() && quiet.stdout.is_empty());
}

#[test]
fn what_cannot_be_reproduced_is_said_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bad.toml"), SMALL.replace("round-robin", "robin")).unwrap();
    fs::write(folder.path().join("mine.toml"), SMALL).unwrap();
    for (arguments, why) in [
        (
            "lab reproduce tan-2011",
            "error: tan-2011: not a paper and not a file; the papers are dasgupta-2007, pandey-2005, radinsky-2013, tan-2007, tan-2010\n",
        ),
        (
            "lab reproduce bad.toml",
            "error: bad.toml, line 13, column 29: no policy is called \"robin\"\n",
        ),
        (
            "lab reproduce mine.toml --part figure-7",
            "error: there is no part \"figure-7\"; there are: figure-6\n",
        ),
        (
            "lab reproduce mine.toml --traces nowhere.parquet",
            "error: --traces: nowhere.parquet: no such file\n",
        ),
    ] {
        let output = run(folder.path(), arguments);
        assert_eq!(errors(&output), why);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
    }
    assert!(!folder.path().join("out").exists());
}
