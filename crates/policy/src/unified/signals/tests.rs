//! Sources that are right, that lie, and that renew all their dates.
use super::*;

const HOST: HostNo = HostNo(0);

fn week(weeks: i64) -> Time {
    Time::from_millis(1) + Span::from_days(7 * weeks)
}

/// A host of 100 pages, all seen in week 0.
fn web() -> (Signals, Pages) {
    let (mut signals, mut pages) = (Signals::default(), Pages::default());
    for number in 0..100 {
        pages.insert(&format!("http://a.example/{number}"), week(0));
        signals.first_visit(HOST);
    }
    (signals, pages)
}

fn claim(signals: &mut Signals, pages: &Pages, about: &[u32], source: SignalSource, at: Time) {
    let signal = |&page: &u32| Signal { page: PageNo(page), changed: at, source };
    let claims: Vec<Signal> = about.iter().map(signal).collect();
    signals.take(&claims, pages, |_| Some(week(0)));
}

/// A wait of one week, since week 0.
const WAIT: Wait = Wait { seen_at: Time::from_millis(1), weeks: 1.0, expected: 0.2 };

fn odds(signals: &Signals, page: u32, now: Time) -> f64 {
    signals.claim((PageNo(page), HOST), WAIT, now).odds
}

/// Twenty weeks in which a notice is about one page in ten, and one page without is visited, too.
fn learned(is_right: impl Fn(i64) -> bool) -> Signals {
    let (mut signals, pages) = web();
    for number in 1..=20 {
        let about: Vec<u32> = (0..5).map(|page| page + 5 * (number as u32 % 10)).collect();
        claim(&mut signals, &pages, &about, SignalSource::Notice, week(number));
        for (place, &page) in about.iter().enumerate() {
            let changed = is_right(5 * number + place as i64);
            signals.learn((PageNo(page), HOST), WAIT, changed);
            let silent = (PageNo(50 + page), HOST);
            signals.learn(silent, WAIT, (number + place as i64) % 5 == 0);
        }
    }
    claim(&mut signals, &pages, &[99], SignalSource::Notice, week(21));
    signals
}

#[test]
fn a_source_that_is_right_nearly_decides_and_one_that_lies_loses_its_weight() {
    let right = odds(&learned(|_| true), 99, week(21));
    assert!(right > 1.5, "{right}");
    // As often changed as pages without a notice.
    let noise = odds(&learned(|visit| visit % 5 == 0), 99, week(21));
    assert!(noise < 0.3, "{noise}");
}

#[test]
fn the_silence_of_a_source_that_tells_every_change_speaks_against_one() {
    let signals = learned(|_| true);
    assert!(odds(&signals, 98, week(21)) < -1.5);
    assert!(odds(&learned(|visit| visit % 5 == 0), 98, week(21)) > -0.3);
}

#[test]
fn a_sitemap_that_keeps_its_dates_does_not_speak_against_a_change() {
    let (mut signals, pages) = web();
    // The sitemap is page 0. It lists all pages, and 20 weeks long its new dates are right.
    let listed = |at: Time| Signal { page: PageNo(99), changed: at, source: SignalSource::Sitemap };
    let all: Vec<u32> = (0..100).collect();
    claim(&mut signals, &pages, &all, SignalSource::Sitemap, week(-10));
    for number in 1..=20 {
        let page = number as u32;
        claim(&mut signals, &pages, &[page], SignalSource::Sitemap, week(number));
        signals.look(PageNo(0), HOST, week(number), &[listed(week(-10))]);
        signals.learn((PageNo(page), HOST), WAIT, true);
        signals.learn((PageNo(50 + page), HOST), WAIT, false);
    }
    claim(&mut signals, &pages, &[98], SignalSource::Sitemap, week(21));
    assert!(odds(&signals, 98, week(21)) > 1.0);
    // A rebuild changes pages whose dates stay.
    assert!(odds(&signals, 99, week(21)) >= 0.0);
}

#[test]
fn a_wave_is_believed_less_and_loses_its_weight_within_a_few_visits() {
    let (mut signals, pages) = web();
    let all: Vec<u32> = (0..90).collect();
    claim(&mut signals, &pages, &all, SignalSource::Notice, week(1));
    claim(&mut signals, &pages, &[95], SignalSource::Notice, week(1));
    let wave = odds(&signals, 89, week(1));
    assert!(wave < odds(&signals, 95, week(1)), "{wave}");
    for page in 0..3 {
        signals.learn((PageNo(page), HOST), WAIT, false);
    }
    assert!(odds(&signals, 89, week(1)) < 0.05);
}

#[test]
fn claims_add_up_until_a_visit() {
    let (mut signals, pages) = web();
    let mut last = 0.0;
    for number in 1..=4 {
        claim(&mut signals, &pages, &[7], SignalSource::Notice, week(number));
        let now = odds(&signals, 7, week(number));
        assert!(now > last, "{now} after {last}");
        last = now;
    }
}

#[test]
fn a_visit_settles_a_claim_and_the_same_claim_again_is_no_news() {
    let (mut signals, pages) = web();
    for _ in 0..2 {
        claim(&mut signals, &pages, &[7], SignalSource::Notice, week(1));
    }
    assert!(odds(&signals, 7, week(1)) > 0.0);
    signals.learn((PageNo(7), HOST), WAIT, true);
    claim(&mut signals, &pages, &[7], SignalSource::Notice, week(1));
    assert!(odds(&signals, 7, week(1)) <= 0.0);
}

#[test]
fn a_date_before_the_last_visit_claims_nothing_but_a_whole_day_may() {
    let (mut signals, pages) = web();
    claim(&mut signals, &pages, &[7], SignalSource::Feed, Time::from_millis(-DAY + 5));
    assert!(signals.claim((PageNo(7), HOST), WAIT, week(1)).strongest.is_none());
    // The visit was a millisecond after midnight.
    claim(&mut signals, &pages, &[8], SignalSource::Feed, Time::from_millis(0));
    assert!(signals.claim((PageNo(8), HOST), WAIT, week(1)).strongest.is_some());
}
