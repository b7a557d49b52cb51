//! `/changes`: what changed lately, by site and time.
use maud::{Markup, html};

use super::{ago, live_layout, shown_address};
use crate::serve::{
    atom,
    changes::{self, Change},
    following::ChangeFilter,
    parameters::{Parameters, encoded},
    problem::Problem,
    service::Answer,
    state::State,
};

/// Changes on one page.
const MOST: usize = 30;
/// Choices of how long ago a change may be.
const WITHIN: [(&str, &str); 5] = [
    ("", "at any time"),
    ("1h", "in the last hour"),
    ("1d", "in the last day"),
    ("7d", "in the last week"),
    ("30d", "in the last 30 days"),
];

pub(crate) fn changes(state: &State, parameters: &Parameters) -> Result<Answer, Problem> {
    let filter = changes::filter(parameters, state.now())?;
    let within = parameters.text("within").unwrap_or_default();
    let (latest, has_more) = changes::latest(state, &filter, MOST)?;
    let site = filter.site.as_deref().unwrap_or_default();
    let query = format!("site={}&within={}", encoded(site), encoded(within));
    let main = html! {
        h1 { "What changed lately" }
        (form(site, within))
        div #changes data-live {
            @if latest.is_empty() { p { (nothing(state, &filter)) } }
            @else { (list(state, &latest)) }
            nav.pages aria-label="Older changes" {
                @if let Some(last) = latest.last().filter(|_| has_more) {
                    a href={ "/changes?" (query) "&before=" (last.row.no) } rel="next" { "Older" }
                }
                a href=(feed(site)) { "Atom feed" }
                a href={ "/api/changes?limit=" (MOST) "&" (query) } { "JSON" }
            }
        }
    };
    Ok(live_layout("Changes · Sanderling", &main, &feed(site)))
}

/// The Atom feed of a site, or of all.
pub(super) fn feed(site: &str) -> String {
    if site.is_empty() {
        "/changes.atom".to_owned()
    } else {
        format!("/changes.atom?site={}", encoded(site))
    }
}

/// Why there is nothing to list.
pub(super) fn nothing(state: &State, filter: &ChangeFilter) -> &'static str {
    let published = state.following.published();
    if published.position == 0 && published.status.totals.observations > 0 {
        "The log is being read."
    } else if filter.site.is_some() || filter.since.is_some() || filter.before.is_some() {
        "No change matches."
    } else {
        "No change was found yet. Pages that a first crawl finds do not count as changes."
    }
}

/// The form that chooses site and time.
pub(super) fn form(site: &str, within: &str) -> Markup {
    html! {
        form.filter action="/changes" method="get" {
            label { "Site " input type="text" name="site" value=(site) placeholder="docs.example.org"
                autocomplete="off" spellcheck="false" inputmode="url"; }
            label { "Found " select name="within" {
                @for (value, name) in WITHIN {
                    option value=(value) selected[value == within] { (name) }
                }
            } }
            button type="submit" { "Show" }
        }
    }
}

/// A list of changes.
pub(super) fn list(state: &State, changes: &[Change]) -> Markup {
    let now = state.now();
    html! {
        ol.changes {
            @for change in changes {
                li {
                    p.what { a href=(change.link()) { (super::title(change.title(), &change.row.address)) } }
                    p.where {
                        (ago(change.row.at, now)) span.dot { " · " }
                        (atom::host(&change.row.address)) span.dot { " · " }
                        (counts(change))
                    }
                    @if let Some(summary) = &change.summary {
                        @if !summary.excerpt.is_empty() { p.excerpt { bdi { (summary.excerpt) } } }
                    } @else {
                        p.excerpt { (shown_address(&change.row.address)) }
                    }
                }
            }
        }
    }
}

/// Words added and removed, marked not only by colour.
fn counts(change: &Change) -> Markup {
    match (change.row.outcome, &change.summary) {
        (crawl::Outcome::Changed(_), Some(summary)) if summary.added + summary.removed > 0 => {
            html! {
                ins.key { "+" (summary.added) } " " del.key { "−" (summary.removed) }
                span.quiet { " words: " (change.words()) }
                " words"
            }
        }
        _ => html! { (change.words()) },
    }
}
