//! Webs with little or nothing in them.
use super::*;

const DAYS: usize = 8;

fn by_words() -> impl Iterator<Item = Choosing> {
    let relations = [Relation::Content, Relation::Correlation, Relation::Warping];
    let choosing = |relation| Choosing { relation, days: DAYS, ..Choosing::default() };
    relations.into_iter().flat_map(move |relation| {
        [choosing(relation), Choosing { candidates: 0, ..choosing(relation) }]
    })
}

/// A page that changes one word every other day.
fn lively() -> Vec<Look> {
    let days: Vec<&[TermHash]> =
        (0..DAYS).map(|day| if day % 4 < 2 { &[1, 2, 2][..] } else { &[1, 2, 2, 3] }).collect();
    daily(&days)
}

#[test]
fn no_pages_have_no_companies() {
    for (_, relation) in Relation::ALL {
        assert_eq!(chosen(&Choosing { relation, ..Choosing::default() }, &[], 7), []);
    }
}

#[test]
fn a_page_never_looked_at_neither_has_nor_is_an_expert() {
    for (_, relation) in Relation::ALL {
        let choosing = Choosing { relation, days: DAYS, candidates: 0, ..Choosing::default() };
        let later = vec![look(day(8), &[1, 2, 3])];
        let pasts = [lively(), vec![], later, lively()];
        let links = |_| vec![0, 1, 2, 3];
        let found = choose(&choosing, &slices(&pasts), &links, day(7), &everyone);
        let experts: Vec<usize> = found[0].experts.iter().map(|expert| expert.page).collect();
        assert_eq!(experts, [3], "{relation:?}");
        assert_eq!(found[1], Company::default());
        assert_eq!(found[2], Company::default());
    }
}

#[test]
fn a_page_alone_has_only_itself() {
    for choosing in by_words() {
        let found = chosen(&choosing, &[lively()], 7);
        assert!(found[0].experts.is_empty());
        // Of one page, too, words have weights: 1 of 4 words varies where it is there.
        let expected = if choosing.relation == Relation::Correlation { 0.25 } else { 1.0 };
        assert!(near(found[0].itself, expected));
    }
}

#[test]
fn mirrors_are_each_other_s_best_experts() {
    for choosing in by_words() {
        let other = daily(&[&[1, 7], &[1], &[1, 7], &[1], &[1, 7], &[1], &[1, 7], &[1]]);
        let found = chosen(&choosing, &[lively(), other, lively(), lively()], 7);
        let experts: Vec<usize> = found[0].experts.iter().take(2).map(|it| it.page).collect();
        assert_eq!(experts, [2, 3], "{choosing:?}");
        let expected =
            if choosing.relation == Relation::Correlation { found[0].itself } else { 1.0 };
        assert!(near(found[0].experts[0].weight, expected));
        assert!(near(found[0].experts[1].weight, expected));
    }
}

#[test]
fn words_that_stay_make_no_experts_by_correlation() {
    let steady = daily(&[&[1, 2][..]; DAYS]);
    for choosing in by_words().filter(|it| it.relation == Relation::Correlation) {
        let found = chosen(&choosing, &[steady.clone(), steady.clone(), lively()], 7);
        assert_eq!(found[0], Company::default());
    }
}

#[test]
fn pages_without_words_have_no_experts() {
    let empty = daily(&[&[][..]; DAYS]);
    for choosing in by_words() {
        let found = chosen(&choosing, &[empty.clone(), empty.clone(), lively()], 7);
        let itself = if choosing.relation == Relation::Correlation { 0.0 } else { 1.0 };
        assert_eq!(found[0], Company { itself, experts: vec![] });
    }
}

#[test]
fn one_look_is_a_step_where_it_is_in_the_window() {
    let (early, late) = (vec![look(day(0), &[1])], vec![look(day(3), &[1])]);
    let choosing = all_pairs(Relation::Correlation, 4);
    let found = chosen(&choosing, &[early.clone(), late.clone(), late.clone()], 4);
    // Until day 4 the window begins on day 1: the first page has been the same all along.
    assert!(near(found[0].itself, 0.0));
    assert_eq!(found[1].experts, [Chosen { page: 2, weight: 1.0, lag: 0 }]);
    let later = chosen(&choosing, &[early, late.clone(), late], 60);
    assert!(later.iter().all(|company| *company == Company::default()));
}

#[test]
fn no_experts_wanted_none_chosen() {
    for choosing in by_words() {
        let found = chosen(&Choosing { experts: 0, ..choosing }, &[lively(), lively()], 7);
        assert!(found.iter().all(|it| it.experts.is_empty() && it.itself > 0.0));
    }
}

#[test]
fn only_wanted_pages_have_companies_and_all_are_candidates() {
    for choosing in by_words() {
        let pasts = [lively(), lively(), lively()];
        let found = choose(&choosing, &slices(&pasts), &no_links, day(7), &|page| page == 1);
        let experts: Vec<usize> = found[1].experts.iter().map(|expert| expert.page).collect();
        assert_eq!(experts, [0, 2]);
        assert_eq!([&found[0], &found[2]], [&Company::default(); 2]);
    }
}

#[test]
fn windows_without_days_have_one() {
    for choosing in by_words() {
        let pasts = [lively(), lively()];
        let (none, one) =
            (Choosing { days: 0, ..choosing.clone() }, Choosing { days: 1, ..choosing });
        assert_eq!(chosen(&none, &pasts, 7), chosen(&one, &pasts, 7));
    }
}

#[test]
fn the_greatest_counts_do_not_overflow() {
    let many: Vec<TermHash> = vec![1; usize::from(u16::MAX)];
    let days: Vec<&[TermHash]> =
        (0..DAYS).map(|day| if day % 3 == 0 { &[1, 1, 2][..] } else { &many }).collect();
    let other: Vec<&[TermHash]> =
        (0..DAYS).map(|day| if day % 3 == 0 { &[1, 2][..] } else { &many[9..] }).collect();
    for choosing in by_words() {
        let found = chosen(&choosing, &[daily(&days), daily(&other)], 7);
        let weight = found[0].experts[0].weight;
        assert!(weight > 0.0 && weight <= 1.0);
    }
}
