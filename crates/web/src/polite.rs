//! When a host may be asked again.
//!
//! Between the end of an answer and the next request lies the longest of three delays. A host that
//! asks for fewer requests, or cannot be reached, rests on top of that.
use std::time::{Duration, Instant};

use flow::{Manners, Span, Time};

use crate::{Clock, Settings};

/// How long a host rests at first when it does not say itself.
const FIRST_REST: Span = Span::from_millis(60_000);

/// After this long without trouble, past trouble is forgiven.
const QUIET: Span = Span::from_millis(30 * 60_000);

/// From this many failures to reach a host in a row on, it rests.
const FAILURES: u32 = 3;

/// A rest is drawn out by up to this part of it, so that hosts are not all asked again at once.
const JITTER: f64 = 0.1;

/// Longer than any crawl; keeps sums of times from overflowing.
const FOR_EVER: Span = Span::from_days(36_500);

/// Why a host is left alone for as long as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DelayReason {
    /// The settings say so.
    Configured,
    /// Its robots.txt asks for it.
    CrawlDelay,
    /// It takes long to answer.
    ResponseTime,
}

/// The time to leave between an answer of a host and the next request to it, and why.
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

/// What decides when one host may be asked.
#[derive(Debug)]
pub(crate) struct Polite {
    manners: Manners,
    /// What robots.txt asks for, over `http` and over `https`.
    crawl_delay: [Option<Duration>; 2],
    /// When the last answer ended that came in this process.
    last_end: Option<Instant>,
    /// When the last answer of an earlier process may have ended.
    before: Option<Time>,
    failures: u32,
    /// Whether the manners differ from what was last noted.
    is_news: bool,
}

/// Where a crawl has no end set, a host that rests for longer than this is not waited for.
const LONGEST_REST: Span = Span::from_millis(5 * 60_000);

/// How long a host must still be left alone, in real time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wait {
    /// Because it asked for that, or could not be reached.
    pub(crate) rest: Duration,
    /// Because it has just been asked.
    pub(crate) pause: Duration,
}

impl Wait {
    /// For both reasons.
    pub(crate) fn all(self) -> Duration {
        self.rest.max(self.pause)
    }

    /// Whether it is longer than until `deadline`; where there is none, a rest may be too long, but a
    /// pause never is: a long Crawl-delay slows a crawl down and drops nothing.
    pub(crate) fn is_too_long(self, clock: &Clock, deadline: Option<Time>) -> bool {
        match deadline {
            Some(deadline) => self.all() > clock.real_time(deadline - clock.now()),
            None => self.rest > clock.real_time(LONGEST_REST),
        }
    }
}

impl Polite {
    /// A host of which `manners` is remembered, seen from a world made at `started`.
    pub(crate) fn new(mut manners: Manners, settings: &Settings, started: Time) -> Self {
        // A clock that was set back must not make us wait for what it showed before.
        let latest = started + settings.longest_back_off.min(FOR_EVER);
        manners.resting_until = manners.resting_until.map(|until| until.min(latest));
        manners.last_answer = manners.last_answer.map(|last| last.min(started));
        let restart = settings.after_restart.then_some(started);
        let before = manners.last_answer.max(restart);
        Self {
            manners,
            crawl_delay: [None; 2],
            last_end: None,
            before,
            failures: 0,
            is_news: false,
        }
    }

    /// Takes in what the robots.txt of one of its origins asks for.
    pub(crate) fn set_crawl_delay(&mut self, origin: usize, delay: Option<Duration>) {
        self.crawl_delay[origin] = delay;
    }

    /// How long it must still be left alone, in real time.
    pub(crate) fn wait(&self, settings: &Settings, clock: &Clock) -> Wait {
        let crawl_delay = self.crawl_delay.iter().copied().flatten().max();
        let (delay, _) = delay(settings, crawl_delay, self.manners.response_millis);
        let now = clock.now();
        let until = |time: Time| clock.real_time(time - now);
        let rest = self.manners.resting_until.map_or(Duration::ZERO, until);
        let pause = match (self.last_end, self.before) {
            (Some(end), _) => clock.real_time(delay).saturating_sub(end.elapsed()),
            // One more, because instants are written down in whole milliseconds.
            (None, Some(before)) => until(before + delay + Span::from_millis(1)),
            (None, None) => Duration::ZERO,
        };
        Wait { rest, pause }
    }

