//! `sanderling lab clusters`, as a user runs it.
use std::fs;

use crate::common::run;

const WEB: &str = "--synthetic clustered:60:1:8";

#[test]
fn says_how_well_pages_fall_into_clusters_and_draws_it() {
    let folder = tempfile::tempdir().unwrap();
    let words = format!("lab clusters {WEB} --counts 5,1,2 --folds 3 --clusters 4 --out c.html");
    let output = run(folder.path(), &words);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    for part in [
        "content, ",
        "URL, ",
        "features, ",
        "levels off",
        "\n  cluster              4 ",
        "\n  site ",
    ] {
        assert!(text.contains(part), "{part:?} is missing: {text}");
    }
    let page = fs::read_to_string(folder.path().join("c.html")).unwrap();
    assert!(page.contains("<h2>clustered-60-1-8w</h2>") && page.contains("<svg"));
    let again = run(folder.path(), &words);
    assert_eq!(String::from_utf8(again.stdout).unwrap(), text, "same seed, same words");
}

#[test]
fn json_has_tau_for_every_number_of_clusters() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(
        folder.path(),
        &format!("lab clusters {WEB} --by features --counts 1,2,5 --folds 3 --json"),
    );
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["web"], "clustered-60-1-8w");
    let [quality] = json["quality"].as_array().unwrap().as_slice() else { panic!("{json}") };
    let points = quality["tau"].as_array().unwrap();
    let trained: Vec<f64> = points.iter().map(|point| point["trained"].as_f64().unwrap()).collect();
    assert_eq!(trained.len(), 3);
    assert!(trained.is_sorted() && trained.iter().all(|tau| (0.0..=1.000_001).contains(tau)));
}

#[test]
fn what_cannot_be_asked_is_named() {
    let folder = tempfile::tempdir().unwrap();
    for (words, expected) in [
        ("--by words", "--by: \"words\" is not one of content, url, features"),
        ("--counts 2,x", "--counts: \"x\" is not a whole number from 1 to 10000"),
        ("--counts 0", "--counts: \"0\" is not a whole number from 1 to 10000"),
        ("--folds 1", "1 is not in 2..=50"),
        ("--together perhaps", "together"),
    ] {
        let output = run(folder.path(), &format!("lab clusters {WEB} {words}"));
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words}: {error}");
        assert!(error.contains(expected), "{words}: {error}");
    }
    let output = run(folder.path(), "lab clusters");
    assert_eq!(output.status.code(), Some(2));
}
