//! `/hosts` and `/host/{no}`: what is known of hosts.
use crawl::HostNo;
use maud::{Markup, html};

use super::{
    changes::{feed, list, nothing},
    charts, dashboard, date, live_layout,
};
use crate::{
    live::tally::{counted, grouped, instant},
    serve::{
        changes as latest,
        following::{ChangeFilter, Published},
        history::{ErrorRow, RECENT_CYCLES},
        hosts::HostRow,
        parameters::{Parameters, encoded},
        problem::Problem,
        service::Answer,
        state::State,
        words::percent,
    },
};

/// Hosts on one page of the list.
const PER_PAGE: usize = 100;
/// Changes on the page of a host.
const CHANGES: usize = 10;
/// Rows of errors on the page of a host: all kinds.
const ERRORS: usize = 20;

/// Hosts in need of attention first, then those with the most pages.
pub(super) fn by_attention(published: &Published) -> Vec<&HostRow> {
    let mut rows: Vec<&HostRow> = published.hosts.iter().collect();
    let key = |row: &HostRow| {
        let errors = row.failure.as_ref().map_or(0, |failure| failure.count);
        (!row.has_trouble(), std::cmp::Reverse(errors), std::cmp::Reverse(row.held))
    };
    rows.sort_by(|one, other| key(one).cmp(&key(other)).then(one.no.cmp(&other.no)));
    rows
}

pub(crate) fn hosts(state: &State, parameters: &Parameters) -> Result<Answer, Problem> {
    let published = state.following.published();
    let wanted = parameters.text("site").unwrap_or_default().trim().to_ascii_lowercase();
    let mut rows = by_attention(&published);
    rows.retain(|row| row.name.contains(&wanted));
    let pages = rows.len().div_ceil(PER_PAGE).max(1);
    let page = parameters.number("p", 1, pages as u64)?.unwrap_or(1) as usize;
    let shown = &rows[rows.len().min((page - 1) * PER_PAGE)..];
    let link = |page: usize| format!("/hosts?site={}&p={page}", encoded(&wanted));
    let main = html! {
        h1 { "Hosts" }
        form.filter action="/hosts" method="get" {
            label { "Name contains " input type="text" name="site" value=(wanted) autocomplete="off"
                spellcheck="false" inputmode="url"; }
            button type="submit" { "Show" }
        }
        div #hosts-list data-live {
            p.facts { (counted(rows.len() as u64, "host", "hosts")) ", those in need of attention first" }
            (table(state, shown, PER_PAGE, "hosts"))
            nav.pages aria-label="Pages of the list" {
                @if page > 1 { a href=(link(page - 1)) rel="prev" { "Previous" } }
                @if page < pages { a href=(link(page + 1)) rel="next" { "Next" } }
                span { "Page " (page) " of " (pages) }
            }
        }
    };
    Ok(live_layout("Hosts · Sanderling", &main, &feed("")))
}

/// The first `most` hosts.
pub(super) fn table(state: &State, rows: &[&HostRow], most: usize, label: &str) -> Markup {
    let next = state.forecasted.last().and_then(Result::ok);
    html! {
        @if rows.is_empty() { p { "No host is known." } } @else {
            div.table tabindex="0" role="region" aria-label=(label) {
                table {
                    thead { tr {
                        th scope="col" { "Host" }
                        th.number scope="col" { "Held" }
                        th.number scope="col" { "Up to date" }
                        th.number scope="col" { "Errors" }
                        th scope="col" { "State" }
                        th scope="col" { "Delay" }
                        th scope="col" { "robots.txt" }
                        th scope="col" { "Next visit" }
                    } }
                    tbody { @for row in rows.iter().take(most) { tr {
                        td { a href={ "/host/" (row.no.0) } { bdi dir="ltr" { (row.name) } } }
                        td.number { (grouped(row.held)) }
                        td.number { (share(row)) }
                        td.number { (grouped(row.failure.as_ref().map_or(0, |failure| failure.count))) }
                        td.brief { (condition(row)) }
                        td.brief { (row.delay_words()) }
                        td { (row.robots.split(',').next().unwrap_or_default()) }
                        td { (next.as_ref().and_then(|next| next.hosts.get(&row.no)).map_or_else(|| html! { "–" }, |&at| date(at))) }
                    } } }
                }
            }
        }
    }
}

