//! Exact quality, kept up query by query, against the same worked out from nothing in the plainest way:
//! every query, every page, every cycle.
mod plain;

use std::{
    path::Path,
    sync::{Arc, atomic::AtomicBool},
};

use crawl::{Budget, Digest, Policy};
use lab::{
    metric,
    oracle::Ideal,
    quality::{Quality, Queries},
    recorded::Recorded,
    synthetic::{Kind, Spec},
    tournament::{Dataset, Experiment, LoadedWeb, PageSet, PreparedWeb, Run, Start, WebSource},
    truth::GroundTruth,
};
use text::workload::Workload;

use crate::common::{DAY, Quiet, snapshot, texts::ByReading, tiny, truth_of, web};

const SEARCH_METRICS: [&str; 8] = [
    "quality_tf_idf",
    "quality_in_links",
    "quality_blend",
    "freshness_at_10",
    "freshness_at_10_literal",
    "precision_at_10",
    "precision_at_10_literal",
    "embarrassment",
];

fn made_up(kind: Kind) -> LoadedWeb {
    let spec = Spec { kind, pages: 70, seed: 5, weeks: 9 };
    let web = PreparedWeb::open(&WebSource::Synthetic(spec), Path::new("unused")).unwrap();
    web.load(&tiny::experiment(vec![])).unwrap()
}

fn tiny_web(folder: &Path) -> LoadedWeb {
    let source = WebSource::Trace(tiny::write(folder));
    let web = PreparedWeb::open(&source, &folder.join("cache")).unwrap();
    web.read(&|_, _| ()).unwrap();
    web.load(&tiny::experiment(vec![])).unwrap()
}

fn quality(web: &LoadedWeb, pages: PageSet, queries: &Queries) -> Arc<Quality> {
    let (quality, _) = Quality::new(&web.truth, web.texts.as_ref(), pages, queries, false).unwrap();
    Arc::new(quality.unwrap())
}

/// By cycle, the metrics that need a workload.
fn searched(
    truth: &Arc<GroundTruth>,
    quality: Option<Arc<Quality>>,
    (pages, start): (PageSet, &Start),
    policy: Box<dyn Policy>,
    budget: Budget,
) -> Vec<Vec<Option<f64>>> {
    let dataset = Dataset::new(Arc::clone(truth), pages, start).unwrap().with_workload(quality);
    let run = Run::new(&dataset, policy, budget).play().unwrap();
    let rows = SEARCH_METRICS.map(|name| metric::by_name(name).unwrap());
    run.cycles.iter().map(|cycle| rows.map(|row| cycle[row]).to_vec()).collect()
}

fn assert_same(value: Option<f64>, expected: Option<f64>, what: &str) {
    // Ranks are rounded to a millionth of the highest, here and there from another iteration.
    let near = match (value, expected) {
        (None, None) => true,
        (Some(value), Some(expected)) => (value - expected).abs() < 2e-6,
        _ => false,
    };
    assert!(near, "{what}: {value:?} is not {expected:?}");
}

/// Runs policies on a web and compares every metric of every cycle. How many numbers were compared.
fn compare(web: &LoadedWeb, pages: PageSet, start: &Start, queries: &Queries) -> usize {
    let quality = quality(web, pages, queries);
    let plain = plain::Plain::new(web, pages, quality.queries());
    let mut compared = 0;
    for name in ["round-robin", "random", "freshness-index", "ideal"] {
        let make = || -> Box<dyn Policy> {
            match policy::by_name(name) {
                Some(entry) => entry.with_defaults(3),
                None => Box::new(Ideal),
            }
        };
        let budget = if name == "ideal" { Budget::UNLIMITED } else { Budget(5) };
        let workload = Some(Arc::clone(&quality));
        let run = searched(&web.truth, workload, (pages, start), make(), budget);
        let expected = plain.run(start, make(), budget);
        assert_eq!(run.len(), expected.len());
        for (cycle, (values, expected)) in run.iter().zip(&expected).enumerate() {
            for (metric, (value, expected)) in values.iter().zip(expected).enumerate() {
                let what = format!("{name}, cycle {}, {}", cycle + 1, SEARCH_METRICS[metric]);
                assert_same(*value, *expected, &what);
                compared += usize::from(value.is_some());
            }
        }
    }
    compared
}

