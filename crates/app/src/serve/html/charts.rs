//! Charts of freshness and of what the visits of cycles found, drawn by the code of the lab's report.
use crawl::{Span, Time};
use lab::report::html::{
    bars::{Bar, Bars, Part},
    chart::{Chart, Line, LineStyle},
};
use maud::{Markup, PreEscaped, html};
use store::{CycleSummary, Outcomes};

use crate::{live::tally::grouped, serve::history::Band};

/// Ticks on an axis of time.
const TICKS: usize = 5;

/// The freshness of something over time.
pub(super) struct Series<'a> {
    pub(super) name: &'a str,
    pub(super) points: Vec<(Time, Option<Band>)>,
    pub(super) has_band: bool,
}

/// A chart of freshness in percent; nothing if there are fewer than two points.
pub(super) fn freshness(
    id: &str,
    label: &str,
    series: &[Series<'_>],
    target: Option<f64>,
) -> Option<Markup> {
    let times = || series.iter().flat_map(|series| series.points.iter().map(|&(at, _)| at));
    let (first, last) = (times().min()?, times().max()?);
    let known = series.iter().flat_map(|series| &series.points).filter(|(_, it)| it.is_some());
    if first == last || known.count() < 2 {
        return None;
    }
    let names: Vec<&str> = series.iter().map(|series| series.name).collect();
    let styles = LineStyle::all(&names);
    let goal = LineStyle::goal();
    let percent = |share: f32| f64::from(share) * 100.0;
    let mut lines: Vec<Line<'_>> = vec![];
    if let Some(target) = target {
        let ends = [first, last].map(|at| Some((at.millis() as f64, target * 100.0)));
        lines.push(Line {
            name: "target",
            style: &goal,
            points: ends.into(),
            band: vec![],
            note: format!(": {:.0} %", target * 100.0),
            notes: vec![],
        });
    }
    for (series, style) in series.iter().zip(&styles) {
        let point = |&(at, band): &(Time, Option<Band>)| {
            band.map(|band| (at.millis() as f64, percent(band.share)))
        };
        let interval = |&(_, band): &(Time, Option<Band>)| {
            band.map(|band| (percent(band.low), percent(band.high)))
        };
        let now = series.points.iter().rev().find_map(|&(_, band)| band);
        lines.push(Line {
            name: series.name,
            style,
            points: series.points.iter().map(point).collect(),
            band: if series.has_band {
                series.points.iter().map(interval).collect()
            } else {
                vec![]
            },
            note: now.map_or(String::new(), |now| format!(": {:.0} % now", percent(now.share))),
            notes: vec![],
        });
    }
    let chart = Chart {
        id: id.to_owned(),
        label: label.to_owned(),
        x: (first.millis() as f64, last.millis() as f64),
        x_ticks: time_ticks(first, last),
        x_title: "ends of cycles, and now (UTC)",
        y: percent_axis(&lines),
        warm_up: None,
        mark: None,
        bound: None,
        lines,
    };
    Some(self::lines("percent of held pages up to date", &chart))
}

/// The vertical axis of shares in percent. Half of it may be cut off, so that small differences show.
pub(super) fn percent_axis(lines: &[Line<'_>]) -> (f64, f64) {
    let lowest = |line: &Line<'_>| {
        let bands = line.band.iter().flatten().map(|&(low, _)| low);
        line.points.iter().flatten().map(|&(_, y)| y).chain(bands).fold(100.0, f64::min)
    };
    let lowest = lines.iter().map(lowest).fold(100.0, f64::min);
    (if lowest > 52.0 { 50.0 } else { 0.0 }, 100.0)
}

/// A line chart with the unit of its vertical axis.
pub(super) fn lines(unit: &str, chart: &Chart<'_>) -> Markup {
    // Without inline styles, by the policy of the pages: one of a few classes.
    let zoom = format!("zoom-{:.0}", (chart.zoom() / 10.0).floor().min(14.0) * 10.0);
    figure(unit, &chart.svg(), &chart.legend(), &zoom)
}

/// A drawing with the unit of its vertical axis and its legend.
fn figure(unit: &str, svg: &str, legend: &str, zoom: &str) -> Markup {
    html! {
        figure.chart.(zoom) {
            figcaption { (unit) }
            (PreEscaped(svg))
            ul.legend { (PreEscaped(legend)) }
        }
    }
}

/// Evenly spread ticks with dates, or times of day where a day or two are shown.
fn time_ticks(first: Time, last: Time) -> Vec<(f64, String)> {
    let span = (last - first).millis();
    (0..TICKS as i64)
        .map(|number| {
            let at = first.millis() + span * number / (TICKS as i64 - 1);
            (at as f64, tick(Time::from_millis(at), last - first))
        })
        .collect()
}

/// A short date, or a time of day if all dates are within two days.
fn tick(at: Time, span: Span) -> String {
    let format = if span > Span::from_days(2) { "%-d %b" } else { "%H:%M" };
    let stamp = jiff::Timestamp::from_millisecond(at.millis()).unwrap_or_default();
    stamp.strftime(format).to_string()
}

/// The outcomes of visits as the dashboard groups them, from the bottom of a bar up.
pub(super) const GROUPS: [(&str, &str); 6] = [
    ("changed", "c1"),
    ("new", "c2"),
    ("unchanged", "calm"),
    ("missing or gone", "c4"),
    ("failed", "c3"),
    ("waiting", "o"),
];

/// The counts of a cycle in the order of [`GROUPS`].
pub(super) fn groups(outcomes: &Outcomes) -> [u64; 6] {
    // Pages that robots.txt forbids are not requested and cost nothing.
    let Outcomes {
        first,
        same,
        changed,
        missing,
        gone,
        failed,
        unreached,
        unreachable,
        refused: _,
    } = *outcomes;
    [changed, first, same, missing + gone, failed + unreachable, unreached]
}

/// A bar for each cycle; nothing before the first.
pub(super) fn bought(cycles: &[CycleSummary]) -> Option<Markup> {
    let (first, last) = (cycles.first()?, cycles.last()?);
    let span = last.started - first.started;
    let bar = |cycle: &CycleSummary| {
        let counts = groups(&cycle.outcomes);
        let shown = GROUPS.iter().zip(counts).filter(|(_, count)| *count > 0);
        let words: Vec<String> =
            shown.map(|((name, _), count)| format!("{} {name}", grouped(count))).collect();
        let when = super::instant(cycle.started);
        Bar {
            tick: tick(cycle.started, span),
            note: format!("{} of {when}: {}", cycle.kind, words.join(", ")),
            parts: counts.map(|count| count as f64).into(),
        }
    };
    let chart = Bars {
        label: format!(
            "Stacked bars: what the visits of the last {} cycles found. The table has the numbers.",
            cycles.len()
        ),
        x_title: "start of cycle (UTC)",
        parts: GROUPS.iter().map(|&(name, class)| Part { name, class }).collect(),
        bars: cycles.iter().map(bar).collect(),
    };
    Some(figure("visits per cycle", &chart.svg(), &chart.legend(), ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(points: usize) -> Vec<(Time, Option<Band>)> {
        (0..points)
            .map(|day| {
                let band = Band { share: 0.9, low: 0.8, high: 0.95 };
                (Time::from_millis(0) + Span::from_days(day as i64), Some(band))
            })
            .collect()
    }

    #[test]
    fn a_chart_needs_two_points_and_shows_the_target() {
        let drawn = |points, target| {
            let series = [Series { name: "all <hosts>", points: series(points), has_band: true }];
            freshness("f", "Freshness", &series, target).map(PreEscaped::into_string)
        };
        assert_eq!(drawn(0, None), None);
        assert_eq!(drawn(1, Some(0.95)), None);
        let two = drawn(2, Some(0.95)).unwrap();
        assert!(two.contains("class=\"band\"") && two.contains(">target<"), "{two}");
        assert!(two.contains("all &lt;hosts&gt;") && !two.contains(" style="), "{two}");
        assert!(!drawn(9, None).unwrap().contains(">target<"));
    }

    #[test]
    fn ticks_are_dates_or_times_of_day() {
        let start = Time::from_millis(1_767_571_200_000);
        assert_eq!(tick(start, Span::from_days(30)), "5 Jan");
        assert_eq!(tick(start, Span::from_days(1)), "00:00");
    }
}
