//! What repeated visits say, in a form from which a model can be learned quickly.
use crawl::{Observation, Span, Time};

use super::{
    rates::{ByClass, likelihoods},
    record::Record,
};

/// Only visits of the last year count: habits change.
const LONGEST: Span = Span::from_days(365);
/// The most periods into which the past is divided.
const MOST_PERIODS: i64 = 52;
/// The shortest period.
const SHORTEST: Span = Span::from_millis(60_000);

/// A repeated visit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Visit {
    /// The page.
    pub page: u32,
    /// The periods between the visit before and this one.
    pub from: usize,
    /// The first period after it.
    pub to: usize,
    /// Whether it found a change.
    pub changed: bool,
    /// The log-likelihoods of the classes of rates, if the page changes only by itself.
    pub own: ByClass,
}

/// The repeated visits of a record, in periods of equal length.
#[derive(Clone, Debug)]
pub(super) struct Evidence {
    /// The beginning of the first period.
    pub start: Time,
    /// The length of a period.
    pub period: Span,
    /// The number of periods up to the present.
    pub periods: usize,
    /// Visits by host, each in order of pages.
    pub by_host: Vec<Vec<Visit>>,
    /// By page, whether it was visited again.
    pub checked: Vec<bool>,
    /// Repeated visits in the whole log.
    pub checks: usize,
}

impl Evidence {
    pub(super) fn new(record: &Record) -> Self {
        let Record { pages, log, now, .. } = record;
        let oldest = Time::from_millis(now.millis() - LONGEST.millis());
        let seen: Vec<(&Observation, Time, bool)> = log
            .iter()
            .filter_map(|seen| {
                let (changed, since) = (seen.changed()?, seen.since?);
                Some((seen, Time::from_millis(seen.at.millis() - since.millis()), changed))
            })
            .collect();
        let checks = seen.len();
        let recent = || seen.iter().filter(|(seen, ..)| seen.at > oldest);
        let start = recent().map(|&(_, before, _)| before).min().unwrap_or(*now).max(oldest);
        let period = period(recent().map(|(seen, ..)| (seen.cycle, seen.at)), *now - start);
        let place = |at: Time| {
            let passed = (at - start).millis().max(0);
            ((passed + period.millis() / 2) / period.millis()) as usize
        };
        let whole = ((*now - start).millis() + period.millis() - 1) / period.millis();
        let periods = whole.max(1) as usize;
        let mut by_host = vec![vec![]; pages.host_count()];
        let mut checked = vec![false; pages.len()];
        for &(seen, before, changed) in recent() {
            let days = (seen.at - before).days().max(1e-6);
            checked[seen.page.index()] = true;
            by_host[seen.host.0 as usize].push(Visit {
                page: seen.page.0,
                from: place(before).min(periods),
                to: place(seen.at).min(periods),
                changed,
                own: likelihoods(days, changed),
            });
        }
        for visits in &mut by_host {
            visits.sort_by_key(|visit| visit.page);
        }
        Self { start, period, periods, by_host, checked, checks }
    }
}

/// The usual time from one cycle to the next, but not so short that there are too many.
fn period(visits: impl Iterator<Item = (u32, Time)>, past: Span) -> Span {
    let mut starts: Vec<(u32, Time)> = vec![];
    for (cycle, at) in visits {
        if starts.last().is_none_or(|&(last, _)| last != cycle) {
            starts.push((cycle, at));
        }
    }
    let mut gaps: Vec<Span> = starts.windows(2).map(|two| two[1].1 - two[0].1).collect();
    gaps.sort_unstable();
    let usual = gaps.get(gaps.len() / 2).copied().unwrap_or(past);
    let shortest = Span::from_millis(past.millis() / MOST_PERIODS + 1);
    let needed = past.millis() > usual.millis() * MOST_PERIODS;
    (if needed { shortest } else { usual }).max(SHORTEST)
}
