//! Series about what the dashboard shows. None of them has a label for hosts, so their number does not grow
//! with the crawl.
use std::sync::atomic::Ordering;

use crawl::Time;
use store::Outcomes;

use super::Exposition;
use crate::serve::{
    following::Published, hosts::HostRow, html::per_100, state::State, webhook::COUNTS,
};

/// Quantiles of the freshness of hosts.
const QUANTILES: [(&str, f64); 3] = [("0.05", 0.05), ("0.5", 0.5), ("0.95", 0.95)];

pub(super) fn write(page: &mut Exposition, state: &State, published: &Published) {
    if let Some(target) = state.settings.serve.freshness_target {
        let help = "Share of held pages that should be up to date, as set";
        page.one("freshness_target_ratio", "gauge", help, target);
    }
    hosts(page, &published.hosts);
    cycles(page, published);
    advice(page, state);
    page.head("faults_total", "counter", "Failed or disallowed visits in the log by kind");
    for fault in &published.status.faults {
        page.value("faults_total", &[("kind", fault.kind.name().to_owned())], fault.count as f64);
    }
    let streams = state.metrics.streams.count();
    page.one("event_streams", "gauge", "Open pages that update themselves", streams as f64);
    let count = |number: &std::sync::atomic::AtomicU64| number.load(Ordering::Relaxed) as f64;
    let help = "Changes delivered to the webhook by this process";
    page.one("webhook_delivered_total", "counter", help, count(&COUNTS.delivered));
    let help = "Deliveries to the webhook that failed";
    page.one("webhook_failures_total", "counter", help, count(&COUNTS.failed));
    let help = "Observations that wait for a delivery to the webhook";
    page.one("webhook_pending_observations", "gauge", help, count(&COUNTS.pending));
}

/// What the last simulation expects, if there was one.
fn advice(page: &mut Exposition, state: &State) {
    let Some(Ok(advised)) = state.advising.last() else { return };
    let Some(advice) = &advised.advice else { return };
    let expected = advice.contests[advice.best()].freshness;
    let help = "Expected share of held pages up to date with today's budget, by simulation";
    page.one("expected_freshness_ratio", "gauge", help, expected.mean);
    let help = "The ends of its 95 % interval";
    page.head("expected_freshness_bound_ratio", "gauge", help);
    for (bound, share) in [("low", expected.low), ("high", expected.high)] {
        page.value("expected_freshness_bound_ratio", &[("bound", bound.to_owned())], share);
    }
    let Some(target) = state.settings.serve.freshness_target else { return };
    let (least, most) = advice.curve.budget_for(target);
    page.head(
        "target_budget_visits",
        "gauge",
        "Visits a cycle that the target needs, by simulation",
    );
    for (bound, visits) in [("low", least), ("high", most)] {
        if let Some(visits) = visits {
            let labels = [("bound", bound.to_owned())];
            page.value("target_budget_visits", &labels, f64::from(visits));
        }
    }
}

fn hosts(page: &mut Exposition, hosts: &[HostRow]) {
    page.head("hosts", "gauge", "Hosts by condition");
    let backing_off = hosts.iter().filter(|row| row.permission.back_off_until.is_some()).count();
    let failing = hosts
        .iter()
        .filter(|row| row.permission.back_off_until.is_none() && row.failure.is_some())
        .count();
    let fine = hosts.len() - backing_off - failing;
    for (name, count) in [("fine", fine), ("failing", failing), ("backing_off", backing_off)] {
        page.value("hosts", &[("state", name.to_owned())], count as f64);
    }
    let mut shares: Vec<f64> = hosts.iter().filter_map(|row| Some(row.freshness?.share)).collect();
    if shares.is_empty() {
        return;
    }
    shares.sort_by(f64::total_cmp);
    let help = "Quantiles of the estimated freshness of hosts";
    page.head("host_freshness_ratio", "gauge", help);
    for (name, quantile) in QUANTILES {
        let place = (quantile * (shares.len() - 1) as f64).round() as usize;
        let labels = [("quantile", name.to_owned())];
        page.value("host_freshness_ratio", &labels, shares[place]);
    }
}

fn cycles(page: &mut Exposition, published: &Published) {
    let seconds = |time: Time| time.millis() as f64 / 1e3;
    let running = u8::from(published.activity.is_running);
    page.one("cycle_running", "gauge", "Whether a cycle runs", f64::from(running));
    if let Some(next) = published.activity.next_start {
        let help = "When run starts its next cycle";
        page.one("next_cycle_timestamp_seconds", "gauge", help, seconds(next));
    }
    if let Some(rates) = per_100(&published.cycles) {
        let help = "Changes caught per visit in the last ten refreshes";
        page.one("changes_per_visit", "gauge", help, rates.changes / 100.0);
        let help = "New pages found per visit in the last ten refreshes";
        page.one("new_pages_per_visit", "gauge", help, rates.new / 100.0);
    }
    let Some(cycle) = published.cycles.last() else { return };
    let help = "Start of the last cycle";
    page.one("cycle_start_timestamp_seconds", "gauge", help, seconds(cycle.started));
    if let Some(ended) = cycle.ended {
        let help = "End of the last cycle";
        page.one("cycle_end_timestamp_seconds", "gauge", help, seconds(ended));
    }
    let Outcomes { first, same, changed, missing, gone, failed, unreached, refused, unreachable } =
        cycle.outcomes;
    page.head("cycle_outcomes", "gauge", "Observations of the last cycle by outcome");
    for (name, count) in [
        ("first", first),
        ("same", same),
        ("changed", changed),
        ("missing", missing),
        ("gone", gone),
        ("failed", failed),
        ("unreached", unreached),
        ("refused", refused),
        ("unreachable", unreachable),
    ] {
        page.value("cycle_outcomes", &[("outcome", name.to_owned())], count as f64);
    }
}
