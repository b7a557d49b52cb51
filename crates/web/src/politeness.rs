//! When the next request to a host is allowed.
//!
//! The longest of three delays lies between the end of an answer and the next request. In addition, a
//! host that asks for fewer requests or cannot be reached backs off.
use std::{
    fmt,
    time::{Duration, Instant, UNIX_EPOCH},
};

use crawl::{HostState, Span, Time};

use crate::{Clock, Settings};

/// The first back-off of a host that does not send `Retry-After`.
const FIRST_BACK_OFF: Span = Span::from_millis(60_000);

/// Strikes are forgotten after this time without trouble.
const QUIET: Span = Span::from_millis(30 * 60_000);

/// A host backs off after this many failures in a row to reach it.
const FAILURES: u32 = 3;

/// A back-off is extended at random by up to this share, so that not all hosts return at once.
const JITTER: f64 = 0.1;

/// Longer than any crawl; keeps sums of times from overflowing.
const FOR_EVER: Span = Span::from_days(36_500);

/// Why the delay of a host is as long as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DelayReason {
    /// The configured delay.
    Configured,
    /// `Crawl-delay` in its robots.txt.
    CrawlDelay,
    /// Its last answer was slow.
    ResponseTime,
}

/// The delay between an answer of a host and the next request to it, and its reason.
pub(crate) fn delay(
    settings: &Settings,
    crawl_delay: Option<Duration>,
    response_millis: u32,
) -> (Span, DelayReason) {
    let asked = crawl_delay.unwrap_or_default().as_millis();
    let asked = Span::from_millis(i64::try_from(asked).unwrap_or(i64::MAX)).min(FOR_EVER);
    let slow = f64::from(response_millis) * settings.response_multiple.max(0.0);
    let slow = Span::from_millis(slow.ceil() as i64).min(FOR_EVER);
    let mut longest = (settings.delay, DelayReason::Configured);
    for other in [(asked, DelayReason::CrawlDelay), (slow, DelayReason::ResponseTime)] {
        if other.0 > longest.0 {
            longest = other;
        }
    }
    longest
}

/// A host that is left alone, and for how long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackOff {
    /// The host with its port, as in addresses.
    pub host: String,
    /// It gets no requests before this time.
    pub until: Time,
    /// How often in a row it asked for fewer requests or could not be reached.
    pub strikes: u32,
    /// Why; `None` where an earlier process found out.
    pub reason: Option<String>,
}

/// When requests to one host are allowed.
#[derive(Debug)]
pub(crate) struct Politeness {
    state: HostState,
    /// `Crawl-delay` of robots.txt over `http` and `https`.
    crawl_delay: [Option<Duration>; 2],
    /// When the last answer in this process ended.
    last_end: Option<Instant>,
    /// When the last answer in an earlier process may have ended.
    before: Option<Time>,
    failures: u32,
    /// Why it backs off, if that is known.
    reason: Option<String>,
    /// Whether the state changed since it was last reported.
    is_news: bool,
}

/// Without a deadline, a crawl does not wait for a host that backs off for longer than this.
const LONGEST_WAIT: Span = Span::from_millis(5 * 60_000);

/// The time until the next request to a host, in real time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wait {
    /// The rest of its back-off.
    pub(crate) back_off: Duration,
    /// The rest of the delay after its last answer.
    pub(crate) pause: Duration,
    /// The reason for the delay.
    pub(crate) delay_reason: DelayReason,
}

impl Wait {
    /// The longer of the two.
    pub(crate) fn longest(self) -> Duration {
        self.back_off.max(self.pause)
    }

    /// The reason for the longer of the two, for logs.
    pub(crate) fn reason(self) -> &'static str {
        match self.delay_reason {
            _ if self.back_off > self.pause => "back-off",
            DelayReason::Configured => "configured delay",
            DelayReason::CrawlDelay => "Crawl-delay",
            DelayReason::ResponseTime => "slow answer",
        }
    }

    /// Whether it ends after `deadline`. Without a deadline only a back-off can be too long: a long
    /// `Crawl-delay` slows a crawl down and drops nothing.
    pub(crate) fn is_too_long(self, clock: &Clock, deadline: Option<Time>) -> bool {
        match deadline {
            Some(deadline) => self.longest() > clock.real_time(deadline - clock.now()),
            None => self.back_off > clock.real_time(LONGEST_WAIT),
        }
    }
}

