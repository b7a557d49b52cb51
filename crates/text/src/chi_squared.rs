//! The chi-squared test whether two lists of words come from different distributions. The change
//! detector of that name uses it on texts, the features of pages on word counts.
//!
//! Radinsky and Bennett, "Predicting content change on the web", WSDM 2013 (`docs/papers.md`, A5.2-2).
//! Words expected fewer than five times in either text share one column, because the test is
//! unreliable on sparse counts. With that column alone nothing is significant.
use statrs::distribution::{ChiSquared as Distribution, ContinuousCDF};

use crate::counts::{MOST_WORDS, WordCounts, each_word};

/// A p-value at or above this is no change.
const SIGNIFICANCE: f64 = 0.05;

/// Words expected less often than this share a column.
const LEAST_EXPECTED: f64 = 5.0;

/// The change between two texts, given as ascending word hashes: 0 where the test finds no
/// significant difference, otherwise the total variation distance.
pub fn change(old: &[u64], new: &[u64]) -> f32 {
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

/// Whether the word counts of two versions of a page differ significantly: the same test without the
/// texts.
///
/// [`WordCounts`] keep only the most frequent words of a long page. A word missing there may have any
/// count up to the lowest kept one. The test assumes the count with the smallest change, so that the
/// cut-off does not look like a change.
pub fn differ(old: &WordCounts, new: &WordCounts) -> bool {
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

/// The count of each word in the old and in the new text.
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

/// The probability of a statistic at least this large if nothing changed.
fn p_value(statistic: f64, freedom: usize) -> f64 {
    match Distribution::new(freedom as f64) {
        Ok(distribution) => distribution.sf(statistic),
        // Without degrees of freedom there is nothing to test.
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
    fn p_values_are_valid_for_tables_of_every_size() {
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
    fn the_size_of_a_change_is_the_share_of_replaced_words() {
        let old = counted(&[(1, 10), (2, 20)]);
        let new = counted(&[(1, 20), (2, 10)]);
        assert!((change(&old, &new) - 1.0 / 3.0).abs() < 1e-6);
    }

    #[test]
    fn word_counts_are_tested_like_texts() {
        let kept = |counts: &[(u64, usize)]| {
            WordCounts::from_terms(counted(counts).into_iter().map(|word| word as u32).collect())
        };
        let (old, new) = ([(1, 10), (2, 20)], [(1, 20), (2, 10)]);
        assert!(differ(&kept(&old), &kept(&new)) && change(&counted(&old), &counted(&new)) > 0.0);
        let new = [(1, 12), (2, 19)];
        assert!(!differ(&kept(&old), &kept(&new)) && change(&counted(&old), &counted(&new)) <= 0.0);
        let none = WordCounts::default();
        assert!(differ(&none, &kept(&old)) && differ(&kept(&old), &none) && !differ(&none, &none));
    }

    #[test]
    fn words_at_the_cut_off_are_not_a_change() {
        // As many words as are kept, each ten times; one is followed by another that was cut before.
        let most = MOST_WORDS as u32;
        let page = |words: std::ops::Range<u32>| {
            WordCounts::from_terms(words.flat_map(|word| std::iter::repeat_n(word, 10)).collect())
        };
        assert!(!differ(&page(0..most), &page(1..most + 1)));
        // A short page has no cut-off.
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
    fn an_emptied_text_has_changed_fully() {
        assert!((change(&[1, 2], &[]) - 1.0).abs() < f32::EPSILON);
        assert!(change(&[], &[]) < f32::EPSILON);
    }
}
