//! The exact rows of small histories.
use crawl::Time;
use lab::import::git::{Options, Progress, import, instant};
use lab::trace::TraceReader;

use super::site::{Script, Site, WEEK_SECONDS, git, plain, rows};

#[test]
fn writes_every_version_once_in_order() {
    let mut script = Script::default();
    script.commit("main", 1, 1000, &[]).file("index.html", "one").file("gone.html", "g");
    script.commit("main", 2, 2000, &[1]).file("index.html", "two").file("new.html", "n");
    script.commit("main", 3, 3000, &[2]).delete("gone.html");
    script.commit("main", 4, 4000, &[3]).file("gone.html", "g");
    let Some(site) = Site::new(&script) else { return };
    let options = Options { from: Some(Time::from_millis(1_500_000)), ..site.options() };
    let (summary, rows) = rows(&options);
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
    let (summary, rows) = rows(&options);
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
    let (summary, rows) = rows(&options);
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
    assert_eq!(rows(&options).1, ["1000 / one", "1000 /a.html a", "2000 /a.html c"]);
}

#[test]
fn a_commit_that_changes_no_bytes_adds_no_row() {
    let mut script = Script::default();
    script.commit("main", 1, 1000, &[]).file("index.html", "one");
    script.commit("main", 2, 2000, &[1]).mode("100755", "index.html", "one");
    script.commit("main", 3, 3000, &[2]).file("style.css", "p {}");
    let Some(site) = Site::new(&script) else { return };
    let options = Options { from: Some(Time::from_millis(1_000_000)), ..site.options() };
    assert_eq!(rows(&options).1, ["1000 / one"]);
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
        rows(&options).1,
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
    rows(&options);
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
    let (summary, rows) = rows(&options);
    assert_eq!(rows.len(), 2);
    assert_eq!(summary.too_large, 1);
}

#[test]
fn the_window_ends_with_the_last_commit_unless_it_is_said_where_it_starts() {
    let Some(site) = Site::new(&plain()) else { return };
    let (summary, rows) = rows(&site.options());
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
    assert_eq!(rows(&options).1, ["1000 /x/a.html a", "2000 /x/a.html a2"]);
}

#[test]
fn a_clone_serves_as_well_and_the_metadata_says_where_it_comes_from() {
    let Some(site) = Site::new(&plain()) else { return };
    // A folder whose name looks like an option must not be taken for one.
    let cloned = git(site.folder.path(), &["clone", "-q", "-b", "main", "site.git", "./-clone"]);
    assert!(cloned.unwrap());
    let options = Options { repository: site.folder.path().join("-clone"), ..site.options() };
    rows(&options);
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
fn reads_dates_and_instants() {
    assert_eq!(instant("1970-01-02").unwrap(), Time::from_millis(86_400_000));
    assert_eq!(instant("1970-01-01T01:00:00+01:00").unwrap(), Time::from_millis(0));
    assert_eq!(
        instant("last week").unwrap_err().to_string(),
        "\"last week\" is not a date as in 2024-01-31 or 2024-01-31T12:00:00Z"
    );
}
