//! Several traces as one web: times shifted, hosts apart, nothing counted twice.
use std::path::{Path, PathBuf};

use crawl::{Span, Time};
use lab::{
    history::Window,
    metric,
    results::Results,
    tournament::{
        Experiment, PreparedWeb, Repository, TournamentError, WebSource, distinct_traces,
    },
    trace::{Row, TraceWriter},
};

use crate::common::{DAY, Quiet, held::Counter, tiny};

const WEEK: Span = tiny::WEEK;

/// A trace of `weeks` from `start`. Every page is given by its path and the days on which its body
/// changes, the first before the start.
fn trace(folder: &Path, name: &str, start: Time, weeks: i64, pages: &[(&str, &[i64])]) -> PathBuf {
    let path = folder.join(format!("{name}.parquet"));
    let window = Window { start, end: start + WEEK.times(weeks) };
    let mut writer = TraceWriter::create(&path, window, name, &[]).unwrap();
    for (address, days) in pages {
        for day in *days {
            let body = format!("<title>{address}</title><p>as of day {day}");
            writer
                .write(Row {
                    url: (*address).to_owned(),
                    at: start + DAY.times(*day),
                    status: 200,
                    mime: "text/html".to_owned(),
                    body: Some(body.into_bytes()),
                })
                .unwrap();
        }
    }
    writer.finish().unwrap();
    path
}

fn early() -> Time {
    tiny::DAY_ZERO
}

fn late() -> Time {
    tiny::DAY_ZERO + WEEK.times(100)
}

/// Two sites of different years: one is watched for four weeks, one for six.
fn two(folder: &Path) -> Vec<PathBuf> {
    let one = trace(
        folder,
        "one",
        early(),
        4,
        &[("http://a.example/x", &[0, 1]), ("http://a.example/y", &[0, 8])],
    );
    let other = trace(
        folder,
        "other",
        late(),
        6,
        // The last change is beyond four weeks, and so is the whole second page.
        &[("http://b.example/x", &[0, 9, 40]), ("http://b.example/z", &[36])],
    );
    vec![one, other]
}

fn held(experiment: &Experiment, folder: &Path) -> Result<Results, TournamentError> {
    let stop = std::sync::atomic::AtomicBool::new(false);
    lab::tournament::runs(experiment, &folder.join("out"), &folder.join("cache"), &Quiet, &stop)
}

fn together(paths: Vec<PathBuf>) -> Experiment {
    Experiment { budgets: vec![10.0], ..tiny::experiment(vec![WebSource::Together(paths)]) }
}

#[test]
fn all_windows_begin_at_one_instant_and_end_with_the_shortest() {
    let folder = tempfile::tempdir().unwrap();
    let results = held(&together(two(folder.path())), folder.path()).unwrap();
    let web = &results.webs[0];
    assert_eq!((web.trace.as_str(), web.pages_at_start, web.pages), ("together", 3, 3));
    assert_eq!(web.versions, 6, "what comes after the shortest window is cut off");
    assert_eq!(web.source, "2 traces as one web: one, other");
    let run = &results.runs[0];
    assert_eq!(run.cycles.len(), 4);
    // Every page is visited in every week: on days 7, 14, 21 and 28. Changed by day 7: a/x; by day
    // 14: a/y and b/x; then nothing.
    let caught = metric::by_name("changes_caught").unwrap();
    let by_cycle: Vec<Option<f64>> = run.cycles.iter().map(|cycle| cycle[caught]).collect();
    assert_eq!(by_cycle, [Some(1.0), Some(2.0), Some(0.0), Some(0.0)]);
}

#[test]
fn a_repository_has_so_many_pages_of_a_site_with_its_front_page() {
    let folder = tempfile::tempdir().unwrap();
    let pages: Vec<String> = (0..9).map(|page| format!("http://a.example/page{page}")).collect();
    let mut all: Vec<(&str, &[i64])> = vec![("http://a.example/", &[0, 3])];
    all.extend(pages.iter().map(|page| (page.as_str(), &[0_i64, 9][..])));
    // A page that is not there at the start is none of the repository.
    all.push(("http://a.example/zz", &[5]));
    let large = trace(folder.path(), "large", early(), 6, &all);
    let mut paths = two(folder.path());
    paths.push(large);
    let source = |pages: usize| {
        WebSource::Repository(Repository {
            name: format!("of {pages}"),
            traces: paths.clone(),
            pages,
        })
    };
    let experiment =
        |pages| Experiment { budgets: vec![10.0], ..tiny::experiment(vec![source(pages)]) };
    let facts = |pages: usize| {
        let results = held(&experiment(pages), folder.path()).unwrap();
        (results.webs[0].trace.clone(), results.webs[0].pages)
    };
    // Of the three sites 1 and 1 and 1, then 2 and 1 and 2, then all: large has 10 at its start.
    assert_eq!(facts(1), ("of 1".to_owned(), 3));
    assert_eq!(facts(2), ("of 2".to_owned(), 5));
    assert_eq!(facts(50).1, 2 + 1 + 10);
    let cache = folder.path().join("cache");
    let web = PreparedWeb::open(&source(1), &cache).unwrap();
    let history = web.load(&experiment(1)).unwrap();
    let history = history.truth.history();
    assert!(history.pages.iter().any(|page| page.address == "http://a.example/"));
    assert!(history.source.starts_with("3 traces as one web, at most 1 pages of each: "));
}

