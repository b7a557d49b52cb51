//! The current words of pages, by number, and their inverse document frequencies.
use instruments::features::VisitRecord;
use rayon::prelude::*;
use text::counts::{TermHash, WordCounts};

use super::latest;

/// Every word of the pages at their last visit, numbered in order of hash.
pub(super) struct Vocabulary {
    terms: Vec<TermHash>,
    rarity: Vec<f64>,
}

/// A word of a page at its last visit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word {
    pub number: u32,
    /// Its tf-idf, as a share of the sum over all words of the page.
    pub share: f64,
}

impl Vocabulary {
    /// The words of each page's last visit.
    pub(super) fn new(histories: &[&[VisitRecord]]) -> Self {
        let pages = histories.iter().filter(|visits| !visits.is_empty()).count();
        let words = histories.iter().filter_map(|visits| latest(visits));
        let mut all: Vec<TermHash> =
            words.flat_map(|words| words.counts().iter().map(|&(term, _)| term)).collect();
        all.par_sort_unstable();
        let (terms, rarity) =
            all.chunk_by(|a, b| a == b).map(|same| (same[0], rarity(pages, same.len()))).unzip();
        Self { terms, rarity }
    }

    /// How many words there are.
    pub(super) fn len(&self) -> usize {
        self.terms.len()
    }

    /// The number of a word; `None` if no page has it now.
    pub(super) fn number(&self, term: TermHash) -> Option<u32> {
        self.terms.binary_search(&term).ok().map(|number| number as u32)
    }

    /// The words of a page in order of number; all of them are in the vocabulary.
    pub(super) fn words(&self, words: &WordCounts) -> Vec<Word> {
        let numbers: Vec<u32> =
            words.counts().iter().filter_map(|&(term, _)| self.number(term)).collect();
        let shares = shares(words, numbers.iter().map(|&number| self.rarity[number as usize]));
        numbers.into_iter().zip(shares).map(|(number, share)| Word { number, share }).collect()
    }

    /// The tf-idf of each word of a page, by number, scaled to length 1.
    pub(super) fn direction(&self, words: &WordCounts) -> Vec<(u32, f64)> {
        let words = self.words(words);
        let length = words.iter().map(|word| word.share * word.share).sum::<f64>().sqrt();
        words.iter().map(|word| (word.number, word.share / length)).collect()
    }
}

/// The inverse document frequency of a word that `holders` of `pages` pages have.
pub(super) fn rarity(pages: usize, holders: usize) -> f64 {
    (pages as f64 / holders as f64).ln_1p()
}

/// The tf-idf of each word of a page, given the inverse document frequencies, scaled to sum 1.
pub(super) fn shares(words: &WordCounts, rarities: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut shares: Vec<f64> =
        words.counts().iter().zip(rarities).map(|(word, rare)| f64::from(word.1) * rare).collect();
    let sum: f64 = shares.iter().sum();
    for share in &mut shares {
        *share /= sum;
    }
    shares
}
