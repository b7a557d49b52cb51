//! Notes beside the numbers: how to read them, what they mean, and their sources.
use super::tables;
use super::{each, escape};
use crate::metric::{Aggregate, Better, METRICS};
use crate::report::stats::{RESAMPLES, SEED, SHARE_MARGIN};
use crate::report::summary::Summary;
use crate::report::words;
use crate::results::{Results, WorkloadFacts};

/// The line above the table of a budget.
pub(crate) fn table(summary: &Summary<'_>, budget: usize) -> String {
    let over = match summary.averaged(budget) {
        [web] if summary.seeds() > 1 => format!(
            "Means over seeds on {}; small print: least and greatest over seeds.",
            escape(summary.webs[*web])
        ),
        [web] => format!("One seed on {}.", escape(summary.webs[*web])),
        webs => format!(
            "Means over {}; small print: 95\u{a0}% interval by site.",
            words::count(webs.len(), "web")
        ),
    };
    let (least, most) = summary.range_of_runs(budget, |run| run.visits as usize);
    let visits =
        if least == most { format!("{least}") } else { format!("{least} to {most}, by web") };
    format!(
        "{over} Rows by freshness, the best of a column among policies in bold. Visits per cycle: {visits}."
    )
}

/// The line above the differences of a budget.
pub(crate) fn difference(summary: &Summary<'_>, budget: usize) -> String {
    if summary.averaged(budget).len() > 1 {
        let points = words::short(SHARE_MARGIN * 100.0);
        format!(
            "Paired by web. A dot is a web, the bar the 95\u{a0}% interval by site, the large dot the mean. Equal: within {points}\u{a0}points. Detectable: the true difference that this many webs would show four times of five."
        )
    } else {
        "Paired by seed. The bar goes from the least to the greatest seed, the large dot is the mean."
            .to_owned()
    }
}

/// The results by web, folded.
pub(crate) fn by_web(summary: &Summary<'_>) -> String {
    let freshness = words::metric("freshness");
    let webs = each(0..summary.webs.len(), |web| {
        let middle = super::middle(summary.budgets.len());
        let first = (0..summary.policies.len())
            .filter(|policy| !words::is_oracle(summary.policies[*policy]))
            .filter_map(|policy| Some((policy, summary.web_mean(policy, middle, web, freshness)?)))
            .reduce(|one, two| if two.1 > one.1 { two } else { one });
        let hint = first.map_or_else(String::new, |(policy, mean)| {
            format!(
                " <span class=faint>highest freshness with {}: {}, {}</span>",
                words::budget(summary.budgets[middle]),
                escape(summary.policies[policy]),
                words::value(freshness, mean)
            )
        });
        format!(
            "<details><summary><b>{}</b>{hint}</summary>{}</details>",
            escape(summary.webs[web]),
            tables::of_web(summary, web)
        )
    });
    format!("<section><h2>Web by web</h2>{webs}</section>")
}

/// How the numbers were computed, and their limits.
pub(crate) fn reading(summary: &Summary<'_>) -> String {
    let webs = (0..summary.budgets.len()).map(|budget| summary.averaged(budget).len()).max();
    let webs = webs.unwrap_or_default();
    let intervals = if webs > 1 {
        let few = if webs < 10 {
            format!(" With {webs} webs it is rough and tends to be too narrow.")
        } else {
            String::new()
        };
        format!(
            "<li>Intervals are by site: webs, not pages or cycles, are drawn again {RESAMPLES} times with replacement (cluster bootstrap, splitmix64 from seed {SEED}), and the middle 95\u{a0}% of the means is shown.{few} Each interval stands alone: comparing many policies makes it likelier that one styles good by chance.</li>"
        )
    } else {
        "<li>One web: nothing here says how a policy does on another. Spreads are over seeds and only show how much chance inside the policy matters.</li>".to_owned()
    };
    let oracles = if summary.policies.iter().any(|policy| words::is_oracle(policy)) {
        "<li>Oracles know the truth that no crawler has. They show how much is left to gain and are never counted among the policies.</li>"
    } else {
        ""
    };
    let bound = if summary.results.bounds.is_empty() {
        ""
    } else {
        "<li>A certified bound is proven from the web’s whole history: no sequence of visits within the budget can pass it.</li>"
    };
    let workload = workload(summary.results);
    format!(
        "<section><h2>How to read this</h2><ul class=prose><li>A value of a run is taken over its measured cycles, those after the warm-up. Seeds of a web are averaged first, then webs; every web counts the same, large or small.</li>{intervals}{oracles}{bound}<li>Freshness and change ratio conflict: a policy that visits only pages that change all the time finds many changes and keeps few pages fresh. So both are shown.</li>{workload}</ul></section>"
    )
}

