//! A reproduction as a page of Markdown, as in `docs/results/`.
use std::fmt::Write;

use lab::report::figure::{Cell, Example, Table};

use crate::{
    draw::{self, between},
    evidence::Measured,
    judge::{Judged, summaries},
    plan::{Part, WebKind, Work},
    report::html::{described, heading, of_runs},
    reproduction::Reproduction,
    verdict::{Outcome, RULES, SubClaim, Verdict},
};

/// Claims with more parts than this have them folded.
const FOLDED: usize = 12;

/// The page; `date` is shown as it is.
pub fn page(reproduction: &Reproduction, judged: &[Judged], date: &str) -> String {
    let mut out = String::new();
    match reproduction.plan.paper {
        Some(paper) => {
            let _ = write!(out, "# {}, reproduced\n\n{}. ", paper.title, paper.reference);
        }
        None => out.push_str("# Experiments\n\n"),
    }
    let _ = writeln!(out, "{date}; webs and settings at the end.");
    if reproduction.is_quick {
        out.push_str("\n**Quick**: one seed on few and small webs, too few to draw conclusions.\n");
    }
    for left in &reproduction.left_out {
        let _ = write!(
            out,
            "\n`{}` was left out: most of its pages are in `{}`.\n",
            left.name, left.inside
        );
    }
    out.push_str(&verdicts(judged));
    for one in judged {
        out.push_str(&claim(one));
    }
    for (part, measured) in reproduction.plan.parts.iter().zip(&reproduction.measured) {
        out.push_str(&figures(reproduction, part, measured));
    }
    out.push_str(&ending(reproduction));
    out
}

fn verdicts(judged: &[Judged]) -> String {
    if judged.is_empty() {
        return String::new();
    }
    let [world, recorded] = summaries(judged);
    let mut out = format!(
        "\n## Verdicts\n\nOf {} claims in the paper's own world: {world}. On recorded sites: {recorded}.\n\n",
        judged.len()
    );
    out.push_str(&row(["claim", "paper", "paper's world", "recorded sites"]));
    out.push_str("|---|---|---|---|\n");
    for one in judged {
        let claim = format!("{}. {}", one.claim.id, one.claim.text);
        let found = |verdict: &Verdict| {
            let interval = verdict.interval.map(between);
            let interval = interval.map_or_else(String::new, |text| format!(" ({text})"));
            format!("**{}** {}{interval}", verdict.outcome.name(), verdict.number)
        };
        let paper = one.claim.paper.to_owned();
        out.push_str(&row([claim, paper, found(one.in_world()), found(&one.decided)]));
    }
    out.push_str("\nHow verdicts are reached:\n\n");
    for rule in RULES {
        let _ = writeln!(out, "- {rule}");
    }
    out
}

fn claim(one: &Judged) -> String {
    let mut out = format!("\n### {}. {}\n\n", one.claim.id, one.claim.text);
    let is_long = one.decided.sub_claims.len() > FOLDED;
    if is_long {
        out.push_str("<details><summary>Parts</summary>\n\n");
    }
    let kinds = WebKind::ALL.map(WebKind::name);
    out.push_str(&row(["part"].into_iter().chain(kinds).chain(["paper"])));
    out.push_str("|---|---|---|---|---|\n");
    for (place, sub_claim) in one.decided.sub_claims.iter().enumerate() {
        let by_kind = one.by_kind.iter().map(|(_, verdict)| {
            verdict.sub_claims.get(place).map_or_else(|| "–".to_owned(), finding)
        });
        out.push_str(&row(std::iter::once(sub_claim.what.clone())
            .chain(by_kind)
            .chain([sub_claim.paper.clone()])));
    }
    if is_long {
        out.push_str("\n</details>\n");
    }
    out
}

