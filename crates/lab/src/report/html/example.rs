//! Example pages that policies treated differently, with the changes of their text.
use super::{each, escape};
use crate::report::figure::Example;

/// One example.
pub(super) fn html(example: &Example) -> String {
    let policies = each(&example.policies, |(name, did)| {
        format!("<li><b>{}</b>: {}</li>", escape(name), escape(did))
    });
    let queries = if example.queries.is_empty() {
        String::new()
    } else {
        format!("<p>Asked for: {}.</p>", escape(&example.queries.join(", ")))
    };
    let part = |class: &str, head: &str, parts: &[String]| {
        let parts = each(parts, |part| format!("<p>{}</p>", escape(part)));
        let parts = if parts.is_empty() { "<p>nothing</p>".to_owned() } else { parts };
        format!("<div class={class}><h5>{head}</h5>{parts}</div>")
    };
    // The address is not a link: a report has no external links.
    let mut about = vec![example.title.clone(), shown(&example.address), example.date.clone()];
    about.retain(|part| !part.is_empty());
    format!(
        "<article class=example><h4>{}</h4><p class=faint>{}</p><p>{}.</p><ul>{policies}</ul>{queries}<div class=change>{}{}</div></article>",
        escape(&example.says),
        escape(&about.join(" · ")),
        escape(&example.change),
        part("removed", "Removed", &example.removed),
        part("added", "Added", &example.added),
    )
}

/// An address without its scheme.
fn shown(address: &str) -> String {
    address.split_once("://").map_or(address, |(_, rest)| rest).to_owned()
}