impl Politeness {
    /// The politeness of a host with the remembered `state`, in a world created at `started`.
    pub(crate) fn new(mut state: HostState, settings: &Settings, started: Time) -> Self {
        // If the clock was set back, do not wait until the time it showed before.
        let latest = started + settings.longest_back_off.min(FOR_EVER);
        state.back_off_until = state.back_off_until.map(|until| until.min(latest));
        state.last_answer = state.last_answer.map(|last| last.min(started));
        let restart = settings.after_restart.then_some(started);
        let before = state.last_answer.max(restart);
        Self {
            state,
            crawl_delay: [None; 2],
            last_end: None,
            before,
            failures: 0,
            reason: None,
            is_news: false,
        }
    }

    /// Notes why the host backs off.
    pub(crate) fn set_reason(&mut self, reason: String) {
        self.reason = Some(reason);
    }

    /// Its back-off, if it backs off at `now`.
    pub(crate) fn back_off(&self, now: Time) -> Option<BackOff> {
        let until = self.state.back_off_until.filter(|&until| until > now)?;
        let (host, strikes) = (self.state.host.clone(), self.state.strikes);
        Some(BackOff { host, until, strikes, reason: self.reason.clone() })
    }

    /// Sets the `Crawl-delay` of one of its origins.
    pub(crate) fn set_crawl_delay(&mut self, origin: usize, delay: Option<Duration>) {
        self.crawl_delay[origin] = delay;
    }

    /// The time until the next request, in real time.
    pub(crate) fn wait(&self, settings: &Settings, clock: &Clock) -> Wait {
        let crawl_delay = self.crawl_delay.iter().copied().flatten().max();
        let (delay, delay_reason) = delay(settings, crawl_delay, self.state.response_millis);
        let now = clock.now();
        let until = |time: Time| clock.real_time(time - now);
        let back_off = self.state.back_off_until.map_or(Duration::ZERO, until);
        let pause = match (self.last_end, self.before) {
            (Some(end), _) => clock.real_time(delay).saturating_sub(end.elapsed()),
            // One more, because instants are stored in whole milliseconds.
            (None, Some(before)) => until(before + delay + Span::from_millis(1)),
            (None, None) => Duration::ZERO,
        };
        Wait { back_off, pause, delay_reason }
    }

    /// Records that an answer, or the attempt to get one, ended after `took`.
    pub(crate) fn ended(&mut self, end: Instant, at: Time, took: Span) {
        self.last_end = Some(end);
        self.state.last_answer = Some(at);
        self.state.response_millis = u32::try_from(took.millis()).unwrap_or(u32::MAX);
        self.is_news = true;
    }

    /// Records that the host was reached.
    pub(crate) fn reached(&mut self, now: Time) {
        self.failures = 0;
        self.forgive(now);
    }

    /// Records that the host could not be reached; true if it backs off now.
    pub(crate) fn unreached(&mut self, now: Time, settings: &Settings) -> bool {
        self.failures += 1;
        if self.failures >= FAILURES {
            self.strike(now, None, settings);
        }
        self.failures >= FAILURES
    }

    /// Records that the host asked for fewer requests, with its `Retry-After`.
    pub(crate) fn busy(&mut self, now: Time, retry_after: Option<Span>, settings: &Settings) {
        self.failures = 0;
        self.strike(now, retry_after, settings);
    }

