//! The git importer: the exact rows of small made-up repositories, and what it says when it cannot.
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use flow::Time;
use lab::import::ImportError;
use lab::import::git::{Options, Progress, Summary, import, instant};
use lab::trace::TraceReader;
use tempfile::TempDir;

const WEEK_SECONDS: i64 = 7 * 86_400;

/// A history in the words of `git fast-import`: the fastest way to a repository, and the only one
/// to odd names and times.
#[derive(Default)]
struct Script(Vec<u8>);

impl Script {
    fn commit(&mut self, branch: &str, mark: u32, at: i64, parents: &[u32]) -> &mut Self {
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

    fn file(&mut self, path: &str, body: &str) -> &mut Self {
        self.mode("100644", path, body)
    }

    fn mode(&mut self, mode: &str, path: &str, body: &str) -> &mut Self {
        let text = format!("M {mode} inline {path}\ndata {}\n{body}\n", body.len());
        self.0.extend(text.bytes());
        self
    }

    fn delete(&mut self, path: &str) -> &mut Self {
        self.0.extend(format!("D {path}\n").bytes());
        self
    }

    fn line(&mut self, line: &str) -> &mut Self {
        self.0.extend(format!("{line}\n").bytes());
        self
    }
}

/// A repository in a folder of its own, and room for a trace.
struct Site {
    folder: TempDir,
}

impl Site {
    /// `None`, with a message, where git is not installed.
    fn new(script: &Script) -> Option<Self> {
        let site = Self { folder: tempfile::tempdir().unwrap() };
        let Ok(status) = git(site.folder.path(), &["init", "-q", "--bare", "site.git"]) else {
            eprintln!("skipped: the program `git` is not installed");
            return None;
        };
        assert!(status);
        feed(&site.repository(), &["fast-import", "--quiet"], &script.0);
        Some(site)
    }

    fn repository(&self) -> PathBuf {
        self.folder.path().join("site.git")
    }

    fn options(&self) -> Options {
        Options {
            repository: self.repository(),
            branch: Some("main".to_owned()),
            root: String::new(),
            base: "https://e.org".to_owned(),
            from: None,
            weeks: 1,
            source: None,
            output: self.folder.path().join("site.parquet"),
        }
    }

