//! The recall of candidates, also for pages that share a template.
use super::{super::inverted_index::LONG, *};
use crate::predict::experts::recall;

const DAYS: u32 = 20;

/// A number without pattern.
fn draw(what: u32, of: u32) -> u32 {
    xxhash_rust::xxh3::xxh3_64_with_seed(&what.to_le_bytes(), u64::from(of)) as u32
}

/// Pages of topics of twenty, each with some words of its topic, of which one in five changes every few days
/// with the news of the topic; and a template of two words that is rebuilt on all pages on day 12.
fn history(page: u32) -> Vec<VisitRecord> {
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
        record(day(i64::from(number)), &terms)
    };
    (0..DAYS).map(on).collect()
}

fn measured(relation: Relation, candidates: usize, histories: &[Vec<VisitRecord>]) -> f64 {
    let settings = ExpertSettings {
        relation,
        experts: 10,
        days: DAYS as usize,
        candidates,
        ..ExpertSettings::default()
    };
    let now = day(i64::from(DAYS) - 1);
    recall(&settings, &slices(histories), &no_links, now, &|page| page % 97 == 5)
}

#[test]
fn a_template_of_a_large_site_loses_few_experts() {
    let pages = LONG as u32 + 500;
    let histories: Vec<Vec<VisitRecord>> = (0..pages).map(history).collect();
    for relation in [Relation::Content, Relation::Correlation, Relation::Warping] {
        let found = measured(relation, 60, &histories);
        assert!(found > 0.97, "{relation:?}: {found}");
    }
}

#[test]
fn recall_says_what_is_lost() {
    let histories: Vec<Vec<VisitRecord>> = (0..400).map(history).collect();
    for relation in [Relation::Content, Relation::Correlation, Relation::Warping] {
        // At most five of ten experts are among five candidates; pages that differ in the template only have
        // equal weights.
        let few = measured(relation, 5, &histories);
        assert!(few > 0.1 && few <= 0.5, "{relation:?}: {few}");
        assert!(near(measured(relation, 0, &histories), 1.0));
        assert!(measured(relation, 200, &histories) > 0.97);
    }
}

#[test]
fn equals_of_the_lightest_expert_count_as_found() {
    // Many mirrors of few pages: it does not matter which of them are chosen.
    let histories: Vec<Vec<VisitRecord>> = (0..300).map(|page| history(page % 3)).collect();
    for relation in [Relation::Content, Relation::Correlation, Relation::Warping] {
        assert!(near(measured(relation, 10, &histories), 1.0), "{relation:?}");
    }
}

#[test]
fn threads_do_not_matter_among_many_pages() {
    let histories: Vec<Vec<VisitRecord>> = (0..400).map(history).collect();
    for (_, relation) in Relation::ALL {
        let settings = ExpertSettings { relation, candidates: 20, ..ExpertSettings::default() };
        let links = |page: usize| vec![page / 2, page + 7];
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| choose(&settings, &slices(&histories), &links, day(19), &everyone))
        };
        assert_eq!(with(1), with(4), "{relation:?}");
    }
}

#[test]
fn where_nobody_has_experts_none_are_lost() {
    let histories = [daily(&[&[1]]), daily(&[&[2]])];
    assert!(near(measured(Relation::Content, 5, &histories), 1.0));
    assert!(near(measured(Relation::Content, 5, &[]), 1.0));
}