    fn strike(&mut self, now: Time, retry_after: Option<Span>, settings: &Settings) {
        self.forgive(now);
        let state = &mut self.state;
        state.strikes = state.strikes.saturating_add(1);
        state.last_strike = Some(now);
        let back_off = retry_after.unwrap_or_else(|| {
            let doubled = FIRST_BACK_OFF.times(1 << (state.strikes - 1).min(20));
            let jitter = 1.0 + JITTER * random(settings.seed, &state.host, state.strikes);
            Span::from_millis((doubled.millis() as f64 * jitter) as i64)
        });
        state.back_off_until = Some(now + back_off.min(settings.longest_back_off).min(FOR_EVER));
        self.is_news = true;
    }

    fn forgive(&mut self, now: Time) {
        let state = &mut self.state;
        let Some(trouble) = state.last_strike.max(state.back_off_until) else { return };
        if state.strikes > 0 && trouble + QUIET <= now {
            state.strikes = 0;
            self.is_news = true;
        }
    }

    /// The state to store.
    pub(crate) fn host_state(&mut self) -> HostState {
        self.is_news = false;
        self.state.clone()
    }

    /// The state to store, if it changed.
    pub(crate) fn news(&mut self) -> Option<HostState> {
        self.is_news.then(|| self.host_state())
    }
}

/// A number in [0, 1) that depends on seed, host and count only.
fn random(seed: u64, host: &str, strikes: u32) -> f64 {
    let seed = seed ^ u64::from(strikes).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let bits = xxhash_rust::xxh3::xxh3_64_with_seed(host.as_bytes(), seed) >> 11;
    bits as f64 / (1_u64 << 53) as f64
}

/// Parses `Retry-After`: a number of seconds or a date. `None` if it asks for no time at all: 0, or a date
/// that is past. A host that is busy and says so gets the ordinary back-off.
pub(crate) fn retry_after(value: &str, now: Time) -> Option<Span> {
    let value = value.trim();
    let span = if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        let seconds = value.parse::<i64>().unwrap_or(i64::MAX);
        Span::from_millis(seconds.saturating_mul(1_000))
    } else {
        let date = httpdate::parse_http_date(value).ok()?;
        let since_1970 = date.duration_since(UNIX_EPOCH).unwrap_or_default();
        let date = Time::from_millis(i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX));
        date - now
    };
    Some(span).filter(|span| *span > Span::default())
}

/// An instant as HTTP writes it, for logs.
pub(crate) struct HttpTime(pub(crate) Time);

