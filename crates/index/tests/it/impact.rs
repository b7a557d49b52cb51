//! Impact of visits, measured while pages are indexed.
use std::path::Path;
use std::sync::Arc;

use crawl::{
    Content, Counts, CycleStart, Digest, Directives, Fingerprints, Form, Instrument as _, Links,
    Outcome, PageNo, Pages, Snapshot, Time, Visited,
};
use index::{Index, IndexDocument};
use instruments::impact::{Impact, Measure};
use store::{Options, Store};
use text::relevance::Scoring;
use text::workload::{PreparedWorkload, Source, Workload};

fn snapshot(text: &str) -> Arc<Snapshot> {
    let content = Content { text: text.into(), language: "en".into(), ..Content::default() };
    Arc::new(Snapshot {
        form: Form::Html,
        fingerprints: Fingerprints {
            text: Digest::from_bytes(text.as_bytes()),
            ..Fingerprints::default()
        },
        counts: Counts::default(),
        links: Arc::default(),
        content: Some(Arc::new(content)),
        ..Snapshot::default()
    })
}

/// Text of a page: some words of the workload among others.
fn text(page: u32, version: u32) -> String {
    let tides = "The tides come in. ".repeat((1 + (page * 7 + version * 3) % 5) as usize);
    let moon = "Moonlight on the water. ".repeat(((page + version) % 3) as usize);
    let rest = "Nothing that anybody asks for. ".repeat((3 + page % 11) as usize);
    format!("{tides}{moon}{rest}")
}

fn address(page: u32) -> String {
    format!("http://example.org/{page}")
}

/// An index and its impact instrument.
struct Measuring {
    index: Index,
    impact: Impact,
}

impl Measuring {
    /// Creates the instrument and begins a cycle.
    fn new(index: Index, queries: &[(&str, f64)]) -> Self {
        let workload = workload(queries, &index);
        let impact = index.impact(&workload, Measure::by(Scoring::Bm25)).unwrap();
        let mut measuring = Self { index, impact };
        measuring.begin_cycle();
        measuring
    }

    fn begin_cycle(&mut self) {
        let (pages, links) = (&Pages::default(), &Links::default());
        self.impact.begin_cycle(&CycleStart { pages, links, has_plans: true });
    }

    /// Measures a visit.
    fn visit(&mut self, page: u32, outcome: Outcome, new: Option<&Arc<Snapshot>>) -> Option<f32> {
        let (address, at) = (&address(page), Time::from_millis(i64::from(page)));
        let page = PageNo(page);
        let visit = Visited {
            host: crawl::HostNo(0),
            page,
            address,
            at,
            outcome,
            new,
            shows_new_link: false,
            cost: crawl::Cost::default(),
        };
        self.impact.visited(&visit).unwrap().impact
    }

    /// Measures a visit and indexes its snapshot.
    fn put(&mut self, page: u32, snapshot: &Arc<Snapshot>) -> Option<f32> {
        let impact = self.visit(page, Outcome::Changed(1.0), Some(snapshot));
        put(&mut self.index, page, snapshot);
        impact
    }
}

fn put(index: &mut Index, page: u32, snapshot: &Snapshot) {
    let (address, at) = (&address(page), Time::from_millis(i64::from(page)));
    let document =
        IndexDocument { page: PageNo(page), address, first_seen: at, changed: at, snapshot };
    index.put(&document).unwrap();
}

fn workload(queries: &[(&str, f64)], index: &Index) -> PreparedWorkload {
    let queries = queries.iter().map(|&(text, frequency)| (text.to_owned(), frequency));
    Workload::new(Source::Log, queries).prepare(&index.languages().unwrap())
}

/// An index of forty pages with its instrument.
fn measuring(folder: &Path, queries: &[(&str, f64)]) -> Measuring {
    if !folder.exists() {
        drop(Store::open(folder, Options::default()).unwrap());
        let mut index = Index::open(folder).unwrap();
        for page in 0..40 {
            put(&mut index, page, &snapshot(&text(page, 0)));
        }
        index.commit(0).unwrap();
    }
    Measuring::new(Index::open(folder).unwrap(), queries)
}

const QUERIES: &[(&str, f64)] = &[("tide tables", 5.0), ("moonlight", 2.0), ("nowhere", 9.0)];

#[test]
fn a_visit_that_brings_what_is_asked_for_has_an_impact_and_one_that_brings_nothing_has_none() {
    let home = tempfile::tempdir().unwrap();
    let mut both = measuring(&home.path().join("data"), QUERIES);
    assert_eq!(both.put(3, &snapshot(&text(3, 0))), Some(0.0));
    let better = both.put(3, &snapshot(&"Tides, tides and moonlight. ".repeat(9))).unwrap();
    assert!(better > 0.001, "{better}");
    let elsewhere = snapshot("Nothing that anybody asks for, and not at length.");
    let before = both.put(90, &elsewhere).unwrap();
    assert!(before.abs() < 1e-6, "{before}");
    let gone = both.visit(3, Outcome::Gone, None).unwrap();
    assert!(gone > 0.001, "{gone}");
    both.index.remove(PageNo(3));
    assert_eq!(both.visit(4, Outcome::Same, None), Some(0.0));
    assert_eq!(both.visit(4, Outcome::Failed, None), None);
    let hidden = Directives { noindex: true, ..Directives::default() };
    let hidden = Arc::new(Snapshot { directives: hidden, ..(*snapshot(&text(4, 0))).clone() });
    assert!(both.put(4, &hidden).unwrap() >= 0.0);
}

#[test]
fn it_does_not_matter_whether_the_process_was_started_again() {
    let home = tempfile::tempdir().unwrap();
    let measured = |restart: bool| {
        let folder = home.path().join(if restart { "again" } else { "once" });
        let mut both = measuring(&folder, QUERIES);
        let mut impacts = vec![];
        for version in 1..4 {
            for page in (0..40).step_by(3) {
                let text = if page == 9 {
                    "Moonlight, and tides.".to_owned()
                } else {
                    text(page, version)
                };
                impacts.push(both.put(page, &snapshot(&text)));
            }
            both.index.commit(0).unwrap();
            if restart {
                drop(both);
                both = measuring(&folder, QUERIES);
            } else {
                both = Measuring::new(both.index, QUERIES);
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
    let mut both = measuring(&folder, QUERIES);
    for page in 0..50 {
        both.put(page, &snapshot(&text(page, 2)));
    }
    both.index.commit(0).unwrap();
    // All pages were put again, so exposures are recomputed from the updated counts.
    both.begin_cycle();
    let kept_up = both.impact.exposures().to_vec();
    drop(both);
    assert_eq!(measuring(&folder, QUERIES).impact.exposures(), kept_up);
}

#[test]
fn any_workload_is_measured_by() {
    let many: Vec<(String, f64)> =
        (0..10_000).map(|number| (format!("tide {}", number % 2), 1.0)).collect();
    let many: Vec<(&str, f64)> = many.iter().map(|(text, count)| (text.as_str(), *count)).collect();
    for asked in [&[][..], &[("nowhere", 1.0)], &[("tides", 1.0)], &[("the", 3.0)], &many] {
        let home = tempfile::tempdir().unwrap();
        let mut both = measuring(&home.path().join("data"), asked);
        for page in 0..40 {
            let impact = both.put(page, &snapshot(&text(page, 1))).unwrap();
            assert!(impact.is_finite(), "{impact} by {} queries", asked.len());
        }
        assert!(both.impact.exposures().iter().all(|exposure| exposure.is_finite()));
    }
}
