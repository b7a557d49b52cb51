//! The table of verdicts for a terminal: at most [`WIDTH`] columns of plain text.
use std::fmt::Write;

use lab::report::{
    figure::Example,
    terminal::{WIDTH, wrapped},
    words::plain,
};

use crate::{
    draw::between,
    evidence::Measured,
    judge::{Judged, tally},
    plan::WebKind,
    reproduction::Reproduction,
};

/// The verdicts.
pub fn table(reproduction: &Reproduction, judged: &[Judged]) -> String {
    let mut out = String::new();
    if let Some(paper) = reproduction.plan.paper {
        out.push_str(&wrapped(&format!("{} ({})", paper.title, paper.reference)));
    }
    if reproduction.is_quick {
        out.push_str("Quick: one seed on few and small webs, too few to draw conclusions.\n");
    }
    for left in &reproduction.left_out {
        let text = format!("{} was left out: most of its pages are in {}.", left.name, left.inside);
        out.push_str(&wrapped(&text));
    }
    if judged.is_empty() {
        return out + &examples(reproduction);
    }
    let [met, not_met, not_testable] = tally(judged);
    out.push_str(&wrapped(&format!(
        "Of {} claims: {met} met, {not_met} not met, {not_testable} not testable.",
        judged.len()
    )));
    out.push('\n');
    let kinds = columns(WebKind::ALL.iter().map(|kind| kind.name()));
    out.push_str(format!("claim  {:<14}{kinds}found", "verdict").trim_end());
    out.push('\n');
    out.push_str(&"-".repeat(WIDTH));
    out.push('\n');
    for one in judged {
        let by_kind = columns(one.by_kind.iter().map(|(_, verdict)| verdict.outcome.name()));
        let verdict = one.decided.outcome.name().to_uppercase();
        let line = format!("{:<7}{verdict:<14}{by_kind}", one.claim.id);
        let interval = one.decided.interval.map(between);
        let interval = interval.map_or_else(String::new, |text| format!(" ({text})"));
        let found = format!("{}{interval}", one.decided.number);
        out.push_str(&beside(&line, &found));
    }
    out + &examples(reproduction)
}

/// The example pages, each in a few lines.
fn examples(reproduction: &Reproduction) -> String {
    let mut out = String::new();
    for (kind, measured) in reproduction.measured.iter().flatten() {
        let Measured::Analysis(figure) = measured else { continue };
        for Example { says, address, date, change, policies, queries, .. } in &figure.examples {
            let did: Vec<String> =
                policies.iter().map(|(name, did)| format!("{name} {did}")).collect();
            let workload = match queries.as_slice() {
                [] => String::new(),
                some => format!(" Asked for: {}.", some.join(", ")),
            };
            let text = format!(
                "{says} {address}, {date} ({kind}): {change}; {}.{workload}",
                did.join("; ")
            );
            out.push('\n');
            out.push_str(&wrapped(&plain(&text)));
        }
    }
    out
}

/// A text in the last column, wrapped within it.
fn beside(before: &str, text: &str) -> String {
    let indent = before.chars().count();
    let mut out = before.to_owned();
    let mut width = indent;
    for word in text.split(' ') {
        let length = word.chars().count();
        if width > indent && width + 1 + length > WIDTH {
            out.truncate(out.trim_end().len());
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            width = indent;
        } else if width > indent {
            out.push(' ');
            width += 1;
        }
        out.push_str(word);
        width += length;
    }
    out.push('\n');
    out
}

/// Words in columns of equal width.
fn columns<'w>(words: impl Iterator<Item = &'w str>) -> String {
    words.fold(String::new(), |mut line, word| {
        let _ = write!(line, "{word:<14}");
        line
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_stays_in_its_column() {
        let text = beside(&" ".repeat(90), "one two three four");
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        assert_eq!(text.split_whitespace().collect::<Vec<_>>(), ["one", "two", "three", "four"]);
        assert!(text.lines().all(|line| line.starts_with(&" ".repeat(90))));
    }
}