const PSEUDO: Queries = Queries::Pseudo { limit: 60 };

#[test]
fn quality_on_fixed_pages_is_what_looking_at_everything_gives() {
    for kind in [Kind::Poisson, Kind::Shocks, Kind::Hubs] {
        let web = made_up(kind);
        let compared = compare(&web, PageSet::Fixed, &Start::Synchronised, &PSEUDO);
        assert_eq!(compared, 4 * 9 * 8, "{kind:?}");
    }
}

#[test]
fn quality_while_pages_are_born_and_die_is_what_looking_at_everything_gives() {
    let web = made_up(Kind::Hubs);
    compare(&web, PageSet::Growing, &Start::Synchronised, &PSEUDO);
    let front = web.truth.history().pages[0].address.clone();
    compare(&web, PageSet::Growing, &Start::Empty(vec![front]), &PSEUDO);
    let folder = tempfile::TempDir::new().unwrap();
    let web = tiny_web(folder.path());
    for pages in [PageSet::Fixed, PageSet::Growing] {
        compare(&web, pages, &Start::Synchronised, &PSEUDO);
    }
}

#[test]
fn who_refreshes_everything_answers_as_the_live_web_does() {
    for kind in [Kind::Poisson, Kind::Bursty, Kind::Shocks] {
        let web = made_up(kind);
        let quality = Some(quality(&web, PageSet::Fixed, &PSEUDO));
        let start = (PageSet::Fixed, &Start::Synchronised);
        for cycle in searched(&web.truth, quality, start, Box::new(Ideal), Budget::UNLIMITED) {
            let expected = [1.0, 1.0, 1.0, 1.0];
            let perfect = [cycle[0], cycle[1], cycle[2], cycle[3]].map(Option::unwrap);
            for (value, expected) in perfect.iter().zip(expected) {
                assert!((value - expected).abs() < 1e-9, "{kind:?}: {cycle:?}");
            }
            assert_eq!((cycle[5], cycle[7]), (Some(1.0), Some(0.0)), "{kind:?}");
        }
    }
}

#[test]
fn literal_freshness_is_never_above_a_tenth_and_never_above_the_corrected_one() {
    let web = made_up(Kind::Shocks);
    let quality = Some(quality(&web, PageSet::Fixed, &PSEUDO));
    let policy = policy::by_name("round-robin").unwrap().with_defaults(1);
    let start = (PageSet::Fixed, &Start::Synchronised);
    for cycle in searched(&web.truth, quality, start, policy, Budget(5)) {
        let (corrected, literal) = (cycle[3].unwrap(), cycle[4].unwrap());
        assert!(literal <= corrected / 10.0 + 1e-12 && corrected <= 1.0, "{cycle:?}");
    }
}

#[test]
fn without_queries_nothing_about_searching_is_defined() {
    let web = made_up(Kind::Poisson);
    let (quality, facts) =
        Quality::new(&web.truth, web.texts.as_ref(), PageSet::Fixed, &Queries::None, false)
            .unwrap();
    assert!(quality.is_none() && facts.is_none());
    let policy = policy::by_name("round-robin").unwrap().with_defaults(1);
    let start = (PageSet::Fixed, &Start::Synchronised);
    for cycle in searched(&web.truth, None, start, policy, Budget(5)) {
        assert_eq!(cycle, [None; 8]);
    }
}

