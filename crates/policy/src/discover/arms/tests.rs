//! The bandit on synthetic pages with known rates.
use super::*;

fn arm(key: u32, waited: f64) -> Arm {
    Arm { key, host: 0, kind: PageKind::Page, waited, exposure: 1.0 }
}

fn visit(key: u32, waited: f64, found: impl IntoIterator<Item = u32>) -> ArmVisit {
    ArmVisit { key, waited, found: found.into_iter().collect() }
}

fn keys(chosen: &[(u32, f64)]) -> Vec<u32> {
    chosen.iter().map(|page| page.0).collect()
}

/// Visits five of two hundred pages a day, of which one shows five new ones a day. Returns how often that
/// one was visited in the last twenty of a hundred days.
fn visits_to_the_hub(seed: u64) -> usize {
    let (mut arms, mut last, mut hits) = (Arms::new(seed), vec![0; 200], 0);
    for day in 1..=100_u32 {
        let page = |key: u32| arm(key, f64::from(day - last[key as usize]));
        let pages: Vec<Arm> = (0..200).map(page).collect();
        let chosen = arms.choose(f64::from(day), u64::from(day), &pages, &[], 5);
        let visits: Vec<ArmVisit> = keys(&chosen)
            .into_iter()
            .map(|key| {
                let since = last[key as usize];
                let found = if key == 137 { since * 5..day * 5 } else { 0..0 };
                visit(key, f64::from(day - since), found)
            })
            .collect();
        hits += usize::from(day > 80 && visits.iter().any(|visit| visit.key == 137));
        for visit in &visits {
            last[visit.key as usize] = day;
        }
        arms.learn(f64::from(day), &visits);
    }
    hits
}

#[test]
fn finds_the_one_hub_among_many() {
    for seed in 0..5 {
        assert_eq!(visits_to_the_hub(seed), 20);
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

/// Two mirrors that were visited together and showed the same ten pages, and another page that showed five
/// of its own.
fn with_mirrors(seed: u64) -> Arms {
    let mut arms = Arms::new(seed);
    for week in 1..=10 {
        let at = 7.0 * f64::from(week);
        let start = 100 * week;
        let visits = [
            visit(1, 7.0, start..start + 10),
            visit(2, 7.0, start..start + 10),
            visit(3, 7.0, start + 50..start + 55),
        ];
        arms.learn(at, &visits);
    }
    arms
}

#[test]
fn a_group_gets_the_credit_once() {
    let arms = with_mirrors(1);
    assert_eq!(arms.head(1), arms.head(2));
    assert_eq!(arms.head(3), 3);
    let page = arms.page(arms.head(1));
    // Ten a week, not twenty; the week before has faded by 2^(-7/182), and so on.
    let faded: f64 = (0..10).map(|week| (-7.0 * f64::from(week) / 182.0_f64).exp2()).sum();
    assert!((f64::from(page.found) - 10.0 * faded).abs() < 1e-3, "{page:?}");
    // Both show all: shares of (2 + 100) / 103, so hardly a day is missed.
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
        // Nor is the second after the first was visited in this cycle.
        let after = arms.choose(77.0, 11, &[pages[1], pages[2]], &[1], 2);
        assert_eq!(keys(&after), [3, 2]);
        assert!(after[1].1 < 0.05 * after[0].1 + 1.0, "{after:?}");
    }
}

#[test]
fn what_comes_late_is_found_but_no_look() {
    let mut arms = Arms::new(1);
    arms.learn(7.0, &[visit(1, 7.0, [1, 2])]);
    let before = arms.page(1);
    arms.learn(14.0, &[visit(1, 0.0, [3, 4, 5])]);
    let after = arms.page(1);
    assert!((after.found - before.found - 3.0).abs() < 1e-6);
    assert!((after.days - before.days).abs() < 1e-6);
    assert!((after.visited - 7.0).abs() < 1e-12);
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
        let visits = [visit(1, 1.0, []), visit(2, 1.0, [2 * day, 2 * day + 1])];
        arms.learn(f64::from(day), &visits);
    }
    let feed = Arm { kind: PageKind::Dated, ..arm(1, 1.0) };
    assert_eq!(keys(&arms.choose(31.0, 31, &[feed, arm(2, 1.0)], &[], 1)), [2]);
}
