//! Budgets in bytes and in time as a user meets them, over HTTP on loopback.
use std::{fs, path::Path, time::Instant};

use serde_json::Value;

use crate::common::{errors, json, run, site::Site, text};

fn last_cycle(folder: &Path) -> Value {
    let status = json(&run(folder, "status --json --data data"));
    status["cycles"].as_array().unwrap().last().unwrap().clone()
}

/// The demo's web, of which 60 pages of one host were crawled.
fn crawled(folder: &Path) -> Site {
    let site = Site::new();
    let host = &site.web.hosts()[1];
    let output = site.run(folder, &format!("crawl http://{host}/ --pages 60"));
    assert!(output.status.success(), "{}", errors(&output));
    site
}

#[test]
fn a_budget_in_bytes_is_spent_and_told_and_goes_on_after_a_restart() {
    const BYTES: u64 = 20_000;
    let folder = tempfile::tempdir().unwrap();
    let site = crawled(folder.path());
    let crawl = last_cycle(folder.path());
    assert_eq!((&crawl["budget"], &crawl["budget_unit"]), (&60.into(), &"visits".into()));
    let received = crawl["received_bytes"].as_u64().unwrap();
    let most_of_one = received / 10;
    assert!(received > 3 * BYTES, "{crawl:#}");
    for _ in 0..2 {
        site.pass_days(2);
        let output = site.run(folder.path(), "refresh --budget 20kB");
        assert!(output.status.success(), "{}", errors(&output));
        assert!(text(&output).contains(" of a budget of 20.0 kB, in "), "{}", text(&output));
        let cycle = last_cycle(folder.path());
        assert_eq!((&cycle["budget"], &cycle["budget_unit"]), (&BYTES.into(), &"bytes".into()));
        // Two requests at most were under way when it was used up.
        let received = cycle["received_bytes"].as_u64().unwrap();
        assert!((BYTES..BYTES + 2 * most_of_one).contains(&received), "{cycle:#}");
    }
    let words = text(&run(folder.path(), "status --data data"));
    assert!(words.contains("20.0 kB"), "{words}");
    // `why` simulates cycles with the budget of the last refresh.
    let host = &site.web.hosts()[1];
    let why = json(&run(folder.path(), &format!("why http://{host}/ --json --data data")));
    assert_eq!((&why["budget"], &why["budget_unit"]), (&BYTES.into(), &"bytes".into()));
    assert!(why["visits_in_cycle"].as_u64().unwrap() < 60, "{why:#}");
}

#[test]
fn a_budget_in_seconds_ends_in_time() {
    let folder = tempfile::tempdir().unwrap();
    let site = crawled(folder.path());
    let settings = "budget = \"2s\"\ncycle_limit = \"1h\"\n";
    fs::write(folder.path().join("sanderling.toml"), settings).unwrap();
    let begun = Instant::now();
    let resolve = format!("{}={}", site.web.hosts()[1], site.server.address());
    let flags = "--data data --delay 300ms --response-multiple 0 --policy round-robin";
    let output = run(folder.path(), &format!("refresh {flags} --resolve {resolve}"));
    assert!(output.status.success(), "{}", errors(&output));
    assert!(begun.elapsed().as_secs() < 20);
    let cycle = last_cycle(folder.path());
    assert!((2..=9).contains(&cycle["visits"].as_u64().unwrap()), "{cycle:#}");
    assert_eq!((&cycle["budget"], &cycle["budget_unit"]), (&2_000.into(), &"milliseconds".into()));
    assert!(text(&output).contains(" of a budget of 2.0 s by "), "{}", text(&output));
}

#[test]
fn a_budget_that_is_none_is_refused_with_a_hint() {
    let folder = tempfile::tempdir().unwrap();
    for (budget, why) in [
        ("20m", "--budget: \"20m\" may mean minutes or megabytes; write 20min or 20MB"),
        ("0", "--budget: \"0\" is not a budget such as 200 (visits), 20MB or 10min"),
        ("0MB", "a budget must be above zero"),
        ("0s", "--budget: 0s is too short; it must be above zero"),
        ("soon", "--budget: \"soon\" is not a budget such as 200 (visits), 20MB or 10min"),
    ] {
        let output = run(folder.path(), &format!("refresh --data data --budget {budget}"));
        assert_eq!(output.status.code(), Some(2), "{budget}");
        assert!(errors(&output).contains(why), "{}", errors(&output));
    }
}
