//! The tables of results: an overview by budget, all metrics of a budget, and by web.
use super::chart::LineStyle;
use super::figures::BOUND;
use super::{each, escape};
use crate::metric::METRICS;
use crate::report::stats::{Estimate, Interval, Spread};
use crate::report::summary::{BASELINE, Summary};
use crate::report::words;

/// The overview: a row for each budget with the freshest policy, round robin, the oracle and the
/// bound.
pub(crate) fn glance(summary: &Summary<'_>) -> String {
    let (freshness, ratio) = (words::metric("freshness"), words::metric("change_ratio"));
    let row = |budget: usize| {
        let rivals = summary.ranked(budget, false);
        let first = rivals.first().copied();
        let named = |policy: Option<usize>, metric: usize| -> String {
            let found = policy.and_then(|policy| {
                let mean = words::value(metric, summary.mean(policy, budget, metric)?);
                Some(format!(
                    "<td>{}</td><td class=n>{mean}</td>",
                    escape(summary.policies[policy])
                ))
            });
            found.unwrap_or_else(|| "<td></td><td class=n>–</td>".to_owned())
        };
        let difference = |policy: Option<usize>, metric: usize| -> String {
            let found = policy.and_then(|policy| summary.difference(policy, budget, metric));
            let text = found.map(|difference| {
                let interval = between(metric, difference.spread, true);
                format!("{}{interval}", words::signed(metric, difference.mean))
            });
            text.unwrap_or_else(|| "–".to_owned())
        };
        let most_changes = rivals
            .iter()
            .filter_map(|rival| Some((*rival, summary.mean(*rival, budget, ratio)?)))
            .reduce(|one, two| if two.1 > one.1 { two } else { one })
            .map(|found| found.0);
        let number = |value: Option<f64>| {
            value.map_or_else(|| "–".to_owned(), |value| words::value(freshness, value))
        };
        let oracle = summary.ranked(budget, true).first().copied();
        format!(
            "<tr><th scope=row>{}</th>{}<td class=n>{}</td><td class=n>{}</td><td class=n>{}</td>{}<td class=n>{}</td></tr>",
            words::budget(summary.budgets[budget]),
            named(first, freshness),
            difference(first, freshness),
            number(oracle.and_then(|oracle| summary.mean(oracle, budget, freshness))),
            number(summary.bound(budget, freshness)),
            named(most_changes, ratio),
            difference(most_changes, ratio),
        )
    };
    format!(
        concat!(
            "<div class=scroll tabindex=0><table class=glance><thead><tr><th rowspan=2>budget</th>",
            "<th colspan=3 scope=colgroup>highest freshness</th>",
            "<th class=n rowspan=2>oracle’s<br>freshness</th>",
            "<th class=n rowspan=2>certified<br>bound</th>",
            "<th colspan=3 scope=colgroup>highest change ratio</th></tr>",
            "<tr><th>policy</th><th></th><th class=n>above round robin</th>",
            "<th>policy</th><th></th><th class=n>above round robin</th></tr></thead>",
            "<tbody>{}</tbody></table></div>"
        ),
        each(0..summary.budgets.len(), row)
    )
}

