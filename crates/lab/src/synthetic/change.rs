//! The times of changes, by kind of synthetic web.
use crawl::{Span, Time};

use super::{Kind, Spec};
use crate::{history::Window, rng::Rng};

/// The slowest and fastest change rates per day: once a year, once a day.
const RATES_PER_DAY: (f64, f64) = (1.0 / 365.0, 1.0);
/// The standard deviation of the logarithm of the rates within a directory.
const SPREAD_WITHIN_DIRECTORY: f64 = 0.3;
/// The mean length of a busy and of a quiet period, in days.
const BURST_DAYS: (f64, f64) = (4.0, 56.0);
/// The factors on the rate in busy and in quiet periods.
const BURST_FACTORS: (f64, f64) = (10.0, 0.1);
/// Days between changes of periodic pages.
const PERIODS_DAYS: [f64; 6] = [1.0, 2.0, 7.0, 14.0, 28.0, 91.0];
/// Layout changes of a whole host per day.
pub(super) const HOST_SHOCKS_PER_DAY: f64 = 1.0 / 45.0;
/// Layout changes of a whole directory per day.
pub(super) const DIRECTORY_SHOCKS_PER_DAY: f64 = 1.0 / 20.0;
/// The slowest and fastest rates per day of single pages on webs with other causes of change.
const OWN_RATES_PER_DAY: (f64, f64) = (1.0 / 365.0, 1.0 / 30.0);
/// News per day of a group. With one every three days, most pages of a group switch between
/// changing and not changing on three days of ten.
pub(super) const NEWS_PER_DAY: f64 = 1.0 / 3.0;
/// Changes per day of a single page of a group, beside its news.
const NOISE_PER_DAY: f64 = 1.0 / 25.0;
/// The standard deviation of the weekly change of the logarithm of a drifting rate.
const DRIFT_A_WEEK: f64 = 0.35;

/// The rate per day, if it is constant, and the times at which the text of a page changes.
pub(super) fn times(
    spec: Spec,
    rng: &mut Rng,
    group: &str,
    window: Window,
) -> (Option<f64>, Vec<Time>) {
    let (slow, fast) = RATES_PER_DAY;
    match spec.kind {
        Kind::Poisson => {
            let rate = rng.log_uniform(slow, fast);
            (Some(rate), poisson(rng, rate, window))
        }
        Kind::Clustered => {
            let typical = Rng::named(spec.seed, group).log_uniform(slow, fast);
            let rate = typical * (SPREAD_WITHIN_DIRECTORY * rng.normal()).exp();
            (Some(rate), poisson(rng, rate, window))
        }
        Kind::Bursty => {
            let rate = rng.log_uniform(slow, fast);
            (None, bursty(rng, rate, window))
        }
        Kind::Periodic => (None, periodic(rng, window)),
        Kind::Shocks | Kind::Hubs => {
            let rate = rng.log_uniform(OWN_RATES_PER_DAY.0, OWN_RATES_PER_DAY.1);
            (None, poisson(rng, rate, window))
        }
        Kind::Followers => (None, poisson(rng, NOISE_PER_DAY, window)),
        Kind::Drift => {
            let rate = rng.log_uniform(slow, fast);
            (None, drifting(rng, rate, window))
        }
        // These have models of their own.
        Kind::Tan | Kind::Searched | Kind::Discover | Kind::Topics => (None, vec![]),
    }
}

/// A Poisson process.
pub(super) fn poisson(rng: &mut Rng, per_day: f64, window: Window) -> Vec<Time> {
    let mut times = vec![];
    let mut day = rng.exponential() / per_day;
    while let Some(at) = on_day(day, window) {
        times.push(at);
        day += rng.exponential() / per_day;
    }
    times
}

/// Busy and quiet periods in turn.
fn bursty(rng: &mut Rng, per_day: f64, window: Window) -> Vec<Time> {
    let mut times = vec![];
    let mut busy = rng.unit() < BURST_DAYS.0 / (BURST_DAYS.0 + BURST_DAYS.1);
    let mut begins = 0.0;
    while on_day(begins, window).is_some() {
        let (length, factor) =
            if busy { (BURST_DAYS.0, BURST_FACTORS.0) } else { (BURST_DAYS.1, BURST_FACTORS.1) };
        let ends = begins + length * rng.exponential();
        add(&mut times, rng, per_day * factor, begins, ends, window);
        begins = ends;
        busy = !busy;
    }
    times
}

/// Fixed intervals.
fn periodic(rng: &mut Rng, window: Window) -> Vec<Time> {
    let period = PERIODS_DAYS[rng.below(PERIODS_DAYS.len())];
    let phase = rng.unit() * period;
    (0..).map_while(|count| on_day(phase + f64::from(count) * period, window)).collect()
}

/// A rate that changes every week.
fn drifting(rng: &mut Rng, per_day: f64, window: Window) -> Vec<Time> {
    let (mut times, mut rate, mut begins) = (vec![], per_day, 0.0);
    while on_day(begins, window).is_some() {
        add(&mut times, rng, rate, begins, begins + 7.0, window);
        rate = (rate * (DRIFT_A_WEEK * rng.normal()).exp()).clamp(1e-4, 4.0);
        begins += 7.0;
    }
    times
}

/// Adds a Poisson process from one day to another.
fn add(times: &mut Vec<Time>, rng: &mut Rng, per_day: f64, from: f64, to: f64, window: Window) {
    let mut day = from + rng.exponential() / per_day;
    while day < to
        && let Some(at) = on_day(day, window)
    {
        times.push(at);
        day += rng.exponential() / per_day;
    }
}

/// The instant `day` days after the start of the window; `None` after its end.
fn on_day(day: f64, window: Window) -> Option<Time> {
    let at = window.start + Span::from_millis((day * 86_400_000.0) as i64);
    (at <= window.end).then_some(at)
}
