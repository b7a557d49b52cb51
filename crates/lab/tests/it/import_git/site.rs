//! Made-up repositories, and the rows that come of them.
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use lab::import::git::{Options, Rules, Summary, import};
use lab::trace::TraceReader;
use tempfile::TempDir;

pub(crate) const WEEK_SECONDS: i64 = 7 * 86_400;

/// A history in the words of `git fast-import`: the fastest way to a repository, and the only one
/// to odd names and times.
#[derive(Default)]
pub(crate) struct Script(Vec<u8>);

impl Script {
    pub(crate) fn commit(
        &mut self,
        branch: &str,
        mark: u32,
        at: i64,
        parents: &[u32],
    ) -> &mut Self {
        let mut text = format!(
            "commit refs/heads/{branch}\nmark :{mark}\ncommitter T <t@e.org> {at} +0000\ndata 0\n"
        );
        for (number, parent) in parents.iter().enumerate() {
            let word = if number == 0 { "from" } else { "merge" };
            writeln!(text, "{word} :{parent}").unwrap();
        }
        self.0.extend(text.bytes());
        self
    }

    pub(crate) fn file(&mut self, path: &str, body: &str) -> &mut Self {
        self.mode("100644", path, body)
    }

    pub(crate) fn mode(&mut self, mode: &str, path: &str, body: &str) -> &mut Self {
        let text = format!("M {mode} inline {path}\ndata {}\n{body}\n", body.len());
        self.0.extend(text.bytes());
        self
    }

    pub(crate) fn delete(&mut self, path: &str) -> &mut Self {
        self.0.extend(format!("D {path}\n").bytes());
        self
    }

    pub(crate) fn line(&mut self, line: &str) -> &mut Self {
        self.0.extend(format!("{line}\n").bytes());
        self
    }
}

/// A repository in a folder of its own, and room for a trace.
pub(crate) struct Site {
    pub(crate) folder: TempDir,
}

impl Site {
    /// `None`, with a message, where git is not installed.
    pub(crate) fn new(script: &Script) -> Option<Self> {
        let site = Self { folder: tempfile::tempdir().unwrap() };
        let Ok(status) = git(site.folder.path(), &["init", "-q", "--bare", "site.git"]) else {
            eprintln!("skipped: the program `git` is not installed");
            return None;
        };
        assert!(status);
        feed(&site.repository(), &["fast-import", "--quiet"], &script.0);
        Some(site)
    }

    pub(crate) fn repository(&self) -> PathBuf {
        self.folder.path().join("site.git")
    }

    pub(crate) fn options(&self) -> Options {
        Options {
            repository: self.repository(),
            branch: Some("main".to_owned()),
            root: String::new(),
            base: "https://e.org".to_owned(),
            from: None,
            weeks: 1,
            source: None,
            rules: Rules::default(),
            output: self.folder.path().join("site.parquet"),
        }
    }

    /// The text of the error, without the folder's name.
    pub(crate) fn error(&self, options: &Options) -> String {
        let error = import(options, &mut |_| {}).unwrap_err();
        assert!(!options.output.exists());
        let left = fs::read_dir(self.folder.path()).unwrap().count();
        assert_eq!(left, 1, "only the repository is there");
        let folder = self.folder.path().canonicalize().unwrap();
        error.to_string().replace(&folder.display().to_string(), "")
    }
}

/// Imports, and gives the rows as `SECONDS PATH BODY`, with `-` for no body.
pub(crate) fn rows(options: &Options) -> (Summary, Vec<String>) {
    let summary = import(options, &mut |_| {}).unwrap();
    let mut reader = TraceReader::open(&options.output).unwrap();
    assert_eq!(reader.window(), summary.window);
    let rows = reader.batches().unwrap().flat_map(Result::unwrap);
    let rows = rows.map(|row| {
        let path = row.url.strip_prefix("https://e.org").unwrap();
        let body = row.body.map_or("-".to_owned(), |body| String::from_utf8(body).unwrap());
        assert_eq!(row.status, if body == "-" { 404 } else { 200 });
        format!("{} {path} {body}", row.at.millis() / 1000)
    });
    (summary, rows.collect())
}

pub(crate) fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.current_dir(folder).args(arguments);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    command.env_remove("GIT_DIR").env_remove("GIT_WORK_TREE").env_remove("GIT_INDEX_FILE");
    command
}

pub(crate) fn git(folder: &Path, arguments: &[&str]) -> std::io::Result<bool> {
    Ok(command(folder, arguments).output()?.status.success())
}

pub(crate) fn feed(folder: &Path, arguments: &[&str], input: &[u8]) {
    let mut child = command(folder, arguments).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    assert!(child.wait().unwrap().success());
}

/// A site with two versions, the second a week after the first.
pub(crate) fn plain() -> Script {
    let mut script = Script::default();
    script.commit("main", 1, 1000, &[]).file("index.html", "one").file("docs/a.html", "a");
    script.commit("main", 2, 1000 + WEEK_SECONDS, &[1]).file("index.html", "two");
    script
}