/// The freshness of a host with its interval, as in the headline; its bar is for the eye only.
fn share(row: &HostRow) -> Markup {
    let Some(freshness) = &row.freshness else { return html! { "–" } };
    let interval = format!("{:.0} to {}", freshness.low * 100.0, percent(freshness.high));
    if !freshness.is_known() {
        return html! { (interval) };
    }
    html! {
        meter min="0" max="1" value=(format!("{:.3}", freshness.share)) aria-hidden="true" {}
        " " (percent(freshness.share)) " (" (interval) ")"
    }
}

/// What is to be said about a host now.
fn condition(row: &HostRow) -> Markup {
    html! {
        @if let Some(until) = row.permission.back_off_until {
            span.bad { "backing off until " (date(until)) }
        } @else if let Some(failure) = &row.failure {
            span.bad { (failure.kind) }
        } @else if row.held == 0 {
            "nothing held yet"
        } @else {
            span.good { "fine" }
        }
    }
}

pub(crate) fn host(state: &State, host: HostNo) -> Result<Answer, Problem> {
    let published = state.following.published();
    let unknown = || Problem::not_found("There is no such host", "The list of hosts is at /hosts.");
    let row = published.host(host).ok_or_else(unknown)?;
    let filter = ChangeFilter { site: Some(row.name.clone()), ..ChangeFilter::default() };
    let (changes, _) = latest::latest(state, &filter, CHANGES)?;
    let errors: Vec<&ErrorRow> =
        published.errors.iter().filter(|error| error.host == host).collect();
    let series = [dashboard::host_series(row, &published, true)];
    let label = "Line chart: estimated freshness of this host over time, with its 95 % interval";
    let target = state.settings.serve.freshness_target;
    let main = html! {
        h1 { bdi dir="ltr" { (row.name) } }
        section.card aria-labelledby="facts" {
            h2 #facts { "Facts" }
            div #facts-part data-live { (facts(state, row, target)) }
        }
        section.card aria-labelledby="fresh" {
            h2 #fresh { "Freshness" }
            div #fresh-part data-live {
                @match charts::freshness("host-fresh", label, &series, target) {
                    Some(chart) => { (chart) }
                    None => { p.facts { "A chart follows after a few cycles." } }
                }
            }
        }
        section.card aria-labelledby="changed" {
            h2 #changed { "What changed lately" }
            div #changed-part data-live {
                @if changes.is_empty() { p { (nothing(state, &filter)) } }
                @else { (list(state, &changes)) }
                p.more {
                    a href={ "/changes?site=" (encoded(&row.name)) } { "All changes here" } " "
                    a href=(feed(&row.name)) { "Atom feed" }
                }
            }
        }
        section.card aria-labelledby="errors" {
            h2 #errors { "Errors" }
            div #errors-part data-live {
                @if errors.is_empty() { p { "None in the last " (RECENT_CYCLES) " cycles." } }
                @else { (dashboard::error_table(&errors, &published, state.now(), ERRORS)) }
            }
        }
    };
    Ok(live_layout(&format!("{} · Sanderling", row.name), &main, &feed(&row.name)))
}

fn facts(state: &State, row: &HostRow, target: Option<f64>) -> Markup {
    let (fresh, note) = dashboard::headline(row.freshness.as_ref(), target);
    let next = state.forecasted.last().and_then(Result::ok);
    html! {
        dl.facts-list {
            div { dt { "Up to date" } dd { (fresh) " (" (note) ")" } }
            div { dt { "Held" } dd { (counted(row.held, "page", "pages")) } }
            div { dt { "Known" } dd { (grouped(row.linked)) " not visited yet" } }
            div { dt { "Gone" } dd { (grouped(row.gone)) } }
            div { dt { "State" } dd { (condition(row)) } }
            @if let Some(failure) = &row.failure {
                div { dt { "Errors" } dd { (grouped(failure.count)) " in the last " (RECENT_CYCLES) " cycles; " (failure.kind) ": " (failure.why) } }
            }
            @if row.strikes > 0 {
                div { dt { "Asked for fewer requests" } dd { (counted(u64::from(row.strikes), "time", "times")) " in a row" } }
            }
            div { dt { "Delay" } dd { (row.delay_words()) } }
            div { dt { "robots.txt" } dd { (row.robots) } }
            @if let Some(due) = row.permission.robots_due {
                div { dt { "robots.txt is fetched again" } dd { "after " (instant(due)) } }
            }
            @if let Some(at) = next.as_ref().and_then(|next| next.hosts.get(&row.no)) {
                div { dt { "Next visit" } dd { (date(*at)) " UTC, if nothing changes" } }
            }
        }
    }
}
