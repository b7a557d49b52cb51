//! `sanderling lab import cdx` as a user runs it, and what the lab does with a trace without bodies.
use std::{fmt::Write as _, fs};

use crate::common::{errors, run, text};

/// A list of twelve pages, captured weekly; every third page changes every week, one is gone after a while.
fn list() -> String {
    let mut lines = String::from(" CDX N b a m s k r V g\n");
    for week in 0..10_u32 {
        let (month, day) = (1 + week / 4, 1 + 7 * (week % 4));
        for page in 0..12_u32 {
            let status = if page == 11 && week > 5 { 404 } else { 200 };
            let digest = if page % 3 == 0 { format!("D{page}W{week}") } else { format!("D{page}") };
            writeln!(
                lines,
                "org,example)/{page} 2026{month:02}{day:02}060000 http://example.org/{page} text/html \
                 {status} {digest} - {week} x.warc.gz"
            )
            .unwrap();
        }
    }
    lines
}

#[test]
fn a_list_of_captures_becomes_a_trace_that_says_what_it_lacks() {
    let folder = tempfile::tempdir().unwrap();
    let broken = format!("{}nonsense\n", list());
    fs::write(folder.path().join("site.cdx"), broken).unwrap();
    let output = run(folder.path(), "lab import cdx site.cdx -o site.parquet");
    assert_eq!(
        errors(&output),
        "warning: line 122 of site.cdx: it has 1 fields, and the header names 9\n"
    );
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        text(&output),
        "120 captures: 12 pages, 48 versions, 1 disappearances, 71 unchanged\n\
         Window: 2026-01-02T00:00:00Z to 2026-03-09T00:00:00Z, 12 of the pages at its start\n\
         Uncertain: the time of 37 of 37 changes, by 7.0 days in the median. Changes between two captures \
         of a page were not seen\n\
         The trace has digests in place of bodies: a change is another digest, and pages have neither text \
         nor links\n\
         1 lines could not be read\n\
         Trace: site.parquet\n"
    );
    let listed = text(&run(folder.path(), "lab list --digest site.parquet"));
    assert!(
        listed.contains("  bodies        none, only digests: no texts and no links\n"),
        "{listed}"
    );
    assert!(listed.contains("\n  rows          49, sha1:"), "{listed}");
}

#[test]
fn every_policy_and_detector_runs_on_it_and_those_that_need_text_say_so() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("site.cdx"), list()).unwrap();
    let output = run(folder.path(), "lab import cdx site.cdx -o site.parquet");
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let output = run(
        folder.path(),
        "lab run --traces site.parquet --detector main-text --budgets 0.3 --out out",
    );
    let said = errors(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(
        said.starts_with(
            "note: site.parquet has digests in place of bodies: a change is another digest"
        ),
        "{said}"
    );
    assert!(said.contains("note: there unified works without fragments of texts\n"), "{said}");
    assert!(said.contains("note: there main-text finds the same changes as digest\n"), "{said}");
    assert!(said.contains("the impact of visits on search results"), "{said}");
    let results = fs::read_to_string(folder.path().join("out/results.csv")).unwrap();
    let freshness = |policy: &str| -> f64 {
        let start = format!("site,{policy},0.3,1,freshness,");
        let line = results.lines().find(|line| line.starts_with(&start)).unwrap();
        line[start.len()..].parse().unwrap()
    };
    // Four of twelve pages change every week: with budget for three, the clairvoyant is not perfect.
    assert!(freshness("oracle-freshness") > freshness("round-robin"));
    assert!(freshness("oracle-freshness") < 1.0);
    for detector in ["digest", "bytes", "simhash", "shingles", "shingles-exact", "chi-squared"] {
        let output = run(
            folder.path(),
            &format!(
                "lab run --traces site.parquet --detector {detector} --budgets 0.3 --pages growing \
                 --policies round-robin,unified --out {detector}"
            ),
        );
        assert_eq!(output.status.code(), Some(0), "{detector}: {}", errors(&output));
    }
}
