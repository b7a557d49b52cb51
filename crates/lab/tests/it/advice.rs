//! Advice from a log whose pages change in a known way.
use std::sync::atomic::{AtomicU32, Ordering};

use crawl::{HostNo, Links, Observation, Outcome, PageNo, Pages, Reason, Span, Time};
use lab::{
    advice::{Advice, NoAdvice, Question, Record, Recorder, advise},
    rng::Rng,
};
use policy::PolicySpec;

const WEEKS: i64 = 40;

fn day(number: i64) -> Time {
    Time::from_millis(0) + Span::from_days(number)
}

/// A log of weekly visits to every page. `rate` is that of each page, in changes per week.
fn record(pages: u32, rate: impl Fn(u32) -> f64) -> Record {
    let mut rng = Rng::new(5);
    record_of(pages, |_, page| rng.unit() < -(-rate(page)).exp_m1())
}

/// The same, where `changed` says whether a page changed in a week.
fn record_of(pages: u32, mut changed: impl FnMut(i64, u32) -> bool) -> Record {
    let mut known = Pages::default();
    for page in 0..pages {
        known.insert(&format!("http://a.example/{}/{page}.html", page % 4), day(0));
    }
    let mut log = vec![];
    for week in 0..WEEKS {
        for page in (0..pages).map(PageNo) {
            let changed = changed(week, page.0);
            let (reason, outcome) = match week {
                0 => (Reason::First, Outcome::First),
                _ if changed => (Reason::Refresh, Outcome::Changed(1.0)),
                _ => (Reason::Refresh, Outcome::Same),
            };
            let since = (week > 0).then_some(Span::from_days(7));
            // Every tenth week page 0 shows a page that was new then.
            let is_hub = page.0 == 0 && week > 0 && week % 10 == 0;
            let leads = if is_hub { vec![PageNo(week as u32)] } else { vec![] };
            let at = day(7 * week);
            known.apply(page, at, outcome);
            log.push(Observation {
                cycle: week as u32,
                reason,
                since,
                leads,
                ..Observation::new(page, HostNo(0), at, outcome)
            });
        }
    }
    let now = day(7 * WEEKS);
    let mut recorder = Recorder::new(&known, &Links::default(), WEEKS as u32, now, usize::MAX);
    for seen in &log {
        recorder.add(seen);
    }
    recorder.finish()
}

fn question(policies: &[&str], budget: u32) -> Question {
    let mut specs = policies.iter().map(|name| PolicySpec::parse(name).unwrap());
    Question {
        policy: specs.next().unwrap(),
        rivals: specs.collect(),
        budget,
        factors: vec![0.5, 1.0, 2.0],
        interval: Span::from_days(7),
        cycles: 40,
        futures: 6,
        seed: 1,
    }
}

fn advice(record: &Record, question: &Question) -> Advice {
    advise(record, question, &|| true).unwrap().expect("the log is long enough")
}

#[test]
fn round_robin_is_forecast_as_theory_says() {
    // All pages change once in ten weeks and are visited once in ten weeks: the mean share of the time in
    // which they are fresh is (1 - e^-1) / 1 = .632.
    let record = record(200, |_| 0.1);
    let advice = advice(&record, &question(&["round-robin"], 20));
    let freshness = advice.contests[0].freshness;
    assert!((freshness.mean - 0.632).abs() < 0.15, "{freshness:?}");
    assert!(freshness.low < 0.632 && 0.632 < freshness.high, "{freshness:?}");
    // e^-4 would be left without visits, and more where habits slow down.
    assert!((0.01..0.2).contains(&advice.unvisited), "{}", advice.unvisited);
    // A change is found at .632 of the visits.
    assert!((advice.contests[0].changes.mean - 12.6).abs() < 4.0);
}

#[test]
fn more_budget_is_expected_to_buy_more() {
    let record = record(120, |page| if page % 2 == 0 { 0.3 } else { 0.02 });
    let advice = advice(&record, &question(&["freshness-index"], 12));
    let offers = advice.curve.offers();
    assert_eq!(offers.iter().map(|offer| offer.budget).collect::<Vec<_>>(), [6, 12, 24]);
    assert!(offers.windows(2).all(|two| two[0].freshness.mean < two[1].freshness.mean));
    let shares: Vec<f64> = offers.iter().map(|offer| offer.new_pages.unwrap().mean).collect();
    assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)), "{shares:?}");
}

