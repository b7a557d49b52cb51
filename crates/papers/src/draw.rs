//! Figures from measurements: lines and tables.
use crawl::Span;
use lab::{
    metric::METRICS,
    report::{
        figure::{Cell, Figure, Plot, Point, Series, Table},
        stats::Interval,
        words,
    },
};

use crate::{
    budget_needed,
    evidence::{Evidence, Measured, Query},
    plan::{Axis, LabelledPolicy, Part, Runs, Work},
    rules::short,
    sample::{Estimate, combined},
};

/// The figure of a part on one kind of web; `None` if nothing was measured.
pub fn figure(part: &Part, measured: &Measured, evidence: &Evidence<'_>) -> Option<Figure> {
    match (&part.work, measured) {
        (Work::Runs(runs), Measured::Runs(_)) => Some(RunsFigure { part, runs, evidence }.figure()),
        (Work::Analysis { .. }, Measured::Analysis(figure)) => Some(figure.clone()),
        _ => None,
    }
}

/// The runs of a part on one kind of web, to be drawn.
struct RunsFigure<'a> {
    part: &'a Part,
    runs: &'a Runs,
    evidence: &'a Evidence<'a>,
}

/// A cycle length and a budget of a run.
#[derive(Clone, Copy)]
struct Setting {
    cycle: usize,
    budget: usize,
}

impl RunsFigure<'_> {
    fn figure(&self) -> Figure {
        let mut figure = Figure::default();
        for &metric in &self.runs.metrics {
            match &self.runs.axis {
                Axis::Parameter(key) => self.over_parameter(metric, key, &mut figure),
                Axis::Cycle => self.over_cycles(metric, &mut figure),
                Axis::Budget => self.over_budgets(metric, &mut figure),
                Axis::Policy => figure.tables.push(self.by_policy(metric)),
            }
        }
        figure
    }

    fn settings(&self) -> Vec<Setting> {
        let of_cycle =
            |cycle| (0..self.runs.budgets.len()).map(move |budget| Setting { cycle, budget });
        (0..self.runs.cycle.len()).flat_map(of_cycle).collect()
    }

    /// The name of a setting; empty if there is only one.
    fn name(&self, setting: Setting) -> String {
        let cycle = (self.runs.cycle.len() > 1).then(|| length(self.runs.cycle[setting.cycle]));
        let budget =
            (self.runs.budgets.len() > 1).then(|| words::budget(self.runs.budgets[setting.budget]));
        cycle.into_iter().chain(budget).collect::<Vec<_>>().join(", ")
    }

    /// The labels in the order of the file, each once.
    fn labels(&self) -> Vec<&str> {
        let mut labels: Vec<&str> = vec![];
        for entry in &self.runs.policies {
            if !labels.contains(&entry.label.as_str()) {
                labels.push(&entry.label);
            }
        }
        labels
    }

    fn query(&self, entry: &LabelledPolicy, setting: Setting, metric: usize) -> Query {
        let query = Query::new(&self.part.name, &entry.label).metric(METRICS[metric].name);
        Query { x: entry.x, ..query.budget(setting.budget).cycle(setting.cycle) }
    }

    fn estimate(
        &self,
        entry: &LabelledPolicy,
        setting: Setting,
        metric: usize,
    ) -> Option<Estimate> {
        let query = self.query(entry, setting, metric);
        let sample = self.evidence.measured(&query).ok()?;
        combined(&[&sample], |values| values[0])
    }

    fn over_parameter(&self, metric: usize, key: &str, figure: &mut Figure) {
        let settings = self.settings();
        let xs: Vec<i64> = self.runs.policies.iter().filter_map(|entry| entry.x).collect();
        let (Some(&least), Some(&most)) = (xs.iter().min(), xs.iter().max()) else { return };
        let line = |label: &str, setting: Setting, name: String| {
            let entries = self.runs.policies.iter().filter(|entry| entry.label == label);
            let mut points: Vec<Point> = vec![];
            for entry in entries {
                let estimate = self.estimate(entry, setting, metric);
                let point = |x: i64| point(x as f64, estimate);
                // A policy without the parameter is constant.
                match entry.x {
                    Some(x) => points.push(point(x)),
                    None => points.extend([point(least), point(most)]),
                }
            }
            points.sort_by(|one, other| one.x.total_cmp(&other.x));
            Series { name, points }
        };
        let mut plot = |caption: String, lines: Vec<Series>| {
            let plot = Plot {
                title: words::spaced(METRICS[metric].name),
                caption,
                x_title: key.to_owned(),
                is_share: words::is_share(metric),
                lines,
            };
            figure.tables.push(over_x(&plot, key));
            figure.plots.push(plot);
        };
        if let [setting] = settings.as_slice() {
            let lines =
                self.labels().into_iter().map(|label| line(label, *setting, label.to_owned()));
            plot(String::new(), lines.collect());
        } else {
            for label in self.labels() {
                let named = |setting: &Setting| line(label, *setting, self.name(*setting));
                plot(label.to_owned(), settings.iter().map(named).collect());
            }
        }
    }

    fn over_cycles(&self, metric: usize, figure: &mut Figure) {
        for setting in self.settings() {
            let mut lines = vec![];
            let mut means = vec![Cell::text("mean")];
            for entry in &self.runs.policies {
                let query = self.query(entry, setting, metric);
                let values = self.evidence.by_cycle(&query).unwrap_or_default();
                let point = |(place, y): (usize, &Option<f64>)| Point {
                    x: (place + 1) as f64,
                    y: *y,
                    interval: None,
                };
                let points = values.iter().enumerate().map(point).collect();
                lines.push(Series { name: entry.label.clone(), points });
                means.push(cell(self.estimate(entry, setting, metric)));
            }
            let plot = Plot {
                title: words::spaced(METRICS[metric].name),
                caption: self.name(setting),
                x_title: "cycle".to_owned(),
                is_share: words::is_share(metric),
                lines,
            };
            let mut table = over_x(&plot, "cycle");
            table.rows.push(means);
            figure.tables.push(table);
            figure.plots.push(plot);
        }
    }

    fn over_budgets(&self, metric: usize, figure: &mut Figure) {
        let mut head = vec!["policy".to_owned()];
        head.extend(self.settings().into_iter().map(|setting| self.name(setting)));
        let mut rows = vec![];
        let mut lines = vec![];
        for entry in &self.runs.policies {
            let mut row = vec![Cell::text(&entry.label)];
            let mut points = vec![];
            for setting in self.settings() {
                let estimate = self.estimate(entry, setting, metric);
                row.push(cell(estimate));
                points.push(point(self.runs.budgets[setting.budget], estimate));
            }
            rows.push(row);
            lines.push(Series { name: entry.label.clone(), points });
        }
        let title = words::spaced(METRICS[metric].name);
        figure.tables.push(Table { title: title.clone(), head, rows });
        if METRICS[metric].name.starts_with("quality") && self.runs.cycle.len() == 1 {
            figure.tables.push(budget_needed::table(self.part, self.runs, self.evidence, metric));
        }
        figure.plots.push(Plot {
            title,
            caption: String::new(),
            x_title: "budget, as a share of the pages".to_owned(),
            is_share: words::is_share(metric),
            lines,
        });
    }

    fn by_policy(&self, metric: usize) -> Table {
        let settings = self.settings();
        let mut head = vec!["policy".to_owned()];
        head.extend(settings.iter().map(|setting| match self.name(*setting) {
            name if name.is_empty() => words::spaced(METRICS[metric].name),
            name => name,
        }));
        let row = |entry: &LabelledPolicy| {
            let mut row = vec![Cell::text(&entry.label)];
            row.extend(settings.iter().map(|setting| {
                let estimate = self.estimate(entry, *setting, metric);
                let mark = estimate.map(|estimate| (estimate.value, estimate.interval));
                Cell { mark, ..cell(estimate) }
            }));
            row
        };
        let rows = self.runs.policies.iter().map(row).collect();
        Table { title: words::spaced(METRICS[metric].name), head, rows }
    }
}

