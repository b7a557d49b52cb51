//! From a text to the words it is found by, and from a query to the words it asks for.
//!
//! One analysis for everything that searches: the index, the scoring functions, the lab.
mod language;

pub use self::language::Language;

/// Turns texts of one language into terms.
#[derive(Debug)]
pub struct Analyser {
    #[expect(dead_code, reason = "stems are not taken yet")]
    language: Language,
    term: String,
}

/// A word of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'w> {
    /// What it is found by: lower case, accents folded, stemmed.
    pub term: &'w str,
    /// Its first byte in the text.
    pub from: usize,
    /// The byte after its last.
    pub to: usize,
    /// Its number among the words of the text.
    pub position: usize,
}

/// The words of one text, one after another.
#[derive(Debug)]
pub struct Words<'a> {
    analyser: &'a mut Analyser,
    text: &'a str,
    at: usize,
    position: usize,
}

impl Analyser {
    /// For texts in `language`.
    pub fn new(language: Language) -> Self {
        Self { language, term: String::new() }
    }

    /// The words of `text`.
    pub fn words<'a>(&'a mut self, text: &'a str) -> Words<'a> {
        Words { analyser: self, text, at: 0, position: 0 }
    }
}

impl Words<'_> {
    /// The next word.
    pub fn advance(&mut self) -> Option<Word<'_>> {
        let rest = &self.text[self.at..];
        let from = self.at + rest.find(char::is_alphanumeric)?;
        let rest = &self.text[from..];
        let length = rest.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(rest.len());
        let to = from + length;
        self.at = to;
        let position = self.position;
        self.position += 1;
        self.analyser.term.clear();
        self.analyser.term.extend(self.text[from..to].chars().flat_map(char::to_lowercase));
        Some(Word { term: &self.analyser.term, from, to, position })
    }
}

/// The words that `query` asks for, each given by all the terms it is found by in texts of these
/// languages (at least one term, sorted, each once).
pub fn query_words(query: &str, languages: &[Language]) -> Vec<Vec<String>> {
    let mut words: Vec<Vec<String>> = vec![];
    for &language in languages {
        let mut analyser = Analyser::new(language);
        let mut found = analyser.words(query);
        let mut number = 0;
        while let Some(word) = found.advance() {
            if number == words.len() {
                words.push(vec![]);
            }
            words[number].push(word.term.to_owned());
            number += 1;
        }
    }
    for forms in &mut words {
        forms.sort();
        forms.dedup();
    }
    words
}

/// The words in an address, as a text to be analysed: host and path without what every address has.
pub fn address_text(address: &str) -> String {
    address.split_once("://").map_or(address, |(_, rest)| rest).replace(['/', '-', '_', '.'], " ")
}
