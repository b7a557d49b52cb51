//! A tiny web whose every number can be checked by hand, through the whole lab: trace file, cache,
//! tournament, tables.
//!
//! `golden/*.snap` have a line for each policy, and a digest of the table of every run and metric. That
//! table itself is in `target/tmp/golden-*.txt` after a test: compare it with the one of the commit
//! before. After a change that is meant, `INSTA_UPDATE=always cargo test -p lab --test it golden` writes
//! the snapshots anew.

use std::{fmt::Write, fs, path::Path, sync::atomic::AtomicBool};

use lab::{
    metric::{self, METRICS},
    quality::Queries,
    results::{Results, RunRecord},
    tournament::{Experiment, PageSet, Start, WebSource, hold},
};
use tempfile::TempDir;

use crate::common::{DAY, Quiet, measured, snapshot, tiny, truth_of, web};

const SEED_URL: &str = "http://a.example/";

fn experiment(folder: &Path, pages: PageSet, start: Start) -> Experiment {
    Experiment {
        budgets: vec![0.2, 4.0],
        policies: tiny::all_policies(),
        seeds: vec![1, 2],
        pages,
        start,
        queries: Queries::Pseudo { limit: 20 },
        halves: false,
        ..tiny::experiment(vec![WebSource::Trace(tiny::write(folder))])
    }
}

fn held(experiment: &Experiment, folder: &Path, out: &str) -> Results {
    let stop = AtomicBool::new(false);
    hold(experiment, &folder.join(out), &folder.join("cache"), &Quiet, &stop).unwrap()
}

/// Every run and bound, one a line.
fn table(results: &Results) -> String {
    let mut table = String::new();
    let facts = &results.webs[0];
    let (pages, at_start, versions) = (facts.pages, facts.pages_at_start, facts.versions);
    writeln!(table, "{pages} pages, {at_start} at the start, {versions} versions").unwrap();
    let workload = facts.workload.as_ref().unwrap();
    writeln!(
        table,
        "{} {}, of which any page answers {}",
        workload.kept, workload.source, workload.answered
    )
    .unwrap();
    for run in &results.runs {
        let (policy, budget, visits, seed) = (&run.policy, run.budget, run.visits, run.seed);
        writeln!(table, "\n{policy}, budget {budget} ({visits} visits), seed {seed}").unwrap();
        for (index, metric) in METRICS.iter().enumerate() {
            let value = run.value(index).map_or("-".into(), |value| format!("{value:.6}"));
            writeln!(table, "  {:<26} {value:>10}", metric.name).unwrap();
        }
    }
    for bound in &results.bounds {
        let (metric, budget, value) = (&bound.metric, bound.budget, bound.value);
        // The search for prices ends near the lowest bound; its last digits mean nothing.
        writeln!(table, "\nno policy passes {value:.4} {metric} with budget {budget}").unwrap();
    }
    table
}

/// The metrics of which the snapshots have a column.
const COLUMNS: [&str; 8] = [
    "freshness",
    "age",
    "change_ratio",
    "coverage",
    "changes_caught",
    "quality_tf_idf",
    "embarrassment",
    "new_coverage",
];

/// A line for each policy, with means over its budgets and seeds; and a digest of the whole table.
fn short_table(results: &Results, table: &str) -> String {
    let mut short = format!("{:<34}", "policy");
    for column in COLUMNS {
        write!(short, " {column:>14}").unwrap();
    }
    let mut policies: Vec<&str> = results.runs.iter().map(|run| run.policy.as_str()).collect();
    policies.dedup();
    for policy in policies {
        write!(short, "\n{policy:<34}").unwrap();
        for column in COLUMNS {
            let row = metric::by_name(column).unwrap();
            let runs = results.runs.iter().filter(|run| run.policy == policy);
            let values: Vec<f64> = runs.filter_map(|run| run.value(row)).collect();
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let mean = if values.is_empty() { "-".into() } else { format!("{mean:.6}") };
            write!(short, " {mean:>14}").unwrap();
        }
    }
    let digest = xxhash_rust::xxh3::xxh3_128(table.as_bytes());
    write!(short, "\n\nwhole table: {} lines, xxh3 {digest:032x}", table.lines().count()).unwrap();
    short
}

fn assert_golden(name: &str, pages: PageSet, start: Start) {
    let folder = TempDir::new().unwrap();
    let results = held(&experiment(folder.path(), pages, start), folder.path(), "out");
    let table = table(&results);
    let whole = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("golden-{name}.txt"));
    fs::write(whole, &table).unwrap();
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../golden");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, short_table(&results, &table)));
}

#[test]
fn fixed_pages_all_held_at_the_start() {
    assert_golden("fixed-synchronised", PageSet::Fixed, Start::Synchronised);
}

#[test]
fn fixed_pages_found_from_one_address() {
    assert_golden("fixed-empty", PageSet::Fixed, Start::Empty(vec![SEED_URL.into()]));
}

#[test]
fn growing_pages_with_all_held_at_the_start() {
    assert_golden("growing-synchronised", PageSet::Growing, Start::Synchronised);
}

