//! No policy sees the future: another future, the same plans so far.

use std::sync::Arc;

use crawl::Cycle;
use lab::{
    history::{History, Version},
    oracle::Clairvoyant,
    synthetic::{Kind, Spec, SyntheticWeb},
    tournament::Start,
    truth::GroundTruth,
};

use crate::common::{DAY, played, truth_of};

const WEEKS: u32 = 10;
/// The last cycle before the future differs.
const CUT: usize = 5;
const BUDGET: u32 = 12;

fn past() -> History {
    SyntheticWeb::new(Spec { kind: Kind::Hubs, pages: 90, seed: 4, weeks: WEEKS }).history()
}

/// The same up to the instant of cycle `CUT`; then every page shows readings of other pages, at
/// other times, and every seventh page is gone for a while.
fn another_future(mut history: History) -> History {
    let cut = history.window.start + DAY.times(7 * CUT as i64);
    let readings = history.readings.len() as u32;
    for (number, page) in (0_u32..).zip(&mut history.pages) {
        page.versions.retain(|version| version.at <= cut);
        for later in 0..WEEKS - CUT as u32 {
            let at = cut + DAY.times(i64::from(1 + 7 * later + number % 5));
            let reading = (number + later) * 7919 % readings;
            let gone = number % 7 == 3 && later == 1;
            page.versions.push(Version { at, reading: (!gone).then_some(reading) });
        }
    }
    history
}

fn truth(history: History) -> Arc<GroundTruth> {
    truth_by("digest", history)
}

fn truth_by(detector: &str, history: History) -> Arc<GroundTruth> {
    truth_of(history, DAY.times(7), extract::detect::by_name(detector).unwrap())
}

fn starts() -> [Start; 2] {
    [Start::Synchronised, Start::Empty(vec!["https://site0000.example/".into()])]
}

/// Plans and observations in every digit: floating point numbers are printed so that they read
/// back the same.
fn text(cycles: &[Cycle]) -> String {
    format!("{cycles:?}")
}

#[test]
fn the_two_histories_are_one_until_the_cut_and_two_afterwards() {
    let (one, other) = (truth(past()), truth(another_future(past())));
    let differ = |cycle: usize| {
        let pages = 0..one.history().pages.len();
        pages.filter(|&page| one.reading(page, cycle) != other.reading(page, cycle)).count()
    };
    for cycle in 0..=CUT {
        assert_eq!(differ(cycle), 0);
    }
    assert!(differ(CUT + 1) > 50);
}

#[test]
fn no_policy_plans_by_what_is_yet_to_come() {
    for detector in ["digest", "main-text"] {
        let truths = [past(), another_future(past())].map(|past| truth_by(detector, past));
        for entry in policy::ALL {
            for start in starts() {
                let [first, second] = truths
                    .each_ref()
                    .map(|truth| played(truth, entry.with_defaults(7), BUDGET, &start));
                assert_eq!(text(&first[..CUT]), text(&second[..CUT]), "{} peeks", entry.name);
                // Or else there was nothing to see.
                assert_ne!(text(&first[CUT..]), text(&second[CUT..]), "{} is blind", entry.name);
            }
        }
    }
}

#[test]
fn an_oracle_does_plan_by_what_is_yet_to_come() {
    // So this way of looking would find a policy that peeks.
    let truths = [truth(past()), truth(another_future(past()))];
    let oracles: [fn(Arc<GroundTruth>) -> Clairvoyant; 2] =
        [Clairvoyant::changes, Clairvoyant::freshness];
    for make in oracles {
        let plans = truths.each_ref().map(|truth| {
            let oracle = Box::new(make(Arc::clone(truth)));
            let cycles = played(truth, oracle, BUDGET, &Start::Synchronised);
            text(&cycles[..CUT])
        });
        assert_ne!(plans[0], plans[1]);
    }
}
