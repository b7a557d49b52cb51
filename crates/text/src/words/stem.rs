//! Turns words into terms: stems in one language, then folds. The results are cached.
//!
//! Stemming takes most of a microsecond and a few allocations, and a few hundred words make up half of
//! all text. The cache is a table with two slots per hash; a new word replaces the older of the two. So
//! its size is bounded, and no text can make it slow.
use std::{fmt, sync::Arc};

use frostem::Stemmer;
use xxhash_rust::xxh3::xxh3_64;

use super::{alphabet::Alphabet, fold::fold, language::Language};
use crate::relevance::{TermNo, Vocabulary};

/// The longest word to stem. Less than [`super::spelling::LONGEST`], so that cut words are not stemmed.
const LONGEST_STEMMED: usize = 48;

/// The first size of the cache, small so that an analyser for one query is cheap.
const FEWEST_SLOTS: usize = 64;

/// The largest size of the cache: one MiB.
const MOST_SLOTS: usize = 1 << 14;

/// The terms of one language.
pub(super) struct Stems {
    stemmer: Option<(Stemmer, Alphabet)>,
    /// The vocabulary in which terms are looked up.
    vocabulary: Option<Arc<Vocabulary>>,
    slots: Vec<Slot>,
    /// The number of words put into the cache since it grew.
    put: usize,
    /// The term of the last word that was not cached.
    term: String,
}

/// A cached word and its term, one after the other. The word of an empty slot has length 0.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Slot {
    word: u8,
    term: u8,
    bytes: [u8; SLOT_BYTES],
    /// The number of the term in the vocabulary, or [`TermNo::NONE`].
    query_term: TermNo,
}

/// The rest of 64 bytes.
const SLOT_BYTES: usize = 58;
const EMPTY: Slot = Slot { word: 0, term: 0, bytes: [0; SLOT_BYTES], query_term: TermNo::NONE };

impl Slot {
    fn new(word: &str, term: &str, query_term: Option<TermNo>) -> Option<Self> {
        let (middle, end) = (word.len(), word.len() + term.len());
        let query_term = query_term.unwrap_or(TermNo::NONE);
        let mut slot = Self { word: middle as u8, term: term.len() as u8, query_term, ..EMPTY };
        slot.bytes.get_mut(..middle)?.copy_from_slice(word.as_bytes());
        slot.bytes.get_mut(middle..end)?.copy_from_slice(term.as_bytes());
        Some(slot)
    }

    fn word(&self) -> &[u8] {
        &self.bytes[..usize::from(self.word)]
    }

    fn term(&self) -> &str {
        let from = usize::from(self.word);
        let term = &self.bytes[from..from + usize::from(self.term)];
        std::str::from_utf8(term).unwrap_or_default()
    }

    fn query_term(&self) -> Option<TermNo> {
        (self.query_term != TermNo::NONE).then_some(self.query_term)
    }
}

impl fmt::Debug for Stems {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let algorithm = self.stemmer.as_ref().map(|(stemmer, _)| stemmer.algorithm());
        formatter.debug_struct("Stems").field("algorithm", &algorithm).finish_non_exhaustive()
    }
}

impl Stems {
    pub(super) fn new(language: Language, vocabulary: Option<Arc<Vocabulary>>) -> Self {
        let stemmer = language.stemmer();
        Self { stemmer, vocabulary, slots: vec![], put: 0, term: String::new() }
    }

