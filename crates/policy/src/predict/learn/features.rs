//! The features of a page at a visit (sections 4.2.1 and 4.2.2).
//!
//! Of a page itself: how often it changed, its words, how far they moved, whether it just changed. Of an
//! expert the same, and its similarity to the page and to the page's changes. If pages are not visited every
//! day, an expert may have been visited since the page was: its latest state counts, up to the instant of the
//! forecast. Departures: the share of changes is over the last n visits, because with l = 1 the paper's is
//! the last change again; the change at the visit itself is the latest of the l flags, because at time t it
//! is known.
use crawl::Time;
use instruments::features::VisitRecord;

use super::{
    Settings,
    feature_block::FeatureBlock,
    word_vectors::{Products, WordVectors},
};

/// A page's visits and the word vectors of those that matter.
struct Past<'a> {
    visits: &'a [VisitRecord],
    texts: WordVectors,
}

impl<'a> Past<'a> {
    fn new(visits: &'a [VisitRecord], numbers: Vec<usize>) -> Self {
        Self { visits, texts: WordVectors::new(visits, numbers) }
    }

    /// The squared distance between the contents of two visits; 0 if one of them does not exist.
    fn squared_distance(&mut self, one: Option<usize>, other: Option<usize>) -> f64 {
        let (Some(one), Some(other)) = (one, other) else { return 0.0 };
        self.texts.squared_distance(self.texts.at(one), self.texts.at(other))
    }
}

/// The index of the last visit at or before an instant.
pub(super) fn last_visit(visits: &[VisitRecord], now: Time) -> Option<usize> {
    visits.partition_point(|visit| visit.at <= now).checked_sub(1)
}

/// The features of a page at some of its visits.
pub(super) fn own(
    settings: &Settings,
    page: &[VisitRecord],
    at: &[usize],
) -> (FeatureBlock, WordVectors) {
    let numbers = at.iter().flat_map(|&visit| around(visit, settings.back)).collect();
    let mut history = Past::new(page, numbers);
    let mut block = FeatureBlock::new(at.len());
    let mut dense = vec![];
    for &visit in at {
        dense.clear();
        describe(settings, &mut history, visit, &mut dense);
        block.push(&dense, history.texts.at(visit));
    }
    (block, history.texts)
}

/// The features of an expert beside some visits of a page, each with the last instant at which a visit of the
/// expert counts. Before the first visit of the expert there are none.
pub(super) fn expert(
    settings: &Settings,
    page: &[VisitRecord],
    at: &[(usize, Time)],
    expert: &[VisitRecord],
) -> (FeatureBlock, WordVectors) {
    let back = settings.back;
    let as_of = |visit: usize| last_visit(expert, page[visit].at);
    let mut numbers = vec![];
    for &(visit, until) in at {
        numbers.extend(last_visit(expert, until).into_iter().flat_map(|seen| around(seen, back)));
        numbers.extend((1..back).filter_map(|days| as_of(visit.checked_sub(days)?)));
    }
    let mut other = Past::new(expert, numbers);
    let own_numbers = at.iter().flat_map(|&(visit, _)| around(visit, back)).collect();
    let mut own = Past::new(page, own_numbers);
    let mut between = Products::new(own.texts.count(), other.texts.count());
    let mut block = FeatureBlock::new(at.len());
    let mut dense = vec![];
    for &(visit, until) in at {
        let Some(seen) = last_visit(expert, until) else {
            block.push_nothing();
            continue;
        };
        dense.clear();
        describe(settings, &mut other, seen, &mut dense);
        for days in 0..back {
            let there = if days == 0 {
                Some((visit, seen))
            } else {
                visit.checked_sub(days).and_then(|visit| Some((visit, as_of(visit)?)))
            };
            dense.push(there.map_or(0.0, |(visit, seen)| {
                let (one, two) = (own.texts.at(visit), other.texts.at(seen));
                let product = between.get(own.texts.text(one), other.texts.text(two));
                cosine(product, own.texts.product(one, one), other.texts.product(two, two))
            }));
        }
        for days in 1..=back {
            let [content, changes] = alike(&mut own, visit, &mut other, seen, days, &mut between);
            dense.extend([content, changes]);
        }
        block.push(&dense, other.texts.at(seen));
    }
    (block, other.texts)
}

