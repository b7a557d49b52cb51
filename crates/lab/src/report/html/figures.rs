//! The charts of the report: metrics by budget and over time.
use super::chart::{Chart, Line, LineStyle};
use super::scale::{around_zero, fitted};
use crate::report::summary::{BASELINE, Summary};
use crate::report::words;

/// The approximate maximum number of points of a line over time.
const POINTS: usize = 120;

/// Budgets whose ratio exceeds this factor are shown on a logarithmic axis.
const WIDE: f64 = 6.0;

/// The name of the certified bound.
pub(crate) const BOUND: &str = "certified bound";

/// A metric by budget, with the oracles and the certified bound; absolute, or as the difference
/// from round robin, which shows differences that the effect of the budget would hide.
pub(crate) fn against_budget(
    summary: &Summary<'_>,
    styles: &[LineStyle],
    bound_style: &LineStyle,
    name: &str,
    above: Option<usize>,
) -> String {
    let metric = words::metric(name);
    let (places, x_title) = budget_places(&summary.budgets);
    let less = |value: Option<f64>, budget: usize| match above {
        Some(baseline) => Some(value? - summary.mean(baseline, budget, metric)?),
        None => value,
    };
    let line = |title, style, value: &dyn Fn(usize) -> Option<f64>| {
        let values: Vec<Option<f64>> =
            (0..places.len()).map(|budget| less(value(budget), budget)).collect();
        let note = |(budget, value): (&f64, &Option<f64>)| {
            let value = value.map_or_else(String::new, |value| match above {
                Some(_) => words::signed(metric, value),
                None => words::value(metric, value),
            });
            format!("{title}, {}: {value}", words::budget(*budget))
        };
        Line {
            name: title,
            style,
            notes: summary.budgets.iter().zip(&values).map(note).collect(),
            points: places
                .iter()
                .zip(values)
                .map(|(place, value)| Some((*place, value?)))
                .collect(),
            band: vec![],
            note: String::new(),
        }
    };
    let lines: Vec<Line<'_>> = order(summary)
        .into_iter()
        .map(|policy| {
            line(summary.policies[policy], &styles[policy], &|budget| {
                summary.mean(policy, budget, metric)
            })
        })
        .filter(|line| line.points.iter().any(Option::is_some))
        .collect();
    let bound = line(BOUND, bound_style, &|budget| summary.bound(budget, metric));
    let bound = bound.points.iter().any(Option::is_some).then_some(bound);
    let points = lines.iter().chain(&bound).flat_map(|line| line.points.iter().flatten());
    let values = points.map(|point| point.1);
    let y = if above.is_some() { around_zero(values) } else { fitted(metric, values) };
    let caption = if above.is_some() {
        format!("above {BASELINE}, against the budget")
    } else {
        "against the budget".to_owned()
    };
    let spaced = words::spaced(name);
    let texts = summary
        .budgets
        .iter()
        .map(|budget| if *budget < 1.0 { words::budget(*budget) } else { words::short(*budget) });
    let chart = Chart {
        id: format!("{}-{name}", if above.is_some() { "above" } else { "budget" }),
        label: format!("Line chart: {spaced} of each policy {caption}"),
        x: (places[0], places[places.len() - 1]),
        x_ticks: places.iter().copied().zip(texts).collect(),
        x_title,
        y,
        warm_up: None,
        mark: None,
        bound,
        lines,
    };
    chart.figure(&spaced, &caption)
}

