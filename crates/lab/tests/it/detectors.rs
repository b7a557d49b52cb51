//! Detectors inside the lab say what they say of full snapshots, though a replay has no texts.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, atomic::AtomicBool},
};

use crawl::{ChangeDetector, Instruments, Snapshot, Time};
use extract::detect;
use lab::{
    grid::Grid,
    metric::{self, METRICS},
    oracle::most_changes,
    results::Results,
    synthetic::{Kind, Spec, SyntheticWeb},
    tournament::{Experiment, PreparedWeb, WebSource, hold},
    trace::Row,
    truth::GroundTruth,
};
use tempfile::TempDir;

use crate::common::{DAY, Quiet, tiny};

/// Every version of every page, read anew with its text.
type Full = BTreeMap<(String, Time), Arc<Snapshot>>;

/// The tiny web, and a synthetic one whose pages come and go; with cycles of a week.
fn webs(folder: &Path) -> Vec<(WebSource, Full)> {
    let read = |url: &str, mime: &str, body: &[u8]| Arc::new(extract::read::read(url, mime, body));
    let of_rows = tiny::rows().into_iter().filter_map(|row| {
        let snapshot = read(&row.url, &row.mime, row.body.as_ref()?);
        Some(((row.url, row.at), snapshot))
    });
    let spec = Spec { kind: Kind::Hubs, pages: 30, seed: 2, weeks: 8 };
    let synthetic = SyntheticWeb::new(spec);
    let mut of_synthetic = Full::new();
    for page in synthetic.history().pages {
        let feed = page.address.ends_with("feed.xml");
        let mime = if feed { "application/rss+xml" } else { "text/html; charset=utf-8" };
        for at in page.versions.iter().map(|version| version.at) {
            if let Some(body) = synthetic.body(&page.address, at) {
                let snapshot = read(&page.address, mime, body.as_bytes());
                of_synthetic.insert((page.address.clone(), at), snapshot);
            }
        }
    }
    let drifting = folder.join("drifting.parquet");
    tiny::write_rows(&drifting, drifting_rows());
    let of_drifting = drifting_rows().into_iter().filter_map(|row| {
        let snapshot = read(&row.url, &row.mime, row.body.as_ref()?);
        Some(((row.url, row.at), snapshot))
    });
    vec![
        (WebSource::Trace(tiny::write(folder)), of_rows.collect()),
        (WebSource::Trace(drifting), of_drifting.collect()),
        (WebSource::Synthetic(spec), of_synthetic),
    ]
}

/// Sixty words of which more and more are others: to a test of significance each version is the
/// same as the one before, but the last is not the same as the first.
fn drifting_rows() -> Vec<Row> {
    let row = |page: i64, version: i64| {
        let replaced = 3 * version as usize;
        let text = format!("{}{}", "alpha ".repeat(60 - replaced), "beta ".repeat(replaced));
        Row {
            url: format!("http://d.example/{page}"),
            at: tiny::DAY_ZERO + DAY.times(6 * version + page),
            status: 200,
            mime: "text/plain".into(),
            body: Some(text.into_bytes()),
        }
    };
    (0..3).flat_map(|page| (0..9).map(move |version| row(page, version))).collect()
}

fn loaded(web: &WebSource, folder: &Path, detector: &str) -> Arc<GroundTruth> {
    let experiment = Experiment { detector: detector.into(), ..tiny::experiment(vec![]) };
    let prepared = PreparedWeb::open(web, &folder.join("cache")).unwrap();
    prepared.read(&|_, _| {}).unwrap();
    prepared.load(&experiment).unwrap().truth
}

/// Calls `each` with the readings and the full snapshots of all pairs of versions of one page of
/// which the first can be held on this grid, and the second is live at the time or later.
fn each_pair(truth: &GroundTruth, full: &Full, mut each: impl FnMut([u32; 2], [&Snapshot; 2])) {
    let Grid { cycles, .. } = truth.grid();
    for (number, page) in truth.history().pages.iter().enumerate() {
        for cycle in 0..=cycles {
            let Some(row) = page.live(truth.grid().instant(cycle)) else { continue };
            let Some(held) = truth.reading(number, cycle) else { continue };
            for later in &page.versions[row..] {
                let Some(live) = later.reading else { continue };
                let snapshot = |at| full[&(page.address.clone(), at)].as_ref();
                each([held, live], [snapshot(page.versions[row].at), snapshot(later.at)]);
            }
        }
    }
}

#[test]
fn every_detector_says_in_a_replay_what_it_says_of_full_snapshots() {
    let folder = TempDir::new().unwrap();
    let webs = webs(folder.path());
    // What is boilerplate depends on other pages, so `main-text` has tests of its own.
    for (name, make) in detect::ALL.iter().filter(|(name, _)| *name != "main-text") {
        let detector = make();
        let (mut changed, mut same) = (0, 0);
        for (web, full) in &webs {
            let truth = loaded(web, folder.path(), name);
            each_pair(&truth, full, |readings, [old, new]| {
                let expected = detector.change(old, new, Instruments::NONE);
                let light = readings.map(|reading| &truth.history().readings[reading as usize]);
                let change = truth.comparison().change(light[0], light[1], Instruments::NONE);
                assert_eq!(change.to_bits(), expected.to_bits(), "{name}: {old:?} and {new:?}");
                let is_same = truth.same(Some(readings[0]), Some(readings[1]));
                assert_eq!(is_same, expected == 0.0, "{name}: {old:?} and {new:?}");
                if is_same { same += 1 } else { changed += 1 }
            });
        }
        assert!(changed > 20 && same > 20, "{name}: {changed} changed, {same} the same");
    }
}

