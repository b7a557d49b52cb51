//! What a page was like at a look, as numbers to learn from (sections 4.2.1 and 4.2.2).
//!
//! Of a page itself: how often it changed, its words, how far they moved, whether it just changed. Of an
//! expert the same, and how like the page and how like its changes those of the expert were. Where pages are
//! not looked at every day, an expert may have been seen since the page's look: what it was like then counts,
//! up to the instant that is asked about. Departures: the share of changes is that of the last n looks, since with l = 1 the
//! paper's is the last change again; the change of the look itself is the latest of the l flags, since at
//! time t it is known.
use flow::{Time, features::Look};

use super::{
    Settings,
    block::Block,
    texts::{Products, Texts},
};

/// A page's looks and the texts of those that matter.
struct Past<'a> {
    looks: &'a [Look],
    texts: Texts,
}

impl<'a> Past<'a> {
    fn new(looks: &'a [Look], numbers: Vec<usize>) -> Self {
        Self { looks, texts: Texts::new(looks, numbers) }
    }

    /// The square of the distance between what two looks found; 0 where there was no such look.
    fn squared_distance(&mut self, one: Option<usize>, other: Option<usize>) -> f64 {
        let (Some(one), Some(other)) = (one, other) else { return 0.0 };
        self.texts.squared_distance(self.texts.at(one), self.texts.at(other))
    }
}

/// The number of the last look at or before an instant.
pub(super) fn last_look(looks: &[Look], now: Time) -> Option<usize> {
    looks.partition_point(|look| look.at <= now).checked_sub(1)
}

/// A page at some of its looks.
pub(super) fn own(settings: &Settings, page: &[Look], at: &[usize]) -> (Block, Texts) {
    let numbers = at.iter().flat_map(|&look| around(look, settings.back)).collect();
    let mut past = Past::new(page, numbers);
    let mut block = Block::new(at.len());
    let mut dense = vec![];
    for &look in at {
        dense.clear();
        describe(settings, &mut past, look, &mut dense);
        block.push(&dense, past.texts.at(look));
    }
    (block, past.texts)
}

/// An expert beside some looks of a page, each with the last instant at which the expert may have been
/// seen. Where the expert had not been looked at yet, nothing is known of it.
pub(super) fn expert(
    settings: &Settings,
    page: &[Look],
    at: &[(usize, Time)],
    expert: &[Look],
) -> (Block, Texts) {
    let back = settings.back;
    let as_of = |look: usize| last_look(expert, page[look].at);
    let mut numbers = vec![];
    for &(look, until) in at {
        numbers.extend(last_look(expert, until).into_iter().flat_map(|seen| around(seen, back)));
        numbers.extend((1..back).filter_map(|days| as_of(look.checked_sub(days)?)));
    }
    let mut other = Past::new(expert, numbers);
    let own_numbers = at.iter().flat_map(|&(look, _)| around(look, back)).collect();
    let mut own = Past::new(page, own_numbers);
    let mut between = Products::new(own.texts.count(), other.texts.count());
    let mut block = Block::new(at.len());
    let mut dense = vec![];
    for &(look, until) in at {
        let Some(seen) = last_look(expert, until) else {
            block.push_nothing();
            continue;
        };
        dense.clear();
        describe(settings, &mut other, seen, &mut dense);
        for days in 0..back {
            let there = if days == 0 {
                Some((look, seen))
            } else {
                look.checked_sub(days).and_then(|look| Some((look, as_of(look)?)))
            };
            dense.push(there.map_or(0.0, |(look, seen)| {
                let (one, two) = (own.texts.at(look), other.texts.at(seen));
                let product = between.of(own.texts.text(one), other.texts.text(two));
                cosine(product, own.texts.product(one, one), other.texts.product(two, two))
            }));
        }
        for days in 1..=back {
            let [content, changes] = alike(&mut own, look, &mut other, seen, days, &mut between);
            dense.extend([content, changes]);
        }
        block.push(&dense, other.texts.at(seen));
    }
    (block, other.texts)
}

/// The looks that a look is described by.
fn around(look: usize, back: usize) -> impl Iterator<Item = usize> {
    look.saturating_sub(back + 1)..=look
}

/// Features 1, 3, 4 and 5; the words, 2, are apart.
fn describe(settings: &Settings, past: &mut Past<'_>, look: usize, dense: &mut Vec<f64>) {
    let changed = |look: &Look| look.changes.of(settings.target);
    let window = &past.looks[(look + 1).saturating_sub(settings.window)..=look];
    let share = window.iter().filter(|look| changed(look)).count() as f64 / window.len() as f64;
    dense.push(share);
    for days in 1..=settings.back {
        dense.push(past.squared_distance(Some(look), look.checked_sub(days)).sqrt());
    }
    for days in 1..=settings.back {
        let (then, before) = (look.checked_sub(days), look.checked_sub(days + 1));
        dense.push(past.squared_distance(then, before).sqrt());
    }
    for days in 1..=settings.back {
        let then = (look + 1).checked_sub(days).map(|look| &past.looks[look]);
        dense.push(if then.is_some_and(changed) { 1.0 } else { 0.0 });
    }
}

