//! How often a page holds each word of a workload.
use std::{collections::BTreeMap, sync::Arc};

use rustc_hash::FxHashMap;

use crate::{
    Content,
    words::{Analyser, Language},
};

/// The number of a word in a [`Vocabulary`].
pub type WordNo = u32;

/// The words of a workload.
///
/// A word may be found by several terms, one for each language it is stemmed in, and a term may
/// belong to several words.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    forms: Vec<Arc<[String]>>,
    by_forms: FxHashMap<Arc<[String]>, WordNo>,
    by_term: FxHashMap<String, Vec<WordNo>>,
}

impl Vocabulary {
    /// The number of the word that is found by these terms; a new one where it is new.
    pub fn add(&mut self, forms: &[String]) -> WordNo {
        if let Some(&word) = self.by_forms.get(forms) {
            return word;
        }
        let word = self.forms.len() as WordNo;
        let shared: Arc<[String]> = forms.into();
        self.by_forms.insert(Arc::clone(&shared), word);
        self.forms.push(shared);
        for form in forms {
            self.by_term.entry(form.clone()).or_default().push(word);
        }
        word
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.forms.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.forms.is_empty()
    }

    /// The terms that `word` is found by.
    ///
    /// # Panics
    /// If there is no such word.
    pub fn forms(&self, word: WordNo) -> &[String] {
        &self.forms[word as usize]
    }

    /// The words that are found by `term`.
    pub fn words_of(&self, term: &str) -> &[WordNo] {
        self.by_term.get(term).map_or(&[], Vec::as_slice)
    }
}

/// How often a page holds each word of a workload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// How many words it has in all.
    pub length: u32,
    /// The words of the workload it holds, by number, and how often.
    counts: Box<[(WordNo, u32)]>,
}

impl Profile {
    /// The profile of a page: its title and its text.
    pub fn of(content: &Content, vocabulary: &Vocabulary) -> Self {
        Profiler::new(vocabulary).profile(content)
    }

    /// A profile made up of counts: each word at most once. Words that it holds no time are not
    /// held.
    pub fn new(length: u32, mut counts: Vec<(WordNo, u32)>) -> Self {
        counts.retain(|&(_, count)| count > 0);
        counts.sort_unstable();
        debug_assert!(counts.is_sorted_by(|a, b| a.0 < b.0), "each word once");
        Self { length, counts: counts.into() }
    }

    /// How often it holds a word.
    pub fn count(&self, word: WordNo) -> u32 {
        let found = self.counts.binary_search_by_key(&word, |&(word, _)| word);
        found.map_or(0, |row| self.counts[row].1)
    }

    /// The words of the workload it holds, and how often.
    pub fn counts(&self) -> &[(WordNo, u32)] {
        &self.counts
    }
}

/// Makes the profiles of many pages. What it learned of a language's words it need not learn again.
#[derive(Debug)]
pub struct Profiler<'v> {
    vocabulary: &'v Vocabulary,
    analysers: BTreeMap<Language, Analyser>,
    found: Vec<WordNo>,
}

impl<'v> Profiler<'v> {
    /// For the words of `vocabulary`.
    pub fn new(vocabulary: &'v Vocabulary) -> Self {
        Self { vocabulary, analysers: BTreeMap::new(), found: vec![] }
    }

    /// The profile of a page: its title and its text.
    pub fn profile(&mut self, content: &Content) -> Profile {
        let language = Language::of(content);
        let analyser = self.analysers.entry(language).or_insert_with(|| Analyser::new(language));
        self.found.clear();
        let mut length = 0;
        for text in [&content.title, &content.text] {
            let mut words = analyser.words(text);
            while let Some(word) = words.advance() {
                length += 1;
                self.found.extend_from_slice(self.vocabulary.words_of(word.term));
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
    fn a_word_is_known_by_all_its_terms_and_numbered_once() {
        let mut vocabulary = Vocabulary::default();
        assert!(vocabulary.is_empty());
        assert_eq!(vocabulary.add(&forms(&["moon"])), 0);
        assert_eq!(vocabulary.add(&forms(&["run", "running"])), 1);
        assert_eq!(vocabulary.add(&forms(&["moon"])), 0);
        assert_eq!(vocabulary.add(&forms(&["run"])), 2);
        assert_eq!(vocabulary.len(), 3);
        assert_eq!(vocabulary.forms(1), ["run", "running"]);
        assert_eq!(vocabulary.words_of("run"), [1, 2]);
        assert_eq!(vocabulary.words_of("running"), [1]);
        assert_eq!(vocabulary.words_of("sun"), []);
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
        let profile = Profile::of(&content, &vocabulary);
        assert_eq!(profile.length, 8);
        assert_eq!(profile.counts(), [(0, 1), (1, 3)]);
        assert_eq!([0, 1, 2].map(|word| profile.count(word)), [1, 3, 0]);
    }

    #[test]
    fn an_empty_page_has_an_empty_profile() {
        let profile = Profile::of(&Content::default(), &Vocabulary::default());
        assert_eq!(profile, Profile::default());
    }

    #[test]
    fn a_word_that_is_held_no_time_is_not_held() {
        let profile = Profile::new(9, vec![(3, 1), (1, 0), (2, 5)]);
        assert_eq!(profile.counts(), [(2, 5), (3, 1)]);
    }
}
