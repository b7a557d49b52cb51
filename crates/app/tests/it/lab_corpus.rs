//! `sanderling lab corpus` and `sanderling lab bench` as a user runs them, on a small repository.
use std::{
    fmt::Write as _,
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

use crate::common::{errors, json, run, text};

const WEEK_SECONDS: i64 = 7 * 86_400;

/// Runs git in a folder; `None` where it is not installed.
fn git(folder: &Path, arguments: &[&str], input: &str) -> Option<String> {
    let mut command = Command::new("git");
    command.current_dir(folder).args(arguments).env("GIT_CONFIG_GLOBAL", "/dev/null");
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut child) = child else {
        eprintln!("skipped: the program `git` is not installed");
        return None;
    };
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    Some(String::from_utf8(output.stdout).unwrap().trim().to_owned())
}

/// A clone of 64 pages in `clones/owner/NAME`, of which a few change every week for a year; the id of its
/// last commit.
fn clone(folder: &Path, name: &str) -> Option<String> {
    let owner = folder.join("clones/owner");
    fs::create_dir_all(&owner).unwrap();
    git(&owner, &["init", "-q", "--bare", name], "")?;
    let mut script = String::new();
    for week in 0..=52_i64 {
        let at = 1_000_000 + week * WEEK_SECONDS;
        let mark = week + 1;
        writeln!(script, "commit refs/heads/main\nmark :{mark}").unwrap();
        writeln!(script, "committer T <t@e.org> {at} +0000\ndata 0").unwrap();
        if week > 0 {
            writeln!(script, "from :{week}").unwrap();
        }
        for page in (0..64).filter(|page| week == 0 || page % 16 == 0) {
            let body = format!("<p>Page {page}, week {week}");
            writeln!(script, "M 100644 inline p{page}.html\ndata {}\n{body}", body.len()).unwrap();
        }
    }
    let repository = owner.join(name);
    git(&repository, &["fast-import", "--quiet"], &script)?;
    git(&repository, &["rev-parse", "main"], "")
}

fn site(name: &str, commit: &str, digest: &str) -> String {
    format!(
        "[[site]]\nname = \"{name}\"\nrepository = \"owner/{name}\"\nbranch = \"main\"\n\
         base = \"https://{name}.example/\"\ncommit = \"{commit}\"\nfrom = \"1970-01-12T13:46:40Z\"\n\
         weeks = 52\nrows = 272\ndigest = \"{digest}\"\n"
    )
}

#[test]
fn traces_are_made_from_clones_and_what_is_missing_or_wrong_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let Some(commit) = clone(folder.path(), "first") else { return };
    clone(folder.path(), "second");
    let none = "sha1:0000000000000000000000000000000000000000";
    let write = |sites: &[String]| {
        fs::write(folder.path().join("corpus.toml"), sites.concat()).unwrap();
    };
    let command = "lab corpus --manifest corpus.toml --clones clones --out traces";
    write(&[site("first", &commit, none)]);
    let output = run(folder.path(), command);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let printed = text(&output);
    assert!(printed.starts_with("first: made, but not as published: 272 rows, sha1:"), "{printed}");
    let digest = &printed[printed.find("sha1:").unwrap()..][..45];

    // The rest is made although one commit is wrong and one clone is missing.
    let wrong = commit.replace(|_: char| true, "0");
    write(&[
        site("second", &wrong, none),
        site("third", &commit, none),
        site("first", &commit, digest),
    ]);
    fs::remove_file(folder.path().join("traces/first.parquet")).unwrap();
    let output = run(folder.path(), command);
    assert_eq!(output.status.code(), Some(2));
    let said = errors(&output);
    assert!(said.starts_with("error: second: "), "{said}");
    assert!(said.contains(&format!("does not have the commit {wrong}")), "{said}");
    assert!(said.ends_with(
        "error: 1 of 3 traces are as published, 0 are not, 0 cannot be made, 1 have no clone, 1 failed\n"
    ));
    assert_eq!(
        text(&output),
        "first: as published\n\
         Clones of 1 sites are missing. Make them with:\n\
         git clone --bare --single-branch --branch main https://github.com/owner/third clones/owner/third\n"
    );
    assert!(folder.path().join("traces/first.parquet").is_file());

    // Only what is asked for; a trace that is as published needs no clone.
    fs::remove_dir_all(folder.path().join("clones")).unwrap();
    let output = run(folder.path(), &format!("{command} --site first"));
    assert_eq!((output.status.code(), errors(&output).as_str()), (Some(0), ""));
    let output = run(folder.path(), &format!("{command} --site fourth"));
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).starts_with("error: no site of the corpus is called \"fourth\""));
    write(&[site("first", "0123", none)]);
    let output = run(folder.path(), command);
    assert_eq!(
        errors(&output),
        "error: corpus.toml: site \"first\": commit: \"0123\" is not the full id of a commit\n"
    );
}

