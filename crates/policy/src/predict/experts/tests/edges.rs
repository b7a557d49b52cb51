//! Webs with little or nothing in them.
use super::*;

const DAYS: usize = 8;

fn by_words() -> impl Iterator<Item = ExpertSettings> {
    let relations = [Relation::Content, Relation::Correlation, Relation::Warping];
    let settings = |relation| ExpertSettings { relation, days: DAYS, ..ExpertSettings::default() };
    relations.into_iter().flat_map(move |relation| {
        [settings(relation), ExpertSettings { candidates: 0, ..settings(relation) }]
    })
}

/// A page that changes one word every other day.
fn lively() -> Vec<VisitRecord> {
    let days: Vec<&[TermHash]> =
        (0..DAYS).map(|day| if day % 4 < 2 { &[1, 2, 2][..] } else { &[1, 2, 2, 3] }).collect();
    daily(&days)
}

#[test]
fn no_pages_have_no_companies() {
    for (_, relation) in Relation::ALL {
        assert_eq!(chosen(&ExpertSettings { relation, ..ExpertSettings::default() }, &[], 7), []);
    }
}

#[test]
fn a_page_never_looked_at_neither_has_nor_is_an_expert() {
    for (_, relation) in Relation::ALL {
        let settings =
            ExpertSettings { relation, days: DAYS, candidates: 0, ..ExpertSettings::default() };
        let later = vec![record(day(8), &[1, 2, 3])];
        let histories = [lively(), vec![], later, lively()];
        let links = |_| vec![0, 1, 2, 3];
        let found = choose(&settings, &slices(&histories), &links, day(7), &everyone);
        let experts: Vec<usize> = found[0].experts.iter().map(|expert| expert.page).collect();
        assert_eq!(experts, [3], "{relation:?}");
        assert_eq!(found[1], Neighbours::default());
        assert_eq!(found[2], Neighbours::default());
    }
}

#[test]
fn a_page_alone_has_only_itself() {
    for settings in by_words() {
        let found = chosen(&settings, &[lively()], 7);
        assert!(found[0].experts.is_empty());
        // Words have weights even with one page: 1 of 4 words varies.
        let expected = if settings.relation == Relation::Content { 1.0 } else { 0.25 };
        assert!(near(found[0].self_weight, expected));
    }
}

#[test]
fn mirrors_are_each_other_s_best_experts() {
    for settings in by_words() {
        let other = daily(&[&[1, 7], &[1], &[1, 7], &[1], &[1, 7], &[1], &[1, 7], &[1]]);
        let found = chosen(&settings, &[lively(), other, lively(), lively()], 7);
        let experts: Vec<usize> = found[0].experts.iter().take(2).map(|it| it.page).collect();
        assert_eq!(experts, [2, 3], "{settings:?}");
        let expected =
            if settings.relation == Relation::Content { 1.0 } else { found[0].self_weight };
        assert!(near(found[0].experts[0].weight, expected));
        assert!(near(found[0].experts[1].weight, expected));
    }
}

#[test]
fn words_that_stay_make_no_experts_by_their_course() {
    let steady = daily(&[&[1, 2][..]; DAYS]);
    for settings in by_words().filter(|it| it.relation != Relation::Content) {
        let found = chosen(&settings, &[steady.clone(), steady.clone(), lively()], 7);
        assert_eq!(found[0], Neighbours::default());
    }
}

#[test]
fn pages_without_words_have_no_experts() {
    let empty = daily(&[&[][..]; DAYS]);
    for settings in by_words() {
        let found = chosen(&settings, &[empty.clone(), empty.clone(), lively()], 7);
        let self_weight = if settings.relation == Relation::Content { 1.0 } else { 0.0 };
        assert_eq!(found[0], Neighbours { self_weight, experts: vec![] });
    }
}

#[test]
fn one_look_is_a_step_where_it_is_in_the_window() {
    let (early, late) = (vec![record(day(0), &[1])], vec![record(day(3), &[1])]);
    let settings = all_pairs(Relation::Correlation, 4);
    let found = chosen(&settings, &[early.clone(), late.clone(), late.clone()], 4);
    // Until day 4 the window begins on day 1: the first page is constant.
    assert!(near(found[0].self_weight, 0.0));
    assert_eq!(found[1].experts, [ChosenExpert { page: 2, weight: 1.0, lag: 0 }]);
    let later = chosen(&settings, &[early, late.clone(), late], 60);
    assert!(later.iter().all(|neighbours| *neighbours == Neighbours::default()));
}

#[test]
fn no_experts_wanted_none_chosen() {
    for settings in by_words() {
        let found = chosen(&ExpertSettings { experts: 0, ..settings }, &[lively(), lively()], 7);
        assert!(found.iter().all(|it| it.experts.is_empty() && it.self_weight > 0.0));
    }
}

#[test]
fn only_wanted_pages_have_companies_and_all_are_candidates() {
    for settings in by_words() {
        let histories = [lively(), lively(), lively()];
        let found = choose(&settings, &slices(&histories), &no_links, day(7), &|page| page == 1);
        let experts: Vec<usize> = found[1].experts.iter().map(|expert| expert.page).collect();
        assert_eq!(experts, [0, 2]);
        assert_eq!([&found[0], &found[2]], [&Neighbours::default(); 2]);
    }
}

#[test]
fn windows_without_days_have_one() {
    for settings in by_words() {
        let histories = [lively(), lively()];
        let (none, one) = (
            ExpertSettings { days: 0, ..settings.clone() },
            ExpertSettings { days: 1, ..settings },
        );
        assert_eq!(chosen(&none, &histories, 7), chosen(&one, &histories, 7));
    }
}

#[test]
fn the_greatest_counts_do_not_overflow() {
    let many: Vec<TermHash> = vec![1; usize::from(u16::MAX)];
    let days: Vec<&[TermHash]> =
        (0..DAYS).map(|day| if day % 3 == 0 { &[1, 1, 2][..] } else { &many }).collect();
    let other: Vec<&[TermHash]> =
        (0..DAYS).map(|day| if day % 3 == 0 { &[1, 2][..] } else { &many[9..] }).collect();
    for settings in by_words() {
        let found = chosen(&settings, &[daily(&days), daily(&other)], 7);
        let weight = found[0].experts[0].weight;
        assert!(weight > 0.0 && weight <= 1.0);
    }
}
