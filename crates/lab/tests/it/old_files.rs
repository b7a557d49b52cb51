//! Files that version 0.1.0 wrote (`fixtures/v1`): finished runs are taken over, traces open.
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, atomic::Ordering},
};

use crawl::{Digest, Span};
use lab::{
    quality::Queries,
    synthetic::{Kind, Spec},
    tournament::{Experiment, PageSet, Start, WebSource, hold},
    trace::TraceReader,
};
use tempfile::TempDir;
use text::workload::Workload;

use crate::common::{held::Counter, tiny::WEEK};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/v1").join(name)
}

fn synthetic(kind: Kind, pages: usize, seed: u64, weeks: u32) -> WebSource {
    WebSource::Synthetic(Spec { kind, pages, seed, weeks })
}

/// What the files in `fixtures/v1/fixed` came of.
fn fixed() -> Experiment {
    Experiment {
        cycles: Some(2),
        warm_up: 1,
        budgets: vec![2.0, 0.2],
        policies: ["round-robin", "random"].map(|name| name.parse().unwrap()).into(),
        seeds: vec![1, 2],
        queries: Queries::Pseudo { limit: 2000 },
        ..Experiment::new(synthetic(Kind::Poisson, 20, 1, 3), WEEK)
    }
}

/// What the files in `fixtures/v1/growing` came of.
fn growing() -> Experiment {
    let traces = ["docs-a.parquet", "docs-b.parquet"].map(fixture);
    let text = fs::read_to_string(fixture("queries.tsv")).unwrap();
    let workload = Arc::new(Workload::from_tsv("queries.tsv", &text).unwrap());
    let seeds = ["https://docs-a.example/", "https://docs-b.example/", "https://site0000.example/"];
    Experiment {
        webs: vec![WebSource::Together(traces.into()), synthetic(Kind::Hubs, 20, 2, 5)],
        cycle: Span::from_days(10),
        cycles: Some(2),
        warm_up: 1,
        budgets: vec![2.0, 0.25],
        // Keys are made of the canonical text, whatever the order of parameters.
        policies: ["round-robin", "mix:share=0.25:refresh=change-ratio-index"]
            .map(|name| name.parse().unwrap())
            .into(),
        seeds: vec![3],
        detector: "shingles-exact".to_owned(),
        pages: PageSet::Growing,
        start: Start::Empty(seeds.map(str::to_owned).into()),
        queries: Queries::File { workload, digest: Digest::from_bytes(text.as_bytes()), limit: 40 },
        halves: true,
        ..fixed()
    }
}

/// Holds a tournament in a folder that has the first `lines` of an old journal. Returns the folder,
/// and how many runs there are, were finished before and were done.
fn go_on(name: &str, experiment: &Experiment, lines: usize) -> (TempDir, (usize, usize, usize)) {
    let folder = TempDir::new().unwrap();
    let journal = read(&fixture(name), "runs.jsonl");
    let kept: String = journal.split_inclusive('\n').take(lines).collect();
    fs::write(folder.path().join("runs.jsonl"), kept).unwrap();
    let counter = Counter::default();
    hold(experiment, folder.path(), &folder.path().join("cache"), &counter, &counter.stop).unwrap();
    let (runs, before) = *counter.begun.lock().unwrap();
    (folder, (runs, before, counter.finished.load(Ordering::Relaxed)))
}

fn read(folder: &Path, file: &str) -> String {
    fs::read_to_string(folder.join(file)).unwrap()
}

fn assert_same_tables(name: &str, folder: &Path) {
    for file in ["results.csv", "cycles.csv", "webs.csv"] {
        assert!(read(folder, file) == read(&fixture(name), file), "{file} of {name}");
    }
}

/// If this fails, something that determines the key of a run has got another spelling: the name of a
/// metric, of a variant of `PageSet`, `Start` or `Kind`, or of a policy or its parameters.
#[test]
fn finished_runs_of_version_0_1_0_are_taken_over() {
    for (name, experiment, runs) in [("fixed", fixed(), 8), ("growing", growing(), 8)] {
        let (folder, counts) = go_on(name, &experiment, usize::MAX);
        assert_eq!(counts, (runs, runs, 0), "{name}");
        let (now, before) = (read(folder.path(), "runs.jsonl"), fixture(name));
        assert!(now == read(&before, "runs.jsonl"), "{name}: a line was added");
        assert_same_tables(name, folder.path());
    }
}

/// The journal begins with what is known of the first web and, for fixed pages, its two bounds.
#[test]
fn an_interrupted_tournament_of_version_0_1_0_goes_on_where_it_stopped() {
    for (name, experiment, kept, counts) in
        [("fixed", fixed(), 6, (8, 3, 5)), ("growing", growing(), 3, (8, 2, 6))]
    {
        let (folder, done) = go_on(name, &experiment, kept);
        assert_eq!(done, counts, "{name}");
        // What is done now comes out as it did then.
        assert_same_tables(name, folder.path());
        let in_order = |journal: String| {
            let mut lines: Vec<String> = journal.lines().map(without_hosts).collect();
            lines.sort_unstable();
            lines
        };
        let [now, then] = [folder.path(), &fixture(name)].map(|folder| read(folder, "runs.jsonl"));
        assert!(in_order(now) == in_order(then), "{name}");
    }
}

/// A line of a journal without the sums by host, which are not recorded any more.
fn without_hosts(line: &str) -> String {
    let mut entry: serde_json::Value = serde_json::from_str(line).unwrap();
    if let Some(run) = entry.get_mut("run").and_then(serde_json::Value::as_object_mut) {
        run.remove("hosts");
    }
    entry.to_string()
}

#[test]
fn traces_of_version_0_1_0_open() {
    let files = [("docs-a.parquet", false), ("docs-b.parquet", false), ("own.parquet", true)];
    for (name, has_uncertain_times) in files {
        let mut trace = TraceReader::open(&fixture(name)).unwrap();
        assert_eq!(trace.has_uncertain_times(), has_uncertain_times, "{name}");
        let rows = trace.rows();
        let read: usize = trace.batches().unwrap().map(|batch| batch.unwrap().len()).sum();
        assert!(read > 0 && read as u64 == rows, "{name}: {read} of {rows}");
    }
}
