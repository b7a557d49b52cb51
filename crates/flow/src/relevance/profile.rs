//! How often a page holds each word of a workload.
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
    by_forms: FxHashMap<Vec<String>, WordNo>,
    by_term: FxHashMap<String, Vec<WordNo>>,
}

impl Vocabulary {
    /// The number of the word that is found by these terms; a new one where it is new.
    pub fn add(&mut self, forms: &[String]) -> WordNo {
        if let Some(&word) = self.by_forms.get(forms) {
            return word;
        }
        let word = self.by_forms.len() as WordNo;
        self.by_forms.insert(forms.to_vec(), word);
        for form in forms {
            self.by_term.entry(form.clone()).or_default().push(word);
        }
        word
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.by_forms.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.by_forms.is_empty()
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
        let mut analyser = Analyser::new(Language::of(content));
        let mut found: Vec<WordNo> = vec![];
        let mut length = 0;
        for text in [&content.title, &content.text] {
            let mut words = analyser.words(text);
            while let Some(word) = words.advance() {
                length += 1;
                found.extend_from_slice(vocabulary.words_of(word.term));
            }
        }
        found.sort_unstable();
        let counted = found.chunk_by(|a, b| a == b);
        Self { length, counts: counted.map(|same| (same[0], same.len() as u32)).collect() }
    }

    /// A profile made up of counts.
    pub fn new(length: u32, mut counts: Vec<(WordNo, u32)>) -> Self {
        counts.sort_unstable();
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