/// Every metric of every policy with one budget.
pub(crate) fn of_budget(
    summary: &Summary<'_>,
    styles: &[LineStyle],
    bound_style: &LineStyle,
    budget: usize,
) -> String {
    let (rivals, oracles) = (summary.ranked(budget, false), summary.ranked(budget, true));
    let powers: Vec<i32> = (0..METRICS.len())
        .map(|metric| {
            let all = rivals.iter().chain(&oracles);
            power(metric, all.filter_map(|policy| summary.mean(*policy, budget, metric)))
        })
        .collect();
    let head = each(METRICS.iter().zip(&powers), |(metric, power)| {
        let unit = if *power == 0 {
            String::new()
        } else {
            format!(" <span class=unit>×\u{a0}10<sup>−{power}</sup></span>")
        };
        format!(
            r#"<th class=n scope=col title="{}">{}{unit}</th>"#,
            escape(metric.meaning),
            words::spaced(metric.name)
        )
    });
    let best: Vec<Option<f64>> = (0..METRICS.len())
        .map(|metric| {
            let means = rivals.iter().map(|rival| summary.mean(*rival, budget, metric));
            Summary::best(metric, means)
        })
        .collect();
    let row = |policy: usize, class: &str, best: Option<&[Option<f64>]>| {
        let cells = each(0..METRICS.len(), |metric| {
            let estimate = summary.estimate(policy, budget, metric);
            let is_best = best.is_some_and(|best| {
                estimate.is_some() && best[metric] == estimate.as_ref().map(|found| found.mean)
            });
            cell(metric, estimate.as_ref(), is_best, powers[metric])
        });
        let note = if summary.policies[policy] == BASELINE { "<i>baseline</i>" } else { "" };
        format!(
            "<tr{class}><th scope=row>{}<span>{}{note}</span></th>{cells}</tr>",
            styles[policy].key(),
            escape(summary.policies[policy])
        )
    };
    let rival_rows = each(&rivals, |policy| {
        let class = if summary.policies[*policy] == BASELINE { " class=basis" } else { "" };
        row(*policy, class, Some(&best))
    });
    let oracle_rows = each(&oracles, |policy| row(*policy, "", None));
    let bounds: Vec<Option<f64>> =
        (0..METRICS.len()).map(|metric| summary.bound(budget, metric)).collect();
    let bound_row = if bounds.iter().any(Option::is_some) {
        let cells = each(bounds.iter().enumerate(), |(metric, bound)| {
            let scaled = |bound: f64| words::value(metric, bound * 10_f64.powi(powers[metric]));
            let text = bound.map_or_else(String::new, scaled);
            format!("<td class=n>{text}</td>")
        });
        format!("<tr><th scope=row>{}<span>{BOUND}</span></th>{cells}</tr>", bound_style.key())
    } else {
        String::new()
    };
    let apart = if oracle_rows.is_empty() && bound_row.is_empty() {
        String::new()
    } else {
        format!(
            "<tbody class=apart><tr><th colspan={} scope=rowgroup>Upper bounds, not rivals: these know the truth</th></tr>{oracle_rows}{bound_row}</tbody>",
            METRICS.len() + 1
        )
    };
    format!(
        "<div class=scroll tabindex=0><table class=main><thead><tr><th scope=col>policy</th>{head}</tr></thead><tbody>{rival_rows}</tbody>{apart}</table></div>"
    )
}

/// The power of ten by which values of a metric are scaled. Without scaling, small numbers such as
/// sums of `PageRank` would be mostly zeros.
fn power(metric: usize, values: impl Iterator<Item = f64>) -> i32 {
    let largest = values.map(f64::abs).fold(0.0, f64::max);
    if words::is_share(metric) || largest == 0.0 || largest >= 0.01 {
        return 0;
    }
    -largest.log10().floor() as i32
}

fn cell(metric: usize, estimate: Option<&Estimate>, is_best: bool, power: i32) -> String {
    let Some(estimate) = estimate else { return "<td class=n>–</td>".to_owned() };
    let factor = 10_f64.powi(power);
    let value = words::value(metric, estimate.mean * factor);
    let value = if is_best { format!("<b>{value}</b>") } else { value };
    let scaled =
        |interval: Interval| Interval { low: interval.low * factor, high: interval.high * factor };
    let spread = match estimate.spread {
        Spread::Sites(interval) => Spread::Sites(scaled(interval)),
        Spread::Seeds(interval) => Spread::Seeds(scaled(interval)),
        Spread::Unknown => Spread::Unknown,
    };
    format!("<td class=n>{value}{}</td>", between(metric, spread, false))
}