/// Ten of 120 pages are visited a week; all of them changed once, in the eighth week.
fn rebuilt_once() -> Record {
    let mut known = Pages::default();
    for page in 0..120 {
        let page = known.insert(&format!("http://a.example/{page}.html"), day(0));
        known.apply(page, day(0), Outcome::First);
    }
    let mut log = vec![];
    for page in 0..120 {
        let week = 1 + i64::from(page) / 10;
        let outcome = if week >= 8 { Outcome::Changed(1.0) } else { Outcome::Same };
        let at = day(7 * week);
        known.apply(PageNo(page), at, outcome);
        log.push(Observation {
            cycle: week as u32,
            reason: Reason::Refresh,
            since: Some(Span::from_days(7 * week)),
            ..Observation::new(PageNo(page), HostNo(0), at, outcome)
        });
    }
    let mut recorder = Recorder::new(&known, &Links::default(), 13, day(7 * 13), usize::MAX);
    for seen in &log {
        recorder.add(seen);
    }
    recorder.finish()
}

#[test]
fn pages_that_were_rebuilt_at_once_are_not_taken_for_pages_that_change_all_the_time() {
    // If they are not rebuilt again, round robin brings 88 % in the mean.
    let advice = advice(&rebuilt_once(), &question(&["round-robin"], 10));
    let freshness = advice.contests[0].freshness;
    assert!(freshness.high > 0.7, "{freshness:?}");
    // They may be, and nobody knows how often.
    assert!(freshness.low < 0.6 && !freshness.is_known(), "{freshness:?}");
}

#[test]
fn a_policy_that_learns_is_advised_where_pages_differ() {
    // Half of the pages change all the time: visits to them are lost.
    let record = record(120, |page| if page % 2 == 0 { 4.0 } else { 0.05 });
    let advice = advice(&record, &question(&["round-robin", "freshness-index"], 6));
    assert_eq!(advice.best(), 1, "{:#?}", advice.contests);
    // Where all pages are alike nothing is better than taking turns, and nobody is told to change.
    let alike = self::record(120, |_| 0.1);
    let advice = self::advice(&alike, &question(&["round-robin", "random"], 6));
    assert_eq!(advice.best(), 0, "{:#?}", advice.contests);
}

#[test]
fn a_short_log_gives_no_advice() {
    let mut record = record(20, |_| 0.1);
    record.log.truncate(40);
    let advice = advise(&record, &question(&["round-robin"], 2), &|| true).unwrap();
    assert_eq!(advice.unwrap_err(), NoAdvice::TooShort);
}

#[test]
fn advice_that_is_no_longer_wanted_ends_soon() {
    let record = record(80, |_| 0.1);
    let asked = AtomicU32::new(0);
    let goes_on = || asked.fetch_add(1, Ordering::Relaxed) < 3;
    let advice = advise(&record, &question(&["round-robin"], 8), &goes_on).unwrap();
    assert_eq!(advice.unwrap_err(), NoAdvice::Stopped);
    // Six futures: each is asked at most once more.
    assert!(asked.load(Ordering::Relaxed) <= 3 + 6, "{asked:?}");
}

#[test]
fn the_same_seed_gives_the_same_advice() {
    let record = record(80, |page| f64::from(page) / 100.0);
    let question = question(&["unified", "round-robin"], 8);
    let text = |advice: Advice| format!("{advice:?}");
    assert_eq!(text(advice(&record, &question)), text(advice(&record, &question)));
}

#[test]
fn a_sample_stands_for_the_whole() {
    let whole = record(2_000, |_| 0.1);
    let mut recorder = Recorder::new(&whole.pages, &whole.links, whole.cycles, whole.now, 500);
    whole.log.iter().for_each(|seen| recorder.add(seen));
    let sample = recorder.finish();
    assert!((400..600).contains(&sample.simulated()), "{}", sample.simulated());
    assert_eq!(sample.held, 2_000);
    let advice = advice(&sample, &question(&["round-robin"], 200));
    // Habits change by a factor of two either way in each of six futures.
    assert!((advice.contests[0].freshness.mean - 0.632).abs() < 0.15);
    assert!((advice.contests[0].changes.mean - 126.0).abs() < 40.0);
}