impl fmt::Display for HttpTime {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // HTTP can write the years 1970 to 9999.
        let millis = self.0.millis().clamp(0, 253_402_300_799_000).unsigned_abs();
        httpdate::HttpDate::from(UNIX_EPOCH + Duration::from_millis(millis)).fmt(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Time = Time::from_millis(1_000_000_000_000);

    fn seconds(seconds: i64) -> Span {
        Span::from_millis(seconds * 1_000)
    }

    fn politeness(state: HostState) -> Politeness {
        Politeness::new(state, &Settings::default(), START)
    }

    fn back_off(politeness: &mut Politeness, now: Time) -> f64 {
        (politeness.host_state().back_off_until.unwrap() - now).millis() as f64 / 1e3
    }

    #[test]
    fn the_longest_of_the_three_delays_holds() {
        let settings = Settings::default();
        let asked = |seconds| Some(Duration::from_secs(seconds));
        assert_eq!(delay(&settings, None, 100), (seconds(1), DelayReason::Configured));
        assert_eq!(delay(&settings, asked(7), 100), (seconds(7), DelayReason::CrawlDelay));
        assert_eq!(delay(&settings, asked(7), 4_000), (seconds(8), DelayReason::ResponseTime));
        // However long, it is waited out rather than cut.
        assert_eq!(
            delay(&settings, asked(999_999), 0),
            (seconds(999_999), DelayReason::CrawlDelay)
        );
        assert_eq!(delay(&settings, Some(Duration::MAX), 0).0, FOR_EVER);
    }

    #[test]
    fn a_busy_host_backs_off_twice_as_long_each_time_up_to_a_day() {
        let settings = Settings::default();
        let mut host = politeness(HostState { host: "a.org".to_owned(), ..HostState::default() });
        let mut expected = 60.0;
        let mut now = START;
        for _ in 0..14 {
            host.busy(now, None, &settings);
            let back_off = back_off(&mut host, now);
            assert!(
                back_off >= expected
                    && back_off <= f64::min(expected * JITTER + expected, 86_400.0)
            );
            expected = f64::min(expected * 2.0, 86_400.0);
            now = now + Span::from_millis((back_off * 1e3) as i64);
        }
    }

    #[test]
    fn strikes_are_forgotten_half_an_hour_after_the_back_off() {
        let settings = Settings::default();
        let mut host = politeness(HostState::default());
        for _ in 0..4 {
            host.busy(START, None, &settings);
        }
        let until = host.host_state().back_off_until.unwrap();
        host.reached(until + seconds(29 * 60));
        assert_eq!(host.host_state().strikes, 4);
        host.reached(until + seconds(30 * 60));
        assert_eq!(host.host_state().strikes, 0);
    }

    #[test]
    fn what_a_host_asks_for_is_obeyed_but_not_for_more_than_a_day() {
        let settings = Settings::default();
        let mut host = politeness(HostState::default());
        host.busy(START, Some(seconds(90)), &settings);
        assert!((back_off(&mut host, START) - 90.0).abs() < 1e-9);
        host.busy(START, Some(seconds(999_999)), &settings);
        assert!((back_off(&mut host, START) - 86_400.0).abs() < 1e-9);
    }

    #[test]
    fn retry_after_is_a_number_of_seconds_or_a_date() {
        let now = Time::from_millis(784_111_777_000);
        assert_eq!(retry_after(" 120 ", now), Some(seconds(120)));
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:50:37 GMT", now), Some(seconds(60)));
        // It asks for fewer requests and for no pause: the ordinary back-off.
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:40:37 GMT", now), None);
        assert_eq!(retry_after("0", now), None);
        assert_eq!(retry_after(&"9".repeat(40), now), Some(Span::from_millis(i64::MAX)));
        for nonsense in ["", "soon", "-5", "1.5"] {
            assert_eq!(retry_after(nonsense, now), None);
        }
    }

    #[test]
    fn a_host_backs_off_after_three_failures_in_a_row() {
        let settings = Settings::default();
        let mut host = politeness(HostState::default());
        assert!(!host.unreached(START, &settings));
        assert!(!host.unreached(START, &settings));
        host.reached(START);
        assert!(!host.unreached(START, &settings));
        assert!(!host.unreached(START, &settings));
        assert!(host.unreached(START, &settings));
        assert_eq!(host.host_state().strikes, 1);
        assert!(back_off(&mut host, START) >= 60.0);
    }

    #[test]
    fn jitter_depends_on_seed_host_and_count_alone() {
        assert!((random(1, "a.org", 1) - random(1, "a.org", 1)).abs() < 1e-12);
        let all = [random(1, "a.org", 1), random(2, "a.org", 1), random(1, "b.org", 1)];
        assert!(all.iter().all(|one| (0.0..1.0).contains(one)));
        assert!((all[0] - all[1]).abs() > 1e-6 && (all[0] - all[2]).abs() > 1e-6);
    }

    #[test]
    fn a_new_world_keeps_the_distance_to_the_answers_of_the_old_one() {
        let clock = Clock::fast(START, 1e-9);
        let last = HostState {
            last_answer: Some(Time::from_millis(START.millis() - 400)),
            ..HostState::default()
        };
        let settings = Settings::default();
        let wait = |settings: &Settings, state: &HostState| {
            let real =
                Politeness::new(state.clone(), settings, START).wait(settings, &clock).longest();
            (real.as_secs_f64() * 1e-9 * 1e3).round() as i64
        };
        assert_eq!(wait(&settings, &HostState::default()), 0);
        assert_eq!(wait(&settings, &last), 601);
        // What was last handed over need not have been the last answer.
        let restarted = Settings { after_restart: true, ..settings };
        assert_eq!(wait(&restarted, &last), 1_001);
        assert_eq!(wait(&restarted, &HostState::default()), 1_001);
    }
}
