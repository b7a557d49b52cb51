//! How long a plan over ten million pages takes, and how many bytes a page costs.
//!
//! `cargo bench -p policy --bench plan [pages] [policies]`. Prints, for every policy, the seconds of the best
//! of three cycles, the microseconds of learning from a visit, and the bytes of memory per page besides the text
//! of its address. A policy that samples makes many plans in a cycle, and every tenth page has changed. Some
//! policies learn at the next plan, so the time of learning includes what the first plan takes more than the
//! best.
#![expect(clippy::disallowed_methods, reason = "a benchmark measures us, with a clock")]

use std::time::Instant;

use crawl::{
    Budget, Known, Links, Observation, Outcome, PageNo, Pages, Policy, Reason, Span, Time, Visit,
};

const HOSTS: u32 = 1_000;
const CYCLE: Span = Span::from_days(7);

fn main() {
    let asked = std::env::args().skip(1).find_map(|argument| argument.parse().ok());
    let count: u32 = asked.unwrap_or(10_000_000);
    let before = memory_bytes();
    let (pages, text_bytes) = make(count);
    let page_bytes = (memory_bytes() - before - text_bytes as f64) / f64::from(count);
    println!("{count} pages, {page_bytes:.0} bytes each besides the text of their addresses");
    let links = Links::default();
    let now = Time::from_millis(0) + CYCLE.times(52);
    let budget = Budget(count / 100);
    println!(
        "{:<24} {:>10} {:>12} {:>14} {:>12}",
        "policy", "seconds", "µs a visit", "bytes a page", "in all"
    );
    let named: Vec<String> =
        std::env::args().filter(|word| policy::by_name(word).is_some()).collect();
    let is_asked = |name: &str| named.is_empty() || named.iter().any(|asked| asked == name);
    for entry in policy::ALL.iter().filter(|entry| is_asked(entry.name)) {
        let before = memory_bytes();
        let mut policy = entry.with_defaults(1);
        let start = Instant::now();
        for page in pages.numbers() {
            for seen in seen(&pages, page) {
                policy.learn(&seen);
            }
        }
        let learning = start.elapsed().as_secs_f64();
        let bytes = (memory_bytes() - before).max(0.0) / f64::from(count);
        let known = Known { interval: Some(CYCLE), ..Known::new(now, &pages, &links) };
        let cycles =
            [52, 53, 54].map(|cycle| spend(policy.as_mut(), &Known { cycle, ..known }, budget));
        let seconds = cycles.into_iter().fold(f64::INFINITY, f64::min);
        let visit = 1e6 * (learning + cycles[0] - seconds) / (2.0 * f64::from(count));
        let all = page_bytes + bytes;
        println!("{:<24} {seconds:>10.3} {visit:>12.2} {bytes:>14.0} {all:>12.0}", entry.name);
    }
}

/// The seconds that the plans of a cycle take. Visited pages stay due, so that pages need not be copied; a page
/// that a policy therefore plans twice counts twice.
fn spend(policy: &mut dyn Policy, known: &Known<'_>, budget: Budget) -> f64 {
    let (mut left, mut seconds) = (budget, 0.0);
    while left.0 > 0 {
        let start = Instant::now();
        let plan = policy.plan(known, left);
        seconds += start.elapsed().as_secs_f64();
        assert!(!plan.0.is_empty());
        let is_learned = |reason: Reason| matches!(reason, Reason::Sample | Reason::Discover);
        for visit in plan.0.iter().filter(|visit| is_learned(visit.reason)) {
            policy.learn(&observed(known, visit));
        }
        left = left.less(plan.0.len());
    }
    seconds
}

/// The observation of a visit that is made to learn something.
fn observed(known: &Known<'_>, visit: &Visit) -> Observation {
    let [_, last] = seen(known.pages, visit.page);
    let changed = visit.page.0.is_multiple_of(10);
    let outcome = if changed { Outcome::Changed(1.0) } else { Outcome::Same };
    Observation { at: known.now, cycle: known.cycle, reason: visit.reason, outcome, ..last }
}

/// Pages of many hosts, each seen twice at times of its own.
fn make(count: u32) -> (Pages, usize) {
    let mut pages = Pages::default();
    let mut text_bytes = 0;
    for number in 0..count {
        let address = format!("https://host{:04}.example/pages/{number:08}.html", number % HOSTS);
        text_bytes += address.len();
        let page = pages.insert(&address, Time::from_millis(0));
        for seen in seen(&pages, page) {
            pages.apply(page, seen.at, seen.outcome);
        }
    }
    (pages, text_bytes)
}

/// Two visits to a page: the first, and one some weeks later that found a change on every third.
fn seen(pages: &Pages, page: PageNo) -> [Observation; 2] {
    let weeks = 1 + i64::from(page.0.wrapping_mul(2_654_435_761) % 50);
    let (first, again) = (Time::from_millis(0), Time::from_millis(0) + CYCLE.times(weeks));
    let observation = |at, reason, outcome, since| Observation {
        reason,
        since,
        ..Observation::new(page, pages.host(page), at, outcome)
    };
    let outcome = if page.0.is_multiple_of(3) { Outcome::Changed(1.0) } else { Outcome::Same };
    [
        observation(first, Reason::First, Outcome::First, None),
        observation(again, Reason::Refresh, outcome, Some(CYCLE.times(weeks))),
    ]
}

/// Bytes of memory of this process.
fn memory_bytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or_default();
    let kilobytes = line.split_whitespace().nth(1).and_then(|word| word.parse().ok());
    kilobytes.unwrap_or(0.0) * 1024.0
}
