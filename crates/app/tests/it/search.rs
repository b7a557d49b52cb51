//! What is fetched can be found, exactly as it is held, whatever happened in between.
use std::{fs, path::Path};

use serde_json::Value;

use crate::common::{errors, json, run, text, tiny::TinyWeb};

fn page(title: &str, text: &str) -> String {
    format!("<!doctype html><html lang=en><title>{title}</title><p>{text}</p>")
}

fn shore() -> TinyWeb {
    let links = "<a href=/tide>tide</a> <a href=/gull>gull</a> <a href=/quiet>quiet</a>";
    TinyWeb::new(&[
        ("/", &page("Shore", links)),
        ("/tide", &page("Tide tables", "High water at seven, and the boats are running.")),
        ("/gull", &page("Gulls", "A gull follows the boat.")),
        ("/quiet", "<meta name=robots content=noindex><title>Quiet boat</title>boat"),
    ])
}

/// The addresses that a search finds, best first.
fn found(folder: &Path, query: &str) -> Vec<String> {
    let told = json(&run(folder, &format!("search {query} --json --data data")));
    let address = |hit: &Value| hit["url"].as_str().unwrap().to_owned();
    told["hits"].as_array().unwrap().iter().map(address).collect()
}

#[test]
fn what_is_fetched_changed_and_gone_is_found_as_it_is() {
    let (folder, web) = (tempfile::tempdir().unwrap(), shore());
    let folder = folder.path();
    web.crawl(folder);
    // Stemmed: "boats are running" answers "boat run". Who asks not to be found is not.
    assert_eq!(found(folder, "boat run"), ["http://tiny.example/tide"]);
    assert_eq!(found(folder, "title:gull"), ["http://tiny.example/gull"]);
    let boats = found(folder, "boat");
    assert_eq!(boats.len(), 2, "{boats:?}");
    assert!(!boats.iter().any(|address| address.ends_with("/quiet")), "{boats:?}");

    web.put("/tide", &page("Tide tables", "Low water at noon."));
    web.put("/quiet", &page("Loud boat", "boat"));
    web.refresh(folder);
    assert_eq!(found(folder, "noon"), ["http://tiny.example/tide"]);
    assert!(found(folder, "running").is_empty());
    assert!(found(folder, "loud").contains(&"http://tiny.example/quiet".to_owned()));

    web.remove("/gull");
    web.refresh(folder);
    assert_eq!(found(folder, "gull follows"), ["http://tiny.example/gull"], "one 404 is no end");
    web.refresh(folder);
    assert!(found(folder, "follows").is_empty());
    assert_eq!(json(&run(folder, "verify --data data --json"))["indexed"], 3);
}

#[test]
fn without_an_index_none_is_made_and_it_can_be_made_later() {
    let (folder, web) = (tempfile::tempdir().unwrap(), shore());
    let folder = folder.path();
    let output = web.run(folder, "crawl http://tiny.example/ --no-index");
    assert!(output.status.success(), "{}", errors(&output));
    assert!(!folder.join("data/search").exists());
    assert!(text(&run(folder, "verify --data data")).contains("no search index"));
    let output = run(folder, "index --data data");
    assert!(text(&output).contains("3 pages can be found"), "{}", text(&output));
    assert_eq!(found(folder, "gull follows"), ["http://tiny.example/gull"]);
    // A crawl without the index leaves it behind; whoever searches next brings it up.
    web.put("/gull", &page("Gulls", "The gull has gone fishing."));
    fs::write(folder.join("sanderling.toml"), "index = false\n").unwrap();
    web.refresh(folder);
    assert_eq!(found(folder, "fishing"), ["http://tiny.example/gull"]);
}