    /// Imports, and gives the rows as `SECONDS PATH BODY`, with `-` for no body.
    fn rows(&self, options: &Options) -> (Summary, Vec<String>) {
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

    /// The text of the error, without the folder's name.
    fn error(&self, options: &Options) -> String {
        let error = import(options, &mut |_| {}).unwrap_err();
        assert!(!options.output.exists());
        let left = fs::read_dir(self.folder.path()).unwrap().count();
        assert_eq!(left, 1, "only the repository is there");
        let folder = self.folder.path().canonicalize().unwrap();
        error.to_string().replace(&folder.display().to_string(), "")
    }
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.current_dir(folder).args(arguments);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    command.env_remove("GIT_DIR").env_remove("GIT_WORK_TREE").env_remove("GIT_INDEX_FILE");
    command
}

fn git(folder: &Path, arguments: &[&str]) -> std::io::Result<bool> {
    Ok(command(folder, arguments).output()?.status.success())
}

fn feed(folder: &Path, arguments: &[&str], input: &[u8]) {
    let mut child = command(folder, arguments).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    assert!(child.wait().unwrap().success());
}

/// A site with two versions, the second a week after the first.
fn plain() -> Script {
    let mut script = Script::default();
    script.commit("main", 1, 1000, &[]).file("index.html", "one").file("docs/a.html", "a");
    script.commit("main", 2, 1000 + WEEK_SECONDS, &[1]).file("index.html", "two");
    script
}

#[test]
fn writes_every_version_once_in_order() {
    let mut script = Script::default();
    script.commit("main", 1, 1000, &[]).file("index.html", "one").file("gone.html", "g");
    script.commit("main", 2, 2000, &[1]).file("index.html", "two").file("new.html", "n");
    script.commit("main", 3, 3000, &[2]).delete("gone.html");
    script.commit("main", 4, 4000, &[3]).file("gone.html", "g");
    let Some(site) = Site::new(&script) else { return };
    let options = Options { from: Some(Time::from_millis(1_500_000)), ..site.options() };
    let (summary, rows) = site.rows(&options);
    assert_eq!(
        rows,
        [
            "1500 / one",
            "2000 / two",
            "1500 /gone.html g",
            "3000 /gone.html -",
            "4000 /gone.html g",
            "2000 /new.html n"
        ]
    );
    assert_eq!(summary.commits, 3);
    assert_eq!((summary.pages, summary.versions, summary.vanished), (3, 5, 1));
    assert_eq!(summary.bytes, 3 + 3 + 1 + 1 + 1);
    assert_eq!(summary.window.length().millis(), WEEK_SECONDS * 1000);
}

#[test]
fn a_merge_publishes_at_its_own_time() {
    let mut script = Script::default();
    script.commit("main", 1, 1000, &[]).file("index.html", "one");
    script.commit("side", 2, 1500, &[1]).file("side.html", "s");
    script.commit("main", 3, 2000, &[1]).file("index.html", "two");
    script.commit("main", 4, 3000, &[3, 2]).file("side.html", "s");
    let Some(site) = Site::new(&script) else { return };
    let options = Options { from: Some(Time::from_millis(1_000_000)), ..site.options() };
    let (summary, rows) = site.rows(&options);
    assert_eq!(rows, ["1000 / one", "2000 / two", "3000 /side.html s"]);
    assert_eq!(summary.commits, 2);
}

#[test]
fn what_a_commit_with_an_early_clock_changed_appears_with_the_next() {
    let mut script = Script::default();
    script.commit("main", 1, 1000, &[]).file("index.html", "one");
    script.commit("main", 2, 3000, &[1]).file("a.html", "a");
    script.commit("main", 3, 2000, &[2]).file("index.html", "early");
    script.commit("main", 4, 4000, &[3]).file("b.html", "b");
    script.commit("main", 5, 5000, &[4]).file("c.html", "c");
    script.commit("main", 6, 99_000, &[5]).file("late.html", "l");
    script.commit("main", 7, 6000, &[6]).file("d.html", "d");
    script.commit("main", 8, 7000, &[7]).delete("c.html");
    let Some(site) = Site::new(&script) else { return };
    let options = Options { from: Some(Time::from_millis(1_000_000)), ..site.options() };
    let (summary, rows) = site.rows(&options);
    // Of the two commits that disagree (3000, 2000) the later one in the history is kept.
    assert_eq!(
        rows,
        [
            "1000 / one",
            "2000 / early",
            "2000 /a.html a",
            "4000 /b.html b",
            "5000 /c.html c",
            "7000 /c.html -",
            "6000 /d.html d",
            "6000 /late.html l"
        ]
    );
    assert_eq!(summary.dropped, 2);
    assert_eq!(summary.last_commit, Time::from_millis(7_000_000));
}

#[test]
fn only_the_last_state_at_one_instant_counts() {
    let mut script = Script::default();
    script.commit("main", 1, 1000, &[]).file("index.html", "one").file("a.html", "a");
    script.commit("main", 2, 2000, &[1]).file("index.html", "two").file("a.html", "b");
    script.commit("main", 3, 2000, &[2]).file("index.html", "one").file("a.html", "c");
    let Some(site) = Site::new(&script) else { return };
    let options = Options { from: Some(Time::from_millis(1_000_000)), ..site.options() };
    assert_eq!(site.rows(&options).1, ["1000 / one", "1000 /a.html a", "2000 /a.html c"]);
}

#[test]
fn a_commit_that_changes_no_bytes_adds_no_row() {
    let mut script = Script::default();
    script.commit("main", 1, 1000, &[]).file("index.html", "one");
    script.commit("main", 2, 2000, &[1]).mode("100755", "index.html", "one");
    script.commit("main", 3, 3000, &[2]).file("style.css", "p {}");
    let Some(site) = Site::new(&script) else { return };
    let options = Options { from: Some(Time::from_millis(1_000_000)), ..site.options() };
    assert_eq!(site.rows(&options).1, ["1000 / one"]);
}

#[test]
fn odd_names_become_addresses_and_what_is_no_page_is_left_out() {
    let mut script = Script::default();
    script.commit("main", 1, 1000, &[]);
    script.file(r#""quote\" new\nline \377\303\274.html""#, "odd");
    script.file("a/index.htm", "folder").file("b/index.htm", "old").file("b/index.html", "new");
    script.file("LICENSE", "free").file("notes", "<!DOCTYPE html><p>").file("style.css", "p {}");
    script.file(".github/x.html", "hidden").file("UP.HTM", "up").file("100%.txt", "t");
    script.mode("120000", "link.html", "index.html");
    script.line("M 160000 1111111111111111111111111111111111111111 module.html");
    script.commit("main", 2, 2000, &[1]).file("link.html", "file now");
    script.commit("main", 3, 3000, &[2]).mode("120000", "link.html", "index.html");
    let Some(site) = Site::new(&script) else { return };
    let options = Options { from: Some(Time::from_millis(1_000_000)), ..site.options() };
    assert_eq!(
        site.rows(&options).1,
        [
            "1000 /100%25.txt t",
            "1000 /UP.HTM up",
            "1000 /a/ folder",
            "1000 /b/ new",
            "1000 /b/index.htm old",
            "2000 /link.html file now",
            "3000 /link.html -",
            "1000 /notes <!DOCTYPE html><p>",
            "1000 /quote%22%20new%0Aline%20%FF%C3%BC.html odd",
        ]
    );
}

#[test]
fn media_types_follow_the_extension() {
    let mut script = Script::default();
    script.commit("main", 1, 1000, &[]).file("feed.xml", "1").file("feed.rss", "2");
    script.file("x.xhtml", "3").file("robots.txt", "4").file("a.atom", "5").file("index.html", "6");
    script.commit("main", 2, 2000, &[1]).file("index.html", "7");
    let Some(site) = Site::new(&script) else { return };
    let options = Options { from: Some(Time::from_millis(1_000_000)), ..site.options() };
    site.rows(&options);
    let mut reader = TraceReader::open(&options.output).unwrap();
    let heads = reader.heads().unwrap().flat_map(Result::unwrap);
    let mimes: Vec<String> = heads.map(|head| head.mime).collect();
    assert_eq!(
        mimes,
        [
            "text/html",
            "text/html",
            "application/atom+xml",
            "application/rss+xml",
            "application/xml",
            "text/plain",
            "application/xhtml+xml",
        ]
    );
}

#[test]
fn a_page_that_grows_too_large_is_left_out_as_a_whole() {
    let large = "x".repeat((1 << 20) + 1);
    let mut script = Script::default();
    script.commit("main", 1, 1000, &[]).file("big.html", "small yet").file("a.html", "a");
    script.file("limit.html", &large[1..]);
    script.commit("main", 2, 2000, &[1]).file("big.html", &large);
    let Some(site) = Site::new(&script) else { return };
    let options = Options { from: Some(Time::from_millis(1_000_000)), ..site.options() };
    let (summary, rows) = site.rows(&options);
    assert_eq!(rows.len(), 2);
    assert_eq!(summary.too_large, 1);
}

#[test]
fn the_window_ends_with_the_last_commit_unless_it_is_said_where_it_starts() {
    let Some(site) = Site::new(&plain()) else { return };
    let (summary, rows) = site.rows(&site.options());
    assert_eq!(summary.window.start, Time::from_millis(1_000_000));
    assert_eq!(summary.window.end, Time::from_millis((1000 + WEEK_SECONDS) * 1000));
    assert_eq!(rows, ["1000 / one", "605800 / two", "1000 /docs/a.html a"]);
}

#[test]
fn the_root_is_the_top_of_the_site() {
    let mut script = Script::default();
    script.commit("main", 1, 1000, &[]).file("out/a.html", "a").file("out2/b.html", "b");
    script.commit("main", 2, 2000, &[1]).file("out/a.html", "a2").file("c.html", "c");
    let Some(site) = Site::new(&script) else { return };
    let options = Options {
        root: "/out/".to_owned(),
        base: "https://e.org/x/".to_owned(),
        from: Some(Time::from_millis(1_000_000)),
        ..site.options()
    };
    assert_eq!(site.rows(&options).1, ["1000 /x/a.html a", "2000 /x/a.html a2"]);
}

#[test]
fn a_clone_serves_as_well_and_the_metadata_says_where_it_comes_from() {
    let Some(site) = Site::new(&plain()) else { return };
    // A folder whose name looks like an option must not be taken for one.
    let cloned = git(site.folder.path(), &["clone", "-q", "-b", "main", "site.git", "./-clone"]);
    assert!(cloned.unwrap());
    let options = Options { repository: site.folder.path().join("-clone"), ..site.options() };
    site.rows(&options);
    let reader = TraceReader::open(&options.output).unwrap();
    assert_eq!(reader.source(), "git:-clone");
    assert_eq!(reader.metadata("trace.base"), Some("https://e.org/"));
    assert_eq!(reader.metadata("trace.branch"), Some("main"));
    assert_eq!(reader.metadata("trace.commit").map(str::len), Some(40));
}

#[test]
fn says_how_far_it_is() {
    let Some(site) = Site::new(&plain()) else { return };
    let mut seen = Vec::new();
    import(&site.options(), &mut |progress| seen.push(progress)).unwrap();
    assert!(seen.contains(&Progress::Commits(2, 2)));
    assert_eq!(seen.last(), Some(&Progress::Bodies(3, 3)));
}

#[test]
fn says_which_branches_there_are() {
    let Some(site) = Site::new(&plain()) else { return };
    for branch in ["gh-pages", "--all", "-h", "", "main..main"] {
        let options = Options { branch: Some(branch.to_owned()), ..site.options() };
        assert_eq!(
            site.error(&options),
            format!("/site.git: has no branch {branch:?}; it has main")
        );
    }
}

#[test]
fn says_that_there_are_no_commits() {
    let Some(site) = Site::new(&Script::default()) else { return };
    assert_eq!(site.error(&site.options()), "/site.git: has no commits");
    let options = Options { branch: None, ..site.options() };
    assert_eq!(site.error(&options), "/site.git: has no commits");
}

#[test]
fn says_that_the_root_is_not_there_and_what_is() {
    let Some(site) = Site::new(&plain()) else { return };
    for root in ["content", "-r", "index.html", "*"] {
        let options = Options { root: root.to_owned(), ..site.options() };
        assert_eq!(
            site.error(&options),
            format!(
                "/site.git: has no folder {root:?} in this window; at its top it has docs, index.html"
            )
        );
    }
}

#[test]
fn says_that_the_window_does_not_fit_the_history() {
    let Some(site) = Site::new(&plain()) else { return };
    assert_eq!(
        site.error(&Options { weeks: 2, ..site.options() }),
        "/site.git: the history begins on 1970-01-01T00:16:40Z, after the window's start on \
         1969-12-25T00:16:40Z; choose a later --from or fewer --weeks (1 at most up to the last \
         commit)"
    );
    let late = Options { from: Some(instant("2024-01-31").unwrap()), ..site.options() };
    assert_eq!(
        site.error(&late),
        "/site.git: has no commits between 2024-01-31T00:00:00Z and 2024-02-07T00:00:00Z; its \
         history goes from 1970-01-01T00:16:40Z to 1970-01-08T00:16:40Z"
    );
    let none = Options { weeks: 0, ..site.options() };
    assert_eq!(
        site.error(&none),
        "a window of 0 weeks is not possible here; choose 1 or more, as in --weeks 52"
    );
    assert!(site.error(&Options { weeks: u32::MAX, ..site.options() }).starts_with("a window of"));
}

#[test]
fn says_that_there_are_no_pages() {
    let mut script = Script::default();
    script.commit("main", 1, 1000, &[]).file("a.rs", "x").file("LICENSE", "free");
    script.commit("main", 2, 1000 + WEEK_SECONDS, &[1]).file("a.rs", "y");
    let Some(site) = Site::new(&script) else { return };
    assert!(site.error(&site.options()).starts_with("/site.git: has no pages (such as .html"));
}

#[test]
fn says_that_a_folder_is_no_repository_even_inside_one() {
    let Some(site) = Site::new(&plain()) else { return };
    let inside = site.repository().join("refs");
    let options = Options { repository: inside, ..site.options() };
    assert!(matches!(import(&options, &mut |_| {}), Err(ImportError::NoRepository { .. })));
    let options = Options { repository: site.folder.path().join("none"), ..site.options() };
    assert!(matches!(import(&options, &mut |_| {}), Err(ImportError::NoFolder { .. })));
}

#[test]
fn says_that_an_object_is_missing() {
    let Some(site) = Site::new(&plain()) else { return };
    // Git keeps the objects of so small a history in files of their own.
    let object = blob_id(&site, "two");
    let file = site.repository().join("objects").join(&object[..2]).join(&object[2..]);
    fs::remove_file(file).unwrap();
    assert_eq!(
        site.error(&site.options()),
        format!(
            "/site.git: object {object} is missing; in a partial clone, fetch everything first \
             (git fetch --refetch --no-filter)"
        )
    );
}

/// The id of the blob that holds `body`.
fn blob_id(site: &Site, body: &str) -> String {
    let file = site.folder.path().join("body");
    fs::write(&file, body).unwrap();
    let output = command(&site.repository(), &["hash-object", "../body"]).output().unwrap();
    fs::remove_file(file).unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn reads_dates_and_instants() {
    assert_eq!(instant("1970-01-02").unwrap(), Time::from_millis(86_400_000));
    assert_eq!(instant("1970-01-01T01:00:00+01:00").unwrap(), Time::from_millis(0));
    assert_eq!(
        instant("last week").unwrap_err().to_string(),
        "\"last week\" is not a date as in 2024-01-31 or 2024-01-31T12:00:00Z"
    );
}
