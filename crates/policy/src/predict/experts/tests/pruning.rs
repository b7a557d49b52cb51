//! How much is lost by not comparing all pairs, also where many pages share a template.
use super::{super::index::LONG, *};
use crate::predict::experts::recall;

const DAYS: u32 = 20;

/// A number without pattern.
fn draw(what: u32, of: u32) -> u32 {
    xxhash_rust::xxh3::xxh3_64_with_seed(&what.to_le_bytes(), u64::from(of)) as u32
}

/// Pages of topics of twenty, each with some words of its topic, of which one in five changes every few
/// days with what is new there; and a template of two words that is rebuilt on all pages on day 12.
fn past(page: u32) -> Vec<Look> {
    let topic = page / 20;
    let is_lively = draw(page, 1).is_multiple_of(5);
    let on = |number: u32| {
        let mut terms: Vec<TermHash> = vec![1, if number < 12 { 2 } else { 3 }];
        terms.extend((0..5).map(|place| 1_000 + topic * 40 + draw(page, 10 + place) % 40));
        if is_lively {
            let news = (number + draw(page, 2) % 2) / 4;
            terms.extend(
                (0..2).map(|place| 1_000 + topic * 40 + draw(topic, 20 + news * 2 + place) % 40),
            );
        }
        look(day(i64::from(number)), &terms)
    };
    (0..DAYS).map(on).collect()
}

fn measured(relation: Relation, candidates: usize, pasts: &[Vec<Look>]) -> f64 {
    let choosing =
        Choosing { relation, experts: 10, days: DAYS as usize, candidates, ..Choosing::default() };
    let now = day(i64::from(DAYS) - 1);
    recall(&choosing, &slices(pasts), &no_links, now, &|page| page % 97 == 5)
}

#[test]
fn a_template_of_a_large_site_loses_few_experts() {
    let pages = LONG as u32 + 500;
    let pasts: Vec<Vec<Look>> = (0..pages).map(past).collect();
    for relation in [Relation::Content, Relation::Correlation, Relation::Warping] {
        let found = measured(relation, 60, &pasts);
        assert!(found > 0.97, "{relation:?}: {found}");
    }
}

#[test]
fn recall_says_what_is_lost() {
    let pasts: Vec<Vec<Look>> = (0..400).map(past).collect();
    for relation in [Relation::Content, Relation::Correlation, Relation::Warping] {
        // Of ten experts at most five can be found among five candidates; those of pages that differ in
        // the template only are all as heavy.
        let few = measured(relation, 5, &pasts);
        assert!(few > 0.1 && few <= 0.5, "{relation:?}: {few}");
        assert!(near(measured(relation, 0, &pasts), 1.0));
        assert!(measured(relation, 200, &pasts) > 0.97);
    }
}

#[test]
fn equals_of_the_lightest_expert_count_as_found() {
    // Many mirrors of few pages: which of them are chosen does not matter.
    let pasts: Vec<Vec<Look>> = (0..300).map(|page| past(page % 3)).collect();
    for relation in [Relation::Content, Relation::Correlation, Relation::Warping] {
        assert!(near(measured(relation, 10, &pasts), 1.0), "{relation:?}");
    }
}

#[test]
fn threads_do_not_matter_among_many_pages() {
    let pasts: Vec<Vec<Look>> = (0..400).map(past).collect();
    for (_, relation) in Relation::ALL {
        let choosing = Choosing { relation, candidates: 20, ..Choosing::default() };
        let links = |page: usize| vec![page / 2, page + 7];
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| choose(&choosing, &slices(&pasts), &links, day(19), &everyone))
        };
        assert_eq!(with(1), with(4), "{relation:?}");
    }
}

#[test]
fn where_nobody_has_experts_none_are_lost() {
    let pasts = [daily(&[&[1]]), daily(&[&[2]])];
    assert!(near(measured(Relation::Content, 5, &pasts), 1.0));
    assert!(near(measured(Relation::Content, 5, &[]), 1.0));
}
