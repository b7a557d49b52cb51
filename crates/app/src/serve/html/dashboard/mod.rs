//! `/dashboard`: how fresh the repository is, what the budget bought, what changed, what comes next, what
//! more would buy, and what is wrong.
mod bought;
mod fresh;
mod more;
mod next;
mod trouble;

use std::sync::atomic::{AtomicU64, Ordering};

use maud::{Markup, html};
use store::View;

pub(crate) use self::bought::per_100;
pub(super) use self::{
    fresh::{headline, host_series},
    trouble::table as error_table,
};
use super::{
    ago,
    changes::{feed, form, list, nothing},
    date, host, live_layout,
};
use crate::{
    live::tally::{bytes, counted, grouped},
    serve::{
        changes as latest, following::ChangeFilter, following::Published, forecasting,
        problem::Problem, service::Answer, state::State, webhook::COUNTS,
    },
};

/// The changes shown.
const CHANGES: usize = 8;
/// The hosts shown.
const HOSTS: usize = 12;

/// Says what is not simulated for a repository of so many pages, and the command that does it when asked.
fn too_large(what: &str, command: &str, answers: &str) -> Markup {
    html! {
        p.facts { (what) " for more than " (grouped(forecasting::MOST_PAGES))
            " pages: that would take the memory of a second crawler. " code { (command) } " " (answers) }
    }
}

pub(crate) fn dashboard(state: &State) -> Result<Answer, Problem> {
    let published = state.following.published();
    let position = state.read(View::position)?;
    let (changes, _) = latest::latest(state, &ChangeFilter::default(), CHANGES)?;
    let is_reading = published.position == 0 && position > 0;
    let main = html! {
        div.dashboard {
            div.title-row {
                h1 { "Dashboard" }
                p.facts #updated data-live { "As of " (date(state.now())) " UTC" }
            }
            @if is_reading { p.notice { "The log is being read. Reload in a moment." } }
            div.tiles #tiles data-live { (tiles(state, &published)) }
            section.card aria-labelledby="fresh" {
                h2 #fresh { "How fresh is it?" }
                div #fresh-part data-live { (fresh::section(state, &published)) }
            }
            section.card aria-labelledby="bought" {
                h2 #bought { "What did the budget buy?" }
                div #bought-part data-live { (bought::section(&published)) }
            }
            section.card aria-labelledby="changed" {
                h2 #changed { "What changed lately?" }
                (form("", ""))
                div #changed-part data-live {
                    @if changes.is_empty() { p { (nothing(state, &ChangeFilter::default())) } }
                    @else { (list(state, &changes)) }
                    @if let Some(webhook) = &state.settings.serve.webhook {
                        p.facts { "Webhook " (webhook.url.host_str().unwrap_or_default()) ": " (webhook_words()) "." }
                    }
                    p.more {
                        a href="/changes" { "All changes" } " "
                        a href=(feed("")) { "Atom feed" } " "
                        a href="/api/changes" { "JSON" }
                    }
                }
            }
            section.card aria-labelledby="hosts" {
                h2 #hosts { "Hosts" }
                div #hosts-part data-live {
                    (host::table(state, &host::by_attention(&published), HOSTS, "hosts"))
                    @if published.hosts.len() > HOSTS {
                        p.more { a href="/hosts" { "All " (counted(published.hosts.len() as u64, "host", "hosts")) } }
                    }
                }
            }
            section.card aria-labelledby="next" {
                h2 #next { "Now and next" }
                div #next-part data-live { (next::section(state, &published)) }
            }
            section.card aria-labelledby="more" {
                h2 #more { "What would more buy?" }
                div #more-part data-live { (more::section(state)) }
            }
            section.card aria-labelledby="errors" {
                h2 #errors { "Errors" }
                div #errors-part data-live { (trouble::section(&published, state.now())) }
            }
            section.card aria-labelledby="policy" {
                h2 #policy { "Policy" }
                div #policy-part data-live { (next::policy(state, &published)) }
            }
            section.card aria-labelledby="held" {
                h2 #held { "What is held" }
                div #held-part data-live { (held(state, &published, position)) }
            }
        }
    };
    Ok(live_layout("Dashboard · Sanderling", &main, &feed("")))
}

/// The four answers that matter most.
fn tiles(state: &State, published: &Published) -> Markup {
    let status = &published.status;
    let (fresh, note) = headline(status.freshness.as_ref(), state.settings.serve.freshness_target);
    let per_100 = bought::per_100(&published.cycles);
    html! {
        div.tile { p.name { "Up to date" } p.value { (fresh) } p.facts { (note) } }
        div.tile {
            p.name { "Held" }
            p.value { (grouped(status.totals.held)) }
            p.facts { (counted(published.hosts.len().max(1) as u64, "host", "hosts")) ", "
                (grouped(status.totals.linked)) " pages not visited yet" }
        }
        div.tile {
            p.name { "100 visits bring" }
            p.value {
                @match per_100 { Some(rates) => { (format!("{:.0}", rates.changes)) } None => { "–" } }
                small { " changes" }
            }
            p.facts {
                @match per_100 {
                    Some(rates) => { "and " (format!("{:.1}", rates.new)) " new pages, in the last "
                        (counted(rates.cycles, "refresh", "refreshes")) }
                    None => { "known after the first refresh" }
                }
            }
        }
        div.tile { p.name { "Now" } (next::now_tile(published, state.now())) }
    }
}

/// What was delivered since this process began.
fn webhook_words() -> String {
    let count = |number: &AtomicU64| number.load(Ordering::Relaxed);
    let delivered = counted(count(&COUNTS.delivered), "change", "changes");
    match (count(&COUNTS.failed), count(&COUNTS.pending)) {
        (0, _) => format!("{delivered} delivered"),
        (failed, 0) => {
            format!(
                "{delivered} delivered, after {}",
                counted(failed, "failed attempt", "failed attempts")
            )
        }
        (failed, _) => format!(
            "{delivered} delivered, {}; the rest waits and is sent again",
            counted(failed, "failed attempt", "failed attempts")
        ),
    }
}

fn held(state: &State, published: &Published, position: u64) -> Markup {
    let totals = &published.status.totals;
    html! {
        dl.facts-list {
            div { dt { "Held" } dd { (counted(totals.held, "page", "pages")) } }
            div { dt { "Known" } dd { (grouped(totals.linked)) " not visited yet" } }
            div { dt { "Gone" } dd { (grouped(totals.gone)) } }
            div { dt { "Hosts" } dd { (grouped(totals.hosts)) } }
            div { dt { "Visits" } dd { (grouped(position)) " in the log" } }
            @if let Some(last) = totals.last {
                div { dt { "Last visit" } dd { (ago(last, state.now())) } }
            }
            div { dt { "Archive" } dd {
                (bytes(totals.archive_bytes)) " in "
                (counted(totals.archive_files, "file", "files"))
            } }
            div { dt { "Search index" } dd { (index_words(state, position)) } }
        }
    }
}

fn index_words(state: &State, position: u64) -> String {
    match state.searcher() {
        Err(why) => why,
        Ok(searcher) => {
            let pages = counted(searcher.pages(), "page", "pages");
            match position.saturating_sub(searcher.position()) {
                0 => format!("{pages}, up to date"),
                lag => format!("{pages}, {} behind", counted(lag, "visit", "visits")),
            }
        }
    }
}
