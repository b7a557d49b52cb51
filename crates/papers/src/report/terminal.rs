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
    judge::{Judged, summaries},
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
    let [world, recorded] = summaries(judged);
    out.push_str(&wrapped(&format!("{} claims. In the paper's own world: {world}.", judged.len())));
    out.push_str(&wrapped(&format!("On recorded sites: {recorded}.")));
    out.push('\n');
    out.push_str(&columns(["claim", "web", "verdict", "found"].into_iter()));
    out.truncate(out.trim_end().len());
    out.push('\n');
    out.push_str(&"-".repeat(WIDTH));
    out.push('\n');
    for one in judged {
        for (name, web, verdict) in
            [(one.claim.id, "own world", one.in_world()), ("", "recorded", &one.decided)]
        {
            let line = columns([name, web, verdict.outcome.name()].into_iter());
            let interval = verdict.interval.map(between);
            let interval = interval.map_or_else(String::new, |text| format!(" ({text})"));
            out.push_str(&beside(&line, &format!("{}{interval}", verdict.number)));
        }
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

/// Words in columns.
fn columns<'w>(words: impl Iterator<Item = &'w str>) -> String {
    words.zip([7, 11, 14, 0]).fold(String::new(), |mut line, (word, width)| {
        let _ = write!(line, "{word:<width$}");
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
