//! The words that pages have now, by number, and how much each says.
use flow::features::{Look, TermHash, WordCounts};
use rayon::prelude::*;

use super::latest;

/// Every word of the pages as they were last looked at, numbered in order of hash.
pub(super) struct Vocabulary {
    terms: Vec<TermHash>,
    rarity: Vec<f64>,
}

/// A word of a page as it was last looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word {
    pub number: u32,
    pub count: u16,
    /// Its tf-idf, as a share of the sum of those of all words of the page.
    pub share: f64,
}

impl Vocabulary {
    /// The words that the last of each page's looks shows.
    pub(super) fn of(pasts: &[&[Look]]) -> Self {
        let pages = pasts.iter().filter(|looks| !looks.is_empty()).count();
        let words = pasts.iter().filter_map(|looks| latest(looks));
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

    /// The number of a word; none where no page has it now.
    pub(super) fn number(&self, term: TermHash) -> Option<u32> {
        self.terms.binary_search(&term).ok().map(|number| number as u32)
    }

    /// The words of a page in order of number; all of them are in the vocabulary.
    pub(super) fn words(&self, words: &WordCounts) -> Vec<Word> {
        let numbers: Vec<u32> =
            words.counts().iter().filter_map(|&(term, _)| self.number(term)).collect();
        let shares = shares(words, numbers.iter().map(|&number| self.rarity[number as usize]));
        let counts = words.counts().iter().map(|&(_, count)| count);
        let words = numbers.into_iter().zip(counts).zip(shares);
        words.map(|((number, count), share)| Word { number, count, share }).collect()
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
