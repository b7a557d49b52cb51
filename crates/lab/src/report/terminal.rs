//! The plain-text table at the end of a tournament, at most [`WIDTH`] columns wide.
use super::summary::Summary;
use super::words;
use crate::metric::METRICS;
use crate::results::Results;

/// The maximum width of a line.
pub const WIDTH: usize = 100;

/// Metrics of every run.
const COLUMNS: &[&str] = &[
    "freshness",
    "freshness_mean",
    "weighted_freshness",
    "age",
    "change_ratio",
    "coverage",
    "changes_caught",
    "visits",
];

/// Metrics of some runs, in tables of their own: with a workload, and with growing pages.
const MORE_COLUMNS: [&[&str]; 2] = [
    &[
        "quality_tf_idf",
        "quality_in_links",
        "quality_blend",
        "freshness_at_10",
        "precision_at_10",
        "embarrassment",
    ],
    &[
        "new_coverage",
        "undiscoverable",
        "overhead",
        "overhead_of_sums",
        "delay",
        "new_per_visit",
        "new_pages",
    ],
];

/// Metrics that are dropped if names are long; the files have them.
const FIRST_TO_GO: &[&str] = &["weighted_freshness", "quality_in_links", "new_pages"];

/// Names are cut to this width if that is not enough.
const SHORTEST_NAMES: usize = 12;

/// The width of web names in the lines about queries.
const LONGEST_WEBS: usize = 24;

/// The gap between columns; the mark of the best value takes its first place.
const GAP: usize = 2;

/// The name of the row of the certified bound.
const BOUND: &str = "certified bound";

/// The tables, with a paragraph about each budget.
pub fn table(results: &Results) -> String {
    let summary = Summary::new(results);
    let extent = words::extent(&summary);
    let mut out = wrapped(&format!("{extent} A star marks the best policy of a column."));
    if results.runs.len() < results.planned {
        let (finished, planned) = (results.runs.len(), results.planned);
        let text = format!("Unfinished: {finished} of {planned} planned runs are done.");
        out.push_str(&wrapped(&text));
    }
    out.push_str(&workloads(results));
    for budget in 0..summary.budgets.len() {
        out.push('\n');
        out.push_str(&of_budget(&summary, budget, COLUMNS));
        for columns in MORE_COLUMNS.iter().filter(|columns| has_any(&summary, budget, columns)) {
            out.push('\n');
            out.push_str(&of_budget(&summary, budget, columns));
        }
        if let Some(finding) = words::finding(&summary, budget, &words::plain) {
            out.push_str(&wrapped(&finding));
        }
    }
    out
}

/// A line about the workload of each web; empty if there is none.
fn workloads(results: &Results) -> String {
    let workloads: Vec<(String, String)> = results
        .webs
        .iter()
        .filter_map(|web| Some((words::plain(&web.trace), web.workload.as_ref()?)))
        .map(|(web, facts)| (web, words::plain(&words::workload(facts))))
        .collect();
    let longest = workloads.iter().map(|(web, _)| web.chars().count()).max().unwrap_or_default();
    let names = longest.min(LONGEST_WEBS);
    let mut out = String::new();
    for (number, (web, facts)) in workloads.iter().enumerate() {
        let head = if number == 0 { "Queries by web\n" } else { "" };
        let line = format!("  {:<names$}  {facts}", cut(web, names));
        out.push_str(head);
        out.push_str(&cut(&line, WIDTH));
        out.push('\n');
    }
    out
}

/// Whether any run with a budget has one of these metrics.
fn has_any(summary: &Summary<'_>, budget: usize, columns: &[&str]) -> bool {
    let metrics = || columns.iter().map(|name| words::metric(name));
    (0..summary.policies.len())
        .any(|policy| metrics().any(|metric| summary.mean(policy, budget, metric).is_some()))
}

/// One row of cells; the first is the name.
type Row = Vec<String>;

fn of_budget(summary: &Summary<'_>, budget: usize, columns: &[&str]) -> String {
    let (rivals, oracles) = (summary.ranked(budget, false), summary.ranked(budget, true));
    let names = rivals.iter().chain(&oracles).map(|policy| summary.policies[*policy]);
    let longest = names.map(|name| name.chars().count()).max().unwrap_or_default();
    let longest = longest.max(BOUND.len());

    let all: Vec<usize> = columns.iter().map(|name| words::metric(name)).collect();
    let mut rows = Rows::new(summary, budget, &rivals, &oracles, &all);
    if rows.width(longest) > WIDTH {
        let fewer = columns.iter().filter(|name| !FIRST_TO_GO.contains(name));
        let fewer: Vec<usize> = fewer.map(|name| words::metric(name)).collect();
        rows = Rows::new(summary, budget, &rivals, &oracles, &fewer);
    }
    let room = (longest + WIDTH).saturating_sub(rows.width(longest));
    rows.text(longest.min(room.max(SHORTEST_NAMES)))
}

