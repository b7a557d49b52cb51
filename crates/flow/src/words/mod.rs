//! From a text to the words it is found by, and from a query to the words it asks for.
//!
//! One analysis for everything that searches: the index, the scoring functions, the lab.
//! A text is cut into words (`tokens`), which is the same for all languages; each is spelled in one
//! way (`spelling`), stemmed as its page's [`Language`] asks for (`stem`), and loses its accents
//! (`fold`).
//!
//! Not to be confused with the words that marks, counts and detectors are made of: those compare
//! texts byte for byte, these forgive.
mod address;
mod alphabet;
mod detect;
mod fold;
mod language;
mod query;
mod script;
mod spelling;
mod stem;
mod tokens;

pub use self::{address::address_text, language::Language, query::query_words};
use std::sync::Arc;

use self::{spelling::Spelling, stem::Stems, tokens::Tokens};
use crate::relevance::{TermNo, Vocabulary};

/// Turns texts of one language into terms. It remembers the terms of words it has met, so one is best
/// used for many texts.
#[derive(Debug)]
pub struct Analyser {
    spelling: Spelling,
    stems: Stems,
}

/// A word of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'w> {
    /// What it is found by: lower case, accents folded, stemmed. Never empty.
    pub term: &'w str,
    /// Its first byte in the text.
    pub from: usize,
    /// The byte after its last.
    pub to: usize,
    /// Its number among the words of the text.
    pub position: usize,
    /// The number of its term, where the analyser was told of a vocabulary that has it.
    pub asked: Option<TermNo>,
}

/// The words of one text, one after another. Where a script puts no spaces between words, they are
/// pairs of characters and overlap.
#[derive(Debug)]
pub struct Words<'a> {
    analyser: &'a mut Analyser,
    tokens: Tokens<'a>,
    position: usize,
}

impl Analyser {
    /// For texts in `language`.
    pub fn new(language: Language) -> Self {
        Self {
            spelling: Spelling::new(language.has_dotless_i()),
            stems: Stems::new(language, None),
        }
    }

    /// The same, and it tells of each word whether it is among those that people ask for. That is
    /// remembered with the terms, so it costs next to nothing.
    pub fn asking(language: Language, asked: Arc<Vocabulary>) -> Self {
        Self { stems: Stems::new(language, Some(asked)), ..Self::new(language) }
    }

    /// The words of `text`.
    pub fn words<'a>(&'a mut self, text: &'a str) -> Words<'a> {
        Words { analyser: self, tokens: Tokens::new(text), position: 0 }
    }
}

impl Words<'_> {
    /// The next word.
    pub fn advance(&mut self) -> Option<Word<'_>> {
        let Analyser { spelling, stems } = &mut *self.analyser;
        let token = self.tokens.next(spelling)?;
        let position = self.position;
        self.position += 1;
        let word = spelling.as_str();
        let (term, asked) = if token.has_stem { stems.term(word) } else { stems.as_it_is(word) };
        Some(Word { term, from: token.from, to: token.to, position, asked })
    }
}

#[cfg(test)]
mod tests;
