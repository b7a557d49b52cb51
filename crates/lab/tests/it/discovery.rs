//! Covers against the best there are, and the oracle of discovery in a run.

use std::sync::{Arc, atomic::AtomicBool};

use crate::common::{DAY, Quiet, played, tiny};
use crawl::Reason;
use lab::{
    history::Window,
    oracle::{fewest_rows_exactly, most_found, most_found_exactly},
    tournament::{self, PageSet, WebSource},
    trace::{Row, TraceWriter},
};
use policy::discover::{Leads, Until, greedy};
use proptest::prelude::*;

/// Steps of the search: enough for every graph of these tests.
const NODES: usize = 1_000_000;

prop_compose! {
    /// Up to ten old pages, twelve new ones and a few chains between these.
    fn small_leads()(
        rows in prop::collection::vec(prop::collection::vec(0_u32..12, 0..6), 0..10),
        chains in prop::collection::vec((0_u32..12, 0_u32..12), 0..6),
    ) -> Leads {
        let chains = chains.into_iter().map(|(from, to)| (from, vec![to])).collect();
        Leads::new(12, (0_u32..).zip(rows).collect(), chains)
    }
}

/// The most that any `budget` rows find, by trying all.
fn tried(leads: &Leads, budget: usize) -> usize {
    let rows = leads.pages().len();
    let reached: Vec<Vec<u32>> = (0..rows).map(|row| leads.reached(row)).collect();
    (0_u32..1 << rows)
        .filter(|set| set.count_ones() as usize <= budget)
        .map(|set| {
            let mut found: Vec<u32> = (0..rows)
                .filter(|row| set & (1 << row) != 0)
                .flat_map(|row| reached[row].iter().copied())
                .collect();
            found.sort_unstable();
            found.dedup();
            found.len()
        })
        .max()
        .unwrap_or_default()
}

proptest! {
    #[test]
    fn greedy_is_below_the_exact_cover_and_that_below_the_bound(
        leads in small_leads(),
        budget in 0_usize..5,
    ) {
        let greedy: usize =
            greedy(&leads, Until::Visits(budget)).iter().map(|step| step.gained as usize).sum();
        let exact = most_found_exactly(&leads, budget, NODES).unwrap();
        let bound = most_found(&leads, &[budget])[0];
        prop_assert_eq!(exact, tried(&leads, budget));
        prop_assert!(greedy <= exact && exact <= bound && bound <= leads.covered());
        // The guarantee of the greedy cover: 1 - 1/e of the best.
        prop_assert!(greedy as f64 >= (1.0 - (-1.0_f64).exp()) * exact as f64 - 1e-9);
    }

    #[test]
    fn the_smallest_cover_is_found_for_any_share(leads in small_leads(), wanted in 0_usize..13) {
        let wanted = wanted.min(leads.covered());
        let fewest = fewest_rows_exactly(&leads, wanted, NODES).unwrap();
        prop_assert!(tried(&leads, fewest) >= wanted);
        prop_assert!(fewest == 0 || tried(&leads, fewest - 1) < wanted);
    }

    #[test]
    fn a_search_that_ends_early_says_so(leads in small_leads(), nodes in 0_usize..20) {
        let exact = most_found_exactly(&leads, 3, NODES);
        let hurried = most_found_exactly(&leads, 3, nodes);
        prop_assert!(hurried.is_none() || hurried == exact);
    }
}