/// The interval in small print; empty if its ends are equal.
pub(crate) fn between(metric: usize, spread: Spread, with_sign: bool) -> String {
    let Some(interval) = spread.interval() else { return String::new() };
    let text = |value| {
        if with_sign { words::signed(metric, value) } else { words::value(metric, value) }
    };
    let middle = if with_sign { " to " } else { "–" };
    let (low, high) = (text(interval.low), text(interval.high));
    if low == high { String::new() } else { format!("<small>{low}{middle}{high}</small>") }
}

/// Freshness and change ratio of every policy and budget on one web.
pub(crate) fn of_web(summary: &Summary<'_>, web: usize) -> String {
    let metrics = [words::metric("freshness"), words::metric("change_ratio")];
    let budgets: Vec<usize> = (0..summary.budgets.len()).collect();
    let mean =
        |policy: usize, budget: usize, metric: usize| summary.web_mean(policy, budget, web, metric);
    let has_runs =
        |policy: &usize| budgets.iter().any(|budget| mean(*policy, *budget, metrics[0]).is_some());
    let policies: Vec<usize> = (0..summary.policies.len()).filter(has_runs).collect();
    let (oracles, rivals): (Vec<usize>, Vec<usize>) =
        policies.iter().partition(|policy| words::is_oracle(summary.policies[**policy]));
    if policies.is_empty() {
        return "<p class=faint>No run on this web is finished.</p>".to_owned();
    }
    let upper = each(metrics, |metric| {
        format!(
            "<th colspan={} scope=colgroup>{}</th>",
            budgets.len(),
            words::spaced(METRICS[metric].name)
        )
    });
    let columns: Vec<(usize, usize)> = metrics
        .iter()
        .flat_map(|metric| budgets.iter().map(move |budget| (*metric, *budget)))
        .collect();
    let edge = |budget: usize| if budget == 0 { "n edge" } else { "n" };
    let lower = each(&columns, |(_, budget)| {
        format!(
            "<th class=\"{}\" scope=col>{}</th>",
            edge(*budget),
            words::budget(summary.budgets[*budget])
        )
    });
    let best: Vec<Option<f64>> = columns
        .iter()
        .map(|(metric, budget)| {
            Summary::best(*metric, rivals.iter().map(|rival| mean(*rival, *budget, *metric)))
        })
        .collect();
    let line = |name: &str, values: &mut dyn Iterator<Item = (Option<f64>, bool)>| {
        let cells = each(columns.iter().zip(values), |((metric, budget), (value, is_best))| {
            let text = value.map_or_else(|| "–".to_owned(), |value| words::value(*metric, value));
            let text = if is_best { format!("<b>{text}</b>") } else { text };
            format!("<td class=\"{}\">{text}</td>", edge(*budget))
        });
        format!("<tr><th scope=row>{}</th>{cells}</tr>", escape(name))
    };
    let row = |policy: usize, is_rival: bool| {
        let mut values = columns.iter().zip(&best).map(|((metric, budget), best)| {
            let value = mean(policy, *budget, *metric);
            (value, is_rival && value.is_some() && value == *best)
        });
        line(summary.policies[policy], &mut values)
    };
    let bounds: Vec<(Option<f64>, bool)> = columns
        .iter()
        .map(|(metric, budget)| (summary.web_bound(web, summary.budgets[*budget], *metric), false))
        .collect();
    let has_bounds = bounds.iter().any(|bound| bound.0.is_some());
    let bound_row = if has_bounds { line(BOUND, &mut bounds.into_iter()) } else { String::new() };
    format!(
        "<div class=scroll tabindex=0><table><thead><tr><th rowspan=2>policy</th>{upper}</tr><tr>{lower}</tr></thead><tbody>{}</tbody><tbody class=apart>{}{bound_row}</tbody></table></div>",
        each(rivals, |policy| row(policy, true)),
        each(oracles, |policy| row(policy, false)),
    )
}
