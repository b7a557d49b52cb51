//! A reproduction as one HTML file: verdicts first, then every figure, in the style of the lab's
//! report. No script, nothing from the network.
mod figures;
mod verdicts;

use lab::{
    report::{
        html::{ReportPage, each, escape, render_page},
        words,
    },
    results::WebFacts,
    tournament::PageSet,
};

use crate::{
    draw::length,
    judge::{Judged, summaries},
    plan::{Axis, LabelledPolicy, Part, Runs, WebKind, Work},
    reproduction::Reproduction,
    verdict::RULES,
};

/// Style of verdicts, besides that of the lab's report.
const MORE_STYLE: &str = include_str!("style.css");

/// The report; `date` is shown as it is.
pub fn html(reproduction: &Reproduction, judged: &[Judged], date: &str) -> String {
    let (title, over) = match reproduction.plan.paper {
        Some(paper) => (escape(paper.title), escape(paper.reference)),
        None => ("Experiments".to_owned(), "Sanderling lab".to_owned()),
    };
    render_page(&ReportPage {
        over: &over,
        title: &format!("{title}, reproduced"),
        style: MORE_STYLE,
        lead: &format!("{}{}", banner(reproduction), lead(reproduction, judged, date)),
        body: &format!(
            "{}{}{}{}{}",
            verdicts::section(judged),
            figures::sections(reproduction),
            rules(judged),
            webs(reproduction),
            settings(reproduction)
        ),
    })
}

fn banner(reproduction: &Reproduction) -> String {
    if !reproduction.is_quick {
        return String::new();
    }
    "<p class=banner role=status><b>Quick.</b> One seed on few and small webs: too few to draw conclusions.</p>".to_owned()
}

fn lead(reproduction: &Reproduction, judged: &[Judged], date: &str) -> String {
    let [world, recorded] = summaries(judged);
    let claims = if judged.is_empty() {
        "No paper is named, so there is nothing to judge.".to_owned()
    } else {
        format!(
            "{}. In the paper’s own world: <b>{world}</b>. On recorded sites: <b>{recorded}</b>.",
            words::count(judged.len(), "claim")
        )
    };
    let left_out = each(&reproduction.left_out, |left| {
        format!(
            " {} was left out: most of its pages are in {}.",
            escape(&left.name),
            escape(&left.inside)
        )
    });
    format!("<p class=lead>{claims} {}.{left_out}</p>", escape(date))
}

fn rules(judged: &[Judged]) -> String {
    if judged.is_empty() {
        return String::new();
    }
    let rules = each(RULES, |rule| format!("<li>{}</li>", escape(rule)));
    format!(
        "<section id=rules><h2>How verdicts are reached</h2><ul class=prose>{rules}<li>p is Wilcoxon’s signed-rank test by web, corrected by Holm over all comparisons of the paper on one kind of web. t is the paper’s own test, which assumes independent cycles and so finds differences too easily. Neither is used in a verdict.</li></ul></section>"
    )
}

fn webs(reproduction: &Reproduction) -> String {
    let table = |(kind, webs): &(WebKind, Vec<WebFacts>)| {
        let rows = each(webs, |web| {
            let queries = web.workload.as_ref().map_or_else(String::new, words::workload);
            format!(
                "<tr><th scope=row>{}</th><td class=n>{}</td><td class=n>{}</td><td class=n>{}</td><td>{}</td><td>{}</td></tr>",
                escape(&web.trace),
                web.pages_at_start,
                web.pages,
                web.versions,
                escape(&web.source),
                escape(&queries)
            )
        });
        format!(
            "<div class=scroll tabindex=0><table class=words><caption>{}</caption><thead><tr><th scope=col>web</th><th class=n scope=col>pages at start</th><th class=n scope=col>pages ever</th><th class=n scope=col>versions</th><th scope=col>source</th><th scope=col>queries</th></tr></thead><tbody>{rows}</tbody></table></div>",
            described(*kind)
        )
    };
    format!("<section><h2>Webs</h2>{}</section>", each(&reproduction.webs, table))
}

/// A kind of web in words.
pub(crate) fn described(kind: WebKind) -> &'static str {
    match kind {
        WebKind::Together => "together: repositories of many recorded sites",
        WebKind::Sites => "sites: every trace by itself",
        WebKind::World => "world: the paper’s own, synthetic webs of the kind in their names",
    }
}

