//! Weights that are kept up to date are those of choosing anew.
use proptest::prelude::*;

use super::*;

/// The looks of each page on some of the days.
type Visits = Vec<Vec<Option<Vec<TermHash>>>>;

fn some_visits() -> impl Strategy<Value = Visits> {
    let words = prop::collection::vec(0_u32..6, 0..8);
    (2_usize..6).prop_flat_map(move |pages| {
        let on_a_day = prop::collection::vec(prop::option::of(words.clone()), pages);
        prop::collection::vec(on_a_day, 2..40)
    })
}

fn pasts(visits: &[Vec<Option<Vec<TermHash>>>]) -> Vec<Vec<Look>> {
    let mut pasts = vec![vec![]; visits[0].len()];
    for (number, pages) in visits.iter().enumerate() {
        for (page, terms) in pages.iter().enumerate() {
            pasts[page].extend(terms.iter().map(|terms| look(day(number as i64), terms)));
        }
    }
    pasts
}

proptest! {
    #[test]
    fn weights_are_those_of_the_grown_windows(
        visits in some_visits(), days in 1_usize..14, lags in 0_usize..5, row in 0_usize..4,
        first in 0_usize..20,
    ) {
        let relation = Relation::ALL[row].1;
        let links = |page: usize| vec![page + 1];
        let all = Choosing { lags, band: 3, ..all_pairs(relation, days) };
        let few = Choosing { experts: 2, ..all.clone() };
        let first = first.min(visits.len() - 1);
        let start = pasts(&visits[..=first]);
        let now = day(first as i64);
        let companies = choose(&few, &slices(&start), &links, now, &everyone);
        let mut online = Online::new(&few, &slices(&start), companies.clone(), now);
        for (page, company) in companies.iter().enumerate() {
            prop_assert!(near(online.company(page).itself, company.itself));
        }
        for today in first + 1..visits.len() {
            let now = day(today as i64);
            online.advance(now, &|page| {
                visits[today][page].clone().map(|terms| Arc::new(WordCounts::of(terms)))
            });
            let grown = pasts(&visits[..=today]);
            let anew = choose(&all, &slices(&grown), &links, now, &everyone);
            for (page, company) in companies.iter().enumerate() {
                let followed = online.company(page);
                if *company == Company::default() {
                    prop_assert_eq!(followed, company);
                    continue;
                }
                prop_assert!(near(followed.itself, anew[page].itself));
                for (expert, before) in followed.experts.iter().zip(&company.experts) {
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
        let choosing = Choosing { experts: 3, ..all_pairs(relation, 9) };
        let links = |page: usize| vec![page + 1];
        let mut grown: Vec<Vec<Look>> = vec![vec![]; visits[0].len()];
        let mut now = 0;
        let mut online: Option<Online> = None;
        for (pages, gap) in visits.iter().zip(&gaps) {
            now += gap;
            for (page, terms) in pages.iter().enumerate() {
                grown[page].extend(terms.iter().map(|terms| look(day(now), terms)));
            }
            let slices = slices(&grown);
            let anew = choose(&choosing, &slices, &links, day(now), &everyone);
            let online = online.get_or_insert_with(|| {
                Online::new(&choosing, &slices, anew.clone(), day(now))
            });
            online.advance(day(now), &|page| grown[page].last().map(|it| Arc::clone(&it.words)));
            let all = Choosing { experts: 100, ..choosing.clone() };
            let anew = choose(&all, &slices, &links, day(now), &everyone);
            for (page, anew) in anew.iter().enumerate() {
                for expert in &online.company(page).experts {
                    prop_assert!(near(expert.weight, weight_of(anew, expert.page)));
                }
            }
        }
    }
}

#[test]
fn a_part_of_a_day_waits_for_the_rest() {
    let pasts = [daily(&[&[1], &[1], &[1, 1], &[1]]), daily(&[&[1], &[1], &[1, 1], &[1]])];
    let choosing = all_pairs(Relation::Correlation, 4);
    let companies = chosen(&choosing, &pasts, 3);
    let mut online = Online::new(&choosing, &slices(&pasts), companies.clone(), day(3));
    let half = Span::from_millis(43_200_000);
    let words = Arc::new(WordCounts::of(vec![9]));
    online.advance(day(3) + half, &|_| Some(Arc::clone(&words)));
    assert_eq!(online.company(0), &companies[0]);
    // The first page now has a word that the second does not have, and the window goes on.
    online.advance(day(4) + half, &|page| (page == 0).then(|| Arc::clone(&words)));
    assert!(near(weight_of(online.company(0), 1), 0.0));
    // The second still has the word that left the first, a day later: 1 2 1 1 and 1 2 1 0.
    // 4 * 6 - 5 * 4 = 4 over the roots of 4 * 7 - 25 = 3 and 4 * 6 - 16 = 8; with the first leading by a
    // day 2 1 1 and 1 2 1 do not go together.
    assert!(near(weight_of(online.company(1), 0), 4.0 / 24.0_f64.sqrt()));
}
