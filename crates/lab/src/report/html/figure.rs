//! Figures as charts and tables.
use super::{
    chart::{Chart, Line, LineStyle},
    each, escape, example,
    scale::{Scale, fitted},
    scatter,
};
use crate::report::{
    figure::{Cell, Figure, Plot, Table},
    words,
};

const STRIP_WIDTH: f64 = 150.0;
const STRIP_HEIGHT: f64 = 18.0;

/// A figure as charts and tables. `id` is unique on the page.
pub fn drawn(figure: &Figure, id: &str) -> String {
    let Figure { plots, scatters, examples, tables } = figure;
    let informative = plots.iter().enumerate().filter(|(_, plot)| plot.is_informative());
    let drawn = each(informative, |(number, plot)| chart(plot, &format!("{id}-{number}")));
    let is_all_drawn = plots.iter().all(Plot::is_informative);
    let (scattered, example_pages) =
        (each(scatters, scatter::drawn), each(examples, example::html));
    // Tables with drawn cells are part of the figure; others are folded if a chart shows the same.
    let (marked, plain): (Vec<&Table>, Vec<&Table>) = tables
        .iter()
        .partition(|table| table.rows.iter().flatten().any(|cell| cell.mark.is_some()));
    let marked = each(marked, html_of);
    let is_drawn = !format!("{scattered}{drawn}{marked}{example_pages}").is_empty();
    let behind = if !is_drawn || !is_all_drawn {
        each(plain, html_of)
    } else if plain.is_empty() {
        String::new()
    } else {
        format!("<details><summary>In numbers</summary>{}</details>", each(plain, html_of))
    };
    format!("<div class=pair>{scattered}{drawn}{marked}</div>{example_pages}{behind}")
}

fn chart(plot: &Plot, id: &str) -> String {
    let names: Vec<&str> = plot.lines.iter().map(|line| line.name.as_str()).collect();
    let styles = LineStyle::all(&names);
    let lines: Vec<Line<'_>> = plot
        .lines
        .iter()
        .zip(&styles)
        .map(|(line, style)| Line {
            name: &line.name,
            style,
            points: line.points.iter().map(|point| Some((point.x, point.y?))).collect(),
            band: vec![],
            note: String::new(),
            notes: vec![],
        })
        .collect();
    let points = || lines.iter().flat_map(|line| line.points.iter().flatten());
    let (low, high) = points().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), point| {
        (low.min(point.0), high.max(point.0))
    });
    if low > high {
        return format!("<p class=faint>{}: nothing is defined.</p>", escape(&plot.title));
    }
    let x = if low < high { (low, high) } else { (low - 0.5, high + 0.5) };
    let metric = words::metric(if plot.is_share { "freshness" } else { "age" });
    let y = fitted(metric, points().map(|point| point.1));
    let chart = Chart {
        id: id.to_owned(),
        label: format!("Line chart: {} by {}", plot.title, plot.x_title),
        x,
        x_ticks: vec![],
        x_title: &plot.x_title,
        y,
        warm_up: None,
        mark: None,
        bound: None,
        lines,
    };
    chart.figure(&plot.title, &plot.caption)
}

fn html_of(table: &Table) -> String {
    let head = each(table.head.iter().enumerate(), |(column, text)| {
        let class = if column == 0 { "" } else { " class=n" };
        format!("<th{class} scope=col>{}</th>", escape(text))
    });
    let scales: Vec<Option<Scale>> =
        (0..table.head.len()).map(|column| scale(table, column)).collect();
    let rows = each(&table.rows, |row| {
        let cells = each(row.iter().enumerate(), |(column, cell)| {
            if column == 0 {
                return format!("<th scope=row>{}</th>", escape(&cell.text));
            }
            let interval = if cell.interval.is_empty() {
                String::new()
            } else {
                format!("<small>{}</small>", escape(&cell.interval))
            };
            let strip = strip(cell, scales.get(column).and_then(Option::as_ref));
            format!("<td class=n>{strip}{}{interval}</td>", escape(&cell.text))
        });
        format!("<tr>{cells}</tr>")
    });
    format!(
        "<div class=scroll tabindex=0><table><caption>{}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>",
        escape(&table.title)
    )
}

/// The scale of a column with drawn cells; 0 is at the left end.
fn scale(table: &Table, column: usize) -> Option<Scale> {
    let marks = table.rows.iter().filter_map(|row| row.get(column)?.mark);
    let high = marks
        .map(|(value, interval)| interval.map_or(value, |interval| interval.high.max(value)))
        .fold(0.0_f64, f64::max);
    let to = STRIP_WIDTH - 6.0;
    (high > 0.0).then_some(Scale { low: 0.0, high, from: 6.0, to })
}

fn strip(cell: &Cell, scale: Option<&Scale>) -> String {
    let (Some((value, interval)), Some(scale)) = (cell.mark, scale) else { return String::new() };
    let middle = STRIP_HEIGHT / 2.0;
    let bar = interval.map_or_else(String::new, |interval| {
        let (from, to) = (scale.at(interval.low), scale.at(interval.high));
        format!(r#"<path class="bar" d="M{from:.1} {middle}H{to:.1}"/>"#)
    });
    format!(
        r#"<svg class="strip c0" width="{STRIP_WIDTH}" height="{STRIP_HEIGHT}" viewBox="0 0 {STRIP_WIDTH} {STRIP_HEIGHT}" aria-hidden="true"><path class="axis" d="M6 0v{STRIP_HEIGHT}"/>{bar}<path class="mean" d="M{:.1} {middle}h0"/></svg>"#,
        scale.at(value)
    )
}
