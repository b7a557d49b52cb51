//! Properties that models of all methods share.
use std::sync::Arc;

use crawl::Time;
use instruments::features::Changes;
use proptest::prelude::*;
use text::counts::WordCounts;

use super::*;

const DAY_MILLIS: i64 = 86_400_000;

fn day(day: usize) -> Time {
    Time::from_millis(day as i64 * DAY_MILLIS)
}

/// A page visited once a day, of which every other word is replaced at each change.
fn page(name: u32, changes: &[bool]) -> Vec<VisitRecord> {
    let mut version = 0;
    let visits = changes.iter().enumerate().map(|(number, &significant)| {
        version += u32::from(significant);
        let words = Arc::new(WordCounts::from_terms(vec![name, name, 1_000 * name + version]));
        let changes = Changes { significant, ..Changes::default() };
        VisitRecord { at: day(number), changes, words }
    });
    visits.collect()
}

fn expert(visits: &[VisitRecord]) -> Expert<'_> {
    Expert { visits, weight: 1.0 }
}

/// The forecast for the next day by a method trained on all of a page.
fn next(method: Method, page: &[VisitRecord], experts: &[Expert<'_>]) -> Forecast {
    let model = train(method, &Settings::default(), page, experts, 1.0);
    let now = page.last().map_or(day(0), |visit| visit.at);
    model.forecast(page, experts, now, 1.0)
}

/// Changes without a pattern, the same in every run.
fn noise(seed: u64, count: usize) -> Vec<bool> {
    let draw = |number: usize| xxhash_rust::xxh3::xxh3_64_with_seed(&number.to_le_bytes(), seed);
    (0..count).map(|number| draw(number).is_multiple_of(2)).collect()
}

fn learners() -> impl Iterator<Item = Method> {
    let is_baseline = |method| {
        matches!(method, Method::Coin | Method::Majority | Method::LastLabel | Method::FlippedLabel)
    };
    Method::ALL.into_iter().map(|(_, method)| method).filter(move |&method| !is_baseline(method))
}

fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
}

#[test]
fn of_a_page_never_looked_at_nothing_is_known() {
    for (name, method) in Method::ALL {
        assert_eq!(
            next(method, &[], &[]),
            Forecast { predicts_change: false, probability: 0.5 },
            "{name}"
        );
        // Nor of one that was visited later only.
        let page = page(1, &noise(1, 60));
        let model = train(method, &Settings::default(), &page, &[], 1.0);
        let before = Time::from_millis(-1);
        let forecast = model.forecast(&page, &[], before, 1.0);
        assert_eq!(forecast, Forecast { predicts_change: false, probability: 0.5 }, "{name}");
    }
}

#[test]
fn without_an_example_a_change_is_as_likely_as_not() {
    for changes in [&[false][..], &[false, true], &[false, true, false]] {
        for method in learners() {
            let forecast = next(method, &page(1, changes), &[]);
            assert!(!forecast.predicts_change);
            assert_near(forecast.probability, 0.5);
        }
    }
}

#[test]
fn one_example_is_followed() {
    for method in learners() {
        let forecast = next(method, &page(1, &[false, false, false, true]), &[]);
        assert!(forecast.predicts_change);
        assert_near(forecast.probability, 0.75);
    }
}

#[test]
fn a_page_that_always_or_never_changes_goes_on() {
    let other = page(2, &noise(5, 60));
    for always in [false, true] {
        // Ten visits are seven examples: the first two and the last are not examples.
        let page = page(1, &[always; 10]);
        for method in learners().chain([Method::Coin, Method::Majority, Method::LastLabel]) {
            let forecast = next(method, &page, &[expert(&other)]);
            assert_eq!(forecast.predicts_change, always, "{method:?}");
            assert_near(forecast.probability, if always { 7.5 / 8.0 } else { 0.5 / 8.0 });
        }
        assert_eq!(next(Method::FlippedLabel, &page, &[]).predicts_change, !always);
    }
}

