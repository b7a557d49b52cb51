//! Covers against the best there are, the oracle of discovery in a run, and the paper's surveys from a trace.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails as the test does")]
mod common;

use std::sync::{Arc, atomic::AtomicBool};

use common::{DAY, tiny};
use flow::Reason;
use lab::{
    history::Window,
    oracle::{fewest_rows_exactly, most_found, most_found_exactly},
    reproduce::{
        Follower, Inputs, Measured, Part, WebKind, carry_out, figure::Figure, judge, parse,
    },
    tournament::{self, PageSet, Watcher, WebSource},
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

/// The pages of the site that are there from its beginning and stay as they are, on another host.
fn quiet() -> Vec<Row> {
    let moved = |row: Row| Row { url: row.url.replace("blog", "quiet"), ..row };
    blog()
        .into_iter()
        .filter(|row| row.url.len() == "http://blog.example/a.html".len())
        .map(moved)
        .collect()
}

#[test]
fn the_oracle_finds_every_page_in_its_week_with_one_visit_of_discovery() {
    let folder = tempfile::tempdir().unwrap();
    let experiment = tournament::Experiment {
        policies: vec![
            "greedy-cover".into(),
            "round-robin".into(),
            "greedy-cover:share=0.4".into(),
        ],
        budgets: vec![3.0],
        pages: PageSet::Growing,
        ..tiny::experiment(vec![WebSource::Trace(write(folder.path()))])
    };
    let stop = AtomicBool::new(false);
    let (out, cache) = (folder.path().join("out"), folder.path().join("cache"));
    let results = tournament::runs(&experiment, &out, &cache, &common::Quiet, &stop).unwrap();
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
    let mut oracle = lab::oracle::GreedyCover::of(truth, 1.0);
    let cycles = common::played(&loaded.truth, &mut oracle, 4, &tournament::Start::Synchronised);
    let reasons: Vec<Reason> = cycles[0].log.iter().map(|seen| seen.reason).collect();
    assert_eq!(reasons, [Reason::Discover, Reason::First, Reason::First, Reason::Refresh]);
}

struct Unheard;

impl Watcher for Unheard {
    fn reading(&self, _web: &str, _rows: u64, _of: u64) {}
    fn begin(&self, _runs: usize, _finished_before: usize) {}
    fn finished(&self, _web: &str) {}
}

impl Follower for Unheard {
    fn part(&self, _part: &Part, _kind: WebKind) {}
}

/// The surveys of the paper, and a few runs.
fn small_plan() -> String {
    let survey = |(name, survey): (&str, &str)| {
        format!(
            "[[part]]\nname = \"{name}\"\ntitle = \"{name}\"\nfigure = \"{name}\"\nwebs = [\"sites\"]\n\
             survey = \"{survey}\"\n"
        )
    };
    let surveys = [
        ("sites", "sites"),
        ("figure-3", "covers"),
        ("figure-4", "cover-sizes"),
        ("figure-5", "overlap"),
        ("figure-6", "overhead"),
        ("folders", "folders"),
        ("history", "history"),
        ("table-2", "algorithms"),
        ("recrawls", "recrawls"),
        ("parameters", "parameters"),
    ];
    let runs = "[[part]]\nname = \"closed-loop\"\ntitle = \"a\"\nfigure = \"a\"\nwebs = [\"sites\"]\n\
                cycle = [\"1w\"]\nbudgets = [3]\naxis = \"budget\"\npages = \"growing\"\n\
                metrics = [\"coverage\"]\npolicies = [\"RR = round-robin\", \"Cover = greedy-cover\"]\n";
    format!("paper = \"dasgupta-2007\"\n{}{runs}", surveys.map(survey).concat())
}

#[test]
fn the_surveys_say_what_a_small_site_shows() {
    let folder = tempfile::tempdir().unwrap();
    // A second site on which nothing is new is left out.
    let inputs = Inputs {
        traces: vec![write(folder.path()), written(folder.path(), "quiet", quiet())],
        out: folder.path().join("out"),
        cache: folder.path().join("cache"),
        queries: None,
        is_quick: false,
        part: None,
    };
    let plan = parse(&small_plan()).unwrap();
    let stop = AtomicBool::new(false);
    let made = carry_out(&plan, &inputs, &Unheard, &stop).unwrap().unwrap();
    let figure = |name: &str| -> &Figure {
        let place = plan.parts.iter().position(|part| part.name == name).unwrap();
        match &made.measured[place][0].1 {
            Measured::Survey(figure) => figure,
            other => panic!("{name}: {other:?}"),
        }
    };
    let on = made.evidence(WebKind::Sites);
    let value = |part: &str, line: &str, x: f64| on.series(part, line).unwrap().at(x).unwrap();
    let sites = &figure("sites").tables[0];
    let used: Vec<(&str, &str)> =
        sites.rows.iter().map(|row| (row[0].text.as_str(), row[7].text.as_str())).collect();
    assert_eq!(used, [("blog", "yes"), ("quiet", "no: nothing is new")]);
    // One visit to the list or the front page finds both pages of a week.
    assert!((value("figure-3", "new pages covered", 1.0) - 2.0).abs() < 1e-12);
    assert!((value("figure-6", "each site by itself", 1.0) - 0.5).abs() < 1e-12);
    assert!((value("figure-4", "90 % covers of at most so many pages", 1.0) - 1.0).abs() < 1e-12);
    // The two mirrors of the site.
    assert!((value("figure-5", "all pairs", 0.975) - 1.0).abs() < 1e-12);
    assert!((value("history", "share covered", 1.0) - 1.0).abs() < 1e-12);
    for line in ["OD-1, coverage", "COV, coverage", "GREEDY, coverage", "certified bound, coverage"]
    {
        assert!((value("table-2", line, 0.0) - 1.0).abs() < 1e-12, "{line}");
    }
    // Of two mirrors CLIQ takes one, OD both.
    assert!((value("table-2", "CLIQ-1, cover size", 1.0) - 1.0).abs() < 1e-12);
    assert!((value("table-2", "OD-1, cover size", 1.0) - 2.0).abs() < 1e-12);
    assert!(value("table-2", "OD-1, overhead with recrawls", 0.0) > 1.0);
    let Measured::Runs(runs) = &made.measured.last().unwrap()[0].1 else { panic!("runs") };
    let webs: Vec<&str> = runs[0].1.webs.iter().map(|web| web.trace.as_str()).collect();
    assert_eq!(
        webs,
        used.iter().filter(|site| site.1 == "yes").map(|site| site.0).collect::<Vec<_>>()
    );
    // D3 holds here, D5 cannot be told anywhere.
    let judged = judge(&made);
    let outcome = |id: &str| judged.iter().find(|one| one.claim.id == id).unwrap();
    assert_eq!(outcome("D3").decided.outcome.name(), "met");
    assert_eq!(outcome("D5").decided.outcome.name(), "not testable");
}