/// The visits that describe a visit.
fn around(visit: usize, back: usize) -> impl Iterator<Item = usize> {
    visit.saturating_sub(back + 1)..=visit
}

/// Features 1, 3, 4 and 5; the words, feature 2, are separate.
fn describe(settings: &Settings, history: &mut Past<'_>, visit: usize, dense: &mut Vec<f64>) {
    let changed = |visit: &VisitRecord| visit.changes.includes(settings.target);
    let window = &history.visits[(visit + 1).saturating_sub(settings.window)..=visit];
    let share = window.iter().filter(|visit| changed(visit)).count() as f64 / window.len() as f64;
    dense.push(share);
    for days in 1..=settings.back {
        dense.push(history.squared_distance(Some(visit), visit.checked_sub(days)).sqrt());
    }
    for days in 1..=settings.back {
        let (then, before) = (visit.checked_sub(days), visit.checked_sub(days + 1));
        dense.push(history.squared_distance(then, before).sqrt());
    }
    for days in 1..=settings.back {
        let then = (visit + 1).checked_sub(days).map(|visit| &history.visits[visit]);
        dense.push(if then.is_some_and(changed) { 1.0 } else { 0.0 });
    }
}

/// Feature 7: how similar the expert's changes over some visits are to the page, and to the page's changes.
fn alike(
    own: &mut Past<'_>,
    visit: usize,
    other: &mut Past<'_>,
    seen: usize,
    days: usize,
    between: &mut Products,
) -> [f64; 2] {
    let Some(seen_before) = seen.checked_sub(days) else { return [0.0; 2] };
    let (two, two_before) = (other.texts.at(seen), other.texts.at(seen_before));
    let moved = other.texts.squared_distance(two, two_before);
    if moved == 0.0 {
        return [0.0; 2];
    }
    let one = own.texts.at(visit);
    let mut product = |one: usize, two: usize, own: &Past<'_>, other: &Past<'_>| {
        between.get(own.texts.text(one), other.texts.text(two))
    };
    let towards = product(one, two, own, other) - product(one, two_before, own, other);
    let content = cosine(towards, moved, own.texts.product(one, one));
    let Some(before) = visit.checked_sub(days) else { return [content, 0.0] };
    let one_before = own.texts.at(before);
    let from = product(one_before, two, own, other) - product(one_before, two_before, own, other);
    let own_moved = own.texts.squared_distance(one, one_before);
    [content, cosine(towards - from, moved, own_moved)]
}

