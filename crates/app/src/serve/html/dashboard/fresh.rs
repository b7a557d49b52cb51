//! Freshness over time, of all pages and by host.
use crawl::Time;
use maud::{Markup, html};
use policy::Freshness;

use super::super::charts::{self, Series};
use crate::{
    live::status::freshness_words,
    serve::{
        following::Published,
        history::Band,
        hosts::HostRow,
        state::State,
        words::{self, percent},
    },
};

/// The hosts with lines of their own: as many as there are colours.
const HOSTS: usize = 7;

/// The share in a few words, and what to know about it.
pub(in crate::serve::html) fn headline(
    freshness: Option<&Freshness>,
    target: Option<f64>,
) -> (String, String) {
    let Some(freshness) = freshness else {
        return ("not known yet".to_owned(), "no page has been visited twice".to_owned());
    };
    let interval = format!("{:.0} to {}", freshness.low * 100.0, percent(freshness.high));
    if !freshness.is_known() {
        return ("not known yet".to_owned(), format!("somewhere from {interval}"));
    }
    let target = target.map_or(String::new(), |target| {
        let (target_words, share) = (percent(target), freshness.share);
        if share >= target {
            format!(", target {target_words} reached")
        } else {
            format!(", target {target_words}")
        }
    });
    (percent(freshness.share), format!("{interval}{target}"))
}

pub(super) fn section(state: &State, published: &Published) -> Markup {
    let status = &published.status;
    let target = state.settings.serve.freshness_target;
    let now = now(published);
    let past = || published.estimates.values();
    let mut all: Vec<_> =
        past().map(|estimate| (estimate.at, estimate.all.map(Band::from))).collect();
    all.push((now, status.freshness.map(Band::from)));
    let all = [Series { name: "all pages", points: all, has_band: true }];
    let mut largest: Vec<&HostRow> = published.hosts.iter().filter(|row| row.held > 0).collect();
    largest.sort_by(|one, other| other.held.cmp(&one.held).then(one.no.cmp(&other.no)));
    largest.truncate(HOSTS);
    let by_host: Vec<Series<'_>> =
        largest.iter().map(|row| host_series(row, published, false)).collect();
    html! {
        p { (freshness_words(status.freshness.as_ref())) "." }
        div.pair {
            @match charts::freshness("fresh-all", "Line chart: estimated freshness of all held pages over time, with its 95 % interval", &all, target) {
                Some(chart) => { div { h3 { "All pages" } (chart) } }
                None => { p.facts { "A chart follows after a few cycles." } }
            }
            @if by_host.len() > 1 {
                @if let Some(chart) = charts::freshness("fresh-hosts", "Line chart: estimated freshness by host", &by_host, target) {
                    div { h3 { "The largest hosts" } (chart) }
                }
            }
        }
        p.facts {
            "The shaded area is the 95 % interval. "
            @if let Some(seconds) = published.mean_seconds_since_seen {
                "A held page was last seen " (words::took(std::time::Duration::from_secs_f64(seconds.max(0.0)))) " ago on average. "
            }
            @if target.is_none() {
                "Set a target to compare with: " code { "freshness_target = \"95 %\"" } "."
            }
        }
    }
}

/// Now, but not before the end of the last cycle: a data folder with its own clock stands still after the
/// last visit.
fn now(published: &Published) -> Time {
    let last = published.estimates.values().next_back().map(|estimate| estimate.at);
    last.map_or(published.status.now, |last| last.max(published.status.now))
}

/// The freshness of a host over time.
pub(in crate::serve::html) fn host_series<'a>(
    row: &'a HostRow,
    published: &Published,
    has_band: bool,
) -> Series<'a> {
    let past = published.estimates.values();
    let mut points: Vec<_> = past.map(|estimate| (estimate.at, estimate.host(row.no))).collect();
    points.push((now(published), row.freshness.map(Band::from)));
    Series { name: &row.name, points, has_band }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wide_interval_is_not_a_number() {
        let estimate = |share, low, high| Freshness { share, low, high, pages: 10, checks: 3 };
        let shown = |it: Freshness| headline(Some(&it), Some(0.95));
        assert_eq!(
            shown(estimate(1.0, 0.04, 1.0)),
            ("not known yet".to_owned(), "somewhere from 4 to 100 %".to_owned())
        );
        assert_eq!(
            shown(estimate(0.9, 0.85, 0.94)),
            ("90 %".to_owned(), "85 to 94 %, target 95 %".to_owned())
        );
        assert!(shown(estimate(0.96, 0.9, 1.0)).1.ends_with("reached"));
        assert_eq!(headline(None, None).0, "not known yet");
    }
}