fn finding(sub_claim: &SubClaim) -> String {
    let interval =
        sub_claim.interval.map_or_else(String::new, |found| format!(" ({})", between(found)));
    let holm = sub_claim.tests.holm.map_or_else(String::new, |p| format!(", p {p:.3}"));
    match &sub_claim.outcome {
        Outcome::NotTestable(why) => format!("not testable: {why}"),
        outcome => format!("**{}** {}{interval}{holm}", outcome.name(), sub_claim.number),
    }
}

fn figures(reproduction: &Reproduction, part: &Part, measured: &[(WebKind, Measured)]) -> String {
    let mut out = format!("\n## {}\n", heading(part));
    if !part.note.is_empty() {
        let _ = write!(out, "\n{}\n", part.note);
    }
    for (kind, found) in measured {
        let _ = write!(out, "\n**On {}**\n", described(*kind));
        if let Measured::Nothing(why) = found {
            let _ = write!(out, "\nNothing was measured: {why}.\n");
            continue;
        }
        let figure = draw::figure(part, found, &reproduction.evidence(*kind));
        let Some(figure) = figure else { continue };
        for example in &figure.examples {
            out.push_str(&example_text(example));
        }
        for table in &figure.tables {
            out.push_str(&folded(table));
        }
    }
    out
}

fn example_text(example: &Example) -> String {
    let mut out = format!("\n**{}**\n\n", example.says);
    let (title, address) = (inline(&example.title), inline(&example.address));
    let _ = writeln!(out, "{title} (`{address}`), {}: {}.\n", example.date, example.change);
    for (name, did) in &example.policies {
        let _ = writeln!(out, "- `{name}`: {did}");
    }
    if !example.queries.is_empty() {
        let _ = writeln!(out, "- asked for: {}", inline(&example.queries.join(", ")));
    }
    for (head, parts) in [("Removed", &example.removed), ("Added", &example.added)] {
        for part in parts {
            let _ = write!(out, "\n> {head}: {}\n", inline(part));
        }
    }
    out
}

/// Text from outside, without the characters of Markdown.
fn inline(text: &str) -> String {
    let own = |c: char| matches!(c, '`' | '*' | '_' | '<' | '>' | '|' | '[' | ']' | '\\' | '#');
    text.chars().map(|c| if own(c) || c.is_control() { ' ' } else { c }).collect()
}

fn folded(table: &Table) -> String {
    let mut out = format!("\n<details><summary>{}</summary>\n\n", table.title);
    out.push_str(&row(table.head.clone()));
    out.push_str(&"|---".repeat(table.head.len()));
    out.push_str("|\n");
    let text = |cell: &Cell| match cell.interval.as_str() {
        "" => cell.text.clone(),
        interval => format!("{} ({interval})", cell.text),
    };
    for cells in &table.rows {
        out.push_str(&row(cells.iter().map(text)));
    }
    out.push_str("\n</details>\n");
    out
}

fn ending(reproduction: &Reproduction) -> String {
    let mut out = "\n## Webs\n\n| web | kind | pages at start | versions | queries |\n|---|---|---|---|---|\n".to_owned();
    for (kind, webs) in &reproduction.webs {
        for web in webs {
            let queries =
                web.workload.as_ref().map_or_else(|| "–".to_owned(), lab::report::words::workload);
            out.push_str(&row([
                web.trace.clone(),
                kind.name().to_owned(),
                web.pages_at_start.to_string(),
                web.versions.to_string(),
                queries,
            ]));
        }
    }
    out.push_str("\n## Settings\n\n");
    for part in &reproduction.plan.parts {
        let settings = match &part.work {
            Work::Runs(runs) => of_runs(runs),
            Work::Analysis { .. } => "measured on the webs themselves".to_owned(),
        };
        let _ = writeln!(out, "- `{}`: {settings}", part.name);
    }
    out
}

/// One row of a table.
fn row(cells: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let mut out = "|".to_owned();
    for cell in cells {
        let _ = write!(out, " {} |", cell.as_ref().replace('|', "\\|").replace('\n', " "));
    }
    out.push('\n');
    out
}
