//! The words of a page at some of its visits, as shares of all its words, each distinct text once.
//!
//! Most visits find the same text as the visit before, and features and kernels only need products of texts.
//! Counts are whole numbers, so a product is exact and the same in any order.
use std::sync::Arc;

use instruments::features::VisitRecord;
use text::counts::{TermHash, WordCounts};

/// The word counts of a text and their total.
#[derive(Clone, Debug)]
pub(super) struct WordVector {
    words: Arc<WordCounts>,
    total: f64,
}

impl WordVector {
    fn new(words: &Arc<WordCounts>) -> Self {
        let total = words.counts().iter().map(|&(_, count)| u64::from(count)).sum::<u64>() as f64;
        Self { words: Arc::clone(words), total }
    }

    fn is_of(&self, words: &Arc<WordCounts>) -> bool {
        Arc::ptr_eq(&self.words, words) || self.words == *words
    }

    /// The dot product of the word shares; 0 if one text is empty.
    pub(super) fn product(&self, other: &Self) -> f64 {
        self.scaled(common(&self.words, &other.words), other)
    }

    fn scaled(&self, common: u64, other: &Self) -> f64 {
        let scale = self.total * other.total;
        if scale == 0.0 { 0.0 } else { common as f64 / scale }
    }
}

/// The dot product of the word counts.
fn common(one: &WordCounts, other: &WordCounts) -> u64 {
    let (ones, others) = (one.counts(), other.counts());
    let (mut row, mut column, mut sum) = (0, 0, 0);
    // Branch-free steps: the branch predictor would be wrong every other time.
    while let (Some(&(one, times)), Some(&(other, others_times))) =
        (ones.get(row), others.get(column))
    {
        let product = u64::from(times) * u64::from(others_times);
        sum += if one == other { product } else { 0 };
        row += usize::from(one <= other);
        column += usize::from(other <= one);
    }
    sum
}

/// The words of a text as numbers in a sorted vocabulary that has them all, each with its count.
fn number(vocabulary: &[TermHash], text: &WordVector) -> Vec<(u32, u32)> {
    let mut number = 0;
    let counted = text.words.counts().iter().map(|&(term, count)| {
        while vocabulary[number] < term {
            number += 1;
        }
        (number as u32, u32::from(count))
    });
    counted.collect()
}

/// The products of two lists of texts, each computed when first needed.
#[derive(Debug)]
pub(super) struct Products {
    columns: usize,
    values: Vec<f64>,
}

impl Products {
    pub(super) fn new(rows: usize, columns: usize) -> Self {
        Self { columns, values: vec![f64::NAN; rows * columns] }
    }

    /// The product of two texts, each given with its number in its list.
    pub(super) fn get(&mut self, one: (usize, &WordVector), other: (usize, &WordVector)) -> f64 {
        let value = &mut self.values[one.0 * self.columns + other.0];
        if value.is_nan() {
            *value = one.1.product(other.1);
        }
        *value
    }
}

/// The distinct texts of some visits of a page.
#[derive(Debug)]
pub(super) struct WordVectors {
    /// The indices of the visits, in order, and the text of each.
    visits: Vec<(usize, u32)>,
    distinct: Vec<WordVector>,
    products: Products,
}

impl WordVectors {
    /// From the visits with these indices, which may repeat.
    pub(super) fn new(visits: &[VisitRecord], mut numbers: Vec<usize>) -> Self {
        numbers.sort_unstable();
        numbers.dedup();
        let mut distinct: Vec<WordVector> = vec![];
        let mut found = Vec::with_capacity(numbers.len());
        for number in numbers {
            let words = &visits[number].words;
            // It is most likely the text of the visit before.
            let text = distinct.iter().rposition(|text| text.is_of(words)).unwrap_or_else(|| {
                distinct.push(WordVector::new(words));
                distinct.len() - 1
            });
            found.push((number, text as u32));
        }
        let products = Products::new(distinct.len(), distinct.len());
        Self { visits: found, distinct, products }
    }

    /// The number of the text at a visit, which must be one of those given.
    pub(super) fn at(&self, visit: usize) -> usize {
        let row = self.visits.partition_point(|&(number, _)| number < visit);
        self.visits[row].1 as usize
    }

    pub(super) fn text(&self, number: usize) -> (usize, &WordVector) {
        (number, &self.distinct[number])
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.distinct.len()
    }