/// A metric over time with one budget.
pub(crate) fn over_time(
    summary: &Summary<'_>,
    styles: &[LineStyle],
    budget: usize,
    name: &str,
) -> String {
    let metric = words::metric(name);
    let (shortest, longest) = summary.range_of_runs(budget, |run| run.cycles.len());
    let warm_up = summary.range_of_runs(budget, |run| run.warm_up).1.min(longest);
    let size = longest.div_ceil(POINTS).max(1);
    let lines: Vec<Line<'_>> = order(summary)
        .into_iter()
        .filter_map(|policy| {
            let values = summary.by_cycle(policy, budget, metric);
            let mean = summary.mean(policy, budget, metric)?;
            Some(Line {
                name: summary.policies[policy],
                style: &styles[policy],
                points: binned(&values, warm_up, size),
                band: vec![],
                note: format!(": {} over the measured cycles", words::value(metric, mean)),
                notes: Vec::new(),
            })
        })
        .collect();
    // The scale ignores the warm-up, whose values differ from the rest; lines are clipped there.
    let start = if warm_up < longest { warm_up as f64 } else { 0.0 };
    let points = lines.iter().flat_map(|line| line.points.iter().flatten());
    let y = fitted(metric, points.filter(|point| point.0 > start).map(|point| point.1));
    let spaced = words::spaced(name);
    let bins = if size > 1 { format!(", means of {size} cycles") } else { String::new() };
    let lengths = if shortest < longest {
        format!(
            "; webs last {shortest} to {longest} cycles, each point is over those that reach it"
        )
    } else {
        String::new()
    };
    let caption = format!("by cycle{bins}{lengths}");
    let chart = Chart {
        id: format!("time-{budget}-{name}"),
        label: format!(
            "Line chart: {spaced} of each policy by cycle, with {}",
            words::budget_in_full(summary.budgets[budget])
        ),
        x: if longest > 1 { (1.0, longest as f64) } else { (0.5, 1.5) },
        x_ticks: if longest > 1 { Vec::new() } else { vec![(1.0, "1".to_owned())] },
        x_title: "cycle",
        y,
        warm_up: (warm_up > 0).then_some(warm_up as f64 + 0.5),
        mark: None,
        bound: None,
        lines,
    };
    chart.figure(&spaced, &caption)
}

/// The drawing order: oracles, policies, then round robin on top.
fn order(summary: &Summary<'_>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..summary.policies.len()).collect();
    let baseline = summary.baseline();
    order.sort_by_key(|policy| {
        (!words::is_oracle(summary.policies[*policy]), Some(*policy) == baseline)
    });
    order
}

/// The positions of budgets on the axis, and its title. Shares and visits have no common scale, so
/// a mixture is evenly spaced.
fn budget_places(budgets: &[f64]) -> (Vec<f64>, &'static str) {
    let (least, most) = (budgets[0], budgets[budgets.len() - 1]);
    let places = |log: bool| -> Vec<f64> {
        budgets.iter().map(|budget| if log { budget.ln() } else { *budget }).collect()
    };
    let log = least > 0.0 && most / least > WIDE;
    if most < 1.0 {
        (places(log), if log { LOG_SHARES } else { SHARES })
    } else if least >= 1.0 {
        (places(log), if log { LOG_VISITS } else { VISITS })
    } else {
        ((0..budgets.len()).map(|index| index as f64).collect(), "visits per cycle")
    }
}

const SHARES: &str = "visits per cycle, as a share of the pages";
const LOG_SHARES: &str = "visits per cycle, as a share of the pages (logarithmic)";
const VISITS: &str = "visits per cycle";
const LOG_VISITS: &str = "visits per cycle (logarithmic)";

/// Means over `size` cycles each, at their mean cycle. No mean includes the end of the warm-up.
fn binned(values: &[Option<f64>], warm_up: usize, size: usize) -> Vec<Option<(f64, f64)>> {
    let (before, after) = values.split_at(warm_up.min(values.len()));
    let bins = |part: &[Option<f64>], start: usize| -> Vec<Option<(f64, f64)>> {
        part.chunks(size)
            .enumerate()
            .map(|(bin, chunk)| {
                let defined: Vec<f64> = chunk.iter().copied().flatten().collect();
                let first = start + bin * size + 1;
                let cycle = first as f64 + (chunk.len() - 1) as f64 / 2.0;
                Some((cycle, crate::report::stats::mean(&defined)?))
            })
            .collect()
    };
    let mut all = bins(before, 0);
    all.extend(bins(after, before.len()));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_do_not_span_the_end_of_the_warm_up() {
        let values = [Some(1.0), Some(2.0), Some(4.0), None, Some(8.0)];
        let expected = vec![Some((1.0, 1.0)), Some((2.5, 3.0)), Some((4.5, 8.0))];
        assert_eq!(binned(&values, 1, 2), expected);
    }
}
