//! The cost of measuring the impact of visits while pages are indexed.
//!
//! `cargo bench -p sanderling --bench impact TRACE QUERIES`. Indexes every version of a recorded web in the
//! order of time: first all pages of the start, as a first crawl does, then the changes week by week, as
//! refreshes do. Rounds without measuring and with 2,000 and 20,000 queries take turns.
//!
//! The time of all threads varies by some percent, because segments are merged beside. Only the indexing
//! thread measures, so the cost is the extra time of that thread. It is shown as a share of the time of the
//! index without measuring, and of indexing HTML as in the paper. The latter includes reading the pages,
//! which is timed beforehand, since it varies by more than the cost of measuring.
use std::{collections::BTreeMap, path::Path, sync::Arc, time::Instant};

use crawl::{CycleStart, Instrument, Links, Outcome, PageNo, Pages, Snapshot, Time, Visited};
use index::{Index, IndexDocument};
use instruments::impact::Measure;
use lab::trace::TraceReader;
use store::{Options, Store};
use text::{relevance::Scoring, workload::Workload};

const COMMIT_PAGES: usize = 5_000;
const ROUNDS: usize = 5;
const WEEK_MILLIS: i64 = 7 * 86_400_000;
const QUERIES: [usize; 3] = [0, 2_000, 20_000];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let [trace, queries] = &arguments[..] else {
        println!("nothing to do: give a trace and a file of queries");
        return;
    };
    let queries = std::fs::read_to_string(queries).expect("a file of queries");
    let all = Workload::from_tsv("queries", &queries).expect("queries and counts");
    let (versions, bytes, reading) = versions(Path::new(trace));
    let pages = 1 + versions.iter().map(|version| version.page.0).max().unwrap_or(0);
    let words: u64 = versions.iter().map(|version| u64::from(version.snapshot.counts.words)).sum();
    let count = versions.len().max(1);
    println!(
        "{count} versions of {pages} pages, {:.1} KB and {} words each; reading takes {reading:.1} s",
        bytes as f64 / 1e3 / count as f64,
        words / count as u64,
    );
    println!(
        "{:<6} {:>8} {:>8} {:>8} {:>8} {:>14} {:>14} {:>10}",
        "round",
        "queries",
        "words",
        "wall, s",
        "CPU, s",
        "of putting, s",
        "of the index",
        "of HTML"
    );
    for round in 0..ROUNDS {
        let mut without = Cost::default();
        for count in QUERIES {
            let queries = all.queries[..count.min(all.queries.len())].to_vec();
            let workload = Workload { queries, source: all.source.clone() };
            let (words, cost) = index(&versions, &workload);
            if count == 0 {
                without = cost;
            }
            let more = cost.putting - without.putting;
            println!(
                "{round:<6} {count:>8} {words:>8} {:>8.2} {:>8.2} {:>14.2} {:>12.1} % {:>8.1} %",
                cost.wall,
                cost.cpu,
                cost.putting,
                100.0 * more / without.cpu,
                100.0 * more / (without.cpu + reading),
            );
        }
    }
}

/// Seconds of indexing: wall time, of all cores, and of the indexing thread.
#[derive(Clone, Copy, Default)]
struct Cost {
    wall: f64,
    cpu: f64,
    putting: f64,
}

/// One version of one page.
struct Version {
    page: PageNo,
    address: Arc<str>,
    at: Time,
    snapshot: Arc<Snapshot>,
}

/// The versions of a trace by time, their bytes, and the seconds of reading them.
fn versions(path: &Path) -> (Vec<Version>, usize, f64) {
    let mut reader = TraceReader::open(path).expect("a trace");
    let mut rows = vec![];
    for batch in reader.batches().expect("a trace that can be read") {
        rows.extend(batch.expect("rows"));
    }
    rows.sort_by_key(|row| row.at);
    let mut numbers: BTreeMap<String, (PageNo, Arc<str>)> = BTreeMap::new();
    let (mut versions, mut bytes) = (vec![], 0);
    let start = thread_seconds();
    for row in rows {
        let Some(body) = row.body else { continue };
        let next = (PageNo(numbers.len() as u32), row.url.as_str().into());
        let (page, address) = numbers.entry(row.url.clone()).or_insert(next).clone();
        let snapshot = Arc::new(extract::read::read(&row.url, &row.mime, &body));
        bytes += body.len();
        versions.push(Version { page, address, at: row.at, snapshot });
    }
    (versions, bytes, thread_seconds() - start)
}

/// Indexes all versions. Returns the number of query words and the cost.
fn index(versions: &[Version], workload: &Workload) -> (usize, Cost) {
    let home = tempfile::tempdir().expect("a folder for temporary files");
    let folder = home.path().join("data");
    drop(Store::open(&folder, Options::default()).expect("an empty folder"));
    let mut index = Index::open(&folder).expect("an empty index");
    let workload = workload.prepare(&[text::words::Language::English]);
    let (pages, links) = (Pages::default(), Links::default());
    let (start, cpu, thread) = (Instant::now(), cpu_seconds(), thread_seconds());
    let measure = |index: &Index| index.impact(&workload, Measure::by(Scoring::Bm25));
    let mut impact = (!workload.queries.is_empty()).then(|| measure(&index).expect("an index"));
    let week = |version: &Version| (version.at - versions[0].at).millis() / WEEK_MILLIS;
    let first = versions[0].at;
    // All pages of the start have the same time.
    let cycle = |version: &Version| if version.at == first { -1 } else { week(version) };
    for cycle in versions.chunk_by(|one, other| cycle(one) == cycle(other)) {
        if let Some(impact) = &mut impact {
            impact.begin_cycle(&CycleStart { pages: &pages, links: &links, has_plans: true });
        }
        for batch in cycle.chunks(COMMIT_PAGES) {
            for version in batch {
                let Version { page, address, at, snapshot } = version;
                if let Some(impact) = &mut impact {
                    let visit = Visited {
                        host: crawl::HostNo(0),
                        page: *page,
                        address,
                        at: *at,
                        outcome: Outcome::Changed(1.0),
                        new: Some(snapshot),
                        shows_new_link: false,
                        cost: crawl::Cost::default(),
                    };
                    impact.visited(&visit).expect("pages that can be read");
                }
                let document =
                    IndexDocument { page: *page, address, first_seen: *at, changed: *at, snapshot };
                index.put(&document).expect("a disk with room");
            }
            index.commit(0).expect("a disk with room");
        }
    }
    let putting = thread_seconds() - thread;
    drop(index);
    let cost = Cost { wall: start.elapsed().as_secs_f64(), cpu: cpu_seconds() - cpu, putting };
    (workload.vocabulary.len(), cost)
}

/// CPU seconds of this process so far; 0 if the system does not tell.
fn cpu_seconds() -> f64 {
    const TICKS_A_SECOND: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after.split_whitespace().skip(11).take(2);
    ticks.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / TICKS_A_SECOND
}

/// The same for this thread.
fn thread_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = stat.split_whitespace().next().and_then(|number| number.parse::<f64>().ok());
    nanoseconds.unwrap_or(0.0) / 1e9
}