#[test]
fn a_damaged_or_lost_index_is_built_anew() {
    let (folder, web) = (tempfile::tempdir().unwrap(), shore());
    let folder = folder.path();
    web.crawl(folder);
    for entry in fs::read_dir(folder.join("data/search")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "term" || ending == "store") {
            fs::write(path, b"not what it was").unwrap();
        }
    }
    let output = run(folder, "index --data data");
    assert!(text(&output).starts_with("Rebuilt, because "), "{}{}", text(&output), errors(&output));
    assert_eq!(found(folder, "gull follows"), ["http://tiny.example/gull"]);
    fs::remove_dir_all(folder.join("data/search")).unwrap();
    assert_eq!(found(folder, "gull follows"), ["http://tiny.example/gull"]);
    assert!(run(folder, "index --rebuild --data data").status.success());
    assert!(run(folder, "verify --data data").status.success());
}

#[test]
fn queries_are_exported_with_where_they_come_from() {
    let (folder, web) = (tempfile::tempdir().unwrap(), shore());
    let folder = folder.path();
    web.crawl(folder);
    let output = run(folder, "export queries --data data");
    assert!(text(&output).starts_with("# pseudo-queries"), "{}", text(&output));
    assert!(text(&output).contains("tide tables\t"), "{}", text(&output));
    assert!(errors(&output).starts_with("pseudo-queries made from"), "{}", errors(&output));

    fs::write(folder.join("q.tsv"), "gull\t3\nunheard of\t9\n").unwrap();
    let output = run(folder, "export queries --queries q.tsv --data data");
    assert_eq!(text(&output), "gull\t3\n");
    fs::write(folder.join("q.tsv"), "gull\tmany\n").unwrap();
    let output = run(folder, "export queries --queries q.tsv --data data");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        errors(&output).contains("q.tsv, line 1: expected a positive number"),
        "{}",
        errors(&output)
    );
}

#[test]
fn bad_searches_are_refused_and_nothing_found_is_no_failure() {
    let (folder, web) = (tempfile::tempdir().unwrap(), shore());
    let folder = folder.path();
    let output = run(folder, "search tide --data data");
    assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
    web.crawl(folder);
    assert_eq!(run(folder, "search --data data").status.code(), Some(2));
    assert_eq!(run(folder, "search tide --limit 0 --data data").status.code(), Some(2));
    assert_eq!(run(folder, "crawl --index maybe --data data").status.code(), Some(2));
    let output = run(folder, "search zanzibar --data data");
    assert!(output.status.success());
    assert!(text(&output).starts_with("Nothing found"));
}

#[test]
fn results_are_filtered_by_site_language_and_date_and_sorted_by_date() {
    let (folder, web) = (tempfile::tempdir().unwrap(), shore());
    let folder = folder.path();
    web.crawl(folder);
    web.put("/tide", &page("Tide tables", "The boats are in the harbour."));
    web.refresh(folder);
    let both = ["http://tiny.example/tide", "http://tiny.example/gull"];
    assert_eq!(found(folder, "boat --sort date"), both, "the latest change first");
    assert_eq!(found(folder, "boat sort:date"), both);
    assert_eq!(found(folder, "boat --after 2020-01-01 --site tiny.example").len(), 2);
    assert!(found(folder, "boat --after 2999").is_empty());
    assert!(found(folder, "boat before:2020").is_empty());
    assert!(found(folder, "boat --site other.example").is_empty());
    assert_eq!(found(folder, "boat --language en").len(), 2);
    assert!(found(folder, "boat --language de").is_empty());
    for (flag, why) in [
        ("--after tomorrow", "--after: \"tomorrow\" is not a value such as 2026-11-15"),
        ("--language xx", "--language: no pages are recognised as \"xx\""),
        ("--sort size", "--sort: \"size\" is not a value such as date or relevance"),
    ] {
        let output = run(folder, &format!("search boat {flag} --data data"));
        assert_eq!(output.status.code(), Some(2), "{flag}");
        assert!(errors(&output).contains(why), "{}", errors(&output));
    }
    let told = text(&run(folder, "search harbuor --data data"));
    assert!(told.contains("no page has harbuor, these have similar words"), "{told}");
}