/// The cosine of two vectors from their product and squares; 0 if one is 0.
fn cosine(product: f64, one: f64, other: f64) -> f64 {
    let scale = one * other;
    if scale > 0.0 { (product / scale.sqrt()).clamp(-1.0, 1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use std::{f64::consts::FRAC_1_SQRT_2, sync::Arc};

    use instruments::features::Changes;
    use text::counts::WordCounts;

    use super::*;

    /// A visit at an hour, whether it found a change, and the terms it found.
    fn record((hour, significant, terms): (i64, bool, &[u32])) -> VisitRecord {
        let changes = Changes { significant, ..Changes::default() };
        let words = Arc::new(WordCounts::from_terms(terms.to_vec()));
        VisitRecord { at: Time::from_millis(hour * 3_600_000), changes, words }
    }

    fn assert_near(found: &[f64], expected: &[f64]) {
        let is_near = |(found, expected): (&f64, &f64)| (found - expected).abs() < 1e-12;
        let all = found.len() == expected.len() && found.iter().zip(expected).all(is_near);
        assert!(all, "{found:?} is not {expected:?}");
    }

    fn page() -> Vec<VisitRecord> {
        // Its words are (1, 0), (1/2, 1/2), (0, 1), (0, 1).
        let visits: [(i64, bool, &[u32]); 4] =
            [(0, false, &[1]), (24, true, &[1, 2]), (48, true, &[2]), (72, false, &[2])];
        visits.map(record).to_vec()
    }

    #[test]
    fn a_page_is_described_by_its_latest_looks() {
        let settings = Settings { window: 2, ..Settings::default() };
        let (block, mut texts) = own(&settings, &page(), &[2, 3]);
        // Both of the last two visits found a change; the page moved by (-1/2, 1/2) twice.
        assert_near(block.dense(0), &[1.0, FRAC_1_SQRT_2, FRAC_1_SQRT_2, 1.0]);
        assert_near(block.dense(1), &[0.5, 0.0, FRAC_1_SQRT_2, 0.0]);
        // Dense features and words, which are the same at both: 1/2 + 1/2 + 1.
        assert_near(&block.products(&mut texts).row(0)[1..], &[2.0]);
    }

    #[test]
    fn more_looks_back_are_more_features() {
        let settings = Settings { back: 2, ..Settings::default() };
        let (block, _) = own(&settings, &page(), &[3]);
        // Distances to the visits one and two before, of these to the one before each, and two changes.
        let expected = [0.5, 0.0, FRAC_1_SQRT_2, FRAC_1_SQRT_2, FRAC_1_SQRT_2, 0.0, 1.0];
        assert_near(block.dense(0), &expected);
    }

    #[test]
    fn an_expert_is_described_as_of_the_page() {
        // Words (1, 0), then (0, 1) between the page's second and third visit.
        let visits: [(i64, bool, &[u32]); 3] =
            [(20, false, &[1]), (36, true, &[2]), (50, true, &[1, 2])];
        let visits = visits.map(record);
        let at = [0, 1, 2, 3].map(|visit| (visit, page()[visit].at));
        let (block, _) = expert(&Settings::default(), &page(), &at, &visits);
        assert_eq!(block.shown(), [1, 2, 3]);
        // At its first visit there was nothing before: only the cosine of (1, 0) and (1/2, 1/2) is known.
        assert_near(block.dense(1), &[0.0, 0.0, 0.0, 0.0, FRAC_1_SQRT_2, 0.0, 0.0]);
        // Then it moved by (-1, 1), to where the page is, (0, 1), in the page's direction, (-1/2, 1/2).
        let moved = 2.0_f64.sqrt();
        assert_near(block.dense(2), &[0.5, moved, 0.0, 1.0, 1.0, FRAC_1_SQRT_2, 1.0]);
        // Then by (1/2, -1/2), away from the page, which did not move.
        let found = block.dense(3);
        assert_near(
            found,
            &[2.0 / 3.0, FRAC_1_SQRT_2, moved, 1.0, FRAC_1_SQRT_2, -FRAC_1_SQRT_2, 0.0],
        );
    }

    #[test]
    fn what_was_seen_of_an_expert_since_the_pages_look_counts() {
        let visits: [(i64, bool, &[u32]); 2] = [(20, false, &[1]), (71, true, &[2])];
        let visits = visits.map(record);
        let beside = |hour: i64| {
            let until = Time::from_millis(hour * 3_600_000);
            let (block, _) = expert(&Settings::default(), &page(), &[(2, until)], &visits);
            block.dense(0).to_vec()
        };
        // The page is (0, 1) since its visit at hour 48; the expert becomes so at hour 71.
        assert_near(&beside(70), &[0.0; 7]);
        let moved = 2.0_f64.sqrt();
        assert_near(&beside(71), &[0.5, moved, 0.0, 1.0, 1.0, FRAC_1_SQRT_2, 1.0]);
    }

    #[test]
    fn a_page_without_words_is_like_none() {
        let visits: [(i64, bool, &[u32]); 3] =
            [(0, false, &[]), (24, false, &[]), (48, false, &[])];
        let visits = visits.map(record);
        let (block, _) = expert(&Settings::default(), &page(), &[(2, visits[2].at)], &visits);
        assert_near(block.dense(0), &[0.0; 7]);
    }
}
