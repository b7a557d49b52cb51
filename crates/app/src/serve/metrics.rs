//! `/metrics` in the text format of Prometheus, version 0.0.4.
mod overview;

use std::{
    collections::BTreeMap,
    fmt::Write,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use crawl::{Allowance, Span};
use store::CycleSummary;

use super::{
    body::Streams,
    following::Published,
    state::{State, lock},
};
use crate::live::failing::host_reason;

/// Upper bounds of the buckets of the histogram, in seconds.
const BUCKETS: [f64; 12] = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0];

/// Counters since the start.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    requests: Mutex<BTreeMap<(&'static str, u16), u64>>,
    times: Mutex<BTreeMap<&'static str, Times>>,
    searches: AtomicU64,
    log_failures: AtomicU64,
    /// Open streams of events.
    pub(crate) streams: Streams,
}

/// The times that answers took.
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    /// By bucket; the last one is for longer times.
    counts: [u64; BUCKETS.len() + 1],
    seconds: f64,
}

impl Metrics {
    /// Counts an answer.
    pub(crate) fn answered(&self, route: &'static str, status: u16, time: Duration) {
        *lock(&self.requests).entry((route, status)).or_default() += 1;
        let seconds = time.as_secs_f64();
        let bucket = BUCKETS.partition_point(|&end| end < seconds);
        let mut all = lock(&self.times);
        let times = all.entry(route).or_default();
        times.counts[bucket] += 1;
        times.seconds += seconds;
    }