fn settings(reproduction: &Reproduction) -> String {
    let lines = each(&reproduction.plan.parts, |part| match &part.work {
        Work::Analysis { .. } => {
            format!("{}: measured on the webs themselves\n", escape(&part.name))
        }
        Work::Runs(runs) => format!("{}: {}\n", escape(&part.name), escape(&of_runs(runs))),
    });
    format!(
        "<section><h2>Settings</h2><pre>detector = {}\n{lines}</pre></section>",
        escape(&reproduction.plan.detector)
    )
}

/// The settings of a part in one line.
pub(crate) fn of_runs(runs: &Runs) -> String {
    let cycles: Vec<String> = runs.cycle.iter().copied().map(length).collect();
    let budgets: Vec<String> = runs.budgets.iter().map(|budget| words::short(*budget)).collect();
    let seeds: Vec<String> = runs.seeds.iter().map(u64::to_string).collect();
    let policies = policies(runs);
    let count = runs.cycles.map_or_else(String::new, |cycles| format!("{cycles} "));
    let queries = match runs.queries {
        0 => String::new(),
        queries => format!("; at most {queries} queries"),
    };
    let pages = match runs.pages {
        PageSet::Fixed => "",
        PageSet::Growing => "; links are followed",
    };
    format!(
        "{count}cycles of {}; budgets {}; seeds {}{queries}{pages}; {}",
        cycles.join(", "),
        budgets.join(", "),
        seeds.join(", "),
        policies.join("; ")
    )
}

/// The policies of a part; those that differ only in the parameter of the axis are one.
fn policies(runs: &Runs) -> Vec<String> {
    let Axis::Parameter(key) = &runs.axis else {
        let named = |entry: &LabelledPolicy| format!("{} = {}", entry.label, entry.policy.name());
        return runs.policies.iter().map(named).collect();
    };
    let mut lines: Vec<(String, Vec<i64>)> = vec![];
    for entry in &runs.policies {
        let is_other = |part: &&str| part.split_once('=').is_none_or(|(name, _)| name != key);
        let policy = entry.policy.name();
        let rest: Vec<&str> = policy.split(':').filter(is_other).collect();
        let name = format!("{} = {}", entry.label, rest.join(":"));
        match lines.last_mut() {
            Some((last, values)) if *last == name => values.extend(entry.x),
            _ => lines.push((name, entry.x.into_iter().collect())),
        }
    }
    let in_words = |(name, values): (String, Vec<i64>)| match values.as_slice() {
        [] => name,
        [first, .., last] if last - first + 1 == values.len() as i64 => {
            format!("{name} with {key} from {first} to {last}")
        }
        values => {
            let values: Vec<String> = values.iter().map(i64::to_string).collect();
            format!("{name} with {key} {}", values.join(", "))
        }
    };
    lines.into_iter().map(in_words).collect()
}

/// The heading of a part: its figure and its title.
pub(crate) fn heading(part: &Part) -> String {
    format!("{}: {}", part.figure, part.title)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn in_words(axis: &str, list: &str) -> String {
        let text = format!(
            "[[part]]\nname = \"a\"\ntitle = \"a\"\nfigure = \"a\"\nwebs = [\"sites\"]\n\
             cycle = [\"2w\"]\ncycles = 24\nbudgets = [0.088]\nmetrics = [\"change_ratio\"]\n\
             axis = \"{axis}\"\npolicies = [{list}]\n"
        );
        let plan = parse(&text).unwrap();
        let Work::Runs(runs) = &plan.parts[0].work else { panic!("it runs policies") };
        of_runs(runs)
    }

    #[test]
    fn policies_along_the_axis_are_listed_as_one() {
        assert_eq!(
            in_words("d", "\"DB = directory-sample:d=-1..2\", \"RNS = random\""),
            "24 cycles of 2w; budgets 0.088; seeds 1; DB = directory-sample with d from -1 to 2; \
             RNS = random"
        );
        assert_eq!(
            in_words("d", "\"DB = directory-sample:d=0\", \"DB = directory-sample:d=4\""),
            "24 cycles of 2w; budgets 0.088; seeds 1; DB = directory-sample with d 0, 4"
        );
        assert_eq!(
            in_words("policy", "\"DB = directory-sample:d=0\""),
            "24 cycles of 2w; budgets 0.088; seeds 1; DB = directory-sample:d=0"
        );
    }
}
