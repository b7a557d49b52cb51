//! Words to terms: stemmed in one language, then folded. What came out is remembered.
//!
//! Stemming takes most of a microsecond and a few pieces of memory, and half of all words are a few
//! hundred ones. Terms are kept in a table with two places for each hash; a word that finds both
//! taken replaces the older. So it has a bound, and no text can make it slow.
use std::fmt;

use frostem::Stemmer;
use xxhash_rust::xxh3::xxh3_64;

use super::{alphabet::Alphabet, fold::fold, language::Language};

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
    bytes: [u8; 62],
}

const EMPTY: Slot = Slot { word: 0, term: 0, bytes: [0; 62] };

impl Slot {
    fn new(word: &str, term: &str) -> Option<Self> {
        let (middle, end) = (word.len(), word.len() + term.len());
        let mut slot = Self { word: middle as u8, term: term.len() as u8, ..EMPTY };
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
}

impl fmt::Debug for Stems {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let algorithm = self.stemmer.as_ref().map(|(stemmer, _)| stemmer.algorithm());
        formatter.debug_struct("Stems").field("algorithm", &algorithm).finish_non_exhaustive()
    }
}

impl Stems {
    pub(super) fn new(language: Language) -> Self {
        let stemmer = language.stemmer();
        Self { stemmer, slots: vec![], put: 0, term: String::new() }
    }

    /// The term of a spelled word, which is not empty; neither is the term.
    pub(super) fn term<'s>(&'s mut self, word: &'s str) -> &'s str {
        if self.stemmer.is_none() && word.is_ascii() {
            return word;
        }
        let hash = xxh3_64(word.as_bytes());
        match self.find(word, hash) {
            Some(at) => self.slots[at].term(),
            None => self.make(word, hash),
        }
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
    fn make(&mut self, word: &str, hash: u64) -> &str {
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
        if let Some(slot) = Slot::new(word, &self.term) {
            self.put(slot, hash);
        }
        &self.term
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
        let mut stems = Stems::new(Language::English);
        let word = |number: u32| {
            let letter = |digit: u32| char::from(b'a' + (number / 26_u32.pow(digit) % 26) as u8);
            format!("{}{}{}{}ings", letter(3), letter(2), letter(1), letter(0))
        };
        let first: Vec<String> = (0..40_000).map(|at| stems.term(&word(at)).to_owned()).collect();
        assert_eq!(stems.slots.len(), MOST_SLOTS);
        for (at, term) in first.iter().enumerate() {
            assert_eq!(stems.term(&word(at as u32)), term);
            assert_eq!(Stems::new(Language::English).term(&word(at as u32)), term);
        }
    }

    #[test]
    fn a_word_too_long_to_be_remembered_is_stemmed() {
        let mut stems = Stems::new(Language::German);
        let long = "donaudampfschifffahrtsgesellschaftskapitäne";
        assert_eq!(stems.term(long), "donaudampfschifffahrtsgesellschaftskapitan");
        assert_eq!(stems.term(long), "donaudampfschifffahrtsgesellschaftskapitan");
    }

    #[test]
    fn what_is_of_another_script_or_holds_digits_is_not_stemmed() {
        let mut stems = Stems::new(Language::Russian);
        assert_eq!(stems.term("книгами"), "книг");
        assert_eq!(stems.term("running"), "running");
        let mut stems = Stems::new(Language::English);
        assert_eq!(stems.term("x86s"), "x86s");
        assert_eq!(stems.term("running"), "run");
    }
}