/// How like the page what came to the expert over some looks was, and how like what came to the page:
/// feature 7.
fn alike(
    own: &mut Past<'_>,
    look: usize,
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
    let one = own.texts.at(look);
    let mut product = |one: usize, two: usize, own: &Past<'_>, other: &Past<'_>| {
        between.of(own.texts.text(one), other.texts.text(two))
    };
    let towards = product(one, two, own, other) - product(one, two_before, own, other);
    let content = cosine(towards, moved, own.texts.product(one, one));
    let Some(before) = look.checked_sub(days) else { return [content, 0.0] };
    let one_before = own.texts.at(before);
    let from = product(one_before, two, own, other) - product(one_before, two_before, own, other);
    let own_moved = own.texts.squared_distance(one, one_before);
    [content, cosine(towards - from, moved, own_moved)]
}

/// The cosine of two vectors by their product and squares; 0 where one is 0.
fn cosine(product: f64, one: f64, other: f64) -> f64 {
    let scale = one * other;
    if scale > 0.0 { (product / scale.sqrt()).clamp(-1.0, 1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use std::{f64::consts::FRAC_1_SQRT_2, sync::Arc};

    use flow::features::{Changes, WordCounts};

    use super::*;

    /// A look at some hour, whether it found a change, and the terms it found.
    fn look((hour, significant, terms): (i64, bool, &[u32])) -> Look {
        let changes = Changes { significant, ..Changes::default() };
        let words = Arc::new(WordCounts::of(terms.to_vec()));
        Look { at: Time::from_millis(hour * 3_600_000), changes, words }
    }

    fn assert_near(found: &[f64], expected: &[f64]) {
        let is_near = |(found, expected): (&f64, &f64)| (found - expected).abs() < 1e-12;
        let all = found.len() == expected.len() && found.iter().zip(expected).all(is_near);
        assert!(all, "{found:?} is not {expected:?}");
    }

    fn page() -> Vec<Look> {
        // Its words are (1, 0), (1/2, 1/2), (0, 1), (0, 1).
        let looks: [(i64, bool, &[u32]); 4] =
            [(0, false, &[1]), (24, true, &[1, 2]), (48, true, &[2]), (72, false, &[2])];
        looks.map(look).to_vec()
    }

    #[test]
    fn a_page_is_described_by_its_latest_looks() {
        let settings = Settings { window: 2, ..Settings::default() };
        let (block, mut texts) = own(&settings, &page(), &[2, 3]);
        // Both of the last two looks found a change; it moved by (-1/2, 1/2) twice.
        assert_near(block.dense(0), &[1.0, FRAC_1_SQRT_2, FRAC_1_SQRT_2, 1.0]);
        assert_near(block.dense(1), &[0.5, 0.0, FRAC_1_SQRT_2, 0.0]);
        // Dense features and words, which are the same at both: 1/2 + 1/2 + 1.
        assert_near(&block.products(&mut texts).row(0)[1..], &[2.0]);
    }

    #[test]
    fn more_looks_back_are_more_features() {
        let settings = Settings { back: 2, ..Settings::default() };
        let (block, _) = own(&settings, &page(), &[3]);
        // Distances to the looks one and two before, of these to the one before each, and two changes.
        let expected = [0.5, 0.0, FRAC_1_SQRT_2, FRAC_1_SQRT_2, FRAC_1_SQRT_2, 0.0, 1.0];
        assert_near(block.dense(0), &expected);
    }

    #[test]
    fn an_expert_is_described_as_of_the_page() {
        // Words (1, 0), then (0, 1) between the page's second and third look.
        let looks: [(i64, bool, &[u32]); 3] =
            [(20, false, &[1]), (36, true, &[2]), (50, true, &[1, 2])];
        let looks = looks.map(look);
        let at = [0, 1, 2, 3].map(|look| (look, page()[look].at));
        let (block, _) = expert(&Settings::default(), &page(), &at, &looks);
        assert_eq!(block.shown(), [1, 2, 3]);
        // At its first look nothing came before: only the cosine of (1, 0) and (1/2, 1/2) is known.
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
        let looks: [(i64, bool, &[u32]); 2] = [(20, false, &[1]), (71, true, &[2])];
        let looks = looks.map(look);
        let beside = |hour: i64| {
            let until = Time::from_millis(hour * 3_600_000);
            let (block, _) = expert(&Settings::default(), &page(), &[(2, until)], &looks);
            block.dense(0).to_vec()
        };
        // The page is (0, 1) since its look at hour 48; the expert becomes so at hour 71.
        assert_near(&beside(70), &[0.0; 7]);
        let moved = 2.0_f64.sqrt();
        assert_near(&beside(71), &[0.5, moved, 0.0, 1.0, 1.0, FRAC_1_SQRT_2, 1.0]);
    }

    #[test]
    fn a_page_without_words_is_like_none() {
        let looks: [(i64, bool, &[u32]); 3] = [(0, false, &[]), (24, false, &[]), (48, false, &[])];
        let looks = looks.map(look);
        let (block, _) = expert(&Settings::default(), &page(), &[(2, looks[2].at)], &looks);
        assert_near(block.dense(0), &[0.0; 7]);
    }
}
