//! A section for every part, with its figures.
use lab::report::html::{drawn, each, escape};

use crate::{
    draw,
    evidence::{Evidence, Measured},
    plan::{Part, WebKind, Work},
    report::html::{described, heading, of_runs},
    reproduction::Reproduction,
};

/// A section for every part.
pub(crate) fn sections(reproduction: &Reproduction) -> String {
    let evidence = WebKind::ALL.map(|kind| reproduction.evidence(kind));
    each(reproduction.plan.parts.iter().zip(&reproduction.measured), |(part, measured)| {
        let kinds = each(measured, |(kind, found)| {
            let on = evidence.iter().find(|on| on.kind == *kind);
            on.map_or_else(String::new, |on| of_kind(part, *kind, found, on))
        });
        let settings = match &part.work {
            Work::Runs(runs) => format!("<p class=faint>{}</p>", escape(&of_runs(runs))),
            Work::Analysis { .. } => String::new(),
        };
        let note = if part.note.is_empty() {
            String::new()
        } else {
            format!("<p class=faint>{}</p>", escape(&part.note))
        };
        format!(
            "<section id=\"{}\"><h2>{}</h2>{note}{settings}{kinds}</section>",
            escape(&part.name),
            escape(&heading(part))
        )
    })
}

fn of_kind(part: &Part, kind: WebKind, measured: &Measured, on: &Evidence<'_>) -> String {
    let title = format!("<h3>{}</h3>", escape(described(kind)));
    if let Measured::Nothing(why) = measured {
        return format!("{title}<p class=faint>Nothing was measured: {}.</p>", escape(why));
    }
    let Some(figure) = draw::figure(part, measured, on) else { return String::new() };
    format!("{title}{}", drawn(&figure, &format!("{}-{kind}", part.name)))
}
