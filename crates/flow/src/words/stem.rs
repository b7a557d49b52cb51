//! Words to terms: stemmed in one language, then folded. What came out is remembered.
//!
//! Stemming takes most of a microsecond and a few pieces of memory, and half of all words are a few
//! hundred ones. Terms are kept in a table with two places for each hash; a word that finds both
//! taken replaces the older. So it has a bound, and no text can make it slow.
use std::{fmt, sync::Arc};

use frostem::Stemmer;
use xxhash_rust::xxh3::xxh3_64;

use super::{alphabet::Alphabet, fold::fold, language::Language};
use crate::relevance::{TermNo, Vocabulary};

/// Longer words are no words of any language. Less than [`super::spelling::LONGEST`], so that what
/// was cut is not stemmed.
const LONGEST_STEMMED: usize = 48;

/// How many terms are remembered at first, so that an analyser for one query costs little.
const FEWEST_SLOTS: usize = 64;

/// How many are remembered at most: one MiB of them.
const MOST_SLOTS: usize = 1 << 14;

/// The terms of one language.
pub(super) struct Stems {
    stemmer: Option<(Stemmer, Alphabet)>,
    /// The words that people ask for, where that is to be told.
    asked: Option<Arc<Vocabulary>>,
    slots: Vec<Slot>,
    /// How many words were put into the table since it grew.
    put: usize,
    /// A term that is not remembered.
    term: String,
}

/// A word and its term, one after the other. An empty one has no word.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Slot {
    word: u8,
    term: u8,
    bytes: [u8; SLOT_BYTES],
    /// The number of the term among those that are asked for, or [`NOT_ASKED`].
    asked: TermNo,
}

/// What is left of 64 bytes.
const SLOT_BYTES: usize = 58;
const NOT_ASKED: TermNo = TermNo::NONE;
const EMPTY: Slot = Slot { word: 0, term: 0, bytes: [0; SLOT_BYTES], asked: NOT_ASKED };

impl Slot {
    fn new(word: &str, term: &str, asked: Option<TermNo>) -> Option<Self> {
        let (middle, end) = (word.len(), word.len() + term.len());
        let asked = asked.unwrap_or(NOT_ASKED);
        let mut slot = Self { word: middle as u8, term: term.len() as u8, asked, ..EMPTY };
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

    fn asked(&self) -> Option<TermNo> {
        (self.asked != NOT_ASKED).then_some(self.asked)
    }
}

impl fmt::Debug for Stems {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let algorithm = self.stemmer.as_ref().map(|(stemmer, _)| stemmer.algorithm());
        formatter.debug_struct("Stems").field("algorithm", &algorithm).finish_non_exhaustive()
    }
}

impl Stems {
    pub(super) fn new(language: Language, asked: Option<Arc<Vocabulary>>) -> Self {
        let stemmer = language.stemmer();
        Self { stemmer, asked, slots: vec![], put: 0, term: String::new() }
    }

    /// The term of a spelled word, which is not empty; neither is the term. And its number among those
    /// that are asked for.
    pub(super) fn term<'s>(&'s mut self, word: &'s str) -> (&'s str, Option<TermNo>) {
        if self.stemmer.is_none() && word.is_ascii() {
            return self.as_it_is(word);
        }
        let hash = xxh3_64(word.as_bytes());
        match self.find(word, hash) {
            Some(at) => (self.slots[at].term(), self.slots[at].asked()),
            None => self.make(word, hash),
        }
    }

    /// A word that has no stem, likewise.
    pub(super) fn as_it_is<'s>(&self, word: &'s str) -> (&'s str, Option<TermNo>) {
        (word, self.number_of(word))
    }

    fn number_of(&self, term: &str) -> Option<TermNo> {
        self.asked.as_ref().and_then(|asked| asked.term(term))
    }

    /// Where the word is remembered.
    fn find(&self, word: &str, hash: u64) -> Option<usize> {
        let first = self.place(hash);
        let both = self.slots.get(first..first + 2)?;
        both.iter().position(|slot| slot.word() == word.as_bytes()).map(|at| first + at)
    }

    /// The first of the two slots for a hash.
    fn place(&self, hash: u64) -> usize {
        hash as usize & self.slots.len().saturating_sub(1) & !1
    }

    /// Makes the term of a word and remembers it if it is not too long.
    fn make(&mut self, word: &str, hash: u64) -> (&str, Option<TermNo>) {
        self.term.clear();
        match &self.stemmer {
            Some((stemmer, alphabet)) if is_stemmed(word, *alphabet) => {
                fold(&stemmer.stem(word), &mut self.term);
            }
            _ => fold(word, &mut self.term),
        }
        // Stemmers leave something of every word, but nobody promises it.
        if self.term.is_empty() {
            fold(word, &mut self.term);
        }
        let asked = self.number_of(&self.term);
        if let Some(slot) = Slot::new(word, &self.term, asked) {
            self.put(slot, hash);
        }
        (&self.term, asked)
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

/// Whether a word is of the language's own script. Numbers and names with digits are left alone.
fn is_stemmed(word: &str, alphabet: Alphabet) -> bool {
    word.chars().all(|letter| alphabet.holds(letter)) && word.chars().count() <= LONGEST_STEMMED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_stemmed_alike_however_many_came_between() {
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
    fn a_word_too_long_to_be_remembered_is_stemmed() {
        let mut stems = Stems::new(Language::German, None);
        let long = "donaudampfschifffahrtsgesellschaftskapitäne";
        assert_eq!(stems.term(long).0, "donaudampfschifffahrtsgesellschaftskapitan");
        assert_eq!(stems.term(long).0, "donaudampfschifffahrtsgesellschaftskapitan");
    }

    #[test]
    fn what_is_of_another_script_or_holds_digits_is_not_stemmed() {
        let mut stems = Stems::new(Language::Russian, None);
        assert_eq!(stems.term("книгами").0, "книг");
        assert_eq!(stems.term("running").0, "running");
        let mut stems = Stems::new(Language::English, None);
        assert_eq!(stems.term("x86s").0, "x86s");
        assert_eq!(stems.term("running").0, "run");
    }

    #[test]
    fn what_is_asked_for_is_told_with_the_term_however_often_and_in_any_language() {
        let mut vocabulary = Vocabulary::default();
        vocabulary.add(&["run".to_owned(), "running".to_owned()]);
        vocabulary.add(&["donaudampfschifffahrtsgesellschaftskapitan".to_owned()]);
        let vocabulary = Arc::new(vocabulary);
        let asked = |language, word: &str| {
            let mut stems = Stems::new(language, Some(Arc::clone(&vocabulary)));
            let once = stems.term(word).1;
            assert_eq!(stems.term(word).1, once);
            once.map(|term| {
                let mut words = vec![];
                vocabulary.each_word(term, |word| words.push(word));
                words
            })
        };
        assert_eq!(asked(Language::English, "runs"), Some(vec![0]));
        assert_eq!(asked(Language::English, "walks"), None);
        assert_eq!(asked(Language::Other, "running"), Some(vec![0]));
        let long = "donaudampfschifffahrtsgesellschaftskapitäne";
        assert_eq!(asked(Language::German, long), Some(vec![1]));
    }
}