#[test]
fn without_page_rank_only_the_blend_is_missing() {
    let web = made_up(Kind::Shocks);
    let quality = quality(&web, PageSet::Fixed, &PSEUDO);
    let run = |weighted: bool| {
        let dataset =
            Dataset::new(Arc::clone(&web.truth), PageSet::Fixed, &Start::Synchronised).unwrap();
        let dataset = dataset.with_workload(Some(Arc::clone(&quality))).weighted(weighted);
        let policy = policy::by_name("round-robin").unwrap().with_defaults(1);
        Run::new(&dataset, policy, Budget(5)).play().unwrap().cycles
    };
    let needs_ranks = |name: &str| {
        name.starts_with("weighted") || name == "quality_blend" || name.contains("_at_10")
    };
    for (with, without) in run(true).iter().zip(run(false)) {
        for (row, metric) in metric::METRICS.iter().enumerate() {
            let expected = if needs_ranks(metric.name) { None } else { with[row] };
            assert_eq!(without[row], expected, "{}", metric.name);
        }
    }
}

#[test]
fn a_workload_is_the_same_with_one_thread_and_with_three() {
    let web = made_up(Kind::Hubs);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let quality = Some(quality(&web, PageSet::Growing, &PSEUDO));
            let policy = policy::by_name("random").unwrap().with_defaults(1);
            let start = (PageSet::Growing, &Start::Synchronised);
            searched(&web.truth, quality, start, policy, Budget(5))
        })
    };
    let bits = |run: Vec<Vec<Option<f64>>>| -> Vec<Vec<Option<u64>>> {
        let cycle = |cycle: Vec<Option<f64>>| cycle.iter().map(|v| v.map(f64::to_bits)).collect();
        run.into_iter().map(cycle).collect()
    };
    assert_eq!(bits(with(1)), bits(with(3)));
}

fn file(text: &str) -> Queries {
    let workload = Arc::new(Workload::from_tsv("q.tsv", text).unwrap());
    Queries::File { workload, digest: Digest::from_bytes(text.as_bytes()), limit: 1 }
}

/// Three pages and one query, "apple". Of the three pages at the start two hold it, so its weight is
/// 1 + ln(3 / 3) = 1, and the score of a page is the root of its share of the words.
///
/// | page | day 0                        | from day 1 on | links to |
/// |------|------------------------------|---------------|----------|
/// | 00   | 4 of 4 words: 1              | none          | 01       |
/// | 01   | 1 of 4 words: 1/2            | the same      | 00, 02   |
/// | 02   | none                         | 1 of 1: 1     |          |
///
/// On day 1 nothing is visited. The live web shows 02 (1) and 01 (1/2), worth 1 + 2^-1.5 / 2. The
/// repository shows 00, which answers no more, and 01: worth 2^-1.5 / 2; of the views, 1 of 1 + 2^-1.5
/// is lost. Each page has one link: ties go by address. The live web shows 01 and 02, worth
/// 1 + 2^-1.5; the repository 00 and 01, worth 2^-1.5.
///
/// By the blend: pages 00 and 02 have the rank x, page 01 y, with x = 0.05 + 0.85 (y/2 + x/3) and
/// y = 0.05 + 0.85 (x + x/3): x / y = 0.77027. The repository shows 00 (0.885), then 01 (0.75); the live
/// web 02 (0.885), then 01 (0.75). The second of two results is fresh and relevant.
///
/// On day 2 page 02 is visited, and the repository shows 00, 02 (equal, by address) and 01.
#[test]
fn a_small_case_comes_out_as_worked_out_by_hand() {
    let matrix =
        vec![vec![Some(0), Some(3), Some(3)], vec![Some(1); 3], vec![Some(2), Some(4), Some(4)]];
    let mut history = web(&matrix);
    let [zero, one, two] = ["00", "01", "02"].map(|page| format!("http://h.example/{page}"));
    for reading in [0, 3] {
        history.readings[reading] = snapshot(reading as u8, &[&one]);
    }
    history.readings[1] = snapshot(1, &[&zero, &two]);
    let truth = truth_of(history, DAY, extract::detect::by_name("digest").unwrap());
    let texts = ["apple apple apple apple", "apple pear pear pear", "pear pear", "pear", "apple"];
    let texts = ByReading { truth: Arc::clone(&truth), texts: (0..).zip(texts).collect() };
    let queries = file("apple\t3\n");
    let (quality, facts) = Quality::new(&truth, &texts, PageSet::Fixed, &queries, false).unwrap();
    let facts = facts.unwrap();
    assert_eq!((facts.queries, facts.answered, facts.kept, facts.is_pseudo), (1, 1, 1, false));
    let policy = Box::new(Recorded::new(vec![vec![], vec![two]]));
    let start = (PageSet::Fixed, &Start::Synchronised);
    let cycles = searched(&truth, quality.map(Arc::new), start, policy, Budget(1));

    let (second, third) = (8.0_f64.sqrt().recip(), 27.0_f64.sqrt().recip());
    let ten: f64 = (1..=10).map(|rank| f64::from(rank).powf(-1.5)).sum();
    let share = 0.770_270_270_27;
    let (first, other) = (0.5 + 0.5 * share, 0.75);
    let live = 1.0 + 0.5 * second;
    let expected = [
        [
            0.5 * second / live,
            second / (1.0 + second),
            other * second / (first + other * second),
            second / (1.0 + second),
            second / ten / 10.0,
            0.25,
            0.5,
            1.0 / (1.0 + second),
        ],
        [
            (second + 0.5 * third) / live,
            (second + third) / (1.0 + second),
            (first * second + other * third) / (first + other * second),
            (second + third) / (1.0 + second + third),
            (second + third) / ten / 10.0,
            7.0 / 12.0,
            7.0 / 6.0,
            1.0 / (1.0 + second + third),
        ],
    ];
    for (cycle, (values, expected)) in cycles.iter().zip(expected).enumerate() {
        for (metric, expected) in expected.into_iter().enumerate() {
            let what = format!("day {}, {}", cycle + 1, SEARCH_METRICS[metric]);
            assert_same(values[metric], Some(expected), &what);
        }
    }
}

