//! Killed at any instant: nothing acknowledged is lost or doubled, and everything agrees, the search
//! index included.
//!
//! A short version of `scripts/crash-test`, which sets `SANDERLING_KILLS` to 100.
use std::{path::Path, process::Stdio};

use crawl::Observation;
use store::View;

use crate::common::{errors, run, site::Site};

/// The log as far as it was acknowledged, seen from outside beside the writer.
fn log(folder: &Path) -> Vec<Observation> {
    let mut log = vec![];
    if let Ok(view) = View::open(folder) {
        let _ = view.replay(&mut |seen| log.push(seen.clone()));
    }
    log
}

/// The next of a sequence without pattern (a linear congruential generator, as good as needed here).
fn draw(state: &mut u64, below: u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) % below
}

#[test]
fn nothing_acknowledged_is_lost_or_doubled_by_kills_at_random_instants() {
    let kills: u64 = std::env::var("SANDERLING_KILLS").map_or(5, |kills| kills.parse().unwrap());
    let (folder, site) = (tempfile::tempdir().unwrap(), Site::new());
    let data = folder.path().join("data");
    let seeds: Vec<String> =
        site.web.hosts().iter().map(|host| format!("http://{host}/")).collect();
    let crawl = format!("crawl {} --pages 1500", seeds.join(" "));
    let (mut random, mut killed, mut number, mut indexed) = (1, 0, 0, 0);
    while killed < kills {
        // Crawls until about everything is known, then refreshes; the web changes in between.
        let arguments = if number % 3 == 0 { crawl.as_str() } else { "refresh --budget 1500" };
        let arguments = if number == 0 { crawl.as_str() } else { arguments };
        // The index is committed as often as can be, so that kills meet it in the middle of that, too.
        let mut child = site
            .command(folder.path(), &format!("{arguments} --index-wait 20ms"))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Visits are written in batches of some hundreds: some kills come before the first, some
        // between two, some in the middle of one.
        let target = site.requests() + draw(&mut random, 1_400);
        let mut finished = false;
        while site.requests() < target && !finished {
            finished = child.try_wait().unwrap().is_some();
            std::thread::yield_now();
        }
        let acknowledged = log(&data);
        // A little later than what was seen, and not in step with it.
        (0..draw(&mut random, 2_000)).for_each(|_| std::thread::yield_now());
        let _ = child.kill();
        let output = child.wait_with_output().unwrap();
        // Where it was done before it could be killed, the next one is.
        killed += u64::from(output.status.code().is_none());
        assert!(
            output.status.success() || output.status.code().is_none(),
            "kill {number}: {}",
            errors(&output)
        );
        if data.join("sanderling.db").exists() {
            let output = run(folder.path(), "verify --data data");
            assert!(output.status.success(), "kill {number}: {}", errors(&output));
        }
        let after = log(&data);
        assert!(after.len() >= acknowledged.len(), "kill {number} lost observations");
        assert_eq!(after[..acknowledged.len()], acknowledged[..], "kill {number} changed the log");
        // And the crawl goes on from there.
        let output = site.run(folder.path(), &format!("crawl {} --pages 1", seeds[0]));
        assert!(output.status.success(), "kill {number}: {}", errors(&output));
        let output = run(folder.path(), "verify --data data --json");
        assert!(output.status.success(), "kill {number}: {}", errors(&output));
        let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        indexed = told["indexed"].as_u64().expect("there is an index");
        site.pass_days(1);
        number += 1;
        assert!(number < 4 * kills + 4, "it is done before it can be killed");
    }
    let seen = log(&data).len() as u64;
    assert!(seen > 50 * kills, "only {seen} observations outlived {kills} kills");
    assert!(indexed > 500, "only {indexed} pages can be found");
    println!(
        "{killed} of {number} killed while they ran, {seen} observations in the log, {indexed} pages in the \
         search index"
    );
}

#[test]
fn kills_of_what_only_reads_the_log_change_nothing() {
    let kills: u64 = std::env::var("SANDERLING_KILLS").map_or(4, |kills| kills.parse().unwrap());
    let (folder, site) = (tempfile::tempdir().unwrap(), Site::new());
    let data = folder.path().join("data");
    let output = site.run(folder.path(), &format!("crawl http://{}/", site.web.hosts()[0]));
    assert!(output.status.success(), "{}", errors(&output));
    std::fs::write(folder.path().join("sanderling.toml"), "interval = \"1d\"\n").unwrap();
    // Advice needs a history of some days.
    for _ in 0..6 {
        site.pass_days(1);
        let output = site.run(folder.path(), "refresh --budget 60");
        assert!(output.status.success(), "{}", errors(&output));
    }
    let before = log(&data);
    let found = || {
        let output = run(folder.path(), "verify --data data --json");
        assert!(output.status.success(), "{}", errors(&output));
        let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        told["indexed"].as_u64().expect("there is an index")
    };
    let arguments = ["index --data data --rebuild", "advise --data data --budget 60"];
    // What each takes where nobody kills it.
    let lasts = arguments.map(|arguments| {
        let start = std::time::Instant::now();
        let output = run(folder.path(), arguments);
        assert!(output.status.success(), "{}", errors(&output));
        start.elapsed().as_micros() as u64
    });
    let (indexed, mut random, mut killed, mut number) = (found(), 5, 0, 0);
    while killed < kills {
        let which = (killed % 2) as usize;
        let mut child = crate::common::sanderling(folder.path())
            .args(arguments[which].split_whitespace())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let wait = draw(&mut random, lasts[which].max(1));
        std::thread::sleep(std::time::Duration::from_micros(wait));
        let _ = child.kill();
        // Where it was done before it could be killed, the next one is.
        killed += u64::from(child.wait().unwrap().code().is_none());
        number += 1;
        // The old index stays until the new one is whole.
        assert_eq!(found(), indexed, "kill {number}");
        assert_eq!(log(&data), before, "kill {number}");
        assert!(number < 8 * kills + 8, "it is done before it can be killed");
    }
    println!("{killed} of {number} killed while they ran; index and advice take {lasts:?} µs");
}
