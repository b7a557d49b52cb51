//! Whether the words are drawn from another distribution than before.
//!
//! Radinsky and Bennett, "Predicting content change on the web", WSDM 2013: a page has changed when a
//! chi-squared test tells its word counts apart at p < 0.05. The table has two rows (old, new) and a
//! column for each word of title and text.
//!
//! Departures (`docs/papers.md`, A5.2-2): words expected fewer than five times in either text share one
//! column, because the test is wrong on sparse counts; with that column alone nothing is significant.
//! Where one text has no words at all there is no distribution to test, and the change is whole.
//! The size of a significant change is not the paper's, which has none: it is the total variation
//! distance, the share of words that would have to be replaced.
//!
//! One-line edits of long pages are not significant: this detector is blind to them by design.
use statrs::distribution::{ChiSquared as Distribution, ContinuousCDF};

use crate::{
    ChangeDetector, Snapshot,
    features::{MOST_WORDS, WordCounts, each_word},
    read::marks::each_feature,
};

/// Above this chance of being the same distribution, nothing has changed.
const SIGNIFICANCE: f64 = 0.05;

/// Words expected less often than this share a column.
const LEAST_EXPECTED: f64 = 5.0;

/// Compares word counts by a chi-squared test.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChiSquared;

impl ChangeDetector for ChiSquared {
    fn name(&self) -> &'static str {
        "chi-squared"
    }

    fn change(&self, old: &Snapshot, new: &Snapshot) -> f32 {
        match (words(old), words(new)) {
            (Some(old), Some(new)) => change(&old, &new),
            _ => super::without_content(old, new),
        }
    }

    fn reads_content(&self) -> bool {
        true
    }

    fn identity(&self, _: &Snapshot) -> Option<u128> {
        None
    }
}

/// The hashes of a snapshot's words, ascending.
fn words(snapshot: &Snapshot) -> Option<Vec<u64>> {
    let mut words = Vec::new();
    let content = snapshot.content.as_deref()?;
    each_feature(snapshot.form, snapshot.marks.body, content, |word, _| words.push(word));
    words.sort_unstable();
    Some(words)
}

fn change(old: &[u64], new: &[u64]) -> f32 {
    if old.is_empty() || new.is_empty() {
        return if old.is_empty() && new.is_empty() { 0.0 } else { 1.0 };
    }
    let table = table(old, new);
    let totals = [old.len() as f64, new.len() as f64];
    let (statistic, freedom) = statistic(&table, totals);
    if p_value(statistic, freedom) >= SIGNIFICANCE {
        return 0.0;
    }
    let apart: f64 = table.iter().map(|[old, new]| (old / totals[0] - new / totals[1]).abs()).sum();
    ((apart / 2.0) as f32).clamp(f32::MIN_POSITIVE, 1.0)
}

/// Whether the words that are kept of two versions of a page are drawn from different distributions: the
/// same test without their texts.
///
/// Of a long page only the most frequent words are kept. One that is missing there is at most as frequent
/// as the rarest that is kept, and is taken to be as frequent as it can be without having changed more than
/// it must: the boundary of what is kept makes no change.
pub(crate) fn differ(old: &WordCounts, new: &WordCounts) -> bool {
    if old == new {
        return false;
    }
    if old.counts().is_empty() || new.counts().is_empty() {
        return true;
    }
    let hidden = |words: &WordCounts| {
        let is_cut = words.counts().len() >= MOST_WORDS;
        let rarest = words.counts().iter().map(|&(_, count)| count).min();
        if is_cut { rarest.unwrap_or(0) } else { 0 }
    };
    let (old_hidden, new_hidden) = (hidden(old), hidden(new));
    let mut table = vec![];
    each_word(old, new, |_, old, new| {
        let seen = match (old, new) {
            (0, new) => (new.min(old_hidden), new),
            (old, 0) => (old, old.min(new_hidden)),
            both => both,
        };
        table.push([f64::from(seen.0), f64::from(seen.1)]);
    });
    let totals = table.iter().fold([0.0; 2], |sum, row| [sum[0] + row[0], sum[1] + row[1]]);
    let (statistic, freedom) = statistic(&table, totals);
    p_value(statistic, freedom) < SIGNIFICANCE
}

/// How often each word occurs in the old and in the new text.
fn table(mut old: &[u64], mut new: &[u64]) -> Vec<[f64; 2]> {
    let mut table = Vec::new();
    while let Some(&word) = old.first().into_iter().chain(new.first()).min() {
        let row = |words: &mut &[u64]| {
            let count = words.iter().take_while(|&&other| other == word).count();
            *words = &words[count..];
            count as f64
        };
        table.push([row(&mut old), row(&mut new)]);
    }
    table
}

