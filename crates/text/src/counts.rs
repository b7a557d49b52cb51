//! Word counts of a page, small enough to keep for every page.
use std::{collections::BTreeMap, sync::Arc};

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::words::{Analyser, Language};
use crawl::{Content, Digest};

/// The most words that are kept per page. Of longer pages the most frequent are kept: the others
/// matter little in a cosine, and a page costs at most one kilobyte.
pub const MOST_WORDS: usize = 128;

/// A term, as half of its hash. Two terms that share one count as the same word, which is rare among
/// the thousands of words of a web.
pub type TermHash = u32;

/// The hash of a term.
pub fn term_hash(term: &str) -> TermHash {
    xxh3_64(term.as_bytes()) as TermHash
}

/// The counts of a page's most frequent words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WordCounts(Box<[(TermHash, u16)]>);

impl WordCounts {
    /// Counts `terms`, in any order and with repetitions.
    pub fn from_terms(mut terms: Vec<TermHash>) -> Self {
        terms.sort_unstable();
        let counted = terms.chunk_by(|a, b| a == b);
        let mut counts: Vec<(TermHash, u16)> =
            counted.map(|same| (same[0], u16::try_from(same.len()).unwrap_or(u16::MAX))).collect();
        if counts.len() > MOST_WORDS {
            // Ties are broken by hash, so that two versions of a page mostly keep the same words.
            counts.sort_by_key(|&(term, count)| (std::cmp::Reverse(count), term));
            counts.truncate(MOST_WORDS);
            counts.sort_unstable();
        }
        Self(counts.into())
    }

    /// Counts that are sorted by hash, each word once.
    pub fn from_sorted(counts: Vec<(TermHash, u16)>) -> Self {
        Self(counts.into())
    }

    /// Each word and its count, in order of hash.
    pub fn counts(&self) -> &[(TermHash, u16)] {
        &self.0
    }

    /// The count of a word.
    pub fn count(&self, term: TermHash) -> u16 {
        self.0.binary_search_by_key(&term, |&(term, _)| term).map_or(0, |row| self.0[row].1)
    }

    /// The cosine similarity of two pages: 1 where they have the same words in the same proportions,
    /// 0 where they share none. Two pages without words have similarity 1.
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

/// Counts the words of pages. It caches stems, so use one for many pages.
#[derive(Debug, Default)]
pub struct WordCounter {
    analysers: BTreeMap<Language, Analyser>,
}

impl WordCounter {
    /// The word counts of title and text, with words analysed as in search.
    pub fn count(&mut self, content: &Content) -> WordCounts {
        self.count_in(Language::detect(content), content)
    }

    /// The word counts of a page in a known language.
    pub fn count_in(&mut self, language: Language, content: &Content) -> WordCounts {
        let analyser = self.analysers.entry(language).or_insert_with(|| Analyser::new(language));
        let mut terms = vec![];
        for text in [&content.title, &content.text] {
            let mut words = analyser.words(text);
            while let Some(word) = words.advance() {
                terms.push(term_hash(word.term));
            }
        }
        WordCounts::from_terms(terms)
    }
}

/// Word counts by the digest of the text, for worlds whose snapshots have no content.
#[derive(Debug, Default)]
pub struct WordCountCache(FxHashMap<Digest, Arc<WordCounts>>);

impl WordCountCache {
    /// Adds the word counts of a text.
    pub fn add(&mut self, text: Digest, words: WordCounts) {
        self.0.entry(text).or_insert_with(|| Arc::new(words));
    }

    /// The word counts of the text with this digest.
    pub fn find(&self, text: Digest) -> Option<&Arc<WordCounts>> {
        self.0.get(&text)
    }
}

/// Calls `each` with every word of two pages and its count in each.
pub fn each_word(one: &WordCounts, other: &WordCounts, mut each: impl FnMut(TermHash, u16, u16)) {
    let (mut ones, mut others) = (one.counts().iter().peekable(), other.counts().iter().peekable());
    loop {
        let term = match (ones.peek(), others.peek()) {
            (Some((one, _)), Some((other, _))) => *one.min(other),
            (Some((term, _)), None) | (None, Some((term, _))) => *term,
            (None, None) => return,
        };
        let take = |words: &mut std::iter::Peekable<std::slice::Iter<'_, (TermHash, u16)>>| {
            words.next_if(|(found, _)| *found == term).map_or(0, |(_, count)| *count)
        };
        let counts = (take(&mut ones), take(&mut others));
        each(term, counts.0, counts.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cosine_is_that_of_the_counts() {
        let one = WordCounts::from_terms(vec![1, 2, 2, 3]);
        let other = WordCounts::from_terms(vec![2, 3, 3, 4]);
        // (1, 2, 1, 0) and (0, 1, 2, 1): 4 / 6.
        assert!((one.cosine(&other) - 2.0 / 3.0).abs() < 1e-6);
        let none = WordCounts::default();
        let near = |found: f32, expected: f32| (found - expected).abs() < 1e-6;
        assert!(near(one.cosine(&one), 1.0) && near(none.cosine(&none), 1.0));
        assert!(
            near(one.cosine(&WordCounts::from_terms(vec![7])), 0.0) && near(one.cosine(&none), 0.0)
        );
    }

    #[test]
    fn a_long_page_keeps_its_most_frequent_words() {
        let many = u32::try_from(MOST_WORDS).unwrap() + 40;
        let mut terms: Vec<TermHash> = (0..many).collect();
        terms.extend([many - 1, many - 2]);
        let counts = WordCounts::from_terms(terms);
        assert_eq!(counts.counts().len(), MOST_WORDS);
        assert_eq!([many - 1, many - 2, many - 3].map(|term| counts.count(term)), [2, 2, 0]);
        assert!(counts.counts().is_sorted());
        assert_eq!(counts.count(MOST_WORDS as u32 - 3), 1);
    }

    #[test]
    fn words_are_analysed_as_in_search() {
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
