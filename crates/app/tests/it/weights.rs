//! Weights that a user sets for pages: they decide what is visited, `why` says so, and mistakes are told.
use std::fs;

use serde_json::Value;

use crate::common::{errors, json, run, site::Site, text};

#[test]
fn pages_with_a_high_weight_are_visited_and_why_names_the_rule() {
    let (folder, site) = (tempfile::tempdir().unwrap(), Site::new());
    let host = &site.web.hosts()[1];
    let output = site.run(folder.path(), &format!("crawl http://{host}/"));
    assert!(output.status.success(), "{}", errors(&output));
    let lines = text(&run(folder.path(), "export changes --data data"));
    let url = |line: &str| {
        let change: Value = serde_json::from_str(line).unwrap();
        change["url"].as_str().unwrap().to_owned()
    };
    let pages: Vec<String> = lines.lines().map(url).collect();
    let heavy = pages.iter().max_by_key(|page| page.len()).unwrap();
    let settings = format!("[weights]\n\"{heavy}\" = 1000\n\"*/nowhere/*\" = 2\n");
    fs::write(folder.path().join("sanderling.toml"), settings).unwrap();
    site.pass_days(2);
    let output = site.run(folder.path(), "refresh --budget 1 -v");
    assert!(output.status.success(), "{}", errors(&output));
    assert!(text(&output).contains("unified:value=weights"), "{}", text(&output));
    let log = errors(&output);
    assert!(log.contains("no known page has its weight from */nowhere/*=2"), "{log}");
    let why = json(&run(folder.path(), &format!("why {heavy} --json --data data")));
    assert_eq!(why["visits"].as_array().unwrap().len(), 2, "{why:#}");
    let told = text(&run(folder.path(), &format!("why {heavy} --data data")));
    assert!(told.contains(&format!("its weight is 1000, by the rule {heavy}")), "{told}");
}

#[test]
fn weights_that_cannot_be_used_are_told_with_their_place() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |arguments: &str, line: &str| {
        let output = run(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        assert!(errors(&output).contains(line), "{arguments}: {}", errors(&output));
    };
    refused("refresh --budget 1 --weights docs.example=2", "--weights: \"docs.example=2\": ");
    refused(
        "refresh --budget 1 --weights https://a.example/=big",
        "\"big\" is not a weight from 0",
    );
    refused("refresh --budget 1 --weights *x=1,*x=2", "--weights: *x has two weights");
    let lab = "lab run --synthetic poisson:20 --out out";
    refused(
        &format!("{lab} --policies round-robin --weights *x=1"),
        "--weights: no policy here uses weights; add unified:value=weights to policies",
    );
    refused(
        &format!("{lab} --policies unified:value=weights"),
        "policies: unified:value=weights weighs pages by your weights, and there are none",
    );
    let settings = "[weights]\n\"https://a.example/\" = [1, 2]\n";
    fs::write(folder.path().join("sanderling.toml"), settings).unwrap();
    refused("refresh --budget 1", "sanderling.toml: weights: https://a.example/ takes one weight");
}

#[test]
fn an_experiment_may_weigh_pages() {
    let folder = tempfile::tempdir().unwrap();
    let file = "synthetic = \"poisson:60:1:8\"\nbudgets = 0.1\nqueries = \"none\"\n\
                policies = [\"unified\", \"unified:value=weights\"]\n[weights]\n\"*7*\" = 50\n";
    fs::write(folder.path().join("weights.toml"), file).unwrap();
    let output = run(folder.path(), "lab run weights.toml --out out --quiet");
    assert!(output.status.success(), "{}", errors(&output));
    let results: Value =
        serde_json::from_slice(&fs::read(folder.path().join("out/results.json")).unwrap()).unwrap();
    let runs = results["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 2);
    assert_ne!(runs[0]["cycles"], runs[1]["cycles"]);
}
