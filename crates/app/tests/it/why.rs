//! `sanderling why`: when a page will be visited, and by which policy.
use std::{fs, path::Path};

use serde_json::Value;
use store::{Options, Store};

use crate::common::{copy, errors, json, run, text, tiny::TinyWeb};

/// A copy of a folder that version 0.1.0 wrote, whose time is that of its last visit. The last refresh
/// used the policy `predicted`; the host `news.example` backs off for a day.
fn old_folder(folder: &Path) {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../store/tests/fixtures/v4");
    copy(&fixture.join("data"), &folder.join("data"));
    fs::copy(fixture.join("queries.tsv"), folder.join("queries.tsv")).unwrap();
    let mut store = Store::open(&folder.join("data"), Options::default()).unwrap();
    store.set("own_time", "yes").unwrap();
    store.finish().unwrap();
}

fn why(folder: &Path, arguments: &str) -> Value {
    json(&run(folder, &format!("why {arguments} --data data --json")))
}

#[test]
fn a_host_that_backs_off_is_not_visited_in_the_next_cycle() {
    let folder = tempfile::tempdir().unwrap();
    old_folder(folder.path());
    let arguments = "http://news.example/ticker --queries queries.tsv --budget 10";
    let page = why(folder.path(), arguments);
    assert_eq!(page["back_off_until"], "2026-11-17T09:56:22.795Z");
    // Cycles came every second, so the back-off lasts longer than the forecast.
    assert_eq!((&page["cycles_until_visit"], &page["rank"]), (&Value::Null, &Value::Null));
    assert!(page["due_pages"].as_u64() < Some(27), "{page:#}");
    let words = text(&run(folder.path(), &format!("why {arguments} --data data")));
    assert!(words.contains("  Next visit  not due yet: "), "{words}");
    assert!(words.contains("the host backs off until 2026-11-17 09:56:22 UTC"), "{words}");
    let other = why(folder.path(), "http://docs.example/guide/tides --budget 10");
    assert_eq!(other["cycles_until_visit"], 1);
}

#[test]
fn the_policy_is_that_of_the_last_refresh() {
    let folder = tempfile::tempdir().unwrap();
    old_folder(folder.path());
    let url = "http://docs.example/guide/tides";
    let page = why(folder.path(), url);
    assert_eq!((&page["policy"], &page["settings_policy"]), (&"predicted".into(), &Value::Null));
    assert!(page["prediction"]["probability"].is_f64(), "{page:#}");
    fs::write(folder.path().join("other.toml"), "policy = \"round-robin\"\n").unwrap();
    let page = why(folder.path(), &format!("{url} --config other.toml"));
    assert_eq!(
        (&page["policy"], &page["settings_policy"]),
        (&"predicted".into(), &"round-robin".into())
    );
    let words = text(&run(folder.path(), &format!("why {url} --config other.toml --data data")));
    let says = "predicted is the policy of the last refresh; the settings name round-robin";
    assert!(words.contains(says), "{words}");
}

#[test]
fn only_one_probability_is_told_and_it_is_that_of_the_policy_where_it_has_one() {
    let (folder, url) = (tempfile::tempdir().unwrap(), "http://docs.example/guide/tides");
    old_folder(folder.path());
    let words = text(&run(folder.path(), &format!("why {url} --data data")));
    assert_eq!(words.matches(" % likely").count(), 1, "{words}");
    assert!(words.contains("  Prediction  "), "{words}");
    let page = why(folder.path(), url);
    assert_eq!((&page["fresh_chance"], &page["changes_per_day"]), (&Value::Null, &Value::Null));

    for (policy, says) in [
        ("unified", "likely to be out of date by the next cycle"),
        ("round-robin", "likely still fresh"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let web = begun(folder.path());
        fs::write(folder.path().join("sanderling.toml"), format!("policy = \"{policy}\"\n"))
            .unwrap();
        for _ in 0..2 {
            web.refresh(folder.path());
        }
        let words = text(&run(folder.path(), "why http://tiny.example/a --data data"));
        assert!(words.contains(says), "{words}");
        let others = words.lines().filter(|line| !line.contains("deleted"));
        assert_eq!(others.filter(|line| line.contains(" % likely")).count(), 1, "{words}");
    }
}

/// A web whose front page is held and whose other pages are known only.
fn begun(folder: &Path) -> TinyWeb {
    let web = TinyWeb::new(&[
        ("/", "<a href=/a>a</a> <a href=/b>b</a>"),
        ("/a", "<p>a</p>"),
        ("/b", "<p>b</p>"),
    ]);
    let output = web.run(folder, "crawl http://tiny.example/ --pages 1");
    assert!(output.status.success(), "{}", errors(&output));
    web
}

#[test]
fn the_rank_is_a_place_in_the_cycle_and_the_score_stays_plain_however_long_a_page_waits() {
    let folder = tempfile::tempdir().unwrap();
    let web = begun(folder.path());
    web.refresh(folder.path());
    // Many turns of round robin pass before the next visit.
    let settings = "policy = \"freshness-index\"\ninterval = \"1ms\"\nbudget = 2\n";
    fs::write(folder.path().join("sanderling.toml"), settings).unwrap();
    let output = web.run(folder.path(), "refresh --budget 3");
    assert!(output.status.success(), "{}", errors(&output));
    let page = why(folder.path(), "http://tiny.example/a");
    assert!((1..=2).contains(&page["rank"].as_u64().unwrap()), "{page:#}");
    assert!(page["score"].as_f64().unwrap() < 1e6, "{page:#}");
    assert_eq!(page["visits_in_cycle"], 2, "{page:#}");
    let words = text(&run(folder.path(), "why http://tiny.example/a --data data"));
    // Milliseconds have passed, so the two pages may have changed places.
    let has_rank =
        |rank| words.contains(&format!(": visit {rank} of 2 by freshness-index, score "));
    assert!(has_rank(1) || has_rank(2), "{words}");
}

#[test]
fn a_url_without_a_scheme_is_also_looked_up_over_http() {
    let folder = tempfile::tempdir().unwrap();
    let _web = begun(folder.path());
    assert_eq!(why(folder.path(), "tiny.example/a")["url"], "http://tiny.example/a");
    let unknown = why(folder.path(), "tiny.example/none");
    assert_eq!(
        (&unknown["url"], &unknown["known"]),
        (&"https://tiny.example/none".into(), &false.into())
    );
}
