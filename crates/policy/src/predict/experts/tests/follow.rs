//! Updated weights equal recomputed ones.
use proptest::prelude::*;

use super::*;

/// The visits to each page on some of the days.
type Visits = Vec<Vec<Option<Vec<TermHash>>>>;

fn some_visits() -> impl Strategy<Value = Visits> {
    let words = prop::collection::vec(0_u32..6, 0..8);
    (2_usize..6).prop_flat_map(move |pages| {
        let on_a_day = prop::collection::vec(prop::option::of(words.clone()), pages);
        prop::collection::vec(on_a_day, 2..40)
    })
}

fn histories(visits: &[Vec<Option<Vec<TermHash>>>]) -> Vec<Vec<VisitRecord>> {
    let mut histories = vec![vec![]; visits[0].len()];
    for (number, pages) in visits.iter().enumerate() {
        for (page, terms) in pages.iter().enumerate() {
            histories[page].extend(terms.iter().map(|terms| record(day(number as i64), terms)));
        }
    }
    histories
}

proptest! {
    #[test]
    fn weights_are_those_of_the_grown_windows(
        visits in some_visits(), days in 1_usize..14, lags in 0_usize..5, row in 0_usize..4,
        first in 0_usize..20,
    ) {
        let relation = Relation::ALL[row].1;
        let links = |page: usize| vec![page + 1];
        let all = ExpertSettings { lags, band: 3, ..all_pairs(relation, days) };
        let few = ExpertSettings { experts: 2, ..all.clone() };
        let first = first.min(visits.len() - 1);
        let start = histories(&visits[..=first]);
        let now = day(first as i64);
        let all_neighbours = choose(&few, &slices(&start), &links, now, &everyone);
        let mut online = Online::new(&few, &slices(&start), all_neighbours.clone(), now);
        for (page, neighbours) in all_neighbours.iter().enumerate() {
            prop_assert!(near(online.neighbours(page).self_weight, neighbours.self_weight));
        }
        for today in first + 1..visits.len() {
            let now = day(today as i64);
            online.advance(now, &|page| {
                visits[today][page].clone().map(|terms| Arc::new(WordCounts::from_terms(terms)))
            });
            let grown = histories(&visits[..=today]);
            let anew = choose(&all, &slices(&grown), &links, now, &everyone);
            for (page, neighbours) in all_neighbours.iter().enumerate() {
                let followed = online.neighbours(page);
                if *neighbours == Neighbours::default() {
                    prop_assert_eq!(followed, neighbours);
                    continue;
                }
                prop_assert!(near(followed.self_weight, anew[page].self_weight));
                for (expert, before) in followed.experts.iter().zip(&neighbours.experts) {
                    prop_assert_eq!(expert.page, before.page);
                    let expected = anew[page].experts.iter().find(|it| it.page == expert.page);
                    prop_assert!(near(expert.weight, expected.map_or(0.0, |it| it.weight)));
                    let lag = expected.map_or(0, |expected| expected.lag);
                    prop_assert_eq!(expert.lag, lag);
                }
            }
        }
    }

    #[test]
    fn days_may_be_left_out(
        visits in some_visits(), gaps in prop::collection::vec(1_i64..20, 40), row in 0_usize..4,
    ) {
        let relation = Relation::ALL[row].1;
        let settings = ExpertSettings { experts: 3, ..all_pairs(relation, 9) };
        let links = |page: usize| vec![page + 1];
        let mut grown: Vec<Vec<VisitRecord>> = vec![vec![]; visits[0].len()];
        let mut now = 0;
        let mut online: Option<Online> = None;
        for (pages, gap) in visits.iter().zip(&gaps) {
            now += gap;
            for (page, terms) in pages.iter().enumerate() {
                grown[page].extend(terms.iter().map(|terms| record(day(now), terms)));
            }
            let slices = slices(&grown);
            let anew = choose(&settings, &slices, &links, day(now), &everyone);
            let online = online.get_or_insert_with(|| {
                Online::new(&settings, &slices, anew.clone(), day(now))
            });
            online.advance(day(now), &|page| grown[page].last().map(|it| Arc::clone(&it.words)));
            let all = ExpertSettings { experts: 100, ..settings.clone() };
            let anew = choose(&all, &slices, &links, day(now), &everyone);
            for (page, anew) in anew.iter().enumerate() {
                for expert in &online.neighbours(page).experts {
                    prop_assert!(near(expert.weight, weight_of(anew, expert.page)));
                }
            }
        }
    }
}

#[test]
fn a_part_of_a_day_waits_for_the_rest() {
    let histories = [daily(&[&[1], &[1], &[1, 1], &[1]]), daily(&[&[1], &[1], &[1, 1], &[1]])];
    let settings = all_pairs(Relation::Correlation, 4);
    let all_neighbours = chosen(&settings, &histories, 3);
    let mut online = Online::new(&settings, &slices(&histories), all_neighbours.clone(), day(3));
    let half = Span::from_millis(43_200_000);
    let words = Arc::new(WordCounts::from_terms(vec![9]));
    online.advance(day(3) + half, &|_| Some(Arc::clone(&words)));
    assert_eq!(online.neighbours(0), &all_neighbours[0]);
    // The first page now has a word that the second does not have, and the window slides.
    online.advance(day(4) + half, &|page| (page == 0).then(|| Arc::clone(&words)));
    assert!(near(weight_of(online.neighbours(0), 1), 0.0));
    // The second still has the word that left the first, a day later: 1 2 1 1 and 1 2 1 0.
    // 4 * 6 - 5 * 4 = 4 over the roots of 4 * 7 - 25 = 3 and 4 * 6 - 16 = 8; with the first leading by a day
    // 2 1 1 and 1 2 1 do not correlate.
    assert!(near(weight_of(online.neighbours(1), 0), 4.0 / 24.0_f64.sqrt()));
}
