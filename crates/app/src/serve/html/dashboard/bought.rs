//! What each cycle's visits found.
use maud::{Markup, html};
use store::CycleSummary;

use super::super::{
    charts::{self, GROUPS, groups},
    date,
};
use crate::{
    live::tally::{budget, bytes, duration, grouped},
    serve::following::Published,
};

/// The cycles drawn.
const DRAWN: usize = 40;
/// The refreshes that rates are taken from.
const RATED: usize = 10;
/// The cycles in the table.
const LISTED: usize = 12;

/// What a hundred visits brought.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rates {
    pub(crate) changes: f64,
    pub(crate) new: f64,
    /// From how many refreshes.
    pub(crate) cycles: u64,
}

/// Changes caught and new pages per hundred visits of the last refreshes; `None` before the first.
pub(crate) fn per_100(cycles: &[CycleSummary]) -> Option<Rates> {
    let refreshes: Vec<&CycleSummary> = cycles
        .iter()
        .rev()
        .filter(|cycle| cycle.kind == "refresh" && cycle.outcomes.visits() > 0)
        .take(RATED)
        .collect();
    let sum = |count: fn(&CycleSummary) -> u64| {
        refreshes.iter().map(|cycle| count(cycle)).sum::<u64>() as f64
    };
    let visits = sum(|cycle| cycle.outcomes.visits());
    (visits > 0.0).then(|| Rates {
        changes: 100.0 * sum(|cycle| cycle.outcomes.changed + cycle.outcomes.gone) / visits,
        new: 100.0 * sum(|cycle| cycle.outcomes.first) / visits,
        cycles: refreshes.len() as u64,
    })
}

pub(super) fn section(published: &Published) -> Markup {
    let refreshes: Vec<CycleSummary> =
        published.cycles.iter().filter(|cycle| cycle.kind == "refresh").cloned().collect();
    let drawn = &refreshes[refreshes.len().saturating_sub(DRAWN)..];
    let listed = &published.cycles[published.cycles.len().saturating_sub(LISTED)..];
    html! {
        @match per_100(&published.cycles) {
            None => { p { "No refresh yet. " code { "sanderling refresh --budget 200" } " spends a budget." } }
            Some(rates) => {
                p {
                    "100 visits of the last " (rates.cycles)
                    @if rates.cycles == 1 { " refresh" } @else { " refreshes" }
                    " caught " b { (format!("{:.1}", rates.changes)) } " changes and found "
                    b { (format!("{:.1}", rates.new)) } " new pages."
                }
            }
        }
        @if let Some(chart) = charts::bought(drawn) { (chart) }
        @if listed.is_empty() { p { "No cycle yet." } } @else {
            details #cycles-table {
                summary { "Last cycles in numbers" }
                (table(listed))
            }
        }
    }
}

fn table(cycles: &[CycleSummary]) -> Markup {
    html! {
        div.table.cycles tabindex="0" role="region" aria-label="Last cycles" {
            table {
                thead { tr {
                    th scope="col" { "Started" }
                    th scope="col" { "Kind" }
                    th.number scope="col" { "Budget" }
                    th.number scope="col" { "Visits" }
                    @for (name, _) in GROUPS { th.number scope="col" { (name) } }
                    th.number scope="col" { "Received" }
                    th.number scope="col" { "Took" }
                } }
                tbody {
                    @for cycle in cycles.iter().rev() {
                        tr {
                            td { (date(cycle.started)) }
                            td { (cycle.kind) }
                            td.number { (cycle.budget.map_or_else(|| "all".to_owned(), budget)) }
                            td.number { (grouped(cycle.outcomes.visits())) }
                            @for count in groups(&cycle.outcomes) { td.number { (grouped(count)) } }
                            td.number { (cycle.received.map_or_else(|| "–".to_owned(), bytes)) }
                            td.number {
                                (cycle.ended.map_or_else(
                                    || "not finished".to_owned(),
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

#[cfg(test)]
mod tests {
    use crawl::Time;
    use store::Outcomes;

    use super::*;

    #[test]
    fn rates_are_those_of_refreshes_that_made_visits() {
        let cycle = |kind: &str, outcomes| CycleSummary {
            no: 0,
            kind: kind.to_owned(),
            policy: String::new(),
            detector: String::new(),
            budget: None,
            received: None,
            seed: 1,
            started: Time::from_millis(0),
            ended: None,
            outcomes,
        };
        let crawl = cycle("crawl", Outcomes { first: 1_000, ..Outcomes::default() });
        let idle = cycle("refresh", Outcomes { unreached: 5, ..Outcomes::default() });
        assert_eq!(per_100(&[crawl.clone(), idle.clone()]), None);
        let found =
            Outcomes { changed: 8, gone: 2, first: 5, same: 25, failed: 10, ..Outcomes::default() };
        let rates = per_100(&[crawl, cycle("refresh", found), idle]).unwrap();
        assert_eq!(rates, Rates { changes: 20.0, new: 10.0, cycles: 1 });
    }
}
