//! A web in one call, as an experiment of one's own begins.
use std::path::Path;

use crawl::{Allowance, Budget, Span};
use lab::{
    synthetic::{Kind, Spec},
    tournament::{Dataset, Run, WebSource},
};
use policy::PolicySpec;

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

fn poisson() -> WebSource {
    WebSource::Synthetic(Spec { kind: Kind::Poisson, pages: 60, seed: 1, weeks: 40 })
}

/// The visits of a cycle on a synthetic web with a tenth of its bytes a cycle, where this share of the pages
/// has validators.
fn visits_for_bytes(share: f64, policy: &str) -> f64 {
    let source = poisson();
    let dataset = Dataset::load(&source, Span::from_days(7)).unwrap().with_validators(share);
    let budget = Allowance::Bytes(dataset.bytes_at_start() / 10);
    let policy = PolicySpec::parse(policy).unwrap().make(1);
    let outcome = Run::new(&dataset, policy, budget).play().unwrap();
    outcome.value("visits", 8).unwrap() / (outcome.cycles.len() - 8) as f64
}

#[test]
fn bytes_buy_more_visits_where_servers_answer_not_modified() {
    for policy in ["round-robin", "unified"] {
        let counts = [0.0, 0.5, 1.0].map(|share| visits_for_bytes(share, policy));
        // Six pages in full, and one that was under way.
        assert!((6.0..=7.0).contains(&counts[0]), "{policy}: {counts:?}");
        assert!(counts[1] > 1.05 * counts[0], "{policy}: {counts:?}");
        assert!(counts[2] > 1.05 * counts[1], "{policy}: {counts:?}");
    }
}

#[test]
fn in_a_replay_a_visit_takes_a_second() {
    let source = poisson();
    let dataset = Dataset::load(&source, Span::from_days(7)).unwrap();
    let policy = PolicySpec::parse("round-robin").unwrap().make(1);
    let budget = Allowance::Time(Span::from_millis(9_000));
    let outcome = Run::new(&dataset, policy, budget).play().unwrap();
    assert_eq!(outcome.value("visits", 0), Some(9.0 * outcome.cycles.len() as f64));
}