#[test]
fn growing_pages_found_from_one_address() {
    assert_golden("growing-empty", PageSet::Growing, Start::Empty(vec![SEED_URL.into()]));
}

fn by_cycle(run: &RunRecord, metric: &str) -> Vec<f64> {
    let row = metric::by_name(metric).unwrap();
    run.cycles.iter().map(|cycle| cycle[row].unwrap()).collect()
}

fn assert_near(values: &[f64], expected: &[f64]) {
    let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-12;
    let all = values.len() == expected.len() && values.iter().zip(expected).all(near);
    assert!(all, "{values:?} is not {expected:?}");
}

/// Round-robin with two visits a week, worked out on paper from `golden/web.txt`. Eleven pages are
/// alive on day 0; cycle k is on day 7k and visits, in the order of addresses:
///
/// | day | visits         | found   | stale after the visits, each with its days             | alive |
/// |-----|----------------|---------|--------------------------------------------------------|-------|
/// |   7 | a/, about      | -, -    | b/ 4, daily 2                                          | 11    |
/// |  14 | feed, flip     | yes, yes| a/ 4, b/ 11, back 2 (gone), daily 9                    | 11    |
/// |  21 | news/1, stamp  | -, -    | a/ 11, flip 5, b/ 18, back 9, daily 16, sitemap 1      | 11    |
/// |  28 | b/, back       | yes, yes| a/ 18, news/1 4 (gone), daily 23, sitemap 8            | 11    |
/// |  35 | daily, logo    | yes, -  | a/ 25, feed 5, news/1 11, sitemap 15                   | 12    |
/// |  42 | sitemap, a/    | yes, yes| feed 12, news/1 18, daily 2, logo 6                    | 12    |
/// |  49 | about, feed    | -, yes  | flip 33, news/1 25, daily 9, logo 13                   | 12    |
/// |  56 | flip, news/1   | yes, yes| daily 16, logo 20; news/1 was found gone and is let go | 12    |
///
/// The stamp's bytes change, but never its text. Flip was held as tails on day 14 and is tails again
/// on day 28: fresh without a visit. On day 49 it is heads, and wrong since day 16, the first change
/// after its last visit, though it was right in between. The page that vanished on day 12 is back on day 26, before its
/// turn came, so it is never noticed as gone.
#[test]
fn round_robin_comes_out_as_worked_out_by_hand() {
    let folder = TempDir::new().unwrap();
    let web = WebSource::Trace(tiny::write(folder.path()));
    let results = held(&tiny::experiment(vec![web]), folder.path(), "out");
    let run = &results.runs[0];
    let held = [11.0, 11.0, 11.0, 11.0, 11.0, 11.0, 11.0, 10.0];
    let stale = [2.0, 4.0, 6.0, 4.0, 4.0, 4.0, 4.0, 2.0];
    let freshness: Vec<f64> = held.iter().zip(stale).map(|(h, stale)| (h - stale) / h).collect();
    assert_near(&by_cycle(run, "freshness"), &freshness);
    let days = [6.0, 26.0, 60.0, 53.0, 56.0, 38.0, 80.0, 36.0];
    let age: Vec<f64> = held.iter().zip(days).map(|(held, days)| days / held).collect();
    assert_near(&by_cycle(run, "age"), &age);
    assert_near(&by_cycle(run, "change_ratio"), &[0.0, 1.0, 0.0, 1.0, 0.5, 1.0, 0.5, 1.0]);
    assert_near(&by_cycle(run, "changes_caught"), &[0.0, 2.0, 0.0, 2.0, 1.0, 2.0, 1.0, 2.0]);
    assert_near(&by_cycle(run, "visits"), &[2.0; 8]);
    // Of the held pages all but the one that is gone are alive: back on days 14 and 21, then news/1
    // until it is let go.
    let alive = [11.0, 11.0, 11.0, 11.0, 12.0, 12.0, 12.0, 12.0];
    let held_alive = [11.0, 10.0, 10.0, 10.0, 10.0, 10.0, 10.0, 10.0];
    let coverage: Vec<f64> = held_alive.iter().zip(alive).map(|(held, all)| held / all).collect();
    assert_near(&by_cycle(run, "coverage"), &coverage);
    assert_eq!(results.webs[0].pages_at_start, 11);
    assert_eq!(results.webs[0].pages, 13);
}

/// Freshness between cycles, worked out on paper for the same run.
///
/// From day 7 to 14: five pages are fresh all week; a/ and feed change on day 10, flip on day 9, and
/// back vanishes on day 12; b/ and daily are stale already: (5 + 3/7 + 3/7 + 2/7 + 5/7) / 11.
/// From day 14 to 21: about, feed, news/1, stamp and logo all week, flip until day 16, sitemap until
/// day 20: (5 + 2/7 + 6/7) / 11.
/// From day 21 to 28: about, feed, stamp and logo all week, news/1 until day 24, flip again from day
/// 23 on; back is back on day 26, but as something else: (4 + 3/7 + 5/7) / 11.
/// From day 56 on nothing is known to change: 8 / 10.
#[test]
fn freshness_between_cycles_comes_out_as_worked_out_by_hand() {
    let folder = TempDir::new().unwrap();
    let web = WebSource::Trace(tiny::write(folder.path()));
    let results = held(&tiny::experiment(vec![web]), folder.path(), "out");
    let mean = by_cycle(&results.runs[0], "freshness_mean");
    let expected = [48.0 / 77.0, 43.0 / 77.0, 36.0 / 77.0];
    assert_near(&mean[..3], &expected);
    assert_near(&mean[7..], &[0.8]);
}

