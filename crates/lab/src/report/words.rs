//! The wording of numbers and findings, shared by the terminal and the HTML report.
use super::stats::{Difference, Estimate, SHARE_MARGIN, Spread};
use super::summary::{BASELINE, Summary};
use crate::metric::{Aggregate, METRICS};
use crate::oracle;
use crate::results::WorkloadFacts;

/// Metrics that are shares between 0 and 1.
const SHARES: &[&str] = &[
    "freshness",
    "freshness_mean",
    "weighted_freshness",
    "change_ratio",
    "coverage",
    "quality_tf_idf",
    "quality_in_links",
    "quality_blend",
    "freshness_at_10",
    "precision_at_10",
    "embarrassment",
    "new_coverage",
    "undiscoverable",
    "new_per_visit",
];

/// Whether a policy uses the ground truth: an upper bound, not a competitor.
pub(crate) fn is_oracle(policy: &str) -> bool {
    oracle::is_oracle(policy)
}

/// The position of a metric in [`METRICS`].
pub(crate) fn metric(name: &str) -> usize {
    METRICS.iter().position(|metric| metric.name == name).unwrap_or_default()
}

/// A metric's name as words.
pub fn spaced(name: &str) -> String {
    name.replace('_', " ")
}

/// Whether a metric, by its position in [`METRICS`], is a share.
pub fn is_share(metric: usize) -> bool {
    SHARES.contains(&METRICS[metric].name)
}

/// The largest difference that counts as equal.
pub(crate) fn margin(metric: usize) -> f64 {
    if is_share(metric) { SHARE_MARGIN } else { 0.0 }
}

/// An untrusted name with control characters replaced.
pub fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// The value of a metric: shares with three decimals, others with three significant digits, counts
/// as integers.
pub(crate) fn value(metric: usize, value: f64) -> String {
    if is_share(metric) {
        format!("{value:.3}")
    } else if METRICS[metric].aggregate == Aggregate::Sum && value.fract() == 0.0 {
        format!("{value:.0}")
    } else {
        significant(value)
    }
}

/// The same with a sign.
pub(crate) fn signed(metric: usize, difference: f64) -> String {
    let text = value(metric, difference.abs());
    let is_zero = text.chars().all(|c| c == '0' || c == '.');
    match difference {
        _ if is_zero => text,
        negative if negative < 0.0 => format!("\u{2212}{text}"),
        _ => format!("+{text}"),
    }
}