    /// Counts a search.
    pub(crate) fn searched(&self) {
        self.searches.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a failure to write the query log.
    pub(crate) fn log_failed(&self) {
        self.log_failures.fetch_add(1, Ordering::Relaxed);
    }
}

/// The whole text.
pub(crate) fn text(state: &State) -> String {
    let mut page = Exposition::default();
    let published = state.following.published();
    repository(&mut page, &published);
    overview::write(&mut page, state, &published);
    if let Ok(searcher) = state.searcher() {
        let position = searcher.position();
        let lag = published.status.totals.observations.saturating_sub(position);
        page.one(
            "index_position",
            "gauge",
            "Last observation in the search index",
            position as f64,
        );
        page.one(
            "index_lag_observations",
            "gauge",
            "Observations not yet in the search index",
            lag as f64,
        );
        page.one("index_pages", "gauge", "Pages in the search index", searcher.pages() as f64);
    }
    let metrics = &state.metrics;
    let searches = metrics.searches.load(Ordering::Relaxed);
    page.one("searches_total", "counter", "Searches answered", searches as f64);
    let failures = metrics.log_failures.load(Ordering::Relaxed);
    let help = "Failed writes of the query log";
    page.one("query_log_failures_total", "counter", help, failures as f64);
    page.head("requests_total", "counter", "Requests answered");
    for ((route, status), &count) in &*lock(&metrics.requests) {
        let labels = [("route", (*route).to_owned()), ("status", status.to_string())];
        page.value("requests_total", &labels, count as f64);
    }
    page.head("request_duration_seconds", "histogram", "Time to make an answer");
    for (route, times) in &*lock(&metrics.times) {
        page.times(route, times);
    }
    page.head("build_info", "gauge", "The running version; always 1");
    let version = [("version", env!("CARGO_PKG_VERSION").to_owned())];
    page.value("build_info", &version, 1.0);
    page.text
}

/// What the data folder holds, and its estimates.
fn repository(page: &mut Exposition, published: &Published) {
    let status = &published.status;
    if let Some(freshness) = &status.freshness {
        if freshness.is_known() {
            let help = "Estimated share of held pages that are up to date, once its interval is at \
                        most 30 points wide";
            page.one("index_freshness_ratio", "gauge", help, freshness.share);
        }
        let help = "Lower bound of the 95 % confidence interval of index_freshness_ratio";
        page.one("index_freshness_ratio_low", "gauge", help, freshness.low);
        let help = "Upper bound of the 95 % confidence interval of index_freshness_ratio";
        page.one("index_freshness_ratio_high", "gauge", help, freshness.high);
    }
    if let Some(seconds) = published.mean_seconds_since_seen {
        let help = "Mean time since held pages were last seen";
        page.one("index_age_seconds", "gauge", help, seconds);
    }
    let totals = &status.totals;
    page.head("pages", "gauge", "Known pages by state");
    for (name, count) in [
        ("held", totals.held),
        ("linked", totals.linked),
        ("missing", totals.missing),
        ("gone", totals.gone),
    ] {
        page.value("pages", &[("state", name.to_owned())], count as f64);
    }
    let seeds = status.failing.seeds.len() as f64;
    page.one("failing_seeds", "gauge", "Seeds that gave nothing", seeds);
    let mut reasons: BTreeMap<String, u32> = BTreeMap::new();
    for host in &status.failing.hosts {
        let reason = host_reason(host).map_or("back-off".to_owned(), |reason| reason.label);
        *reasons.entry(reason).or_default() += 1;
    }
    let help = "Hosts of which nothing is held or that cannot be reached now, by reason";
    page.head("failing_hosts", "gauge", help);
    for (reason, count) in reasons {
        page.value("failing_hosts", &[("reason", reason)], f64::from(count));
    }
    page.one("observations", "gauge", "Observations in the log", totals.observations as f64);
    page.head("visits_total", "counter", "Visits in the log by outcome");
    let tally = &published.tally;
    for (name, count) in [
        ("first", tally.first),
        ("same", tally.same),
        ("changed", tally.changed),
        ("missing", tally.missing),
        ("gone", tally.gone),
        ("failed", tally.failed),
        ("unreached", tally.unreached),
        ("refused", tally.refused),
        ("unreachable", tally.unreachable),
    ] {
        page.value("visits_total", &[("outcome", name.to_owned())], f64::from(count));
    }
    if let Some(cycle) = status.cycles.last() {
        let visits = cycle.outcomes.visits() as f64;
        page.one("cycle_visits", "gauge", "Visits made in the last cycle", visits);
        if let Some(received) = cycle.received {
            let help = "Bytes received in the last cycle";
            page.one("cycle_received_bytes", "gauge", help, received as f64);
        }
        if let Some(budget) = cycle.budget {
            write_budget(page, budget, cycle);
        }
    }
    page.one("archive_bytes", "gauge", "Size of all WARC files", totals.archive_bytes as f64);
}

/// The budget of a cycle in its unit, and the share that was spent.
fn write_budget(page: &mut Exposition, budget: Allowance, cycle: &CycleSummary) {
    let seconds = |span: Span| span.millis() as f64 / 1e3;
    let (name, help, most, spent) = match budget {
        Allowance::Visits(visits) => {
            let spent = Some(cycle.outcomes.visits() as f64);
            ("budget_visits", "Budget of the last cycle, in visits", f64::from(visits), spent)
        }
        Allowance::Bytes(bytes) => {
            let spent = cycle.received.map(|received| received as f64);
            ("budget_bytes", "Budget of the last cycle, in bytes", bytes as f64, spent)
        }
        Allowance::Time(time) => {
            let spent = cycle.ended.map(|ended| seconds(ended - cycle.started));
            ("budget_seconds", "Budget of the last cycle, in seconds", seconds(time), spent)
        }
    };
    page.one(name, "gauge", help, most);
    if let Some(spent) = spent.filter(|_| most > 0.0) {
        let help = "Share of the budget that the last cycle spent";
        page.one("budget_spent_ratio", "gauge", help, spent / most);
    }
}

/// The text that is being written.
#[derive(Default)]
struct Exposition {
    text: String,
}

impl Exposition {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.text, "# HELP sanderling_{name} {help}.");
        let _ = writeln!(self.text, "# TYPE sanderling_{name} {kind}");
    }

    fn value(&mut self, name: &str, labels: &[(&str, String)], value: f64) {
        let _ = write!(self.text, "sanderling_{name}");
        let pairs: Vec<String> =
            labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
        if !pairs.is_empty() {
            let _ = write!(self.text, "{{{}}}", pairs.join(","));
        }
        let _ = writeln!(self.text, " {value}");
    }

    fn one(&mut self, name: &str, kind: &str, help: &str, value: f64) {
        self.head(name, kind, help);
        self.value(name, &[], value);
    }

    fn times(&mut self, route: &str, times: &Times) {
        let mut sum = 0;
        let ends = BUCKETS.iter().map(ToString::to_string).chain(["+Inf".to_owned()]);
        for (end, count) in ends.zip(times.counts) {
            sum += count;
            let labels = [("route", route.to_owned()), ("le", end)];
            self.value("request_duration_seconds_bucket", &labels, sum as f64);
        }
        let labels = [("route", route.to_owned())];
        self.value("request_duration_seconds_sum", &labels, times.seconds);
        self.value("request_duration_seconds_count", &labels, sum as f64);
    }
}

/// The value of a label, escaped for quotes.
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