#[test]
fn small_steps_add_up_to_a_significant_change() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("drifting.parquet");
    tiny::write_rows(&path, drifting_rows());
    let truth = loaded(&WebSource::Trace(path), folder.path(), "chi-squared");
    let same = |one, other| truth.same(truth.reading(0, one), truth.reading(0, other));
    assert!((0..8).all(|week| same(week, week + 1)));
    assert!(!same(0, 8));
    // All three pages can be found changed, and more than once.
    assert!(most_changes(&truth, 3, 0) > 3);
}

#[test]
fn what_is_left_out_of_a_reading_is_only_its_text() {
    let folder = TempDir::new().unwrap();
    for (web, full) in webs(folder.path()) {
        let truth = loaded(&web, folder.path(), "digest");
        each_pair(&truth, &full, |readings, snapshots| {
            for (reading, full) in readings.into_iter().zip(snapshots) {
                let light = truth.history().readings[reading as usize].as_ref();
                assert_eq!(*light, Snapshot { content: None, ..full.clone() });
            }
        });
    }
}

#[test]
fn bytes_are_the_same_only_if_every_byte_is_and_digests_if_the_text_is() {
    let folder = TempDir::new().unwrap();
    let web = WebSource::Trace(tiny::write(folder.path()));
    let truth = |detector| loaded(&web, folder.path(), detector);
    let (bytes, digest) = (truth("bytes"), truth("digest"));
    let stamp = bytes.find("http://a.example/stamp").unwrap();
    let flip = bytes.find("http://a.example/flip").unwrap();
    let at = |truth: &GroundTruth, page, one, other| {
        truth.same(truth.reading(page, one), truth.reading(page, other))
    };
    // Stamped anew on day 2, with not a word changed.
    assert!(!at(&bytes, stamp, 0, 1));
    assert!(at(&digest, stamp, 0, 1));
    // Tails in week 2, heads again in week 3.
    assert!(!at(&bytes, flip, 0, 2) && !at(&digest, flip, 0, 2));
    assert!(at(&bytes, flip, 0, 3) && at(&digest, flip, 0, 3));
}

fn value(results: &Results, policy: &str, metric: &str) -> f64 {
    let run = results.runs.iter().find(|run| run.policy == policy).unwrap();
    run.value(metric::by_name(metric).unwrap()).unwrap()
}

#[test]
fn tournaments_can_be_held_with_every_detector_and_keep_their_bounds() {
    let folder = TempDir::new().unwrap();
    let webs: Vec<WebSource> = webs(folder.path()).into_iter().map(|(web, _)| web).collect();
    for (detector, _) in detect::ALL {
        let experiment = Experiment {
            policies: tiny::all_policies(),
            detector: (*detector).into(),
            ..tiny::experiment(webs.clone())
        };
        let (out, cache) = (folder.path().join(detector), folder.path().join("cache"));
        let results = hold(&experiment, &out, &cache, &Quiet, &AtomicBool::new(false)).unwrap();
        assert!((value(&results, "ideal", "freshness") - 1.0).abs() < 1e-12, "{detector}");
        for bound in &results.bounds {
            let metric = metric::by_name(&bound.metric).unwrap();
            let rivals = results.runs.iter().filter(|run| run.policy != "ideal");
            for run in rivals.filter(|run| run.trace == bound.trace) {
                let value = run.value(metric).unwrap();
                let (policy, name) = (&run.policy, METRICS[metric].name);
                assert!(value <= bound.value + 1e-9, "{policy}, {detector}: {name} {value}");
            }
        }
    }
}

#[test]
fn a_recorded_website_goes_through_the_whole_lab() {
    let Some(path) = crate::common::shared_trace("llvm.parquet") else { return };
    let folder = TempDir::new().unwrap();
    let policies =
        ["round-robin", "freshness-index", "oracle-changes", "oracle-freshness", "ideal"];
    let experiment = Experiment {
        budgets: vec![0.1],
        policies: policies.map(|name| name.parse().unwrap()).into(),
        ..tiny::experiment(vec![WebSource::Trace(path)])
    };
    let (out, cache) = (folder.path().join("out"), folder.path().join("cache"));
    let results = hold(&experiment, &out, &cache, &Quiet, &AtomicBool::new(false)).unwrap();
    // As the traces' own table says.
    let facts = &results.webs[0];
    assert_eq!((facts.pages, facts.pages_at_start, facts.versions), (87, 63, 412));
    assert!(results.runs.iter().all(|run| run.cycles.len() == 52 && run.visits == 6));
    assert!((value(&results, "ideal", "freshness") - 1.0).abs() < 1e-12);
    let bound = |metric: &str| {
        results.bounds.iter().find(|bound| bound.metric == metric).map(|bound| bound.value).unwrap()
    };
    for policy in &policies[..4] {
        assert!(value(&results, policy, "freshness") <= bound("freshness") + 1e-9, "{policy}");
        assert!(value(&results, policy, "changes_caught") <= bound("changes_caught"), "{policy}");
    }
    let oracle = value(&results, "oracle-changes", "changes_caught");
    assert!(oracle >= value(&results, "round-robin", "changes_caught"));
}