/// A number with as few decimals as it needs, at most four.
pub fn short(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A budget for a label: `5 %` or `200 visits`.
pub fn budget(budget: f64) -> String {
    if budget < 1.0 {
        format!("{}\u{a0}%", short(budget * 100.0))
    } else {
        let unit = if budget < 2.0 { "visit" } else { "visits" };
        format!("{}\u{a0}{unit}", short(budget))
    }
}

/// A budget for a sentence.
pub(crate) fn budget_in_full(value: f64) -> String {
    let of = if value < 1.0 { " of the pages" } else { "" };
    format!("{}{of} per cycle", budget(value))
}

/// A count with its noun: `1 web`, `18 webs`.
pub fn count(number: usize, noun: &str) -> String {
    let noun = match (number, noun.strip_suffix('y').filter(|stem| !stem.ends_with('a'))) {
        (1, _) => noun.to_owned(),
        (_, Some(stem)) => format!("{stem}ies"),
        (_, None) => format!("{noun}s"),
    };
    format!("{number}\u{a0}{noun}")
}

/// A sentence about the size of the experiment.
pub(crate) fn extent(summary: &Summary<'_>) -> String {
    let oracles = summary.policies.iter().filter(|name| is_oracle(name)).count();
    let policies = count(summary.policies.len() - oracles, "policy");
    let beside =
        if oracles == 0 { String::new() } else { format!(" beside {}", count(oracles, "oracle")) };
    format!(
        "{policies}{beside} on {}, with {} and up to {}: {} runs.",
        count(summary.webs.len(), "web"),
        count(summary.budgets.len(), "budget"),
        count(summary.seeds(), "seed"),
        summary.results.runs.len(),
    )
}

/// The number and the source of the queries of a web.
pub fn workload(facts: &WorkloadFacts) -> String {
    let WorkloadFacts { source, is_pseudo, queries, answered, kept, .. } = facts;
    if *is_pseudo {
        format!("{kept} {source}")
    } else {
        format!("{kept} {source}, of {queries}, of which any page answers {answered}")
    }
}

/// The findings for one budget. `name` formats the names of policies and webs, which are untrusted;
/// the rest has no characters that are special in HTML.
pub(crate) fn finding(
    summary: &Summary<'_>,
    budget: usize,
    name: &dyn Fn(&str) -> String,
) -> Option<String> {
    let freshness = metric("freshness");
    let rivals = summary.ranked(budget, false);
    let first = *rivals.first()?;
    let estimate = summary.estimate(first, budget, freshness)?;
    let over = match summary.averaged(budget) {
        [web] => format!("on {}", name(summary.webs[*web])),
        webs => format!("mean over {}", count(webs.len(), "web")),
    };
    let mut text = format!(
        "With {}, {} had the highest freshness: {} ({over}{})",
        budget_in_full(summary.budgets[budget]),
        name(summary.policies[first]),
        value(freshness, estimate.mean),
        spread(freshness, estimate.spread, "; "),
    );
    if summary.policies[first] == BASELINE {
        text.push_str("; no policy was above it");
    } else if let Some(difference) = summary.difference(first, budget, freshness) {
        text.push_str(&against_baseline(freshness, &difference, name));
    }
    text.push('.');
    text.push_str(&distance_to_bounds(summary, budget, &estimate, name));
    text.push_str(&change_ratio(summary, budget, &rivals, name));
    Some(text)
}

/// `, 0.021 above round-robin (95 % interval by site 0.012 to 0.030)`
fn against_baseline(
    metric: usize,
    difference: &Difference,
    name: &dyn Fn(&str) -> String,
) -> String {
    let side = if difference.mean < 0.0 { "below" } else { "above" };
    let interval = spread(metric, difference.spread, "");
    let interval = if interval.is_empty() { interval } else { format!(" ({interval})") };
    let zero = match difference.spread {
        Spread::Sites(interval) if interval.contains(0.0) => {
            ", so these webs do not tell the two apart"
        }
        _ => "",
    };
    format!(", {} {side} {}{interval}{zero}", value(metric, difference.mean.abs()), name(BASELINE))
}

fn distance_to_bounds(
    summary: &Summary<'_>,
    budget: usize,
    estimate: &Estimate,
    name: &dyn Fn(&str) -> String,
) -> String {
    let freshness = metric("freshness");
    let mut parts = Vec::new();
    // `ideal` has no budget and is always 1; `greedy-cover` does not aim at freshness.
    let is_scale = |policy: &str| policy != "ideal" && !policy.starts_with("greedy-cover");
    let mut oracles = summary.ranked(budget, true).into_iter();
    let oracle = oracles.find(|&oracle| is_scale(summary.policies[oracle]));
    if let Some((oracle, mean)) =
        oracle.and_then(|oracle| Some((oracle, summary.mean(oracle, budget, freshness)?)))
    {
        let gap = gap(freshness, mean - estimate.mean);
        let (name, mean) = (name(summary.policies[oracle]), value(freshness, mean));
        parts.push(format!("{name}, an oracle, reached {mean}, {gap}"));
    }
    if let Some(bound) = summary.bound(budget, freshness) {
        let gap = gap(freshness, bound - estimate.mean);
        parts.push(format!("the certified bound is {}, {gap}", value(freshness, bound)));
    }
    if parts.is_empty() { String::new() } else { format!(" For scale: {}.", parts.join("; ")) }
}

fn gap(metric: usize, gap: f64) -> String {
    let side = if gap < 0.0 { "below" } else { "above" };
    format!("{} {side}", value(metric, gap.abs()))
}

/// The change ratio is always shown, too: the policy that finds the most changes is often not the
/// freshest.
fn change_ratio(
    summary: &Summary<'_>,
    budget: usize,
    rivals: &[usize],
    name: &dyn Fn(&str) -> String,
) -> String {
    let ratio = metric("change_ratio");
    let means =
        rivals.iter().filter_map(|rival| Some((*rival, summary.mean(*rival, budget, ratio)?)));
    let Some((highest, mean)) = means.reduce(|one, two| if two.1 > one.1 { two } else { one })
    else {
        return String::new();
    };
    let difference = summary.difference(highest, budget, ratio);
    let against = difference.map(|difference| against_baseline(ratio, &difference, name));
    format!(
        " The highest change ratio was that of {}: {}{}.",
        name(summary.policies[highest]),
        value(ratio, mean),
        against.unwrap_or_default(),
    )
}

/// The interval after `before`; empty if there is none.
pub(crate) fn spread(metric: usize, spread: Spread, before: &str) -> String {
    let what = match spread {
        Spread::Unknown => return String::new(),
        Spread::Seeds(_) => "over seeds",
        Spread::Sites(_) => "95\u{a0}% interval by site",
    };
    let interval = spread.interval().map(|interval| {
        let (low, high) = (interval.low, interval.high);
        if low < 0.0 {
            format!("{} to {}", signed(metric, low), signed(metric, high))
        } else {
            format!("{} to {}", value(metric, low), value(metric, high))
        }
    });
    format!("{before}{what} {}", interval.unwrap_or_default())
}

/// Three significant digits; an integer from 1000 on.
fn significant(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    if size < 1e-6 {
        return format!("{value:.2e}");
    }
    let decimals = (2 - size.log10().floor() as i64).clamp(0, 8) as usize;
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_three_digits() {
        let cases = [
            (0.0, "0"),
            (3.0, "3.00"),
            (0.012_345, "0.0123"),
            (12.345, "12.3"),
            (123_456.7, "123457"),
            (2.5e-9, "2.50e-9"),
        ];
        for (number, text) in cases {
            assert_eq!(significant(number), text);
        }
    }

    #[test]
    fn a_budget_below_one_is_a_share() {
        assert_eq!(budget(0.07), "7\u{a0}%");
        assert_eq!(budget(0.005), "0.5\u{a0}%");
        assert_eq!(budget(200.0), "200\u{a0}visits");
    }

    #[test]
    fn a_difference_that_rounds_to_nothing_has_no_sign() {
        assert_eq!(signed(metric("freshness"), -0.0001), "0.000");
        assert_eq!(signed(metric("freshness"), -0.01), "\u{2212}0.010");
    }
}