    /// The term of a word, and its number in the vocabulary. Neither word nor term is empty.
    pub(super) fn term<'s>(&'s mut self, word: &'s str) -> (&'s str, Option<TermNo>) {
        if self.stemmer.is_none() && word.is_ascii() {
            return self.unstemmed(word);
        }
        let hash = xxh3_64(word.as_bytes());
        match self.find(word, hash) {
            Some(at) => (self.slots[at].term(), self.slots[at].query_term()),
            None => self.make(word, hash),
        }
    }

    /// A word that is its own term, and its number in the vocabulary.
    pub(super) fn unstemmed<'s>(&self, word: &'s str) -> (&'s str, Option<TermNo>) {
        (word, self.look_up(word))
    }

    fn look_up(&self, term: &str) -> Option<TermNo> {
        self.vocabulary.as_ref().and_then(|vocabulary| vocabulary.term(term))
    }

    /// The slot of a cached word.
    fn find(&self, word: &str, hash: u64) -> Option<usize> {
        let first = self.place(hash);
        let both = self.slots.get(first..first + 2)?;
        both.iter().position(|slot| slot.word() == word.as_bytes()).map(|at| first + at)
    }

    /// The first of the two slots for a hash.
    fn place(&self, hash: u64) -> usize {
        hash as usize & self.slots.len().saturating_sub(1) & !1
    }

    /// Makes the term of a word and caches it if it is not too long.
    fn make(&mut self, word: &str, hash: u64) -> (&str, Option<TermNo>) {
        self.term.clear();
        match &self.stemmer {
            Some((stemmer, alphabet)) if is_stemmed(word, *alphabet) => {
                fold(&stemmer.stem(word), &mut self.term);
            }
            _ => fold(word, &mut self.term),
        }
        // Stemmers should leave something of every word, but do not guarantee it.
        if self.term.is_empty() {
            fold(word, &mut self.term);
        }
        let query_term = self.look_up(&self.term);
        if let Some(slot) = Slot::new(word, &self.term, query_term) {
            self.put(slot, hash);
        }
        (&self.term, query_term)
    }

    fn put(&mut self, slot: Slot, hash: u64) {
        if self.put >= self.slots.len() / 2 && self.slots.len() < MOST_SLOTS {
            let larger = vec![EMPTY; (self.slots.len() * 4).clamp(FEWEST_SLOTS, MOST_SLOTS)];
            let before = std::mem::replace(&mut self.slots, larger);
            for slot in before.into_iter().rev().filter(|slot| slot.word > 0) {
                self.put_into(slot, xxh3_64(slot.word()));
            }
        }
        self.put += 1;
        self.put_into(slot, hash);
    }

    fn put_into(&mut self, slot: Slot, hash: u64) {
        let place = self.place(hash);
        self.slots[place + 1] = self.slots[place];
        self.slots[place] = slot;
    }
}

/// Whether a word is in the language's own script. Numbers and names with digits are not stemmed.
fn is_stemmed(word: &str, alphabet: Alphabet) -> bool {
    word.chars().all(|letter| alphabet.contains(letter)) && word.chars().count() <= LONGEST_STEMMED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_does_not_change_terms() {
        let mut stems = Stems::new(Language::English, None);
        let word = |number: u32| {
            let letter = |digit: u32| char::from(b'a' + (number / 26_u32.pow(digit) % 26) as u8);
            format!("{}{}{}{}ings", letter(3), letter(2), letter(1), letter(0))
        };
        let first: Vec<String> = (0..40_000).map(|at| stems.term(&word(at)).0.to_owned()).collect();
        assert_eq!(stems.slots.len(), MOST_SLOTS);
        for (at, term) in first.iter().enumerate() {
            assert_eq!(stems.term(&word(at as u32)).0, term);
            assert_eq!(Stems::new(Language::English, None).term(&word(at as u32)).0, term);
        }
    }

    #[test]
    fn a_word_too_long_for_the_cache_is_stemmed() {
        let mut stems = Stems::new(Language::German, None);
        let long = "donaudampfschifffahrtsgesellschaftskapitäne";
        assert_eq!(stems.term(long).0, "donaudampfschifffahrtsgesellschaftskapitan");
        assert_eq!(stems.term(long).0, "donaudampfschifffahrtsgesellschaftskapitan");
    }

    #[test]
    fn words_of_other_scripts_or_with_digits_are_not_stemmed() {
        let mut stems = Stems::new(Language::Russian, None);
        assert_eq!(stems.term("книгами").0, "книг");
        assert_eq!(stems.term("running").0, "running");
        let mut stems = Stems::new(Language::English, None);
        assert_eq!(stems.term("x86s").0, "x86s");
        assert_eq!(stems.term("running").0, "run");
    }

    #[test]
    fn terms_are_looked_up_in_the_vocabulary() {
        let mut vocabulary = Vocabulary::default();
        vocabulary.add(&["run".to_owned(), "running".to_owned()]);
        vocabulary.add(&["donaudampfschifffahrtsgesellschaftskapitan".to_owned()]);
        let vocabulary = Arc::new(vocabulary);
        let found = |language, word: &str| {
            let mut stems = Stems::new(language, Some(Arc::clone(&vocabulary)));
            let once = stems.term(word).1;
            assert_eq!(stems.term(word).1, once);
            once.map(|term| {
                let mut words = vec![];
                vocabulary.each_word(term, |word| words.push(word));
                words
            })
        };
        assert_eq!(found(Language::English, "runs"), Some(vec![0]));
        assert_eq!(found(Language::English, "walks"), None);
        assert_eq!(found(Language::Other, "running"), Some(vec![0]));
        let long = "donaudampfschifffahrtsgesellschaftskapitäne";
        assert_eq!(found(Language::German, long), Some(vec![1]));
    }
}
