//! The text analysis for search: turns texts and queries into terms.
//!
//! The index, the scoring functions and the lab share it. A text is split into words (`tokens`), the
//! same way for all languages. Each word is normalised (`spelling`), stemmed for the page's
//! [`Language`] (`stem`) and stripped of accents (`fold`).
//!
//! Fingerprints and change detectors use simpler words (`extract::read`), because they compare texts
//! exactly.
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

/// Turns texts of one language into terms. It caches stems, so use one for many texts.
#[derive(Debug)]
pub struct Analyser {
    spelling: Spelling,
    stems: Stems,
}

/// A word of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'w> {
    /// Its term: lower case, accents folded, stemmed. Never empty.
    pub term: &'w str,
    /// Its first byte in the text.
    pub from: usize,
    /// The byte after its last.
    pub to: usize,
    /// Its number among the words of the text.
    pub position: usize,
    /// The number of its term, where the analyser has a vocabulary that contains it.
    pub query_term: Option<TermNo>,
}

/// The words of one text, one after another. In scripts without spaces between words they are
/// overlapping pairs of characters.
#[derive(Debug)]
pub struct Words<'a> {
    analyser: &'a mut Analyser,
    tokens: Tokens<'a>,
    position: usize,
}

impl Analyser {
    /// An analyser for texts in `language`.
    pub fn new(language: Language) -> Self {
        Self {
            spelling: Spelling::new(language.has_dotless_i()),
            stems: Stems::new(language, None),
        }
    }

    /// An analyser that also looks up each term in a vocabulary ([`Word::query_term`]). The result is
    /// cached with the stem, so it costs next to nothing.
    pub fn with_vocabulary(language: Language, vocabulary: Arc<Vocabulary>) -> Self {
        Self { stems: Stems::new(language, Some(vocabulary)), ..Self::new(language) }
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
        let (term, query_term) =
            if token.has_stem { stems.term(word) } else { stems.unstemmed(word) };
        Some(Word { term, from: token.from, to: token.to, position, query_term })
    }
}

#[cfg(test)]
mod tests;
