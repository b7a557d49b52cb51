//! `sanderling advise` and `run --autopilot` on a real crawl of the demo's web.
use std::{fs, path::Path};

use serde_json::Value;

use crate::common::{errors, http, json, run, serve, site::Site, text};

/// A crawl of one host with so many refreshes, a day of the web apart.
fn refreshed(folder: &Path, times: u32) -> Site {
    let site = Site::new();
    // One host of the web: simulations of all of it take minutes without optimisation.
    let output = site.run(folder, &format!("crawl http://{}/", site.web.hosts()[0]));
    assert!(output.status.success(), "{}", errors(&output));
    for _ in 0..times {
        site.pass_days(1);
        let output = site.run(folder, "refresh --budget 60");
        assert!(output.status.success(), "{}", errors(&output));
    }
    fs::write(folder.join("sanderling.toml"), "interval = \"1d\"\n").unwrap();
    site
}

#[test]
fn advice_names_a_policy_a_curve_and_a_budget_for_the_target() {
    let folder = tempfile::tempdir().unwrap();
    let _site = refreshed(folder.path(), 3);
    let output = json(&run(folder.path(), "advise --data data --target 80 --json"));
    let advice = &output["advice"];
    assert!(advice["policy"].is_string(), "{output:#}");
    assert_eq!(output["budget"], 60);
    let curve = advice["curve"].as_array().unwrap();
    let freshness: Vec<f64> =
        curve.iter().map(|offer| offer["freshness"]["expected"].as_f64().unwrap()).collect();
    assert!(freshness.len() >= 4 && freshness[0] < *freshness.last().unwrap(), "{freshness:?}");
    assert_eq!(advice["target"]["freshness"], 0.8);
    let words = text(&run(folder.path(), "advise --data data"));
    assert!(words.contains("Policy, with 60 visits every 24.0 h"), "{words}");
    assert!(words.contains("95.0 % up to date needs"), "{words}");
    the_dashboard_has_advice(folder.path());
}

/// The page and the metrics have what the command says. Not to the digit: time goes on between the two.
fn the_dashboard_has_advice(folder: &Path) {
    let (mut child, address) = serve(folder, "--freshness-target 95%");
    let start = std::time::Instant::now();
    let mut body = http::get(address, "/dashboard");
    while !body.contains("95.0 % up to date needs") && start.elapsed().as_secs() < 120 {
        std::thread::sleep(std::time::Duration::from_millis(300));
        body = http::get(address, "/dashboard");
    }
    let metrics = http::get(address, "/metrics");
    child.kill().unwrap();
    child.wait().unwrap();
    for part in [
        "95.0 % up to date needs",
        "6 visits more a cycle add",
        ">today</text>",
        "today: 60",
        "Changes found a cycle",
        "<code>unified</code>",
    ] {
        assert!(body.contains(part), "{part}: {body}");
    }
    assert!(metrics.contains("\nsanderling_expected_freshness_ratio 0."), "{metrics}");
    let bound = "\nsanderling_expected_freshness_bound_ratio{bound=\"low\"} 0.";
    assert!(metrics.contains(bound), "{metrics}");
    // No budget of the curve may reach the target: then this one has no value.
    assert!(metrics.contains("# TYPE sanderling_target_budget_visits gauge"), "{metrics}");
}

#[test]
fn a_folder_with_little_history_is_told_so() {
    let folder = tempfile::tempdir().unwrap();
    let _site = refreshed(folder.path(), 0);
    let words = text(&run(folder.path(), "advise --data data"));
    assert!(words.starts_with("The history is too short for advice: 0 repeated visits"), "{words}");
    let output = json(&run(folder.path(), "advise --data data --json"));
    assert_eq!(output["advice"], Value::Null);
    let output = run(folder.path(), "advise --data data --target 120");
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("not a percentage from 1 to 100"), "{}", errors(&output));
}

#[test]
fn the_autopilot_says_what_it_decided_and_why() {
    let folder = tempfile::tempdir().unwrap();
    let site = refreshed(folder.path(), 3);
    let output = site.run(folder.path(), "run --budget 20 --interval 1s --cycles 2 --autopilot");
    assert!(output.status.success(), "{}", errors(&output));
    let words = text(&output);
    let line = words.lines().find(|line| line.starts_with("autopilot: ")).expect(&words);
    assert!(line.contains("expected up to date"), "{line}");
    let status = text(&run(folder.path(), "status --data data"));
    assert!(status.contains("Autopilot"), "{status}");
    // A decision holds for a week.
    let output = site.run(folder.path(), "run --budget 20 --interval 1s --cycles 2 --autopilot");
    assert!(!text(&output).contains("autopilot: "), "{}", text(&output));
}
