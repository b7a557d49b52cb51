//! What models of all methods promise, whatever they learned from.
use std::sync::Arc;

use flow::{
    Time,
    features::{Changes, WordCounts},
};
use proptest::prelude::*;

use super::*;

const DAY_MILLIS: i64 = 86_400_000;

fn day(day: usize) -> Time {
    Time::from_millis(day as i64 * DAY_MILLIS)
}

/// A page looked at once a day, of which every other word is another one after each change.
fn page(name: u32, changes: &[bool]) -> Vec<Look> {
    let mut version = 0;
    let looks = changes.iter().enumerate().map(|(number, &significant)| {
        version += u32::from(significant);
        let words = Arc::new(WordCounts::of(vec![name, name, 1_000 * name + version]));
        let changes = Changes { significant, ..Changes::default() };
        Look { at: day(number), changes, words }
    });
    looks.collect()
}

fn expert(looks: &[Look]) -> Expert<'_> {
    Expert { looks, weight: 1.0 }
}

/// What a method that learned from all of a page says of the day after.
fn next(method: Method, page: &[Look], experts: &[Expert<'_>]) -> Forecast {
    let model = train(method, &Settings::default(), page, experts, 1.0);
    let now = page.last().map_or(day(0), |look| look.at);
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
        assert_eq!(next(method, &[], &[]), Forecast { says: false, chance: 0.5 }, "{name}");
        // Nor of one that was looked at later only.
        let page = page(1, &noise(1, 60));
        let model = train(method, &Settings::default(), &page, &[], 1.0);
        let before = Time::from_millis(-1);
        let said = model.forecast(&page, &[], before, 1.0);
        assert_eq!(said, Forecast { says: false, chance: 0.5 }, "{name}");
    }
}

#[test]
fn without_an_example_a_change_is_as_likely_as_not() {
    for changes in [&[false][..], &[false, true], &[false, true, false]] {
        for method in learners() {
            let said = next(method, &page(1, changes), &[]);
            assert!(!said.says);
            assert_near(said.chance, 0.5);
        }
    }
}

#[test]
fn one_example_is_followed() {
    for method in learners() {
        let said = next(method, &page(1, &[false, false, false, true]), &[]);
        assert!(said.says);
        assert_near(said.chance, 0.75);
    }
}

#[test]
fn a_page_that_always_or_never_changes_goes_on() {
    let other = page(2, &noise(5, 60));
    for always in [false, true] {
        // Ten looks are seven examples: the first two and the last have no use.
        let page = page(1, &[always; 10]);
        for method in learners().chain([Method::Coin, Method::Majority, Method::LastLabel]) {
            let said = next(method, &page, &[expert(&other)]);
            assert_eq!(said.says, always, "{method:?}");
            assert_near(said.chance, if always { 7.5 / 8.0 } else { 0.5 / 8.0 });
        }
        assert_eq!(next(Method::FlippedLabel, &page, &[]).says, !always);
    }
}

#[test]
fn a_frequent_change_is_the_majoritys() {
    // Labels of the examples: t, t, f. The chance is (2 + 1/2) / 4.
    let page = page(1, &[false, false, false, true, true, false]);
    let said = next(Method::Majority, &page, &[]);
    assert!(said.says);
    assert_near(said.chance, 2.5 / 4.0);
    // The last visit found no change. One example of that kind is there, and a change followed: 1.5 / 2.
    let said = next(Method::LastLabel, &page, &[]);
    assert!(!said.says);
    assert_near(said.chance, 1.5 / 2.0);
    assert!(next(Method::FlippedLabel, &page, &[]).says);
}

#[test]
fn only_the_window_counts() {
    let mut changes = vec![true; 40];
    changes.extend([false; 6]);
    let page = page(1, &changes);
    let settings = Settings { window: 5, ..Settings::default() };
    let model = train(Method::Majority, &settings, &page, &[], 1.0);
    let said = model.forecast(&page, &[], day(45), 1.0);
    assert!(!said.says);
    assert_near(said.chance, 0.5 / 6.0);
}

#[test]
fn the_coin_falls_as_often_as_there_were_changes() {
    // Two of three examples, in turns: the coin says so of two days in three.
    let changes: Vec<bool> = (0..63).map(|number| number % 3 != 0).collect();
    let page = page(1, &changes);
    let settings = Settings { window: 60, ..Settings::default() };
    let model = train(Method::Coin, &settings, &page, &[], 1.0);
    let says = |hour: i64| {
        let now = Time::from_millis(63 * DAY_MILLIS + hour * 3_600_000);
        model.forecast(&page, &[], now, 1.0).says
    };
    let said = (0..3_000).filter(|&hour| says(hour)).count();
    assert!((1_900..2_100).contains(&said), "{said}");
}

