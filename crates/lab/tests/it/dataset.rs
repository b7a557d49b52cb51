//! A web in one call, as an experiment of one's own begins.
use std::path::Path;

use crawl::{Budget, Span};
use lab::tournament::{Dataset, Run, WebSource};

/// The temporary folders of this process.
fn left_behind() -> Vec<String> {
    let prefix = format!("sanderling-readings-{}-", std::process::id());
    let entries = std::fs::read_dir(std::env::temp_dir()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with(&prefix)).collect()
}

#[test]
fn a_trace_is_loaded_and_played_in_two_calls_and_leaves_nothing_behind() {
    let trace = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/v1/docs-a.parquet");
    let dataset = Dataset::load(&WebSource::Trace(trace), Span::from_days(1)).unwrap();
    assert!(dataset.pages_at_start() > 0);
    let policy = policy::by_name("round-robin").unwrap().with_defaults(1);
    let outcome = Run::new(&dataset, policy, Budget(u32::MAX)).play().unwrap();
    // Every page is visited in every cycle, so nothing held is ever out of date.
    assert_eq!(outcome.value("freshness", 0), Some(1.0));
    assert_eq!(left_behind(), Vec::<String>::new());
}

#[test]
fn a_trace_that_is_not_there_is_named() {
    let source = WebSource::Trace("nowhere.parquet".into());
    let error = Dataset::load(&source, Span::from_days(1)).err().unwrap();
    assert!(error.to_string().contains("nowhere.parquet"), "{error}");
}
