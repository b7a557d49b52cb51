//! Differences from round robin, paired by web: a dot per web, a bar for the interval, a mark for
//! the mean.
use super::chart::LineStyle;
use super::scale::{Scale, around_zero};
use super::tables::between;
use super::{each, escape};
use crate::report::stats::{Difference, Score};
use crate::report::summary::Summary;
use crate::report::words;

const WIDTH: f64 = 164.0;
const ROW: f64 = 30.0;

/// A table of the differences of one metric with one budget; empty without round robin.
pub(crate) fn table(
    summary: &Summary<'_>,
    styles: &[LineStyle],
    budget: usize,
    name: &str,
) -> Option<String> {
    let metric = words::metric(name);
    let found = |oracles| -> Vec<(usize, Difference)> {
        let ranked = summary.ranked(budget, oracles).into_iter();
        ranked
            .filter_map(|policy| Some((policy, summary.difference(policy, budget, metric)?)))
            .collect()
    };
    let (rivals, oracles) = (found(false), found(true));
    if rivals.is_empty() && oracles.is_empty() {
        return None;
    }
    let all = rivals.iter().chain(&oracles).map(|row| &row.1);
    let ends = all.clone().flat_map(|difference| {
        let interval = difference.spread.interval();
        let ends = interval.map_or([difference.mean; 2], |interval| [interval.low, interval.high]);
        ends.into_iter().chain(difference.by_web.iter().copied())
    });
    let (low, high) = around_zero(ends);
    let scale = Scale { low, high, from: 6.0, to: WIDTH - 6.0 };
    let several = all.clone().any(|difference| difference.score.is_some());
    let row = |(policy, difference): &(usize, Difference)| {
        let score = difference.score.map_or_else(String::new, |score| {
            let Score { wins, ties, losses } = score;
            let detectable = difference.detectable.unwrap_or_default();
            format!(
                "<td class=\"n score\">{wins}<i>/</i>{ties}<i>/</i>{losses}</td><td class=\"n faint\">{}</td>",
                words::value(metric, detectable)
            )
        });
        format!(
            "<tr class=\"{}\"><th scope=row>{}</th><td class=strip>{}</td><td class=n>{}{}</td>{score}</tr>",
            styles[*policy].class(),
            escape(summary.policies[*policy]),
            strip(&scale, metric, difference),
            words::signed(metric, difference.mean),
            between(metric, difference.spread, true),
        )
    };
    let apart = if oracles.is_empty() {
        String::new()
    } else {
        format!("<tbody class=apart>{}</tbody>", each(&oracles, row))
    };
    let extra = if several {
        "<th class=n title=\"webs ahead of round robin, within the margin, behind\">ahead / equal / behind</th><th class=n title=\"a smaller true difference would often go unseen with this many webs\">detect&shy;able</th>"
    } else {
        ""
    };
    Some(format!(
        "<div class=scroll tabindex=0><table class=forest><caption>{}</caption><thead><tr><th>policy</th><th></th><th class=n>difference</th>{extra}</tr></thead><tbody>{}</tbody>{apart}<tfoot><tr><td></td><td class=strip>{}</td><td colspan=3></td></tr></tfoot></table></div>",
        words::spaced(name),
        each(&rivals, row),
        axis(&scale)
    ))
}

fn strip(scale: &Scale, metric: usize, difference: &Difference) -> String {
    let middle = ROW / 2.0;
    // Alternating heights separate dots with the same value.
    let dots = if difference.by_web.len() > 1 {
        let mut sorted = difference.by_web.clone();
        sorted.sort_by(f64::total_cmp);
        let dots = each(sorted.iter().enumerate(), |(index, value)| {
            let aside = [0.0, -5.0, 5.0][index % 3];
            format!("M{:.1} {:.1}h0", scale.at(*value), middle + aside)
        });
        format!(r#"<path class="dots" d="{dots}"/>"#)
    } else {
        String::new()
    };
    let bar = difference.spread.interval().map_or_else(String::new, |interval| {
        let (from, to) = (scale.at(interval.low), scale.at(interval.high));
        format!(r#"<path class="bar" d="M{from:.1} {middle}H{to:.1}"/>"#)
    });
    let at = scale.at(difference.mean);
    let label = format!("difference {}", words::signed(metric, difference.mean));
    format!(
        r#"<svg width="{WIDTH}" height="{ROW}" viewBox="0 0 {WIDTH} {ROW}" role="img" aria-label="{label}">{}{dots}{bar}<path class="mean" d="M{at:.1} {middle}h0"/></svg>"#,
        zero(scale, ROW)
    )
}

fn axis(scale: &Scale) -> String {
    let ticks = each(scale.ticks(3), |(value, text)| {
        let at = scale.at(value);
        let place = at.clamp(14.0, WIDTH - 14.0);
        format!(
            r#"<path class="tick" d="M{at:.1} 0v4"/><text x="{place:.1}" y="16" text-anchor="middle">{text}</text>"#
        )
    });
    format!(
        r#"<svg width="{WIDTH}" height="22" viewBox="0 0 {WIDTH} 22" aria-hidden="true"><path class="axis" d="M0 .5H{WIDTH}"/>{ticks}</svg>"#
    )
}

fn zero(scale: &Scale, height: f64) -> String {
    format!(r#"<path class="zero" d="M{:.1} 0v{height}"/>"#, scale.at(0.0))
}