    /// Takes in that an answer, or the attempt to get one, which took `took`, has just ended.
    pub(crate) fn ended(&mut self, end: Instant, at: Time, took: Span) {
        self.last_end = Some(end);
        self.manners.last_answer = Some(at);
        self.manners.response_millis = u32::try_from(took.millis()).unwrap_or(u32::MAX);
        self.is_news = true;
    }

    /// Takes in that the host can be reached.
    pub(crate) fn reached(&mut self, now: Time) {
        self.failures = 0;
        self.forgive(now);
    }

    /// Takes in that the host could not be reached. True when it rests for that.
    pub(crate) fn unreached(&mut self, now: Time, settings: &Settings) -> bool {
        self.failures += 1;
        if self.failures >= FAILURES {
            self.strike(now, None, settings);
        }
        self.failures >= FAILURES
    }

    /// Takes in that the host asks for fewer requests, and for how long it wants to be left alone.
    pub(crate) fn busy(&mut self, now: Time, retry_after: Option<Span>, settings: &Settings) {
        self.failures = 0;
        self.strike(now, retry_after, settings);
    }

    fn strike(&mut self, now: Time, retry_after: Option<Span>, settings: &Settings) {
        self.forgive(now);
        let manners = &mut self.manners;
        manners.strikes = manners.strikes.saturating_add(1);
        manners.last_strike = Some(now);
        let rest = retry_after.unwrap_or_else(|| {
            let doubled = FIRST_REST.times(1 << (manners.strikes - 1).min(20));
            let jitter = 1.0 + JITTER * chance(settings.seed, &manners.host, manners.strikes);
            Span::from_millis((doubled.millis() as f64 * jitter) as i64)
        });
        manners.resting_until = Some(now + rest.min(settings.longest_back_off).min(FOR_EVER));
        self.is_news = true;
    }

    fn forgive(&mut self, now: Time) {
        let manners = &mut self.manners;
        let Some(trouble) = manners.last_strike.max(manners.resting_until) else { return };
        if manners.strikes > 0 && trouble + QUIET <= now {
            manners.strikes = 0;
            self.is_news = true;
        }
    }

    /// What is to be remembered of it.
    pub(crate) fn manners(&mut self) -> Manners {
        self.is_news = false;
        self.manners.clone()
    }

    /// What is to be remembered of it, where that has changed.
    pub(crate) fn news(&mut self) -> Option<Manners> {
        self.is_news.then(|| self.manners())
    }
}

/// A number in [0, 1) that is the same for the same seed, host and count.
fn chance(seed: u64, host: &str, strikes: u32) -> f64 {
    let seed = seed ^ u64::from(strikes).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let bits = xxhash_rust::xxh3::xxh3_64_with_seed(host.as_bytes(), seed) >> 11;
    bits as f64 / (1_u64 << 53) as f64
}

