//! Small webs whose experts were worked out by hand.
use super::{super::warping::warped, *};

/// A page on which a word appears a day later has the other as an expert that leads by a day.
#[test]
fn an_expert_that_leads_correlates_at_its_lag() {
    let late = daily(&[&[], &[], &[1], &[1]]);
    let early = daily(&[&[], &[1], &[1], &[1]]);
    let found = chosen(&all_pairs(Relation::Correlation, 4), &[late, early], 3);
    assert_eq!(found[0].experts, [ChosenExpert { page: 1, weight: 1.0, lag: 1 }]);
    // On the same day: 4 * 2 - 2 * 3 = 2 over the roots of 4 * 2 - 4 = 4 and 4 * 3 - 9 = 3.
    // A day later the early page is the same on all days.
    assert_eq!((found[1].experts[0].page, found[1].experts[0].lag), (0, 0));
    assert!(near(found[1].experts[0].weight, 2.0 / 12.0_f64.sqrt()));
    assert!(near(found[0].self_weight, 1.0) && near(found[1].self_weight, 1.0));
}

#[test]
fn lags_are_at_most_a_quarter_of_the_window() {
    let late = daily(&[&[], &[], &[], &[1]]);
    let early = daily(&[&[], &[1], &[1], &[1]]);
    let found = chosen(&all_pairs(Relation::Correlation, 4), &[late, early], 3);
    // By two days they would correlate. By one: 0 0 1 and 0 1 1, 3 * 1 - 1 * 2 = 1 over the roots of
    // 3 - 1 = 2 and 6 - 4 = 2.
    assert!(near(found[0].experts[0].weight, 0.5));
    assert_eq!(found[0].experts[0].lag, 1);
}

#[test]
fn only_words_that_vary_correlate_and_each_has_its_share() {
    // Both words are on both pages: each weighs ln 2 times its count. The first varies, once of four.
    let page = daily(&[&[2, 2, 2], &[2, 2, 2], &[1, 2, 2, 2], &[1, 2, 2, 2]]);
    let twin = daily(&[&[2], &[2], &[1, 1, 1, 2], &[1, 1, 1, 2]]);
    let found = chosen(&all_pairs(Relation::Correlation, 4), &[page, twin], 3);
    assert!(near(found[0].experts[0].weight, 0.25));
    assert!(near(found[0].self_weight, 0.25));
    assert!(near(found[1].experts[0].weight, 0.75));
}

#[test]
fn what_goes_the_other_way_is_no_expert() {
    let rising = daily(&[&[1], &[1], &[1, 1], &[1, 1]]);
    let falling = daily(&[&[1, 1], &[1, 1], &[1], &[1]]);
    let settings = ExpertSettings { lags: 0, ..all_pairs(Relation::Correlation, 4) };
    let found = chosen(&settings, &[rising, falling], 3);
    assert!(
        found
            .iter()
            .all(|neighbours| neighbours.experts.is_empty() && neighbours.self_weight > 0.0)
    );
}

#[test]
fn warping_takes_the_cheapest_path() {
    // Costs 0 0 2 / 1 1 1 / 2 2 0, added up 0 0 2 / 1 1 1 / 3 3 1.
    assert_eq!(warped(&[0, 1, 2], &[0, 0, 2], 7), 1);
    // A peak a day later costs nothing, unless days may not be shifted.
    let peaks = ([0, 5, 0, 0], [0, 0, 5, 0]);
    assert_eq!(warped(&peaks.0, &peaks.1, 7), 0);
    assert_eq!(warped(&peaks.0, &peaks.1, 1), 0);
    assert_eq!(warped(&peaks.0, &peaks.1, 0), 10);
    assert_eq!(warped(&[], &[], 7), 0);
}

#[test]
fn warping_weighs_each_word_by_its_shape() {
    // Word 2 comes on the third day on both pages, and twice as often on one: the same shape. Word 3 is there
    // for one day on the first page and for three on the second.
    let page = daily(&[&[1], &[1], &[1, 2], &[1, 2, 3]]);
    let other = daily(&[&[1], &[1, 3], &[1, 2, 2, 3], &[1, 2, 2, 3]]);
    let settings = ExpertSettings { band: 0, ..all_pairs(Relation::Warping, 4) };
    let found = chosen(&settings, &[page, other], 3);
    // Three words of equal rarity, one each: two of three vary; two days do not fit.
    assert!(near(found[0].self_weight, 2.0 / 3.0));
    assert_eq!(found[0].experts.len(), 1);
    assert!(near(found[0].experts[0].weight, (1.0 + 1.0 / 3.0) / 3.0));
}

#[test]
fn experts_by_warping_can_outvote_the_page_itself() {
    // Twenty words come and go on days of their own, on eight pages much the same way.
    let days = |page: usize| -> Vec<Vec<TermHash>> {
        let word = |day: usize| 2 + ((day * 7 + day * day * 3) % 20) as TermHash;
        (0..40).map(|day| vec![1, word(day), word(day + 1), word(day + page % 2)]).collect()
    };
    let history = |page: usize| {
        let days = days(page);
        daily(&days.iter().map(Vec::as_slice).collect::<Vec<_>>())
    };
    let histories: Vec<Vec<VisitRecord>> = (0..8).map(history).collect();
    let found = chosen(&all_pairs(Relation::Warping, 40), &histories, 39);
    for neighbours in &found {
        let together: f64 = neighbours.experts.iter().map(|expert| expert.weight).sum();
        assert!(together > neighbours.self_weight, "{together} {}", neighbours.self_weight);
    }
}

#[test]
fn content_is_the_cosine_of_rare_words() {
    let histories = [daily(&[&[1, 2]]), daily(&[&[1, 3]]), vec![]];
    let found = chosen(&all_pairs(Relation::Content, 50), &histories, 0);
    // Word 1 is on both pages that were looked at and weighs ln 2, the others ln 3.
    let (common, own) = (2.0_f64.ln().powi(2), 3.0_f64.ln().powi(2));
    assert_eq!(found[0].experts.len(), 1);
    assert!(near(found[0].experts[0].weight, common / (common + own)));
    assert!(near(found[0].self_weight, 1.0) && near(found[2].self_weight, 0.0));
}

#[test]
fn links_are_neighbours_both_ways() {
    let histories: Vec<Vec<VisitRecord>> = (0..6).map(|_| daily(&[&[1]])).collect();
    let to: [&[usize]; 6] = [&[1, 2, 3, 0, 9], &[2, 3, 4], &[0], &[5, 5], &[0, 1], &[]];
    let links = |page: usize| to[page].to_vec();
    let pages = |most: usize, page: usize| {
        let settings = ExpertSettings {
            relation: Relation::Links,
            experts: most,
            ..ExpertSettings::default()
        };
        let found = choose(&settings, &slices(&histories), &links, day(0), &everyone);
        assert!(found[page].experts.iter().all(|it| near(it.weight, 1.0) && it.lag == 0));
        found[page].experts.iter().map(|expert| expert.page).collect::<Vec<usize>>()
    };
    // Page 2 is linked both ways. Links in all: page 1 has 5 (2 3 4 and from 0 4), 3 has 3, 4 has 3.
    assert_eq!(pages(20, 0), [2, 3, 4, 1]);
    assert_eq!(pages(2, 0), [2, 3]);
    assert_eq!(pages(20, 5), [3]);
    // Page 4 is linked both ways; page 2 has 3 links, page 3 has 3, page 0 has 5.
    assert_eq!(pages(20, 1), [4, 2, 3, 0]);
}