#[test]
fn a_frequent_change_is_the_majoritys() {
    // Labels of the examples: t, t, f. The probability is (2 + 1/2) / 4.
    let page = page(1, &[false, false, false, true, true, false]);
    let forecast = next(Method::Majority, &page, &[]);
    assert!(forecast.predicts_change);
    assert_near(forecast.probability, 2.5 / 4.0);
    // The last visit found no change. There is one such example, and a change followed: 1.5 / 2.
    let forecast = next(Method::LastLabel, &page, &[]);
    assert!(!forecast.predicts_change);
    assert_near(forecast.probability, 1.5 / 2.0);
    assert!(next(Method::FlippedLabel, &page, &[]).predicts_change);
}

#[test]
fn only_the_window_counts() {
    let mut changes = vec![true; 40];
    changes.extend([false; 6]);
    let page = page(1, &changes);
    let settings = Settings { window: 5, ..Settings::default() };
    let model = train(Method::Majority, &settings, &page, &[], 1.0);
    let forecast = model.forecast(&page, &[], day(45), 1.0);
    assert!(!forecast.predicts_change);
    assert_near(forecast.probability, 0.5 / 6.0);
}

#[test]
fn the_coin_falls_as_often_as_there_were_changes() {
    // Two of three examples in turn: the coin predicts a change on two days in three.
    let changes: Vec<bool> = (0..63).map(|number| number % 3 != 0).collect();
    let page = page(1, &changes);
    let settings = Settings { window: 60, ..Settings::default() };
    let model = train(Method::Coin, &settings, &page, &[], 1.0);
    let predicts_change = |hour: i64| {
        let now = Time::from_millis(63 * DAY_MILLIS + hour * 3_600_000);
        model.forecast(&page, &[], now, 1.0).predicts_change
    };
    let forecast = (0..3_000).filter(|&hour| predicts_change(hour)).count();
    assert!((1_900..2_100).contains(&forecast), "{forecast}");
}

#[test]
fn a_page_learns_its_own_turns() {
    let taking_turns: Vec<bool> = (0..60).map(|number| number % 2 == 0).collect();
    for method in learners() {
        let calm = page(2, &[false; 60]);
        let experts = [expert(&calm)];
        // The 59th day had no change, so the next one has; after the 58th there is none.
        let experts = if method == Method::Single { &[][..] } else { &experts[..] };
        if method == Method::MultipleOthers {
            continue;
        }
        let changes = next(method, &page(1, &taking_turns), experts);
        let stays = next(method, &page(1, &taking_turns[..59]), experts);
        if method != Method::Multiple {
            assert!(changes.predicts_change && !stays.predicts_change, "{method:?}");
        }
        assert!(changes.probability > stays.probability, "{method:?}: {changes:?} {stays:?}");
    }
}

#[test]
fn an_expert_that_goes_before_is_believed() {
    // The page changes a day after its expert, which changes without a pattern.
    let leading = noise(3, 120);
    let following: Vec<bool> = [false].into_iter().chain(leading.iter().copied()).collect();
    let leader = page(2, &leading);
    let (mut with, mut without) = (0, 0);
    for today in 60..110 {
        let page = page(1, &following[..=today]);
        let truth = following[today + 1];
        with += usize::from(
            next(Method::MultipleOthers, &page, &[expert(&leader)]).predicts_change == truth,
        );
        without += usize::from(next(Method::Single, &page, &[]).predicts_change == truth);
    }
    assert!(with == 50 && without < 40, "{with} {without}");
    let page = page(1, &following[..=100]);
    for method in [Method::Union, Method::Bagging, Method::Boosting] {
        let forecast = next(method, &page, &[expert(&leader)]);
        assert_eq!(forecast.predicts_change, following[101], "{method:?}");
        assert!((forecast.probability > 0.5) == following[101], "{method:?}: {forecast:?}");
    }
}

/// A page, one that leads it, and an unrelated one, which disagree about what comes next.
fn at_odds() -> [Vec<VisitRecord>; 3] {
    let leading = noise(3, 80);
    let following: Vec<bool> = [false].into_iter().chain(leading[..79].iter().copied()).collect();
    let page = self::page(1, &following);
    let [leader, other] = [self::page(2, &leading), self::page(3, &noise(11, 80))];
    assert_ne!(believing(&page, &leader), believing(&page, &other));
    [page, leader, other]
}