/// What the header `Retry-After` asks for: a number of seconds or a date.
pub(crate) fn retry_after(value: &str, now: Time) -> Option<Span> {
    let value = value.trim();
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        let seconds = value.parse::<i64>().unwrap_or(i64::MAX);
        return Some(Span::from_millis(seconds.saturating_mul(1_000)));
    }
    let date = httpdate::parse_http_date(value).ok()?;
    let since_1970 = date.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let date = Time::from_millis(i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX));
    Some((date - now).max(Span::default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Time = Time::from_millis(1_000_000_000_000);

    fn seconds(seconds: i64) -> Span {
        Span::from_millis(seconds * 1_000)
    }

    fn polite(manners: Manners) -> Polite {
        Polite::new(manners, &Settings::default(), START)
    }

    fn rest(polite: &mut Polite, now: Time) -> f64 {
        (polite.manners().resting_until.unwrap() - now).millis() as f64 / 1e3
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
    fn a_busy_host_rests_twice_as_long_each_time_up_to_a_day() {
        let settings = Settings::default();
        let mut host = polite(Manners { host: "a.org".to_owned(), ..Manners::default() });
        let mut expected = 60.0;
        let mut now = START;
        for _ in 0..14 {
            host.busy(now, None, &settings);
            let rest = rest(&mut host, now);
            assert!(rest >= expected && rest <= f64::min(expected * JITTER + expected, 86_400.0));
            expected = f64::min(expected * 2.0, 86_400.0);
            now = now + Span::from_millis((rest * 1e3) as i64);
        }
    }

    #[test]
    fn half_an_hour_of_quiet_after_the_rest_is_forgiven() {
        let settings = Settings::default();
        let mut host = polite(Manners::default());
        for _ in 0..4 {
            host.busy(START, None, &settings);
        }
        let until = host.manners().resting_until.unwrap();
        host.reached(until + seconds(29 * 60));
        assert_eq!(host.manners().strikes, 4);
        host.reached(until + seconds(30 * 60));
        assert_eq!(host.manners().strikes, 0);
    }

    #[test]
    fn what_a_host_asks_for_is_obeyed_but_not_for_more_than_a_day() {
        let settings = Settings::default();
        let mut host = polite(Manners::default());
        host.busy(START, Some(seconds(90)), &settings);
        assert!((rest(&mut host, START) - 90.0).abs() < 1e-9);
        host.busy(START, Some(seconds(999_999)), &settings);
        assert!((rest(&mut host, START) - 86_400.0).abs() < 1e-9);
    }

    #[test]
    fn retry_after_is_a_number_of_seconds_or_a_date() {
        let now = Time::from_millis(784_111_777_000);
        assert_eq!(retry_after(" 120 ", now), Some(seconds(120)));
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:50:37 GMT", now), Some(seconds(60)));
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:40:37 GMT", now), Some(seconds(0)));
        assert_eq!(retry_after(&"9".repeat(40), now), Some(Span::from_millis(i64::MAX)));
        for nonsense in ["", "soon", "-5", "1.5"] {
            assert_eq!(retry_after(nonsense, now), None);
        }
    }

    #[test]
    fn a_host_rests_after_three_failures_in_a_row() {
        let settings = Settings::default();
        let mut host = polite(Manners::default());
        assert!(!host.unreached(START, &settings));
        assert!(!host.unreached(START, &settings));
        host.reached(START);
        assert!(!host.unreached(START, &settings));
        assert!(!host.unreached(START, &settings));
        assert!(host.unreached(START, &settings));
        assert_eq!(host.manners().strikes, 1);
        assert!(rest(&mut host, START) >= 60.0);
    }

    #[test]
    fn jitter_depends_on_seed_host_and_count_alone() {
        assert!((chance(1, "a.org", 1) - chance(1, "a.org", 1)).abs() < 1e-12);
        let all = [chance(1, "a.org", 1), chance(2, "a.org", 1), chance(1, "b.org", 1)];
        assert!(all.iter().all(|one| (0.0..1.0).contains(one)));
        assert!((all[0] - all[1]).abs() > 1e-6 && (all[0] - all[2]).abs() > 1e-6);
    }

    #[test]
    fn a_new_world_keeps_the_distance_to_the_answers_of_the_old_one() {
        let clock = Clock::fast(START, 1e-9);
        let last = Manners {
            last_answer: Some(Time::from_millis(START.millis() - 400)),
            ..Manners::default()
        };
        let settings = Settings::default();
        let wait = |settings: &Settings, manners: &Manners| {
            let real = Polite::new(manners.clone(), settings, START).wait(settings, &clock).all();
            (real.as_secs_f64() * 1e-9 * 1e3).round() as i64
        };
        assert_eq!(wait(&settings, &Manners::default()), 0);
        assert_eq!(wait(&settings, &last), 601);
        // What was last noted need not have been the last answer.
        let restarted = Settings { after_restart: true, ..settings };
        assert_eq!(wait(&restarted, &last), 1_001);
        assert_eq!(wait(&restarted, &Manners::default()), 1_001);
    }
}