/// A point of a line.
pub(crate) fn point(x: f64, estimate: Option<Estimate>) -> Point {
    let interval = estimate.and_then(|estimate| estimate.interval);
    Point { x, y: estimate.map(|estimate| estimate.value), interval }
}

/// A plot with a title, a caption and a title of its horizontal axis.
pub(crate) fn plot(titles: [&str; 3], is_share: bool, lines: Vec<Series>) -> Plot {
    let [title, caption, x_title] = titles.map(str::to_owned);
    Plot { title, caption, x_title, is_share, lines }
}

/// Adds a plot and a table of its lines.
pub(crate) fn add(figure: &mut Figure, plot: Plot) {
    figure.tables.push(over_x(&plot, &plot.x_title));
    figure.plots.push(plot);
}

/// A table with the lines of a plot as columns.
pub(crate) fn over_x(plot: &Plot, first: &str) -> Table {
    let mut xs: Vec<f64> =
        plot.lines.iter().flat_map(|line| &line.points).map(|point| point.x).collect();
    xs.sort_by(f64::total_cmp);
    xs.dedup();
    let mut head = vec![first.to_owned()];
    head.extend(plot.lines.iter().map(|line| line.name.clone()));
    let row = |x: &f64| {
        let mut row = vec![Cell::text(words::short(*x).replace('-', "\u{2212}"))];
        row.extend(plot.lines.iter().map(|line| {
            let point = line.points.iter().find(|point| point.x.total_cmp(x).is_eq());
            let estimate = point
                .and_then(|point| Some(Estimate { value: point.y?, interval: point.interval }));
            cell(estimate)
        }));
        row
    };
    let caption =
        if plot.caption.is_empty() { String::new() } else { format!(", {}", plot.caption) };
    Table { title: format!("{}{caption}", plot.title), head, rows: xs.iter().map(row).collect() }
}

pub(crate) fn cell(estimate: Option<Estimate>) -> Cell {
    let Some(Estimate { value, interval }) = estimate else { return Cell::text("–") };
    Cell { text: short(value), interval: interval.map_or_else(String::new, between), mark: None }
}

/// An interval as text.
pub(crate) fn between(interval: Interval) -> String {
    format!("{} to {}", short(interval.low), short(interval.high))
}

/// A length of time as in experiment files.
pub(crate) fn length(span: Span) -> String {
    let hours = span.millis() / 3_600_000;
    match (hours % (7 * 24), hours % 24) {
        (0, _) => format!("{}w", hours / (7 * 24)),
        (_, 0) => format!("{}d", hours / 24),
        _ => format!("{hours}h"),
    }
}

/// A table with these column heads.
pub(crate) fn table<const N: usize>(title: &str, head: [&str; N], rows: Vec<Vec<Cell>>) -> Table {
    Table { title: title.to_owned(), head: head.map(str::to_owned).into(), rows }
}

/// A row of texts.
pub(crate) fn texts<const N: usize>(cells: [String; N]) -> Vec<Cell> {
    cells.map(Cell::text).into()
}

/// A figure of tables only.
pub(crate) fn of_tables(tables: Vec<Table>) -> Figure {
    Figure { tables, ..Figure::default() }
}