/// A site of eight weeks: a new page every week, shown by a list and by the front page of its week; the
/// second page of each week is shown by the first alone. Pages "a" to "e" show nothing new.
fn blog() -> Vec<Row> {
    let row = |url: String, week: i64, links: &[String]| {
        let links: Vec<String> =
            links.iter().map(|link| format!("<a href=\"{link}\">{link}</a>")).collect();
        Row {
            url: format!("http://blog.example/{url}"),
            at: tiny::DAY_ZERO + DAY.times(7 * week),
            status: 200,
            mime: "text/html".to_owned(),
            body: Some(format!("<p>{url} {week}</p>{}", links.concat()).into_bytes()),
        }
    };
    let post = |week: i64| format!("post-{week}.html");
    let mut rows = vec![];
    for week in 0..=8 {
        let all: Vec<String> = (1..=week).map(post).collect();
        rows.push(row("list.html".to_owned(), week, &all));
        let last: Vec<String> = all.last().cloned().into_iter().collect();
        rows.push(row(String::new(), week, &last));
        if week > 0 {
            rows.push(row(post(week), week, &[format!("more-{week}.html")]));
            rows.push(row(format!("more-{week}.html"), week, &[]));
        }
    }
    for quiet in ["a", "b", "c", "d", "e"] {
        rows.push(row(format!("{quiet}.html"), 0, &[]));
    }
    rows.sort_by(|one, other| one.url.cmp(&other.url).then(one.at.cmp(&other.at)));
    rows
}

fn write(folder: &std::path::Path) -> std::path::PathBuf {
    written(folder, "blog", blog())
}

fn written(folder: &std::path::Path, name: &str, rows: Vec<Row>) -> std::path::PathBuf {
    let path = folder.join(format!("{name}.parquet"));
    let window = Window { start: tiny::DAY_ZERO, end: tiny::DAY_ZERO + DAY.times(56) };
    let mut writer = TraceWriter::create(&path, window, "made by hand", &[]).unwrap();
    for row in rows {
        writer.write(row).unwrap();
    }
    writer.finish().unwrap();
    path
}

#[test]
fn the_oracle_finds_every_page_in_its_week_with_one_visit_of_discovery() {
    let folder = tempfile::tempdir().unwrap();
    let experiment = tournament::Experiment {
        policies: vec![
            "greedy-cover".parse().unwrap(),
            "round-robin".parse().unwrap(),
            "greedy-cover:share=0.4".parse().unwrap(),
        ],
        budgets: vec![3.0],
        pages: PageSet::Growing,
        ..tiny::experiment(vec![WebSource::Trace(write(folder.path()))])
    };
    let stop = AtomicBool::new(false);
    let (out, cache) = (folder.path().join("out"), folder.path().join("cache"));
    let results = tournament::runs(&experiment, &out, &cache, &Quiet, &stop).unwrap();
    let coverage = lab::metric::by_name("coverage").unwrap();
    let of = |policy: &str| -> Vec<f64> {
        let run = results.runs.iter().find(|run| run.policy == policy).unwrap();
        run.cycles.iter().map(|cycle| cycle[coverage].unwrap()).collect()
    };
    // Three visits: the list, the post, and what only the post shows.
    assert_eq!(of("greedy-cover"), [1.0; 8]);
    assert!(of("round-robin").iter().sum::<f64>() < 7.9);
    // To leave 0.6 of two pages is to leave one, which the other shows, so that both are found.
    assert_eq!(of("greedy-cover:share=0.4"), [1.0; 8]);
}

#[test]
fn visits_of_the_oracle_say_why() {
    let folder = tempfile::tempdir().unwrap();
    let source = WebSource::Trace(write(folder.path()));
    let web = tournament::PreparedWeb::open(&source, folder.path()).unwrap();
    web.read(&|_, _| {}).unwrap();
    let loaded = web.load(&tiny::experiment(vec![source])).unwrap();
    let truth = Arc::clone(&loaded.truth);
    let oracle = Box::new(lab::oracle::GreedyCover::new(truth, 1.0));
    let cycles = played(&loaded.truth, oracle, 4, &tournament::Start::Synchronised);
    let reasons: Vec<Reason> = cycles[0].log.iter().map(|seen| seen.reason).collect();
    assert_eq!(reasons, [Reason::Discover, Reason::First, Reason::First, Reason::Refresh]);
}
