//! What visits do to answers, measured as pages are put into an index.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails as the test does")]
use std::path::Path;
use std::sync::Arc;

use flow::impact::Measure;
use flow::relevance::Scoring;
use flow::workload::{PreparedWorkload, Source, Workload};
use flow::{
    Content, Counts, Digest, Directives, Form, Links, Marks, Outcome, PageNo, Pages, Snapshot, Time,
};
use index::{Entry, Index};
use store::{Options, Store};

fn snapshot(text: &str) -> Snapshot {
    let content = Content { text: text.into(), language: "en".into(), ..Content::default() };
    Snapshot {
        form: Form::Html,
        marks: Marks { text: Digest::of(text.as_bytes()), ..Marks::default() },
        counts: Counts::default(),
        links: Arc::default(),
        directives: Directives::default(),
        content: Some(Arc::new(content)),
    }
}

/// The text of a page: a few words that are asked for among many that are not.
fn text(page: u32, version: u32) -> String {
    let tides = "The tides come in. ".repeat((1 + (page * 7 + version * 3) % 5) as usize);
    let moon = "Moonlight on the water. ".repeat(((page + version) % 3) as usize);
    let rest = "Nothing that anybody asks for. ".repeat((3 + page % 11) as usize);
    format!("{tides}{moon}{rest}")
}

fn address(page: u32) -> String {
    format!("http://example.org/{page}")
}

fn put(index: &mut Index, page: u32, snapshot: &Snapshot) -> Option<f32> {
    let address = address(page);
    let impact = index.impact(PageNo(page), &address, Outcome::Changed(1.0), Some(snapshot));
    let at = Time::from_millis(i64::from(page));
    let entry =
        Entry { page: PageNo(page), address: &address, first_seen: at, changed: at, snapshot };
    index.put(&entry).unwrap();
    impact
}

fn workload(queries: &[(&str, f64)], index: &Index) -> PreparedWorkload {
    let queries = queries.iter().map(|&(text, frequency)| (text.to_owned(), frequency));
    Workload::new(Source::Log, queries).prepare(&index.languages().unwrap())
}

/// An index of forty pages that measures.
fn measuring(folder: &Path, queries: &[(&str, f64)]) -> Index {
    if !folder.exists() {
        drop(Store::open(folder, Options::default()).unwrap());
        let mut index = Index::open(folder).unwrap();
        for page in 0..40 {
            assert_eq!(put(&mut index, page, &snapshot(&text(page, 0))), None);
        }
        index.commit(0).unwrap();
    }
    let mut index = Index::open(folder).unwrap();
    let workload = workload(queries, &index);
    index.measure(&workload, Measure::by(Scoring::Bm25)).unwrap();
    index.begin_cycle(&Pages::default(), &Links::default());
    index
}

const ASKED: &[(&str, f64)] = &[("tide tables", 5.0), ("moonlight", 2.0), ("nowhere", 9.0)];

#[test]
fn a_visit_that_brings_what_is_asked_for_has_an_impact_and_one_that_brings_nothing_has_none() {
    let home = tempfile::tempdir().unwrap();
    let mut index = measuring(&home.path().join("data"), ASKED);
    assert_eq!(put(&mut index, 3, &snapshot(&text(3, 0))), Some(0.0));
    let better = put(&mut index, 3, &snapshot(&"Tides, tides and moonlight. ".repeat(9))).unwrap();
    assert!(better > 0.001, "{better}");
    let elsewhere = snapshot("Nothing that anybody asks for, and not at length.");
    let before = put(&mut index, 90, &elsewhere).unwrap();
    assert!(before.abs() < 1e-6, "{before}");
    let gone = index.impact(PageNo(3), &address(3), Outcome::Gone, None).unwrap();
    assert!(gone > 0.001, "{gone}");
    index.remove(PageNo(3));
    assert_eq!(index.impact(PageNo(4), &address(4), Outcome::Same, None), Some(0.0));
    assert_eq!(index.impact(PageNo(4), &address(4), Outcome::Failed, None), None);
    let hidden = Directives { noindex: true, ..Directives::default() };
    let hidden = Snapshot { directives: hidden, ..snapshot(&text(4, 0)) };
    assert!(put(&mut index, 4, &hidden).unwrap() >= 0.0);
}

#[test]
fn it_does_not_matter_whether_the_process_was_started_again() {
    let home = tempfile::tempdir().unwrap();
    let measured = |restart: bool| {
        let folder = home.path().join(if restart { "again" } else { "once" });
        let mut index = measuring(&folder, ASKED);
        let mut impacts = vec![];
        for version in 1..4 {
            for page in (0..40).step_by(3) {
                let text = if page == 9 {
                    "Moonlight, and tides.".to_owned()
                } else {
                    text(page, version)
                };
                impacts.push(put(&mut index, page, &snapshot(&text)));
            }
            index.commit(0).unwrap();
            if restart {
                drop(index);
                index = measuring(&folder, ASKED);
            } else {
                let workload = workload(ASKED, &index);
                index.measure(&workload, Measure::by(Scoring::Bm25)).unwrap();
                index.begin_cycle(&Pages::default(), &Links::default());
            }
        }
        impacts
    };
    let once = measured(false);
    assert!(once.iter().flatten().any(|&impact| impact > 0.0));
    assert_eq!(measured(true), once);
}

#[test]
fn what_is_kept_up_is_what_the_postings_say() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("data");
    let mut index = measuring(&folder, ASKED);
    for page in 0..50 {
        put(&mut index, page, &snapshot(&text(page, 2)));
    }
    index.commit(0).unwrap();
    // As many pages were put as there are, so curves and exposures are made anew from what was kept up.
    index.begin_cycle(&Pages::default(), &Links::default());
    let kept_up = index.exposures().to_vec();
    drop(index);
    assert_eq!(measuring(&folder, ASKED).exposures(), kept_up);
}

#[test]
fn any_workload_is_measured_by() {
    let many: Vec<(String, f64)> =
        (0..10_000).map(|number| (format!("tide {}", number % 2), 1.0)).collect();
    let many: Vec<(&str, f64)> = many.iter().map(|(text, count)| (text.as_str(), *count)).collect();
    for asked in [&[][..], &[("nowhere", 1.0)], &[("tides", 1.0)], &[("the", 3.0)], &many] {
        let home = tempfile::tempdir().unwrap();
        let mut index = measuring(&home.path().join("data"), asked);
        for page in 0..40 {
            let impact = put(&mut index, page, &snapshot(&text(page, 1))).unwrap();
            assert!(impact.is_finite(), "{impact} by {} queries", asked.len());
        }
        assert!(index.exposures().iter().all(|exposure| exposure.is_finite()));
    }
}