#[test]
fn the_order_of_traces_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut paths = two(folder.path());
    let forwards = held(&together(paths.clone()), folder.path()).unwrap();
    paths.reverse();
    let counted = Counter::default();
    let (out, cache) = (folder.path().join("out"), folder.path().join("cache"));
    let backwards =
        lab::tournament::runs(&together(paths), &out, &cache, &counted, &counted.stop).unwrap();
    assert_eq!(*counted.begun.lock().unwrap(), (1, 1), "they are the same runs");
    assert_eq!(backwards.runs, forwards.runs);
}

#[test]
fn a_shared_address_is_refused_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut paths = two(folder.path());
    paths.push(trace(
        folder.path(),
        "third",
        early(),
        4,
        &[("http://a.example/y", &[0]), ("http://c.example/", &[0]), ("http://c.example/z", &[0])],
    ));
    let error = held(&together(paths), folder.path()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "one and third cannot be one web: both have http://a.example/y; leave one of them out, or \
         join traces of different hosts"
    );
    assert!(!folder.path().join("out").exists());
}

#[test]
fn a_trace_inside_another_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let mut paths = two(folder.path());
    paths.insert(0, trace(folder.path(), "part", late(), 4, &[("http://a.example/y", &[0, 3])]));
    let (kept, left_out) = distinct_traces(&paths).unwrap();
    let kept: Vec<&PathBuf> = kept.iter().map(|(path, _)| path).collect();
    assert_eq!(kept, [&paths[1], &paths[2]]);
    assert_eq!((left_out[0].name.as_str(), left_out[0].inside.as_str()), ("part", "one"));
    let results = held(&together(paths), folder.path()).unwrap();
    let source = &results.webs[0].source;
    assert!(source.ends_with("; without part, most of whose pages are in one"), "{source}");
    assert_eq!(results.webs[0].pages, 3);
}

#[test]
fn of_two_equal_traces_the_first_stays() {
    let folder = tempfile::tempdir().unwrap();
    let paths = two(folder.path());
    let copy = folder.path().join("copy.parquet");
    std::fs::copy(&paths[0], &copy).unwrap();
    let (kept, left_out) = distinct_traces(&[paths[0].clone(), copy]).unwrap();
    assert_eq!((kept.len(), kept[0].0.clone()), (1, paths[0].clone()));
    assert_eq!((left_out[0].name.as_str(), left_out[0].inside.as_str()), ("copy", "one"));
}

#[test]
fn dates_of_links_are_shifted_with_the_times_of_pages() {
    // A feed of the early site dates its entry; on the joint web that date is as much later.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("feed.parquet");
    let window = Window { start: early(), end: early() + WEEK.times(4) };
    let mut writer = TraceWriter::create(&path, window, "feed", &[]).unwrap();
    let feed = "<rss version=\"2.0\"><channel><title>f</title><link>http://c.example/</link>\
                <item><link>http://c.example/p</link><pubDate>Mon, 05 Jan 2026 00:00:00 GMT\
                </pubDate></item></channel></rss>";
    let rows = [
        ("http://c.example/feed", "application/rss+xml", feed),
        ("http://c.example/p", "text/html", "<p>p"),
    ];
    for (url, mime, body) in rows {
        writer
            .write(Row {
                url: url.to_owned(),
                at: early(),
                status: 200,
                mime: mime.to_owned(),
                body: Some(body.as_bytes().to_vec()),
            })
            .unwrap();
    }
    writer.finish().unwrap();
    let other = two(folder.path()).remove(1);
    let experiment = together(vec![path, other]);
    let cache = folder.path().join("cache");
    let web = lab::tournament::PreparedWeb::open(&experiment.webs[0], &cache).unwrap();
    web.read(&|_, _| ()).unwrap();
    let loaded = web.load(&experiment).unwrap();
    let history = loaded.truth.history();
    assert_eq!(history.window.start, late());
    let feed = loaded.truth.find("http://c.example/feed").unwrap();
    let reading = history.pages[feed].reading(late()).unwrap();
    let links = history.readings[reading as usize].links.links();
    let dated: Vec<Time> = links.iter().filter_map(|link| link.date).collect();
    assert_eq!(dated, [late()], "the feed was written on the day its window begins");
    // Its texts are found under the numbers of the joint web.
    let contents = loaded.texts.contents(feed).unwrap();
    assert_eq!(contents[0].0, reading);
}
