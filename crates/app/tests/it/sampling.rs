//! Policies that sample and look at features of pages, over HTTP on loopback: what they need lasts, so
//! that it does not matter when a process ends and another goes on.
use std::{
    collections::BTreeMap,
    fs,
    net::SocketAddr,
    path::Path,
    process::Output,
    sync::{Arc, Mutex},
};

use instruments::features::{FeatureNeeds, Features};
use serde_json::Value;
use store::View;

use crate::common::{copy, errors, http, json, run, sanderling, text};

const PAGES: usize = 40;
const TOPICS: [&str; 3] = ["moon tide water shore", "bread flour oven salt", "river bridge water"];

/// A web on one host whose pages change by how often they were asked for, not by the time: two crawls
/// that ask for the same pages in the same order see the same.
struct CountingWeb {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

#[derive(Clone, Default)]
struct State {
    /// How often each path was asked for.
    times: BTreeMap<String, u64>,
    visited: Vec<String>,
    is_still: bool,
}

impl CountingWeb {
    fn new() -> Self {
        Self::with(State::default())
    }

    /// The same web on its own: what is asked of one does not change the other.
    fn twin(&self) -> Self {
        Self::with(self.state.lock().unwrap().clone())
    }

    fn with(state: State) -> Self {
        let state = Arc::new(Mutex::new(state));
        let served = Arc::clone(&state);
        let address = http::serve_pages(move |path| {
            let mut state = served.lock().unwrap();
            let found = page(path, &mut state)?;
            state.visited.push(path.to_owned());
            Some(found)
        });
        Self { address, state }
    }

    /// Nothing changes any more.
    fn stand_still(&self) {
        self.state.lock().unwrap().is_still = true;
    }

    /// What was asked for since the last time, in order.
    fn visited(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().unwrap().visited)
    }

    /// Runs the program on this web, its data in `folder/data`.
    fn run(&self, folder: &Path, arguments: &str) {
        let output = self.output(folder, arguments);
        assert!(output.status.success(), "{arguments}: {}", errors(&output));
    }

    fn output(&self, folder: &Path, arguments: &str) -> Output {
        let mut command = http::crawler(folder, "count.example", self.address, arguments);
        // Cycles follow each other at once.
        command.args(["--interval", "1ms", "--cycle-limit", "1h"]).output().unwrap()
    }
}

/// The page at `path` as it is when it is asked for the next time.
fn page(path: &str, state: &mut State) -> Option<String> {
    let number: usize = match path {
        "/" => 0,
        path => path.rsplit('/').next()?.parse().ok()?,
    };
    let is_still = state.is_still;
    let times = state.times.entry(path.to_owned()).or_default();
    *times += u64::from(!is_still);
    // A third never changes, a third at every second visit, a third at every one.
    let version = match number % 3 {
        0 => 0,
        1 => *times / 2,
        _ => *times,
    };
    let link = |to: usize| {
        let to = to % PAGES;
        format!("<a href=\"/{}/{to}\">{to}</a> ", TOPICS[to % 3].split(' ').next().unwrap_or("x"))
    };
    let links: String = (1..4 + number % 5).map(|step| link(number * 2 + step * step)).collect();
    let words = TOPICS[number % 3].repeat(1 + number % 4);
    let moved = link(number + version as usize);
    Some(format!(
        "<html lang=en><title>Page {number}</title><p>{words} edition{version}</p>{links}{moved}"
    ))
}

/// What the data folder has of features, and how many pages would have to be read back.
fn kept(folder: &Path) -> (Features, usize) {
    let (mut features, mut read_back) = (Features::new(FeatureNeeds { look_back: 0 }), 0);
    let view = View::open(&folder.join("data")).unwrap();
    let is_whole = view.load_instrument(&mut features, &mut |_, of| {
        read_back = of;
        true
    });
    assert!(is_whole.unwrap());
    (features, read_back)
}

fn why(folder: &Path, path: &str) -> Value {
    json(&run(folder, &format!("why http://count.example{path} --json --data data")))
}

#[test]
fn a_crawl_in_many_processes_visits_what_one_process_visits() {
    // The first crawl is not compared: in which order it comes upon pages is a matter of time.
    let (begun, web) = (tempfile::tempdir().unwrap(), CountingWeb::new());
    web.run(begun.path(), "crawl http://count.example/ --policy cluster-sample");
    let held = web.visited().len();
    assert!(held >= PAGES, "{held}");
    // What is asked for is on the pages, so that ranking features count, too.
    let queries = "moon tide\t9\nbread\t7\nriver water\t4\nedition1\t2\n";
    fs::write(begun.path().join("queries.tsv"), queries).unwrap();
    for policy in ["cluster-sample", "cluster-sample-2007:batch=4"] {
        let (one, many) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let visits = [(&one, vec!["run --cycles 6"]), (&many, vec!["refresh"; 6])].map(
            |(folder, commands)| {
                copy(begun.path(), folder.path());
                let web = web.twin();
                for command in commands {
                    let flags = format!("--policy {policy} --queries queries.tsv --budget 25");
                    web.run(folder.path(), &format!("{command} {flags}"));
                }
                web.visited()
            },
        );
        let [in_one, in_many] = visits;
        assert_eq!(in_one.len(), 6 * 25);
        assert_eq!(in_many, in_one, "{policy}");
        // It was no accident: samples were taken, and words fitted.
        let (features, read_back) = kept(one.path());
        assert!(features.models().fitted_to >= PAGES as u32);
        assert_eq!(read_back, 0);
        let output = run(many.path(), "verify --data data");
        assert!(output.status.success(), "{}", errors(&output));
    }
}