#[test]
fn a_page_learns_its_own_turns() {
    let taking_turns: Vec<bool> = (0..60).map(|number| number % 2 == 0).collect();
    for method in learners() {
        let calm = page(2, &[false; 60]);
        let experts = [expert(&calm)];
        // At the 59th day there was none, so there is one next; after the 58th there is none.
        let experts = if method == Method::Single { &[][..] } else { &experts[..] };
        if method == Method::MultipleOthers {
            continue;
        }
        let changes = next(method, &page(1, &taking_turns), experts);
        let stays = next(method, &page(1, &taking_turns[..59]), experts);
        if method != Method::Multiple {
            assert!(changes.says && !stays.says, "{method:?}");
        }
        assert!(changes.chance > stays.chance, "{method:?}: {changes:?} {stays:?}");
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
        with += usize::from(next(Method::MultipleOthers, &page, &[expert(&leader)]).says == truth);
        without += usize::from(next(Method::Single, &page, &[]).says == truth);
    }
    assert!(with == 50 && without < 40, "{with} {without}");
    let page = page(1, &following[..=100]);
    for method in [Method::Union, Method::Bagging, Method::Boosting] {
        let said = next(method, &page, &[expert(&leader)]);
        assert_eq!(said.says, following[101], "{method:?}");
        assert!((said.chance > 0.5) == following[101], "{method:?}: {said:?}");
    }
}

/// A page, one that goes before it, and one that changes without regard for it, which do not agree about
/// what comes next.
fn at_odds() -> [Vec<Look>; 3] {
    let leading = noise(3, 80);
    let following: Vec<bool> = [false].into_iter().chain(leading[..79].iter().copied()).collect();
    let page = self::page(1, &following);
    let [leader, other] = [self::page(2, &leading), self::page(3, &noise(11, 80))];
    assert_ne!(believing(&page, &leader), believing(&page, &other));
    [page, leader, other]
}

/// What is said of a page by one expert.
fn believing(page: &[Look], looks: &[Look]) -> bool {
    next(Method::MultipleOthers, page, &[expert(looks)]).says
}

#[test]
fn weights_decide_a_vote() {
    let [page, leader, other] = at_odds();
    let settings = Settings::default();
    let said = |leads: f64, others: f64| {
        let experts =
            [Expert { looks: &leader, weight: leads }, Expert { looks: &other, weight: others }];
        let model = train(Method::Multiple, &settings, &page, &experts, 0.0);
        model.forecast(&page, &experts, day(79), 1.0).says
    };
    assert_eq!(said(2.0, 1.0), believing(&page, &leader));
    assert_eq!(said(1.0, 2.0), believing(&page, &other));
    // What is no number, or negative, weighs nothing.
    assert_eq!(said(f64::NAN, 1.0), believing(&page, &other));
    assert_eq!(said(1.0, -2.0), believing(&page, &leader));
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
        let weightless = Expert { looks: &other, weight: 0.0 };
        assert_eq!(model.forecast(&page, &[weightless], day(59), 1.0), single);
        // None to learn from, or none that was looked at in time.
        assert_eq!(next(method, &page, &[]), single);
        assert_eq!(next(method, &page, &[expert(&[])]), single);
        let late = [Look { at: day(59) + flow::Span::from_millis(1), ..other[0].clone() }];
        assert_eq!(next(method, &page, &[expert(&late)]), single);
    }
}

