//! What runs now, what is visited next and why, and the policy that decides it.
use crawl::Time;
use maud::{Markup, html};

use super::super::{date, shown_address};
use crate::{
    live::{
        advise::text::{policy_sentence, share},
        next_visits::NextVisits,
        tally::{budget, counted, duration},
    },
    serve::{following::Published, forecasting, state::State},
};

/// What runs now, in a tile.
pub(super) fn now_tile(published: &Published, now: Time) -> Markup {
    let activity = published.activity;
    let last = published.cycles.last();
    html! {
        @if let Some(cycle) = last.filter(|_| activity.is_running) {
            p.value { (cycle.kind) "ing" }
            p.facts { (counted(cycle.outcomes.visits(), "visit", "visits")) " so far" }
        } @else if let Some(next) = activity.next_start.filter(|&next| next > now) {
            p.value { "waiting" }
            p.facts { "next cycle in " (duration(next - now)) }
        } @else if activity.is_open {
            p.value { "open" }
            p.facts { "a process has the data folder open" }
        } @else {
            p.value { "idle" }
            p.facts { "no crawl or run is active" }
        }
    }
}

pub(super) fn section(state: &State, published: &Published) -> Markup {
    let (activity, now) = (published.activity, state.now());
    let last = published.cycles.last();
    html! {
        p {
            @match last {
                Some(cycle) if activity.is_running => {
                    "A " (cycle.kind) " has been running since " (date(cycle.started)) ": "
                    (counted(cycle.outcomes.visits(), "visit", "visits"))
                    @if let Some(most) = cycle.budget { " of a budget of " (budget(most)) }
                    "."
                }
                Some(cycle) => {
                    "The last " (cycle.kind) " began " (date(cycle.started)) " UTC"
                    @match cycle.ended {
                        Some(ended) => { " and took " (duration(ended - cycle.started)) "." }
                        None => { " and was interrupted." }
                    }
                }
                None => { "No cycle yet." }
            }
            " "
            @match activity.next_start {
                Some(next) if next > now => { "The next one starts " (date(next)) " UTC, in " (duration(next - now)) "." }
                _ if activity.is_running => {}
                _ => { "No " code { "sanderling run" } " is active, so no next start is set." }
            }
        }
        (forecast(state))
    }
}

fn forecast(state: &State) -> Markup {
    if forecasting::is_too_large(state) {
        let answers = "answers for one page.";
        return super::too_large("The next visits are not listed", "sanderling why URL", answers);
    }
    match state.forecasted.last() {
        None => html! { p.facts { "The next visits are listed when no cycle is running." } },
        Some(Err(why)) => html! { p.facts { "The next visits could not be planned: " (why) } },
        Some(Ok(next)) => visits(&next),
    }
}

fn visits(next: &NextVisits) -> Markup {
    html! {
        @if next.visits.is_empty() { p.facts { "No visit is due." } } @else {
            h3 { "The next " (counted(next.visits.len() as u64, "visit", "visits")) ", if nothing changes until then" }
            @if !next.has_interval {
                p.facts { "The interval between cycles is not known; a day is assumed." }
            }
            div.table.tall tabindex="0" role="region" aria-label="Next visits" {
                table.wrapped {
                    thead { tr {
                        th.number scope="col" { "Visit" }
                        th scope="col" { "Page" }
                        th scope="col" { "Cycle" }
                        th scope="col" { "Why" }
                    } }
                    tbody {
                        @for (place, visit) in next.visits.iter().enumerate() {
                            tr {
                                td.number { (place + 1) }
                                td.address-cell {
                                    a href={ "/page/" (visit.page.0) "/why" } { (shown_address(&visit.address)) }
                                }
                                td { @if visit.cycle == 1 { "the next" } @else { "in " (visit.cycle) }
                                    @if next.has_interval { ", " (date(visit.at)) } }
                                td.sentence { (visit.why) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The policy in use and why it was chosen.
pub(super) fn policy(state: &State, published: &Published) -> Markup {
    let forecast = state.forecasted.last().and_then(Result::ok);
    let last = published.cycles.iter().rev().find(|cycle| cycle.kind == "refresh");
    let advised = state.advising.last().and_then(Result::ok);
    let advised_rhythm = advised.as_ref().map(|advised| advised.rhythm()).unwrap_or_default();
    html! {
        @match (&forecast, last) {
            (Some(next), _) => {
                p { code { (next.policy) } " plans the visits. " (next.policy_reason) }
                @if let Some(most) = next.budget { p { "The budget of a cycle is " (budget(most)) "." } }
            }
            (None, Some(cycle)) => { p { code { (cycle.policy) } " planned the last refresh." } }
            (None, None) => { p { "No refresh yet." } }
        }
        @if let Some(advice) = advised.as_ref().and_then(|advised| advised.advice.as_ref()) {
            p { "Share up to date with " (advised_rhythm) ", simulated on this repository's own history: "
                @for (place, contest) in advice.contests.iter().enumerate() {
                    @if place > 0 { ", " }
                    code { (contest.policy.name()) } " " (share(contest.freshness))
                }
                ". " (policy_sentence(advice)) }
        }
        @if let Some(cycle) = last {
            p.facts { "Changes are found by the detector " code { (cycle.detector) } ". " }
        }
        p.facts { "To compare policies on this repository's own history: "
            code { "sanderling export trace -o own.parquet" } ", then "
            code { "sanderling lab run --traces own.parquet" } "." }
    }
}