#[test]
fn a_policy_comes_back_after_another_that_looks_at_no_features() {
    let (folder, web) = (tempfile::tempdir().unwrap(), CountingWeb::new());
    let folder = folder.path();
    web.run(folder, "crawl http://count.example/");
    let held = web.visited().len();
    assert_eq!(kept(folder).1, held);
    // The first time, all are read back; then only what came meanwhile and was new.
    web.run(folder, "refresh --budget 20 --policy cluster-sample");
    assert_eq!(kept(folder).1, 0);
    web.run(folder, "refresh --budget 30 --policy round-robin");
    let meanwhile = kept(folder).1;
    assert!(meanwhile > 0 && meanwhile <= 30, "{meanwhile}");
    web.run(folder, "refresh --budget 20 --policy cluster-sample");
    assert_eq!(kept(folder).1, 0);
    let output = run(folder, "verify --data data");
    assert!(output.status.success(), "{}", errors(&output));
}

#[test]
fn why_predicts_the_samples_and_the_other_visits_of_a_cycle() {
    let (folder, web) = (tempfile::tempdir().unwrap(), CountingWeb::new());
    let folder = folder.path();
    let settings = "policy = \"cluster-sample\"\nbudget = 20\n";
    fs::write(folder.join("sanderling.toml"), settings).unwrap();
    web.run(folder, "crawl http://count.example/");
    for _ in 0..3 {
        web.run(folder, "refresh");
    }
    let pages: std::collections::BTreeSet<String> = web.visited().into_iter().collect();
    let mut predicted = BTreeMap::new();
    let (mut samples, mut left_out) = (0, 0);
    for path in &pages {
        let page = why(folder, path);
        assert_eq!(page["due_pages"], pages.len());
        if page["cycles_until_visit"] == 1 {
            predicted.insert(page["rank"].as_u64().unwrap(), path.clone());
            samples += u32::from(page["next_visit_reason"] == "sample");
        } else {
            // Its place in a later cycle.
            assert!(page["rank"].as_u64() <= page["visits_in_cycle"].as_u64(), "{page:#}");
            left_out += 1;
        }
    }
    assert!(samples > 0 && samples < 20, "{samples}");
    assert_eq!(predicted.keys().copied().collect::<Vec<u64>>(), (1..=20).collect::<Vec<u64>>());
    assert_eq!(left_out, pages.len() - 20);
    let words =
        |path: &str| text(&run(folder, &format!("why http://count.example{path} --data data")));
    let first = words(&predicted[&1]);
    assert!(first.contains("in the next cycle, ") && first.contains(": visit 1 of 20"), "{first}");
    assert!(first.contains("as a sample"), "{first}");
    let other = pages.iter().find(|path| !predicted.values().any(|visited| visited == *path));
    let other = words(other.unwrap());
    assert!(!other.contains("in the next cycle, "), "{other}");

    // And so it comes, where nothing is found changed.
    web.stand_still();
    web.run(folder, "refresh");
    assert_eq!(web.visited(), predicted.into_values().collect::<Vec<String>>());
}

#[test]
fn queries_that_cannot_be_read_are_refused_whoever_plans() {
    let (folder, web) = (tempfile::tempdir().unwrap(), CountingWeb::new());
    web.run(folder.path(), "crawl http://count.example/ --pages 3");
    for policy in ["cluster-sample", "round-robin"] {
        let refresh = format!("refresh --budget 2 --queries nowhere.tsv --policy {policy}");
        let output = web.output(folder.path(), &refresh);
        assert_eq!(output.status.code(), Some(2));
        assert!(errors(&output).contains("nowhere.tsv: cannot be read"), "{}", errors(&output));
    }
}

#[test]
fn with_queries_visits_are_measured_and_told_in_words() {
    let (folder, web) = (tempfile::tempdir().unwrap(), CountingWeb::new());
    fs::write(folder.path().join("asked.tsv"), "moon tide\t9\nedition3\t4\nflour\t1\n").unwrap();
    web.run(folder.path(), "crawl http://count.example/ --queries asked.tsv");
    let unmeasured = in_words(folder.path(), "");
    assert!(unmeasured.contains("Impact      not measured yet"), "{unmeasured}");
    for _ in 0..3 {
        web.run(folder.path(), "refresh --budget 30 --queries asked.tsv");
    }
    let cycles = View::open(&folder.path().join("data")).unwrap().cycles(9).unwrap();
    assert_eq!(cycles.last().map(|cycle| cycle.policy.as_str()), Some("unified:value=searchers"));
    let told = in_words(folder.path(), "--queries asked.tsv");
    assert!(told.contains(" of all views of search results; its last "), "{told}");
    assert!(told.contains(" by unified:value=searchers, score "), "{told}");
    let mut measured = 0;
    let view = View::open(&folder.path().join("data")).unwrap();
    view.replay(&mut |seen| measured += usize::from(seen.impact.is_some())).unwrap();
    assert_eq!(measured, 90);
    // Without queries nobody is known to ask anything, and all pages count the same.
    fs::write(folder.path().join("empty.tsv"), "").unwrap();
    for refresh in ["refresh --budget 5", "refresh --budget 5 --queries empty.tsv"] {
        web.run(folder.path(), refresh);
        let cycles = view.cycles(9).unwrap();
        assert_eq!(cycles.last().map(|cycle| cycle.policy.as_str()), Some("unified"));
    }
}

/// What `why` says of the page that all others are linked from.
fn in_words(folder: &Path, more: &str) -> String {
    let mut command = sanderling(folder);
    command.args(["why", "http://count.example/", "--data", "data"]);
    command.args(more.split_whitespace());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", errors(&output));
    text(&output)
}
