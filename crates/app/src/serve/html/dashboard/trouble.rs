//! Errors by host and kind, with examples.
use crawl::Time;
use maud::{Markup, html};

use super::super::{ago, shown_address};
use crate::{
    live::tally::{counted, grouped},
    serve::{
        following::Published,
        history::{ErrorRow, RECENT_CYCLES},
    },
};

/// The rows shown.
const MOST: usize = 20;

pub(super) fn section(published: &Published, now: Time) -> Markup {
    let errors: Vec<&ErrorRow> = published.errors.iter().collect();
    let failing = &published.status.failing;
    let (seeds, hosts) = (failing.seed_lines(), failing.host_lines(now));
    html! {
        @if !seeds.is_empty() { p { (failing.seed_words()) "." } }
        @if !seeds.is_empty() || !hosts.is_empty() {
            ul { @for line in seeds.iter().chain(&hosts) { li { (line.trim_start()) } } }
        }
        @if errors.is_empty() {
            p { "No visit failed or was disallowed in the last " (RECENT_CYCLES) " cycles." }
        } @else {
            p { "In the last " (RECENT_CYCLES) " cycles, the most frequent first." }
            (table(&errors, published, now, MOST))
        }
    }
}

/// A table of errors.
pub(in crate::serve::html) fn table(
    errors: &[&ErrorRow],
    published: &Published,
    now: Time,
    most: usize,
) -> Markup {
    html! {
        div.table tabindex="0" role="region" aria-label="Errors" {
            table.wrapped {
                thead { tr {
                    th scope="col" { "Host" }
                    th scope="col" { "Kind" }
                    th.number scope="col" { "Visits" }
                    th scope="col" { "Latest" }
                } }
                tbody {
                    @for row in errors.iter().take(most) {
                        tr {
                            td { @if let Some(host) = published.host(row.host) {
                                a href={ "/host/" (row.host.0) } { bdi dir="ltr" { (host.name) } }
                            } }
                            td { (row.kind.name()) }
                            td.number { (grouped(row.count)) }
                            td.sentence { @for (address, example) in row.examples.iter().take(2) {
                                p { (ago(example.at, now)) ": " (example.why) " "
                                    a href={ "/page/" (example.page.0) } { (shown_address(address)) } }
                            } }
                        }
                    }
                }
            }
        }
        @if errors.len() > most {
            p.facts { (counted((errors.len() - most) as u64, "more row is", "more rows are")) " not shown; "
                code { "sanderling status" } " counts all." }
        }
    }
}
