//! What the experiments of papers do differently from a tournament.
use std::path::{Path, PathBuf};

use lab::{
    history::Window,
    metric,
    quality::Queries,
    results::Results,
    tournament::{Experiment, PaperSetting, WebSource},
    trace::{Row, TraceWriter},
};

use crate::common::{DAY, Quiet, tiny};

const MOON: &str = "http://a.example/moon";
const TIDE: &str = "http://a.example/tide";

/// A trace of three weeks: every page by its address, and its bodies by the day from which on they are so.
fn trace(folder: &Path, pages: &[(&str, &[(i64, &str)])]) -> PathBuf {
    let path = folder.join("site.parquet");
    let start = tiny::DAY_ZERO;
    let window = Window { start, end: start + tiny::WEEK.times(3) };
    let mut writer = TraceWriter::create(&path, window, "made by hand", &[]).unwrap();
    let mut pages = pages.to_vec();
    pages.sort_unstable();
    for (url, bodies) in pages {
        for (day, body) in bodies {
            let (url, at) = (url.to_owned(), start + DAY.times(*day));
            let (mime, body) = ("text/html".to_owned(), Some(body.as_bytes().to_vec()));
            writer.write(Row { url, at, status: 200, mime, body }).unwrap();
        }
    }
    writer.finish().unwrap();
    path
}

fn held(experiment: &Experiment, folder: &Path) -> Results {
    let stop = std::sync::atomic::AtomicBool::new(false);
    let (out, cache) = (folder.join("out"), folder.join("cache"));
    lab::tournament::runs(experiment, &out, &cache, &Quiet, &stop).unwrap()
}

/// One visit a week by round robin.
fn one_visit(path: PathBuf, paper: PaperSetting) -> Experiment {
    Experiment {
        budgets: vec![1.0],
        policies: vec!["round-robin".parse().unwrap()],
        queries: Queries::Pseudo { limit: 50 },
        paper,
        ..tiny::experiment(vec![WebSource::Trace(path)])
    }
}

fn of_cycle(results: &Results, cycle: usize, name: &str) -> Option<f64> {
    results.runs[0].cycles[cycle - 1][metric::by_name(name).unwrap()]
}

#[test]
fn in_full_cycles_every_page_is_visited_whatever_the_budget() {
    let folder = tempfile::tempdir().unwrap();
    let weekly = [(0, "<p>one"), (1, "<p>two"), (8, "<p>three"), (15, "<p>four")];
    let pages = [(MOON, &weekly[..]), (TIDE, &weekly[..]), ("http://a.example/x", &weekly[..])];
    let path = trace(folder.path(), &pages);
    let paper = PaperSetting { full_cycles: 2, ..PaperSetting::default() };
    let results = held(&one_visit(path.clone(), paper), folder.path());
    let caught = |cycle| of_cycle(&results, cycle, "changes_caught");
    assert_eq!([caught(1), caught(2), caught(3)], [Some(3.0), Some(3.0), Some(1.0)]);
    // Runs without full cycles are others.
    let plain = held(&one_visit(path, PaperSetting::default()), folder.path());
    assert_eq!(of_cycle(&plain, 1, "changes_caught"), Some(1.0));
}

#[test]
fn only_pages_that_change_and_never_vanish_take_part_where_the_paper_wants_it() {
    let folder = tempfile::tempdir().unwrap();
    let pages: [(&str, &[(i64, &str)]); 3] = [
        (MOON, &[(0, "<p>one"), (3, "<p>two")]),
        (TIDE, &[(0, "<p>one")]),
        ("http://a.example/x", &[(4, "<p>late"), (9, "<p>later")]),
    ];
    let path = trace(folder.path(), &pages);
    let paper = PaperSetting { only_changed: true, ..PaperSetting::default() };
    let results = held(&one_visit(path.clone(), paper), folder.path());
    assert_eq!(results.webs[0].pages, 1);
    assert_eq!(held(&one_visit(path, PaperSetting::default()), folder.path()).webs[0].pages, 3);
}

#[test]
fn in_links_of_the_start_do_not_move_results_when_links_change() {
    let folder = tempfile::tempdir().unwrap();
    // The hub links to one page, then to the other; the pages themselves stay as they are.
    let pages: [(&str, &[(i64, &str)]); 3] = [
        (
            "http://a.example/zhub",
            &[
                (0, "<title>Hub</title><a href=/moon>first</a>"),
                (2, "<title>Hub</title><a href=/tide>second</a>"),
            ],
        ),
        (MOON, &[(0, "<title>Harbour</title><p>harbour and moon")]),
        (TIDE, &[(0, "<title>Harbour</title><p>harbour and tide")]),
    ];
    let path = trace(folder.path(), &pages);
    let quality = |fixed_in_links| {
        let paper = PaperSetting { fixed_in_links, ..PaperSetting::default() };
        let results = held(&one_visit(path.clone(), paper), folder.path());
        of_cycle(&results, 1, "quality_in_links").unwrap()
    };
    assert!(quality(false) < 1.0, "{}", quality(false));
    assert!((quality(true) - 1.0).abs() < 1e-12, "{}", quality(true));
}

#[test]
fn a_result_is_relevant_by_its_copy_and_by_its_live_page() {
    let folder = tempfile::tempdir().unwrap();
    // The copy of one page is shown first for what it is about no more, though it has the word; round
    // robin visits another page.
    let pages: [(&str, &[(i64, &str)]); 3] = [
        ("http://a.example/a", &[(0, "<title>Lighthouse</title><p>lighthouse")]),
        (
            "http://a.example/b",
            &[
                (0, "<title>Harbour</title><p>harbour and tide"),
                (2, "<title>Fog</title><p>harbour, tide and fog"),
            ],
        ),
        (MOON, &[(0, "<title>Harbour</title><p>harbour and moon")]),
    ];
    let path = trace(folder.path(), &pages);
    let precision = |two_step_relevance| {
        let paper = PaperSetting { two_step_relevance, ..PaperSetting::default() };
        let results = held(&one_visit(path.clone(), paper), folder.path());
        of_cycle(&results, 1, "precision_at_10").unwrap()
    };
    // Both pages still have the asked words, so by the live web's first results all is well.
    assert!((precision(false) - 1.0).abs() < 1e-12, "{}", precision(false));
    assert!(precision(true) < 1.0, "{}", precision(true));
}
