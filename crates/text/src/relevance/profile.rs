//! Profiles of pages: their counts of the words of a workload.
use std::{
    collections::{BTreeMap, hash_map::Entry},
    sync::Arc,
};

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use crate::words::{Analyser, Language};
use crawl::Content;

/// The number of a word in a [`Vocabulary`].
pub type WordNo = u32;

/// What a term means in a [`Vocabulary`]: one word, by its number, or several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TermNo(u32);

impl TermNo {
    /// The index of its list; beyond all lists where it means one word.
    #[inline]
    fn list(self) -> usize {
        (self.0 ^ Self::SEVERAL) as usize
    }

    /// This bit marks the index of a list of several words.
    const SEVERAL: u32 = 1 << 31;
    /// Not a term.
    pub(crate) const NONE: Self = Self(u32::MAX);
}

/// The words of a workload.
///
/// A word may have several terms, one for each language it is stemmed in, and a term may belong to
/// several words.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    forms: Vec<Arc<[String]>>,
    by_forms: FxHashMap<Arc<[String]>, WordNo>,
    /// By the hash of a term. The probability that two of a million terms share one is one in thirty
    /// million.
    by_term: FxHashMap<u64, TermNo>,
    /// A one-hash Bloom filter that fits the cache and rejects most terms that are not in the
    /// vocabulary. A power of two, with at least 16 bits per term.
    filter: Vec<u64>,
    /// The words of terms that mean several.
    several: Vec<Vec<WordNo>>,
}

impl Vocabulary {
    /// The number of the word with these terms. Adds the word if it is new.
    pub fn add(&mut self, forms: &[String]) -> WordNo {
        if let Some(&word) = self.by_forms.get(forms) {
            return word;
        }
        let word = self.forms.len() as WordNo;
        let shared: Arc<[String]> = forms.into();
        self.by_forms.insert(Arc::clone(&shared), word);
        self.forms.push(shared);
        for form in forms {
            let next = TermNo(self.several.len() as u32 | TermNo::SEVERAL);
            let hash = term_hash(form);
            if self.filter.len() * 64 < 16 * (self.by_term.len() + 1) {
                self.grow_filter();
            }
            let (place, bit) = self.filter_bit(hash);
            self.filter[place] |= bit;
            match self.by_term.entry(hash) {
                Entry::Vacant(place) => {
                    place.insert(TermNo(word));
                }
                Entry::Occupied(mut place) => {
                    if let Some(words) = self.several.get_mut(place.get().list()) {
                        words.push(word);
                    } else {
                        let TermNo(first) = place.insert(next);
                        self.several.push(vec![first, word]);
                    }
                }
            }
        }
        word
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.forms.len()
    }

    /// Whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.forms.is_empty()
    }

    /// The terms of `word`.
    ///
    /// # Panics
    /// If there is no such word.
    pub fn forms(&self, word: WordNo) -> &[String] {
        &self.forms[word as usize]
    }

    /// What a term means, if any word has it.
    pub fn term(&self, term: &str) -> Option<TermNo> {
        self.term_hashed(term_hash(term))
    }

    /// What the term with this hash means.
    #[inline]
    pub(crate) fn term_hashed(&self, hash: u64) -> Option<TermNo> {
        let (place, bit) = self.filter_bit(hash);
        if self.filter.get(place).is_none_or(|bits| bits & bit == 0) {
            return None;
        }
        self.by_term.get(&hash).copied()
    }

    /// The position of a hash's filter bit.
    #[inline]
    fn filter_bit(&self, hash: u64) -> (usize, u64) {
        let place = (hash >> 6) as usize & self.filter.len().saturating_sub(1);
        (place, 1 << (hash % 64))
    }

    fn grow_filter(&mut self) {
        self.filter = vec![0; (self.filter.len() * 2).max(16)];
        // The order does not matter for setting bits.
        for &hash in self.by_term.keys() {
            let (place, bit) = self.filter_bit(hash);
            self.filter[place] |= bit;
        }
    }

    /// Calls `each` with the words of a term.
    #[inline]
    pub fn each_word(&self, term: TermNo, mut each: impl FnMut(WordNo)) {
        match self.several.get(term.list()) {
            None => each(term.0),
            Some(words) => words.iter().copied().for_each(each),
        }
    }
}

/// The hash by which a term is looked up.
pub(crate) fn term_hash(term: &str) -> u64 {
    xxh3_64(term.as_bytes())
}

/// A page's counts of the words of a workload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// The total number of words.
    pub length: u32,
    /// The words of the workload, by number, and their counts.
    counts: Box<[(WordNo, u32)]>,
}

impl Profile {
    /// The profile of a page's title and text.
    pub fn from_content(content: &Content, vocabulary: &Vocabulary) -> Self {
        Profiler::new(vocabulary).profile(content)
    }