#[test]
fn the_built_in_corpus_asks_for_its_clones() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), "lab corpus --clones clones --out traces --site sympy tomee");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        text(&output),
        "Clones of 2 sites are missing. Make them with:\n\
         git clone --bare --single-branch --branch gh-pages https://github.com/sympy/sympy.github.com \
         clones/sympy/sympy.github.com\n\
         git clone --bare --single-branch --branch trunk https://github.com/apache/tomee-site \
         clones/apache/tomee-site\n"
    );
    // A site that the importer cannot make is no failure: the manifest says so.
    let output = run(folder.path(), "lab corpus --clones clones --out traces --site nlab-cat");
    assert_eq!((output.status.code(), errors(&output).as_str()), (Some(0), ""));
    assert!(text(&output).starts_with("nlab-cat: cannot be made from its repository: "));
    let listed = text(&run(folder.path(), "lab corpus --list"));
    assert_eq!(listed.lines().count(), 94);
    assert!(listed.lines().any(|line| line.starts_with("sympy ")), "{listed}");
}

#[test]
fn the_benchmark_says_which_traces_are_not_as_published_and_still_runs() {
    let folder = tempfile::tempdir().unwrap();
    let none = "sha1:0000000000000000000000000000000000000000";
    // A site of the corpus with other rows, and one that is not of the corpus.
    let mut manifest = String::new();
    for name in ["sympy", "mine"] {
        let Some(commit) = clone(folder.path(), name) else { return };
        manifest.push_str(&site(name, &commit, none));
    }
    fs::write(folder.path().join("corpus.toml"), manifest).unwrap();
    let made = run(
        folder.path(),
        "lab corpus --manifest corpus.toml --clones clones --out traces --quiet",
    );
    assert_eq!(made.status.code(), Some(0), "{}", errors(&made));
    let command = "lab bench --traces traces/*.parquet --policies round-robin,freshness-index";
    let output = run(folder.path(), &format!("{command} --csv sites.csv"));
    assert_eq!((output.status.code(), errors(&output).as_str()), (Some(0), ""));
    let printed = text(&output);
    assert!(printed.starts_with("Benchmark, version 1: 2 sites, 52 cycles of 7 days"), "{printed}");
    assert!(printed.contains("Corpus: 0 of 2 traces are as published\n"), "{printed}");
    assert!(printed.contains("Corpus: 1 not as published: sympy\n"), "{printed}");
    assert!(printed.contains("Corpus: 1 not of the corpus: mine\n"), "{printed}");
    assert!(printed.contains("Corpus: 92 sites of the benchmark that are missing: "), "{printed}");
    let csv = fs::read_to_string(folder.path().join("sites.csv")).unwrap();
    // Two detectors, four budgets, two sites; two policies, the oracle and the bound.
    assert_eq!(csv.lines().count(), 1 + 2 * 4 * 2 * 4);
    let found = json(&run(folder.path(), &format!("{command} --json")));
    assert_eq!(found["protocol"]["version"], 1);
    assert_eq!(found["tables"][0]["policies"][0]["gap_closed"], 0.0);
    let output = run(folder.path(), "lab bench --traces traces/*.parquet --policies nonsense");
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).starts_with("error: --policies: "), "{}", errors(&output));
}