#[test]
fn one_that_vanished_does_not_vote() {
    let [page, leader, other] = at_odds();
    let experts = [expert(&leader), expert(&other)];
    let model = train(Method::MultipleOthers, &Settings::default(), &page, &experts, 1.0);
    let gone = expert(&[]);
    let said = |experts: &[Expert<'_>]| model.forecast(&page, experts, day(79), 1.0).says;
    assert_eq!(said(&[expert(&leader), gone]), believing(&page, &leader));
    assert_eq!(said(&[gone, expert(&other)]), believing(&page, &other));
}

#[test]
fn an_expert_learns_from_what_it_saw_only() {
    // It was first looked at on day 40: what was before is left out, and what it leads it still leads.
    let leading = noise(3, 80);
    let following: Vec<bool> = [false].into_iter().chain(leading.iter().copied()).collect();
    let leader = page(2, &leading);
    let page = page(1, &following[..=70]);
    let said = next(Method::MultipleOthers, &page, &[expert(&leader[40..])]);
    assert_eq!(said.says, following[71]);
    // Where what it saw is of one class, that is all it knows.
    let quiet = following.iter().rposition(|&changed| changed != following[70]).unwrap();
    let said = next(Method::MultipleOthers, &page, &[expert(&leader[quiet.min(69)..70])]);
    assert!(said.chance > 0.0 && said.chance < 1.0);
}

#[test]
fn a_lesson_teaches_every_method_the_same_as_alone() {
    let page = page(1, &noise(4, 60));
    let (one, other) = (self::page(2, &noise(6, 60)), self::page(3, &noise(7, 60)));
    let experts = [expert(&one), expert(&other)];
    let settings = Settings::default();
    let lesson = Lesson::new(&settings, &page, &experts, 1.0);
    for (name, method) in Method::ALL {
        let shared = lesson.train(method).forecast(&page, &experts, day(59), 1.0);
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

fn looks(name: u32) -> impl Strategy<Value = Vec<Look>> {
    let look = (1_i64..4 * DAY_MILLIS, any::<bool>(), prop::collection::vec(0_u32..6, 0..5));
    prop::collection::vec(look, 0..40).prop_map(move |found| {
        let mut at = 0;
        let looks = found.into_iter().map(|(gap, significant, terms)| {
            at += gap;
            let words = Arc::new(WordCounts::of(terms.into_iter().map(|it| it + name).collect()));
            let changes = Changes { significant, ..Changes::default() };
            Look { at: Time::from_millis(at), changes, words }
        });
        looks.collect()
    })
}

/// The looks up to an instant, then as many as there were, with what they found in another order.
fn with_another_future(looks: &[Look], now: Time) -> Vec<Look> {
    let seen = looks.partition_point(|look| look.at <= now);
    let future = looks[seen..].iter().zip(looks[seen..].iter().rev());
    let moved = future.map(|(look, other)| {
        let changes = Changes { significant: !other.changes.significant, ..other.changes };
        Look { at: look.at, changes, words: Arc::clone(&other.words) }
    });
    looks[..seen].iter().cloned().chain(moved).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever comes after `now`, or is left out of it, a forecast is the same to the bit, and so is what
    /// is learned from experts whose looks go on after the page's last.
    #[test]
    fn the_future_is_not_used(
        page in looks(0),
        one in looks(1),
        other in looks(3),
        days in 0_i64..60,
        back in 0_usize..4,
    ) {
        let now = Time::from_millis(days * DAY_MILLIS);
        let settings = Settings { back, models: 3, ..Settings::default() };
        let cut = |looks: &[Look]| looks[..looks.partition_point(|look| look.at <= now)].to_vec();
        let seen = cut(&page);
        let pasts = [[one.clone(), other.clone()], [cut(&one), cut(&other)],
            [with_another_future(&one, now), with_another_future(&other, now)]];
        let futures = [page.clone(), seen.clone(), with_another_future(&page, now)];
        for (name, method) in Method::ALL {
            let said: Vec<Forecast> = pasts.iter().zip(&futures).map(|(experts, page)| {
                let experts = [expert(&experts[0]), expert(&experts[1])];
                let model = train(method, &settings, &seen, &experts, 0.5);
                model.forecast(page, &experts, now, 2.0)
            }).collect();
            let bits = |said: &Forecast| (said.says, said.chance.to_bits());
            prop_assert_eq!(bits(&said[0]), bits(&said[1]), "{}", name);
            prop_assert_eq!(bits(&said[0]), bits(&said[2]), "{}", name);
        }
    }

    #[test]
    fn chances_are_chances_and_rise_with_the_gap(
        page in looks(0),
        other in looks(1),
        gaps in prop::collection::vec(0.0..50.0_f64, 2..5),
    ) {
        let mut gaps = gaps;
        gaps.sort_by(f64::total_cmp);
        let settings = Settings { models: 3, ..Settings::default() };
        let experts = [expert(&other)];
        let now = page.last().map_or(day(0), |look| look.at);
        for (name, method) in Method::ALL {
            let model = train(method, &settings, &page, &experts, 1.0);
            let said: Vec<f64> =
                gaps.iter().map(|&gap| model.forecast(&page, &experts, now, gap).chance).collect();
            prop_assert!(said.iter().all(|chance| *chance > 0.0 && *chance < 1.0), "{name}");
            prop_assert!(said.is_sorted(), "{name}: {said:?}");
        }
    }
}