/// The chi-squared statistic of a table with rare words merged, and its degrees of freedom.
fn statistic(table: &[[f64; 2]], totals: [f64; 2]) -> (f64, usize) {
    let all = totals[0] + totals[1];
    let smaller = totals[0].min(totals[1]);
    let mut rare = [0.0; 2];
    let mut columns = 0;
    let mut sum = 0.0;
    let mut add = |[old, new]: [f64; 2]| {
        columns += 1;
        for (seen, total) in [(old, totals[0]), (new, totals[1])] {
            let expected = (old + new) * total / all;
            sum += (seen - expected).powi(2) / expected;
        }
    };
    for &[old, new] in table {
        if (old + new) * smaller / all < LEAST_EXPECTED {
            rare = [rare[0] + old, rare[1] + new];
        } else {
            add([old, new]);
        }
    }
    if rare[0] + rare[1] > 0.0 {
        add(rare);
    }
    (sum, columns - 1)
}

/// The chance of a statistic at least this large if nothing changed.
fn p_value(statistic: f64, freedom: usize) -> f64 {
    match Distribution::new(freedom as f64) {
        Ok(distribution) => distribution.sf(statistic),
        // No degree of freedom: nothing can be told.
        Err(_) => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(counts: &[(u64, usize)]) -> Vec<u64> {
        counts.iter().flat_map(|&(word, count)| std::iter::repeat_n(word, count)).collect()
    }

    #[test]
    fn tail_probabilities_agree_with_scipy() {
        // scipy.stats.chi2.sf
        for (statistic, freedom, expected) in [
            (7.3, 4, 0.120_858_748_821_212_35),
            (0.0, 3, 1.0),
            (900.0, 1_000, 0.989_282_761_908_710_2),
            (1_100.0, 1_000, 0.014_614_408_126_295_192),
            (5_300.0, 5_000, 0.001_595_824_944_134_730_3),
            (2_000.0, 1_000, 4.143_678_591_453_918_4e-69),
            (1_400.0, 2, 9.859_676_543_759_39e-305),
        ] {
            let p = p_value(statistic, freedom);
            assert!((p - expected).abs() <= 1e-8 * expected, "{statistic} {p}");
        }
    }

    #[test]
    fn the_tail_is_found_for_tables_of_every_size() {
        for freedom in (1..2_000).chain((2_000..200_000).step_by(4_999)) {
            let mean = freedom as f64;
            for deviations in [-4.0, -1.0, 0.0, 1.0, 1.645, 4.0, 50.0] {
                let statistic = mean + deviations * (2.0 * mean).sqrt();
                assert!((0.0..=1.0).contains(&p_value(statistic, freedom)));
            }
        }
    }

    #[test]
    fn the_statistic_is_that_of_the_textbook() {
        // 10, 20 | 20, 10 : every cell is expected 15 times, so the sum is 4 * 25 / 15.
        let (sum, freedom) = statistic(&[[10.0, 20.0], [20.0, 10.0]], [30.0, 30.0]);
        assert!((sum - 100.0 / 15.0).abs() < 1e-12);
        assert_eq!(freedom, 1);
    }

    #[test]
    fn a_significant_change_is_as_large_as_the_words_replaced() {
        let old = counted(&[(1, 10), (2, 20)]);
        let new = counted(&[(1, 20), (2, 10)]);
        assert!((change(&old, &new) - 1.0 / 3.0).abs() < 1e-6);
    }

    #[test]
    fn words_that_were_kept_are_tested_as_texts_are() {
        let kept = |counts: &[(u64, usize)]| {
            WordCounts::of(counted(counts).into_iter().map(|word| word as u32).collect())
        };
        let (old, new) = ([(1, 10), (2, 20)], [(1, 20), (2, 10)]);
        assert!(differ(&kept(&old), &kept(&new)) && change(&counted(&old), &counted(&new)) > 0.0);
        let new = [(1, 12), (2, 19)];
        assert!(!differ(&kept(&old), &kept(&new)) && change(&counted(&old), &counted(&new)) <= 0.0);
        let none = WordCounts::default();
        assert!(differ(&none, &kept(&old)) && differ(&kept(&old), &none) && !differ(&none, &none));
    }

    #[test]
    fn words_at_the_boundary_of_what_is_kept_are_no_change() {
        // As many words as are kept, each ten times; one is followed by another that was cut before.
        let most = MOST_WORDS as u32;
        let page = |words: std::ops::Range<u32>| {
            WordCounts::of(words.flat_map(|word| std::iter::repeat_n(word, 10)).collect())
        };
        assert!(!differ(&page(0..most), &page(1..most + 1)));
        // Of a page that is kept whole nothing is hidden.
        assert!(differ(&page(0..10), &page(3..13)));
    }

    #[test]
    fn rare_words_share_a_column() {
        // Twenty words replaced by twenty others, each expected half a time: one column, no freedom.
        let old: Vec<u64> = (0..20).collect();
        let new: Vec<u64> = (20..40).collect();
        assert!(change(&old, &new) < f32::EPSILON);
        assert_eq!(statistic(&table(&old, &new), [20.0, 20.0]).1, 0);
    }

    #[test]
    fn an_emptied_text_has_changed_whole() {
        assert!((change(&[1, 2], &[]) - 1.0).abs() < f32::EPSILON);
        assert!(change(&[], &[]) < f32::EPSILON);
    }
}