/// The note about workloads.
fn workload(results: &Results) -> String {
    let workloads: Vec<&WorkloadFacts> =
        results.webs.iter().filter_map(|web| web.workload.as_ref()).collect();
    if workloads.is_empty() {
        return "<li>Nothing was asked, so metrics that need queries are not defined.</li>"
            .to_owned();
    }
    let pseudo = workloads.iter().filter(|facts| facts.is_pseudo).count();
    let pseudo = match pseudo {
        0 => String::new(),
        some => format!(
            " On {} of {} they are <b>pseudo-queries</b>, made from titles, headings and links: nobody asked them, and what people ask may weigh pages otherwise.",
            some,
            words::count(workloads.len(), "web")
        ),
    };
    format!(
        "<li>Metrics of quality, freshness and precision of results, and embarrassment, depend on what is asked; the table of webs says what was.{pseudo} Relevance is judged automatically, by what the live web shows, not by people.</li>"
    )
}

/// The definitions of the metrics.
pub(crate) fn metrics() -> String {
    let rows = each(METRICS, |metric| {
        let better = match metric.better {
            Better::Higher => "higher",
            Better::Lower => "lower",
            Better::Neither => "–",
        };
        let aggregate = match metric.aggregate {
            Aggregate::Mean => "mean of cycles",
            Aggregate::Sum => "sum of cycles",
            Aggregate::Quotient(..) => "of all cycles",
        };
        format!(
            "<tr><th scope=row>{}</th><td>{}</td><td>{aggregate}</td><td>{better}</td></tr>",
            words::spaced(metric.name),
            escape(metric.meaning)
        )
    });
    format!(
        "<section><h2>Metrics</h2><div class=scroll tabindex=0><table class=words><thead><tr><th>metric</th><th>what it is</th><th>of a run</th><th>good is</th></tr></thead><tbody>{rows}</tbody></table></div></section>"
    )
}

/// The table of webs.
pub(crate) fn webs(results: &Results) -> String {
    if results.webs.is_empty() {
        return String::new();
    }
    let has_workload = results.webs.iter().any(|web| web.workload.is_some());
    let rows = each(&results.webs, |web| {
        format!(
            "<tr><th scope=row>{}</th><td class=n>{}</td><td class=n>{}</td><td class=n>{}</td><td>{}</td>{}</tr>",
            escape(&web.trace),
            web.pages_at_start,
            web.pages,
            web.versions,
            escape(&web.source),
            if has_workload { queries(web.workload.as_ref()) } else { String::new() }
        )
    });
    let head = if has_workload {
        "<th class=n>queries used</th><th class=n>answered</th><th class=n>asked</th><th class=n>least sum of TF-IDF</th><th>queries</th>"
    } else {
        ""
    };
    format!(
        "<section><h2>Webs</h2><div class=scroll tabindex=0><table class=words><thead><tr><th>web</th><th class=n>pages at start</th><th class=n>pages ever</th><th class=n>versions</th><th>source</th>{head}</tr></thead><tbody>{rows}</tbody></table></div></section>"
    )
}

/// The cells about the workload of a web.
fn queries(facts: Option<&WorkloadFacts>) -> String {
    let Some(WorkloadFacts { source, is_pseudo, queries, answered, kept, threshold }) = facts
    else {
        return "<td class=n>–</td>".repeat(4) + "<td>nothing was asked</td>";
    };
    let threshold = threshold.map_or_else(|| "–".to_owned(), words::short);
    let mark = if *is_pseudo { "<b>pseudo</b> " } else { "" };
    format!(
        "<td class=n>{kept}</td><td class=n>{answered}</td><td class=n>{queries}</td><td class=n>{threshold}</td><td>{mark}{}</td>",
        escape(source)
    )
}

/// The settings of the experiment.
pub(crate) fn settings(results: &Results) -> String {
    if results.settings.is_empty() {
        return String::new();
    }
    let lines =
        each(&results.settings, |(key, value)| format!("{} = {}\n", escape(key), escape(value)));
    format!("<section><h2>Settings</h2><pre>{lines}</pre></section>")
}
