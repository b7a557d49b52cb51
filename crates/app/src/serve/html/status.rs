//! `/status`: what is held, its estimated freshness, and the last cycles.
use crawl::Time;
use maud::{Markup, html};
use store::{CycleSummary, View};

use super::{ago, date, layout};
use crate::{
    live::{
        crawl::held_words,
        failing::Failing,
        status::freshness_words,
        tally::{budget, bytes, counted, duration, grouped},
    },
    serve::{problem::Problem, service::Answer, state::State},
};

pub(crate) fn status(state: &State) -> Result<Answer, Problem> {
    let published = state.following.published();
    let (status, now) = (&published.status, state.now());
    let totals = &status.totals;
    let position = state.read(View::position)?;
    let main = html! {
        h1 { "Status" }
        section aria-labelledby="held" {
            h2 #held { "What is held" }
            dl.facts-list {
                div { dt { "Held" } dd { (held_words(totals)) } }
                div { dt { "Known" } dd { (grouped(totals.linked)) " not visited yet" } }
                div { dt { "Missing" } dd { (counted(totals.missing, "dead link", "dead links")) } }
                div { dt { "Gone" } dd { (grouped(totals.gone)) } }
                div { dt { "Hosts" } dd { (grouped(totals.hosts)) } }
                div { dt { "Visits" } dd { (grouped(position)) " in the log" } }
                @if let Some(last) = totals.last {
                    div { dt { "Last visit" } dd { (ago(last, now)) } }
                }
                div { dt { "Archive" } dd {
                    (bytes(totals.archive_bytes)) " in "
                    (counted(totals.archive_files, "file", "files"))
                } }
                div { dt { "Index" } dd { (index_words(state, position)) } }
            }
        }
        section aria-labelledby="fresh" {
            h2 #fresh { "Freshness" }
            p {
                @if published.position == 0 && position > 0 { "Reading the log." }
                @else { (freshness_words(status.freshness.as_ref())) "." }
            }
        }
        (failing(&status.failing, now))
        section aria-labelledby="cycles" {
            h2 #cycles { "Last cycles" }
            @if status.cycles.is_empty() { p { "No cycle yet." } }
            @else { (cycles(&status.cycles)) }
        }
    };
    Ok(layout("Status · Sanderling", Some(""), &main))
}

/// Seeds and hosts that gave nothing, with their reasons.
fn failing(failing: &Failing, now: Time) -> Markup {
    let (seeds, hosts) = (failing.seed_lines(), failing.host_lines(now));
    html! {
        @if !seeds.is_empty() || !hosts.is_empty() {
            section aria-labelledby="failing" {
                h2 #failing { "What gave nothing" }
                @if !seeds.is_empty() { p { (failing.seed_words()) "." } }
                ul { @for line in seeds.iter().chain(&hosts) { li { (line.trim_start()) } } }
            }
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

fn cycles(cycles: &[CycleSummary]) -> Markup {
    html! {
        div.table.cycles tabindex="0" role="region" aria-labelledby="cycles" {
            table {
                thead { tr {
                    th scope="col" { "Started" }
                    th scope="col" { "Kind" }
                    th.number scope="col" { "Budget" }
                    th.number scope="col" { "Visits" }
                    th.number scope="col" { "New" }
                    th.number scope="col" { "Changed" }
                    th.number scope="col" { "Unchanged" }
                    th.number scope="col" { "Missing" }
                    th.number scope="col" { "Gone" }
                    th.number scope="col" { "Failed" }
                    th.number scope="col" { "Took" }
                } }
                tbody {
                    @for cycle in cycles.iter().rev() {
                        @let outcomes = &cycle.outcomes;
                        tr {
                            td { (date(cycle.started)) }
                            td { (cycle.kind) }
                            td.number {
                                (cycle.budget.map_or_else(|| "all".to_owned(), budget))
                            }
                            td.number { (grouped(outcomes.visits())) }
                            td.number { (grouped(outcomes.first)) }
                            td.number { (grouped(outcomes.changed)) }
                            td.number { (grouped(outcomes.same)) }
                            td.number { (grouped(outcomes.missing)) }
                            td.number { (grouped(outcomes.gone)) }
                            td.number { (grouped(outcomes.failed)) }
                            td.number {
                                (cycle.ended.map_or_else(
                                    || "running".to_owned(),
                                    |ended| duration(ended - cycle.started),
                                ))
                            }
                        }
                    }
                }
            }
        }
    }
}
