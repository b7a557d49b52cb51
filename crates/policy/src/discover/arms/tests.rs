//! The bandit on made-up pages whose rates are known.
use super::*;

fn arm(key: u32, waited: f64) -> Arm {
    Arm { key, host: 0, prior: Prior::Page, waited }
}

fn look(key: u32, waited: f64, found: impl IntoIterator<Item = u32>) -> Look {
    Look { key, waited, found: found.into_iter().collect() }
}

fn keys(chosen: &[(u32, f64)]) -> Vec<u32> {
    chosen.iter().map(|page| page.0).collect()
}

/// Looks at five pages of two hundred a day, of which one shows five new ones a day: how often that
/// one was looked at in the last twenty of a hundred days.
fn looks_at_the_hub(seed: u64) -> usize {
    let (mut arms, mut last, mut hits) = (Arms::new(seed), vec![0; 200], 0);
    for day in 1..=100_u32 {
        let page = |key: u32| arm(key, f64::from(day - last[key as usize]));
        let pages: Vec<Arm> = (0..200).map(page).collect();
        let chosen = arms.choose(f64::from(day), u64::from(day), &pages, &[], 5);
        let looks: Vec<Look> = keys(&chosen)
            .into_iter()
            .map(|key| {
                let since = last[key as usize];
                let found = if key == 137 { since * 5..day * 5 } else { 0..0 };
                look(key, f64::from(day - since), found)
            })
            .collect();
        hits += usize::from(day > 80 && looks.iter().any(|look| look.key == 137));
        for look in &looks {
            last[look.key as usize] = day;
        }
        arms.learn(f64::from(day), &looks);
    }
    hits
}

#[test]
fn finds_the_one_hub_among_many() {
    for seed in 0..5 {
        assert_eq!(looks_at_the_hub(seed), 20);
    }
}

#[test]
fn the_seed_and_what_is_drawn_for_decide() {
    let pages: Vec<Arm> = (0..50).map(|key| arm(key, 3.0)).collect();
    let drawn = |seed, draw| Arms::new(seed).choose(1.0, draw, &pages, &[], 10);
    assert_eq!(drawn(1, 1), drawn(1, 1));
    assert_ne!(drawn(1, 1), drawn(2, 1));
    assert_ne!(drawn(1, 1), drawn(1, 2));
    assert_eq!(drawn(1, 1).len(), 10);
    assert!(drawn(1, 1).is_sorted_by(|a, b| a.1 >= b.1));
}

/// Two mirrors that were looked at together, as both showed the same ten pages, and another page
/// that showed five of its own.
fn with_mirrors(seed: u64) -> Arms {
    let mut arms = Arms::new(seed);
    for week in 1..=10 {
        let at = 7.0 * f64::from(week);
        let start = 100 * week;
        let looks = [
            look(1, 7.0, start..start + 10),
            look(2, 7.0, start..start + 10),
            look(3, 7.0, start + 50..start + 55),
        ];
        arms.learn(at, &looks);
    }
    arms
}

#[test]
fn a_group_gets_the_credit_once() {
    let arms = with_mirrors(1);
    assert_eq!(arms.head(1), arms.head(2));
    assert_eq!(arms.head(3), 3);
    let page = arms.page(arms.head(1));
    // Ten a week, not twenty; of the week before it 2^(-7/182) is left, and so on.
    let faded: f64 = (0..10).map(|week| (-7.0 * f64::from(week) / 182.0_f64).exp2()).sum();
    assert!((f64::from(page.found) - 10.0 * faded).abs() < 1e-3, "{page:?}");
    // Both show all: shares of (2 + 100) / 103, so that hardly a day is missed.
    assert!((arms.share(1) - 102.0 / 103.0).abs() < 1e-6);
    assert!((f64::from(page.days) / (7.0 * faded) - 1.0).abs() < 0.05, "{page:?}");
    assert!((arms.share(3) - 1.0).abs() < 1e-12);
}

#[test]
fn of_two_mirrors_one_is_looked_at() {
    for seed in 0..20 {
        let arms = with_mirrors(seed);
        let pages = [1, 2, 3].map(|key| arm(key, 7.0));
        let chosen = arms.choose(77.0, 11, &pages, &[], 2);
        assert!(chosen.iter().any(|page| page.0 == 3), "{chosen:?}");
        // Nor is the second when the first has been looked at in this cycle.
        let after = arms.choose(77.0, 11, &[pages[1], pages[2]], &[1], 2);
        assert_eq!(keys(&after), [3, 2]);
        assert!(after[1].1 < 0.05 * after[0].1 + 1.0, "{after:?}");
    }
}

#[test]
fn what_comes_late_is_found_but_no_look() {
    let mut arms = Arms::new(1);
    arms.learn(7.0, &[look(1, 7.0, [1, 2])]);
    let before = arms.page(1);
    arms.learn(14.0, &[look(1, 0.0, [3, 4, 5])]);
    let after = arms.page(1);
    assert!((after.found - before.found - 3.0).abs() < 1e-6);
    assert!((after.days - before.days).abs() < 1e-6);
    assert!((after.looked - 7.0).abs() < 1e-12);
}

#[test]
fn a_page_that_is_gone_is_as_one_never_seen() {
    let mut arms = with_mirrors(1);
    arms.forget(3);
    assert!(arms.page(3).found.abs() < 1e-12);
    arms.forget(99);
}

#[test]
fn a_feed_that_shows_nothing_is_worth_less_than_a_page_that_shows_much() {
    let mut arms = Arms::new(1);
    for day in 1..=30 {
        let looks = [look(1, 1.0, []), look(2, 1.0, [2 * day, 2 * day + 1])];
        arms.learn(f64::from(day), &looks);
    }
    let feed = Arm { prior: Prior::Dated, ..arm(1, 1.0) };
    assert_eq!(keys(&arms.choose(31.0, 31, &[feed, arm(2, 1.0)], &[], 1)), [2]);
}
