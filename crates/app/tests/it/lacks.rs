//! A policy that has nothing to go by says so at the start and in `status`, and what it does instead.
use std::fs;

use crate::common::{errors, json, run, site::Site, text};

#[test]
fn without_queries_a_policy_for_searchers_says_so_and_with_queries_it_does_not() {
    let (folder, site) = (tempfile::tempdir().unwrap(), Site::new());
    let folder = folder.path();
    let host = &site.web.hosts()[1];
    let output = site.run(folder, &format!("crawl http://{host}/"));
    assert!(output.status.success(), "{}", errors(&output));
    site.pass_days(1);
    let refresh = "refresh --budget 5 --policy user-centric-index";
    let output = site.run(folder, refresh);
    let told = errors(&output);
    assert!(told.contains("user-centric-index: no queries are known"), "{told}");
    assert!(told.contains("no page has been visited twice"), "{told}");
    // In words and as JSON, until a cycle has what it needs.
    let status = text(&run(folder, "status --data data"));
    assert!(status.contains("Policy     no queries are known"), "{status}");
    let status = json(&run(folder, "status --json --data data"));
    assert_eq!(status["policy_lacks"].as_array().unwrap().len(), 2, "{status:#}");
    fs::write(folder.join("queries.tsv"), "tide\t3\nharbour\t1\n").unwrap();
    site.pass_days(1);
    let output = site.run(folder, &format!("{refresh} --queries queries.tsv"));
    assert!(output.status.success(), "{}", errors(&output));
    assert!(!errors(&output).contains("no queries"), "{}", errors(&output));
    let status = json(&run(folder, "status --json --data data"));
    assert_eq!(status["policy_lacks"].as_array().unwrap().len(), 0, "{status:#}");
    assert!(!text(&run(folder, "status --data data")).contains("Policy  "));
}

#[test]
fn a_run_says_it_once_and_quiet_says_nothing() {
    let (folder, site) = (tempfile::tempdir().unwrap(), Site::new());
    let folder = folder.path();
    let host = &site.web.hosts()[1];
    assert!(site.run(folder, &format!("crawl http://{host}/")).status.success());
    let cycles = "run --budget 3 --interval 1s --cycles 3 --policy predicted";
    let told = errors(&site.run(folder, cycles));
    assert_eq!(told.matches("predicted: no page has a model yet").count(), 1, "{told}");
    assert!(told.contains("pages go by their change rate"), "{told}");
    let output = site.run(folder, &format!("{cycles} --quiet"));
    assert_eq!(errors(&output), "");
}