/// From one address with two visits a week and links followed. Pages never seen come first, in the
/// byte order of addresses.
///
/// Day 7: only a/ is known; it is held for the first time, and once it is, the rest of the budget
/// goes to about, the first of the five pages and the feed that it shows.
/// Day 14: feed and flip for the first time; on day 10 the feed came to show news/2.
/// Day 21: news/1 and news/2, and so on: no visit before day 35 is a refresh.
#[test]
fn a_crawl_from_one_address_pays_for_its_first_visits() {
    let folder = TempDir::new().unwrap();
    let experiment = Experiment {
        pages: PageSet::Growing,
        start: Start::Empty(vec![SEED_URL.into()]),
        ..tiny::experiment(vec![WebSource::Trace(tiny::write(folder.path()))])
    };
    let results = held(&experiment, folder.path(), "out");
    let run = &results.runs[0];
    assert_near(&by_cycle(run, "visits"), &[2.0; 8]);
    let row = metric::by_name("change_ratio").unwrap();
    let refreshes: Vec<bool> = run.cycles.iter().map(|cycle| cycle[row].is_some()).collect();
    assert_eq!(refreshes[..4], [false; 4]);
    // 2, 4, 6 and 8 held pages, all alive on their day but news/1, which is gone on day 28.
    let alive = [11.0, 11.0, 11.0, 11.0];
    let held_alive = [2.0, 4.0, 6.0, 7.0];
    let coverage: Vec<f64> = held_alive.iter().zip(alive).map(|(held, all)| held / all).collect();
    assert_near(&by_cycle(run, "coverage")[..4], &coverage);
}

/// Three pages: 0 and 1 link to each other, and 2 links to 0. As worked out in `rank.rs` of `crawl`, their
/// ranks are 18/37, 0.05 + 0.85 * 18/37 and 0.05. On day 1 pages 0 and 2 change, and page 0 alone is
/// visited: its rank is found, and all but page 2's is fresh.
#[test]
fn weights_are_ranks_of_what_was_held_as_the_cycle_began() {
    let mut history = web(&vec![vec![Some(0), Some(3)], vec![Some(1); 2], vec![Some(2), Some(4)]]);
    let [zero, one] = ["http://h.example/00", "http://h.example/01"];
    // In its new version page 0 links nowhere, which must not count yet.
    for (reading, links) in [(0, vec![one]), (1, vec![zero]), (2, vec![zero]), (4, vec![zero])] {
        history.readings[reading] = snapshot(reading as u8, &links);
    }
    let truth = truth_of(history, DAY, extract::detect::by_name("digest").unwrap());
    let round_robin = policy::by_name("round-robin").unwrap();
    let value = |metric| measured(&truth, round_robin.with_defaults(1), 1, metric)[0].unwrap();
    let expected = [18.0 / 37.0, 18.0 / 37.0, 0.95];
    let metrics = ["weighted_change_ratio", "weighted_change_ratio_2010", "weighted_freshness"];
    for (metric, expected) in metrics.into_iter().zip(expected) {
        assert!((value(metric) - expected).abs() < 1e-9, "{metric}: {}", value(metric));
    }
}

#[test]
fn nothing_is_written_as_less_than_nothing() {
    let folder = TempDir::new().unwrap();
    held(&experiment(folder.path(), PageSet::Growing, Start::Synchronised), folder.path(), "out");
    for table in &files(folder.path(), "out")[..2] {
        let below = table.lines().find(|line| line.contains(",-"));
        assert_eq!(below, None);
    }
}

const FILES: [&str; 5] = ["results.csv", "cycles.csv", "webs.csv", "results.json", "report.html"];

fn files(folder: &Path, out: &str) -> Vec<String> {
    FILES.map(|file| fs::read_to_string(folder.join(out).join(file)).unwrap()).into()
}

#[test]
fn the_same_experiment_writes_the_same_bytes() {
    let folder = TempDir::new().unwrap();
    let experiment = experiment(folder.path(), PageSet::Growing, Start::Synchronised);
    held(&experiment, folder.path(), "once");
    held(&experiment, folder.path(), "again");
    assert!(files(folder.path(), "once") == files(folder.path(), "again"));
}

#[test]
fn one_thread_and_two_write_the_same_bytes() {
    let folder = TempDir::new().unwrap();
    let experiment = experiment(folder.path(), PageSet::Fixed, Start::Synchronised);
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| held(&experiment, folder.path(), &threads.to_string()));
    }
    assert!(files(folder.path(), "1") == files(folder.path(), "2"));
}