#[test]
fn where_too_few_queries_of_a_file_fit_pseudo_queries_take_their_frequencies() {
    let web = made_up(Kind::Poisson);
    let text = "nothing of the kind\t7\nnowhere\t3\n";
    let workload = Arc::new(Workload::from_tsv("q.tsv", text).unwrap());
    let queries =
        Queries::File { workload, digest: Digest::from_bytes(text.as_bytes()), limit: 30 };
    let (quality, facts) =
        Quality::new(&web.truth, web.texts.as_ref(), PageSet::Fixed, &queries, false).unwrap();
    let (quality, facts) = (quality.unwrap(), facts.unwrap());
    assert!(facts.is_pseudo && facts.kept == quality.queries().len(), "{facts:?}");
    assert!(facts.source.starts_with("pseudo-queries"), "{facts:?}");
    assert!(facts.source.ends_with("queries of q.tsv, of which only 0 of 2 fit"), "{facts:?}");
}

#[test]
fn a_tournament_reports_the_workload_of_each_web() {
    let folder = tempfile::TempDir::new().unwrap();
    let source = WebSource::Trace(tiny::write(folder.path()));
    let pseudo = Experiment { queries: PSEUDO, ..tiny::experiment(vec![source]) };
    let none = Experiment { queries: Queries::None, ..pseudo.clone() };
    let hold = |experiment: &Experiment, out: &str| {
        let (out, cache) = (folder.path().join(out), folder.path().join("cache"));
        lab::tournament::hold(experiment, &out, &cache, &Quiet, &AtomicBool::new(false)).unwrap()
    };
    // One folder for both: the workload is part of the key of a run.
    let first = hold(&pseudo, "out");
    let facts = first.webs[0].workload.clone().unwrap();
    assert!(facts.is_pseudo && facts.kept > 0);
    assert_eq!(hold(&none, "out").webs[0].workload, None);
    let again = hold(&pseudo, "out");
    assert_eq!(again.webs[0].workload, Some(facts));
    assert!(again.runs == first.runs);
    let row = metric::by_name("quality_tf_idf").unwrap();
    assert!(first.runs[0].value(row).is_some());
    assert_eq!(hold(&none, "out").runs[0].value(row), None);
}
