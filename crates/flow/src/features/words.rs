//! The words of a page, small enough to be kept for every page.
use std::{collections::BTreeMap, sync::Arc};

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::{
    Content, Digest,
    words::{Analyser, Language},
};

/// The most words that are kept of a page. Of longer pages the most frequent stay: the others
/// weigh little in a cosine, and a page costs at most one kilobyte.
pub const MOST_WORDS: usize = 128;

/// What stands for a term: half of its hash. Two terms that share one are taken for the same word,
/// which among the thousands of words of a web happens hardly ever.
pub type TermHash = u32;

/// The hash of a term.
pub fn term_hash(term: &str) -> TermHash {
    xxh3_64(term.as_bytes()) as TermHash
}

/// How often a page holds each of its most frequent words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WordCounts(Box<[(TermHash, u16)]>);

impl WordCounts {
    /// The counts of these terms, of which there may be many equal ones.
    pub fn of(mut terms: Vec<TermHash>) -> Self {
        terms.sort_unstable();
        let counted = terms.chunk_by(|a, b| a == b);
        let mut counts: Vec<(TermHash, u16)> =
            counted.map(|same| (same[0], u16::try_from(same.len()).unwrap_or(u16::MAX))).collect();
        if counts.len() > MOST_WORDS {
            // Of equally frequent words those with the lower hash stay: of two versions of a page
            // mostly the same ones.
            counts.sort_by_key(|&(term, count)| (std::cmp::Reverse(count), term));
            counts.truncate(MOST_WORDS);
            counts.sort_unstable();
        }
        Self(counts.into())
    }

    /// The counts of words each given once, in order of hash.
    pub(super) fn from_sorted(counts: Vec<(TermHash, u16)>) -> Self {
        Self(counts.into())
    }

    /// Each word once and how often it is there, in order of hash.
    pub fn counts(&self) -> &[(TermHash, u16)] {
        &self.0
    }

    /// How often a word is there.
    pub fn count(&self, term: TermHash) -> u16 {
        self.0.binary_search_by_key(&term, |&(term, _)| term).map_or(0, |row| self.0[row].1)
    }

    /// The cosine of the angle between two pages' counts: 1 where they have the same words in the
    /// same proportions, 0 where they share none. Pages without words are alike.
    pub fn cosine(&self, other: &Self) -> f32 {
        if self == other {
            return 1.0;
        }
        let norm = |counts: &Self| {
            counts.0.iter().map(|&(_, count)| f64::from(count).powi(2)).sum::<f64>().sqrt()
        };
        let scale = norm(self) * norm(other);
        if scale == 0.0 {
            return 0.0;
        }
        let product: f64 = self
            .0
            .iter()
            .map(|&(term, count)| f64::from(count) * f64::from(other.count(term)))
            .sum();
        (product / scale) as f32
    }
}

/// Counts the words of pages. What it learned of a language's words it need not learn again.
#[derive(Debug, Default)]
pub struct WordCounter {
    analysers: BTreeMap<Language, Analyser>,
}

impl WordCounter {
    /// The words of a page: its title and its text, as they are searched for.
    pub fn count(&mut self, content: &Content) -> WordCounts {
        self.count_in(Language::of(content), content)
    }

    /// The same of a page whose language is known.
    pub(super) fn count_in(&mut self, language: Language, content: &Content) -> WordCounts {
        let analyser = self.analysers.entry(language).or_insert_with(|| Analyser::new(language));
        let mut terms = vec![];
        for text in [&content.title, &content.text] {
            let mut words = analyser.words(text);
            while let Some(word) = words.advance() {
                terms.push(term_hash(word.term));
            }
        }
        WordCounts::of(terms)
    }
}

/// The words of texts that are kept elsewhere, by the digest of the text: for a world whose
/// snapshots come without their content.
#[derive(Debug, Default)]
pub struct Library(FxHashMap<Digest, Arc<WordCounts>>);

impl Library {
    /// Takes in the words of a text.
    pub fn add(&mut self, text: Digest, words: WordCounts) {
        self.0.entry(text).or_insert_with(|| Arc::new(words));
    }

    /// The words of the text with this digest.
    pub fn find(&self, text: Digest) -> Option<&Arc<WordCounts>> {
        self.0.get(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cosine_is_that_of_the_counts() {
        let one = WordCounts::of(vec![1, 2, 2, 3]);
        let other = WordCounts::of(vec![2, 3, 3, 4]);
        // (1, 2, 1, 0) and (0, 1, 2, 1): 4 / 6.
        assert!((one.cosine(&other) - 2.0 / 3.0).abs() < 1e-6);
        let none = WordCounts::default();
        let near = |found: f32, expected: f32| (found - expected).abs() < 1e-6;
        assert!(near(one.cosine(&one), 1.0) && near(none.cosine(&none), 1.0));
        assert!(near(one.cosine(&WordCounts::of(vec![7])), 0.0) && near(one.cosine(&none), 0.0));
    }

    #[test]
    fn of_a_long_page_the_most_frequent_words_stay() {
        let many = u32::try_from(MOST_WORDS).unwrap() + 40;
        let mut terms: Vec<TermHash> = (0..many).collect();
        terms.extend([many - 1, many - 2]);
        let counts = WordCounts::of(terms);
        assert_eq!(counts.counts().len(), MOST_WORDS);
        assert_eq!([many - 1, many - 2, many - 3].map(|term| counts.count(term)), [2, 2, 0]);
        assert!(counts.counts().is_sorted());
        assert_eq!(counts.count(MOST_WORDS as u32 - 3), 1);
    }

    #[test]
    fn words_are_those_that_are_searched_for() {
        let content = Content {
            title: "Moons".into(),
            text: "The moon and the tides".into(),
            language: "en".into(),
            ..Content::default()
        };
        let counts = WordCounter::default().count(&content);
        assert_eq!(counts.count(term_hash("moon")), 2);
        assert_eq!(counts.count(term_hash("tide")), 1);
    }
}