/// What one expert predicts for a page.
fn believing(page: &[VisitRecord], visits: &[VisitRecord]) -> bool {
    next(Method::MultipleOthers, page, &[expert(visits)]).predicts_change
}

#[test]
fn weights_decide_a_vote() {
    let [page, leader, other] = at_odds();
    let settings = Settings::default();
    let forecast = |leads: f64, others: f64| {
        let experts =
            [Expert { visits: &leader, weight: leads }, Expert { visits: &other, weight: others }];
        let model = train(Method::Multiple, &settings, &page, &experts, 0.0);
        model.forecast(&page, &experts, day(79), 1.0).predicts_change
    };
    assert_eq!(forecast(2.0, 1.0), believing(&page, &leader));
    assert_eq!(forecast(1.0, 2.0), believing(&page, &other));
    // NaN and negative weights count as 0.
    assert_eq!(forecast(f64::NAN, 1.0), believing(&page, &other));
    assert_eq!(forecast(1.0, -2.0), believing(&page, &leader));
}

#[test]
fn where_all_experts_vanished_the_page_is_alone() {
    let page = page(1, &noise(4, 60));
    let other = self::page(2, &noise(6, 60));
    let single = next(Method::Single, &page, &[]);
    for method in [Method::Multiple, Method::MultipleOthers] {
        let settings = Settings::default();
        let model = train(method, &settings, &page, &[expert(&other)], 1.0);
        assert_eq!(model.forecast(&page, &[expert(&[])], day(59), 1.0), single);
        let weightless = Expert { visits: &other, weight: 0.0 };
        assert_eq!(model.forecast(&page, &[weightless], day(59), 1.0), single);
        // No expert to learn from, or none that was visited in time.
        assert_eq!(next(method, &page, &[]), single);
        assert_eq!(next(method, &page, &[expert(&[])]), single);
        let late = [VisitRecord { at: day(59) + crawl::Span::from_millis(1), ..other[0].clone() }];
        assert_eq!(next(method, &page, &[expert(&late)]), single);
    }
}