struct Rows {
    head: [Row; 2],
    rivals: Vec<Row>,
    oracles: Vec<Row>,
    bound: Option<Row>,
    /// By column, except that of names.
    widths: Vec<usize>,
}

impl Rows {
    fn new(
        summary: &Summary<'_>,
        budget: usize,
        rivals: &[usize],
        oracles: &[usize],
        metrics: &[usize],
    ) -> Self {
        let mean = |policy: usize, metric: usize| summary.mean(policy, budget, metric);
        let best: Vec<Option<f64>> = metrics
            .iter()
            .map(|metric| Summary::best(*metric, rivals.iter().map(|rival| mean(*rival, *metric))))
            .collect();
        let row = |policy: &usize, is_rival: bool| {
            let cells = metrics.iter().zip(&best).map(|(metric, best)| {
                let value = mean(*policy, *metric);
                let mark = if is_rival && value.is_some() && value == *best { '*' } else { ' ' };
                format!("{}{mark}", shown(*metric, value))
            });
            std::iter::once(words::plain(summary.policies[*policy])).chain(cells).collect::<Row>()
        };
        let bounds: Vec<Option<f64>> =
            metrics.iter().map(|metric| summary.bound(budget, *metric)).collect();
        let bound = bounds.iter().any(Option::is_some).then(|| {
            let cells = metrics.iter().zip(&bounds);
            let cells = cells.map(|(metric, bound)| match bound {
                Some(_) => format!("{} ", shown(*metric, *bound)),
                None => String::new(),
            });
            std::iter::once(BOUND.to_owned()).chain(cells).collect()
        });
        let mut rows = Self {
            head: head(&words::budget(summary.budgets[budget]), metrics),
            rivals: rivals.iter().map(|policy| row(policy, true)).collect(),
            oracles: oracles.iter().map(|policy| row(policy, false)).collect(),
            bound,
            widths: Vec::new(),
        };
        rows.widths = (1..=metrics.len())
            .map(|column| rows.all().map(|row| row[column].chars().count()).max().unwrap_or(0))
            .collect();
        rows
    }

    fn all(&self) -> impl Iterator<Item = &Row> {
        self.head.iter().chain(&self.rivals).chain(&self.oracles).chain(&self.bound)
    }

    fn width(&self, names: usize) -> usize {
        names + self.widths.iter().map(|width| width + GAP - 1).sum::<usize>()
    }

    fn text(&self, names: usize) -> String {
        let rule = |title: &str| {
            let dashes = self.width(names).saturating_sub(title.chars().count());
            format!("{title}{}\n", "-".repeat(dashes))
        };
        let mut out = String::new();
        for row in &self.head {
            out.push_str(&self.line(names, row));
        }
        out.push_str(&rule(""));
        for row in &self.rivals {
            out.push_str(&self.line(names, row));
        }
        if !self.oracles.is_empty() || self.bound.is_some() {
            out.push_str(&rule("upper bounds, not rivals "));
        }
        for row in self.oracles.iter().chain(&self.bound) {
            out.push_str(&self.line(names, row));
        }
        out
    }

    fn line(&self, names: usize, row: &Row) -> String {
        let mut out = format!("{:<names$}", cut(&row[0], names));
        for (cell, width) in row[1..].iter().zip(&self.widths) {
            let width = width + GAP - 1;
            out = format!("{out}{cell:>width$}");
        }
        format!("{}\n", out.trim_end())
    }
}

/// The names of metrics on two lines, so that columns are narrow.
fn head(budget: &str, metrics: &[usize]) -> [Row; 2] {
    let (mut upper, mut lower) = (vec!["budget".to_owned()], vec![budget.to_owned()]);
    for metric in metrics {
        let (first, second) =
            METRICS[*metric].name.split_once('_').unwrap_or(("", METRICS[*metric].name));
        upper.push(format!("{first} "));
        lower.push(format!("{second} "));
    }
    [upper, lower]
}

fn shown(metric: usize, value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| words::value(metric, value))
}

fn cut(name: &str, width: usize) -> String {
    if name.chars().count() <= width {
        return name.to_owned();
    }
    let kept: String = name.chars().take(width.saturating_sub(1)).collect();
    format!("{kept}\u{2026}")
}

/// Wraps a text to lines of at most [`WIDTH`]; a longer word gets a line of its own.
pub fn wrapped(text: &str) -> String {
    let mut out = String::new();
    let mut width = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        if width > 0 && width + 1 + length > WIDTH {
            out.push('\n');
            width = 0;
        } else if width > 0 {
            out.push(' ');
            width += 1;
        }
        out.push_str(word);
        width += length;
    }
    out.push('\n');
    out
}