    /// The product of two texts.
    pub(super) fn product(&mut self, one: usize, other: usize) -> f64 {
        let (row, column) = (one.max(other), one.min(other));
        self.products.get((row, &self.distinct[row]), (column, &self.distinct[column]))
    }

    /// Computes the products of all pairs at once, several times as fast as one by one: with all words
    /// numbered, one text is laid out and the others look up their words in it.
    pub(super) fn multiply(&mut self) {
        let words = self.distinct.iter().flat_map(|text| text.words.counts());
        let mut vocabulary: Vec<TermHash> = words.map(|&(term, _)| term).collect();
        vocabulary.sort_unstable();
        vocabulary.dedup();
        let numbered: Vec<Vec<(u32, u32)>> =
            self.distinct.iter().map(|text| number(&vocabulary, text)).collect();
        let mut laid_out = vec![0_u32; vocabulary.len()];
        for (row, words) in numbered.iter().enumerate() {
            for &(word, count) in words {
                laid_out[word as usize] = count;
            }
            for (column, others) in numbered[..=row].iter().enumerate() {
                let common = others
                    .iter()
                    .map(|&(word, count)| u64::from(laid_out[word as usize]) * u64::from(count));
                let product = self.distinct[row].scaled(common.sum(), &self.distinct[column]);
                self.products.values[row * self.products.columns + column] = product;
            }
            for &(word, _) in words {
                laid_out[word as usize] = 0;
            }
        }
    }

    /// The squared distance between two texts.
    pub(super) fn squared_distance(&mut self, one: usize, other: usize) -> f64 {
        if one == other {
            return 0.0;
        }
        let own = self.product(one, one) + self.product(other, other);
        (own - 2.0 * self.product(one, other)).max(0.0)
    }

    /// The texts, by number.
    pub(super) fn into_distinct(self) -> Vec<WordVector> {
        self.distinct
    }
}

#[cfg(test)]
mod tests {
    use crawl::Time;
    use instruments::features::Changes;
    use proptest::prelude::*;

    use super::*;

    fn records(texts: &[&[u32]]) -> Vec<VisitRecord> {
        let words = texts.iter().map(|terms| Arc::new(WordCounts::from_terms(terms.to_vec())));
        let visit =
            |words| VisitRecord { at: Time::from_millis(0), changes: Changes::default(), words };
        words.map(visit).collect()
    }

    #[test]
    fn products_are_those_of_the_shares() {
        // (1/4, 2/4, 1/4, 0) and (0, 1/4, 2/4, 1/4): 4/16. Their difference (1, 1, -1, -1)/4 has the
        // square 4/16.
        let visits = records(&[&[1, 2, 2, 3], &[2, 3, 3, 4], &[]]);
        let mut texts = WordVectors::new(&visits, vec![0, 1, 2]);
        let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12);
        close(texts.product(0, 1), 0.25);
        close(texts.product(0, 0), 6.0 / 16.0);
        close(texts.squared_distance(1, 0), 0.25);
        close(texts.product(2, 0), 0.0);
        close(texts.squared_distance(2, 0), 6.0 / 16.0);
    }

    #[test]
    fn equal_texts_are_one_whether_they_share_memory_or_not() {
        let visits = records(&[&[1], &[2], &[1], &[2], &[3]]);
        let texts = WordVectors::new(&visits, vec![4, 3, 2, 3, 1]);
        assert_eq!(texts.count(), 3);
        assert_eq!([1, 2, 3, 4].map(|visit| texts.at(visit)), [0, 1, 0, 2]);
    }

    proptest! {
        #[test]
        fn products_are_the_same_at_once_and_one_by_one(
            texts in prop::collection::vec(prop::collection::vec(0_u32..20, 0..30), 1..8),
        ) {
            let texts: Vec<&[u32]> = texts.iter().map(Vec::as_slice).collect();
            let visits = records(&texts);
            let numbers: Vec<usize> = (0..visits.len()).collect();
            let (mut one_by_one, mut at_once) =
                (WordVectors::new(&visits, numbers.clone()), WordVectors::new(&visits, numbers));
            at_once.multiply();
            for one in 0..at_once.count() {
                for other in 0..at_once.count() {
                    let (found, expected) =
                        (at_once.product(one, other), one_by_one.product(one, other));
                    prop_assert_eq!(found.to_bits(), expected.to_bits());
                }
            }
        }
    }
}