#[test]
fn one_that_vanished_does_not_vote() {
    let [page, leader, other] = at_odds();
    let experts = [expert(&leader), expert(&other)];
    let model = train(Method::MultipleOthers, &Settings::default(), &page, &experts, 1.0);
    let gone = expert(&[]);
    let forecast =
        |experts: &[Expert<'_>]| model.forecast(&page, experts, day(79), 1.0).predicts_change;
    assert_eq!(forecast(&[expert(&leader), gone]), believing(&page, &leader));
    assert_eq!(forecast(&[gone, expert(&other)]), believing(&page, &other));
}

#[test]
fn an_expert_learns_from_what_it_saw_only() {
    // It was first visited on day 40: earlier examples are left out, and it still leads.
    let leading = noise(3, 80);
    let following: Vec<bool> = [false].into_iter().chain(leading.iter().copied()).collect();
    let leader = page(2, &leading);
    let page = page(1, &following[..=70]);
    let forecast = next(Method::MultipleOthers, &page, &[expert(&leader[40..])]);
    assert_eq!(forecast.predicts_change, following[71]);
    // If all of its examples have one label, that is all it knows.
    let quiet = following.iter().rposition(|&changed| changed != following[70]).unwrap();
    let forecast = next(Method::MultipleOthers, &page, &[expert(&leader[quiet.min(69)..70])]);
    assert!(forecast.probability > 0.0 && forecast.probability < 1.0);
}

#[test]
fn a_lesson_teaches_every_method_the_same_as_alone() {
    let page = page(1, &noise(4, 60));
    let (one, other) = (self::page(2, &noise(6, 60)), self::page(3, &noise(7, 60)));
    let experts = [expert(&one), expert(&other)];
    let settings = Settings::default();
    let training_set = TrainingSet::new(&settings, &page, &experts, 1.0);
    for (name, method) in Method::ALL {
        let shared = training_set.train(method).forecast(&page, &experts, day(59), 1.0);
        assert_eq!(shared, next(method, &page, &experts), "{name}");
    }
}

#[test]
fn methods_that_need_no_experts_do_not_mind_them() {
    let page = page(1, &noise(4, 60));
    let other = self::page(2, &noise(6, 60));
    for (name, method) in Method::ALL {
        let is_moved = (1..60).any(|days| {
            let page = &page[..=days];
            next(method, page, &[]) != next(method, page, &[expert(&other)])
        });
        assert_eq!(is_moved, method.needs_experts(), "{name}");
    }
}

fn some_visits(name: u32) -> impl Strategy<Value = Vec<VisitRecord>> {
    let visit = (1_i64..4 * DAY_MILLIS, any::<bool>(), prop::collection::vec(0_u32..6, 0..5));
    prop::collection::vec(visit, 0..40).prop_map(move |found| {
        let mut at = 0;
        let visits = found.into_iter().map(|(gap, significant, terms)| {
            at += gap;
            let words =
                Arc::new(WordCounts::from_terms(terms.into_iter().map(|it| it + name).collect()));
            let changes = Changes { significant, ..Changes::default() };
            VisitRecord { at: Time::from_millis(at), changes, words }
        });
        visits.collect()
    })
}

/// The visits up to an instant, then as many as before with their contents in another order.
fn with_another_future(visits: &[VisitRecord], now: Time) -> Vec<VisitRecord> {
    let seen = visits.partition_point(|visit| visit.at <= now);
    let future = visits[seen..].iter().zip(visits[seen..].iter().rev());
    let moved = future.map(|(visit, other)| {
        let changes = Changes { significant: !other.changes.significant, ..other.changes };
        VisitRecord { at: visit.at, changes, words: Arc::clone(&other.words) }
    });
    visits[..seen].iter().cloned().chain(moved).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A forecast does not depend on anything after `now`, to the bit, nor does training on experts whose
    /// visits go on after the page's last one.
    #[test]
    fn the_future_is_not_used(
        page in some_visits(0),
        one in some_visits(1),
        other in some_visits(3),
        days in 0_i64..60,
        back in 0_usize..4,
    ) {
        let now = Time::from_millis(days * DAY_MILLIS);
        let settings = Settings { back, models: 3, ..Settings::default() };
        let cut = |visits: &[VisitRecord]| visits[..visits.partition_point(|visit| visit.at <= now)].to_vec();
        let seen = cut(&page);
        let histories = [[one.clone(), other.clone()], [cut(&one), cut(&other)],
            [with_another_future(&one, now), with_another_future(&other, now)]];
        let futures = [page.clone(), seen.clone(), with_another_future(&page, now)];
        for (name, method) in Method::ALL {
            let forecast: Vec<Forecast> = histories.iter().zip(&futures).map(|(experts, page)| {
                let experts = [expert(&experts[0]), expert(&experts[1])];
                let model = train(method, &settings, &seen, &experts, 0.5);
                model.forecast(page, &experts, now, 2.0)
            }).collect();
            let bits = |forecast: &Forecast| (forecast.predicts_change, forecast.probability.to_bits());
            prop_assert_eq!(bits(&forecast[0]), bits(&forecast[1]), "{}", name);
            prop_assert_eq!(bits(&forecast[0]), bits(&forecast[2]), "{}", name);
        }
    }

    #[test]
    fn chances_are_chances_and_rise_with_the_gap(
        page in some_visits(0),
        other in some_visits(1),
        gaps in prop::collection::vec(0.0..50.0_f64, 2..5),
    ) {
        let mut gaps = gaps;
        gaps.sort_by(f64::total_cmp);
        let settings = Settings { models: 3, ..Settings::default() };
        let experts = [expert(&other)];
        let now = page.last().map_or(day(0), |visit| visit.at);
        for (name, method) in Method::ALL {
            let model = train(method, &settings, &page, &experts, 1.0);
            let forecast: Vec<f64> =
                gaps.iter().map(|&gap| model.forecast(&page, &experts, now, gap).probability).collect();
            prop_assert!(forecast.iter().all(|probability| *probability > 0.0 && *probability < 1.0), "{name}");
            prop_assert!(forecast.is_sorted(), "{name}: {forecast:?}");
        }
    }
}