    /// A profile with these counts: each word at most once. Counts of 0 are dropped.
    pub fn new(length: u32, mut counts: Vec<(WordNo, u32)>) -> Self {
        counts.retain(|&(_, count)| count > 0);
        counts.sort_unstable();
        debug_assert!(counts.is_sorted_by(|a, b| a.0 < b.0), "each word once");
        Self { length, counts: counts.into() }
    }

    /// A profile with counts that are sorted by word, each word once and no count 0.
    pub fn sorted(length: u32, counts: Box<[(WordNo, u32)]>) -> Self {
        debug_assert!(counts.is_sorted_by(|a, b| a.0 < b.0), "each word once, in order");
        Self { length, counts }
    }

    /// The count of a word.
    pub fn count(&self, word: WordNo) -> u32 {
        let found = self.counts.binary_search_by_key(&word, |&(word, _)| word);
        found.map_or(0, |row| self.counts[row].1)
    }

    /// The words of the workload on the page, and their counts.
    pub fn counts(&self) -> &[(WordNo, u32)] {
        &self.counts
    }
}

/// Makes profiles. It caches stems, so use one for many pages.
#[derive(Debug)]
pub struct Profiler<'v> {
    vocabulary: &'v Vocabulary,
    analysers: BTreeMap<Language, Analyser>,
    found: Vec<WordNo>,
}

impl<'v> Profiler<'v> {
    /// A profiler for the words of `vocabulary`.
    pub fn new(vocabulary: &'v Vocabulary) -> Self {
        Self { vocabulary, analysers: BTreeMap::new(), found: vec![] }
    }

    /// The profile of a page's title and text.
    pub fn profile(&mut self, content: &Content) -> Profile {
        let language = Language::detect(content);
        let analyser = self.analysers.entry(language).or_insert_with(|| Analyser::new(language));
        self.found.clear();
        let mut length = 0;
        for text in [&content.title, &content.text] {
            let mut words = analyser.words(text);
            while let Some(word) = words.advance() {
                length += 1;
                if let Some(term) = self.vocabulary.term(word.term) {
                    self.vocabulary.each_word(term, |word| self.found.push(word));
                }
            }
        }
        self.found.sort_unstable();
        let counted = self.found.chunk_by(|a, b| a == b);
        Profile { length, counts: counted.map(|same| (same[0], same.len() as u32)).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forms(terms: &[&str]) -> Vec<String> {
        terms.iter().map(|&term| term.to_owned()).collect()
    }

    #[test]
    fn a_word_is_found_by_all_its_terms_and_numbered_once() {
        let mut vocabulary = Vocabulary::default();
        assert!(vocabulary.is_empty());
        assert_eq!(vocabulary.add(&forms(&["moon"])), 0);
        assert_eq!(vocabulary.add(&forms(&["run", "running"])), 1);
        assert_eq!(vocabulary.add(&forms(&["moon"])), 0);
        assert_eq!(vocabulary.add(&forms(&["run"])), 2);
        assert_eq!(vocabulary.len(), 3);
        assert_eq!(vocabulary.forms(1), ["run", "running"]);
        let words_of = |term: &str| {
            let mut words = vec![];
            if let Some(term) = vocabulary.term(term) {
                vocabulary.each_word(term, |word| words.push(word));
            }
            words
        };
        assert_eq!(words_of("run"), [1, 2]);
        assert_eq!(words_of("running"), [1]);
        assert_eq!(words_of("moon"), [0]);
        assert_eq!(words_of("sun"), []);
    }

    #[test]
    fn a_profile_counts_the_words_of_title_and_text() {
        let mut vocabulary = Vocabulary::default();
        for term in ["tide", "moon", "sun"] {
            vocabulary.add(&forms(&[term]));
        }
        let content = Content {
            title: "Moon".into(),
            text: "The moon, the tide and the MOON.".into(),
            language: "en".into(),
            ..Content::default()
        };
        let profile = Profile::from_content(&content, &vocabulary);
        assert_eq!(profile.length, 8);
        assert_eq!(profile.counts(), [(0, 1), (1, 3)]);
        assert_eq!([0, 1, 2].map(|word| profile.count(word)), [1, 3, 0]);
    }

    #[test]
    fn an_empty_page_has_an_empty_profile() {
        let profile = Profile::from_content(&Content::default(), &Vocabulary::default());
        assert_eq!(profile, Profile::default());
    }

    #[test]
    fn counts_of_zero_are_dropped() {
        let profile = Profile::new(9, vec![(3, 1), (1, 0), (2, 5)]);
        assert_eq!(profile.counts(), [(2, 5), (3, 1)]);
    }
}
