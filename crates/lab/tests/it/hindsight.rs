//! Policies fitted in hindsight: what the whole record holds, and that they run as oracles do.

use std::sync::Arc;

use crawl::PageId;
use lab::{
    hindsight::{Hindsight, ObservedChange, WholeRecord},
    oracle,
    quality::Queries,
    synthetic::{Kind, Spec},
    tournament::{Contender, Dataset, Experiment, PageSet, Start, WebSource},
};

use crate::common::{held::Lab, tiny, truth};

#[test]
fn the_record_has_every_change_with_the_time_since_the_one_before() {
    // Days 0 to 4. Page 00 changes on days 1 and 3, page 01 never, page 02 is gone on day 2.
    let matrix = vec![
        vec![Some(0), Some(1), Some(1), Some(2), Some(2)],
        vec![Some(3); 5],
        vec![Some(4), Some(4), None, None, None],
    ];
    let truth = truth(&matrix);
    let dataset = Dataset::new(Arc::clone(&truth), PageSet::Fixed, &Start::Synchronised).unwrap();
    let record = WholeRecord::record(&dataset, None).unwrap();
    let [first, second, third] = record.pages.as_slice() else { panic!("three pages") };
    let found =
        |cycle: usize, gap_days: f64| ObservedChange { cycle, gap_days, amount: 1.0, impact: 0.0 };
    assert_eq!(first.page, PageId::from_address("http://h.example/00"));
    assert_eq!(first.changes, [found(1, 1.0), found(3, 2.0)]);
    assert_eq!(
        (second.changes.as_slice(), third.changes.as_slice()),
        (&[][..], &[found(2, 2.0)][..])
    );
    for (page, days) in [(first, 4.0), (second, 4.0), (third, 2.0)] {
        assert!((page.days - days).abs() < 1e-12, "{page:?}");
    }
}

const NAMES: [&str; 4] = [
    "hindsight-user-centric:mean=sums",
    "hindsight-staleness-based:threshold=0.1",
    "hindsight-embarrassment-based:clicks=seen",
    "hindsight-age-based",
];

fn experiment() -> Experiment {
    let spec = Spec { kind: Kind::Shocks, pages: 60, seed: 3, weeks: 8 };
    Experiment {
        policies: NAMES
            .iter()
            .chain(&["user-centric-index"])
            .map(|name| name.parse().unwrap())
            .collect(),
        budgets: vec![5.0, 10.0],
        queries: Queries::Pseudo { limit: 40 },
        ..tiny::experiment(vec![WebSource::Synthetic(spec)])
    }
}

#[test]
fn they_are_oracles_and_no_policies() {
    for name in NAMES {
        let base = name.split(':').next().unwrap();
        assert!(oracle::is_oracle(name) && oracle::ORACLES.iter().any(|one| one.0 == base));
        assert!(policy::by_name(base).is_none());
        assert_eq!(Contender::parse(name).unwrap().name(), name);
        assert_eq!(Hindsight::parse(name).unwrap().unwrap().name(), name);
    }
}

#[test]
fn runs_are_the_same_for_any_number_of_threads() {
    let lab = Lab::new();
    let held = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| lab.hold(&experiment(), &format!("out{threads}")))
    };
    let (one, three) = (held(1), held(3));
    assert_eq!(one.runs.len(), 10);
    assert_eq!(one.runs, three.runs);
}

#[test]
fn knowing_the_record_is_worth_something() {
    let lab = Lab::new();
    let mut experiment = experiment();
    experiment.policies.push("random".parse().unwrap());
    let results = lab.hold(&experiment, "out");
    let row = lab::metric::by_name("quality_tf_idf").unwrap();
    let quality = |name: &str| {
        let run = results.runs.iter().find(|run| run.policy == name && run.budget > 9.0);
        run.unwrap().value(row).unwrap()
    };
    assert!(quality("hindsight-user-centric:mean=sums") > quality("random"));
}

#[test]
fn an_unknown_parameter_is_refused() {
    let error = Contender::parse("hindsight-age-based:speed=3").unwrap_err();
    assert!(error.to_string().starts_with("hindsight-age-based has no parameter \"speed\""));
}
