//! Analyses pages: extracts the terms to index and counts the words of the query workload.
//!
//! Each page is analysed once, because `text::words` takes a large part of indexing time. The terms
//! are joined with newlines, and the tokenizer registered with tantivy only splits lines. A skipped
//! term leaves an empty line, so that positions stay correct for phrase queries.
use std::sync::Arc;

use crawl::Digest;
use crawl::{Content, Snapshot};
use tantivy::fieldnorm::FieldNormReader;
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};
use text::relevance::{Profile, Vocabulary, WordNo};
use text::words::{Analyser, Language, address_text};

use crate::document::truncate;

/// Name of the tokenizer in the schema.
pub(crate) const TOKENIZER: &str = "sanderling";
/// Longer terms are skipped. They are not words, and tantivy rejects terms over 65,530 bytes.
pub(crate) const MAX_TERM_BYTES: usize = 256;
/// Longer texts are cut here. They are usually data, not prose.
const MAX_INDEXED_BYTES: usize = 2 << 20;

/// Terms of a page, one per line.
#[derive(Debug)]
pub(crate) struct Terms {
    pub(crate) language: Language,
    pub(crate) title: String,
    pub(crate) text: String,
    pub(crate) address: String,
    /// Counts of the vocabulary's words, if there is a vocabulary.
    pub(crate) profile: Option<Profile>,
}

/// Splits pages into terms. Caches stems, so reuse it for many pages.
#[derive(Debug, Default)]
pub(crate) struct Analysis {
    analysers: Analysers,
    counter: Option<WordCounter>,
}

/// Counts the vocabulary's words in a page.
#[derive(Debug)]
struct WordCounter {
    vocabulary: Arc<Vocabulary>,
    /// Occurrences by word, saturating. Two bytes each keep the table in the CPU cache, because it
    /// is read for every word of a text.
    counts: Vec<u16>,
    /// Bit set of the words with a count. Iterating it gives sorted words without sorting, which
    /// would dominate the cost.
    found: Vec<u64>,
    /// Number of words with a count.
    distinct: usize,
    /// Number of all words of the page.
    length: u32,
}

impl Analysis {
    /// Also counts the words of `vocabulary`.
    pub(crate) fn with_vocabulary(vocabulary: Arc<Vocabulary>) -> Self {
        let (counts, found) = (vec![0; vocabulary.len()], vec![0; vocabulary.len().div_ceil(64)]);
        let analysers =
            Analysers { vocabulary: Some(Arc::clone(&vocabulary)), ..Analysers::default() };
        let counter = WordCounter { vocabulary, counts, found, distinct: 0, length: 0 };
        Self { analysers, counter: Some(counter) }
    }

    pub(crate) fn terms(&mut self, snapshot: &Snapshot, address: &str) -> Terms {
        let empty = Content::default();
        let content = snapshot.content.as_deref().unwrap_or(&empty);
        let language = Language::detect(content);
        let analyser = self.analysers.for_language(language);
        let mut lines = |text: &str| term_lines(analyser, text, self.counter.as_mut());
        Terms {
            language,
            title: lines(truncate(&content.title, MAX_INDEXED_BYTES)),
            text: lines(truncate(&content.text, MAX_INDEXED_BYTES)),
            address: lines(&address_text(address)),
            profile: self.counter.as_mut().map(WordCounter::take_profile),
        }
    }
}

impl WordCounter {
    /// Returns the counts and resets them.
    fn take_profile(&mut self) -> Profile {
        let mut counted = Vec::with_capacity(self.distinct);
        for (place, bits) in (0..).zip(&mut self.found) {
            while *bits != 0 {
                let word: WordNo = place * 64 + bits.trailing_zeros();
                *bits &= *bits - 1;
                let count = std::mem::take(&mut self.counts[word as usize]);
                counted.push((word, u32::from(count)));
            }
        }
        self.distinct = 0;
        Profile::sorted(quantized_length(std::mem::take(&mut self.length)), counted.into())
    }
}

/// The length of a page as tantivy stores it for BM25, in one byte (fieldnorm).
pub(crate) fn quantized_length(length: u32) -> u32 {
    FieldNormReader::id_to_fieldnorm(FieldNormReader::fieldnorm_to_id(length))
}

/// Terms of a text, one per line.
fn term_lines(
    analyser: &mut Analyser,
    text: &str,
    mut counter: Option<&mut WordCounter>,
) -> String {
    let mut lines = String::with_capacity(text.len() + text.len() / 8);
    let mut words = analyser.words(text);
    while let Some(word) = words.advance() {
        if word.position > 0 {
            lines.push('\n');
        }
        if word.term.len() > MAX_TERM_BYTES {
            continue;
        }
        lines.push_str(word.term);
        let Some(counter) = counter.as_deref_mut() else { continue };
        counter.length += 1;
        let Some(term) = word.query_term else { continue };
        let WordCounter { vocabulary, counts, found, distinct, .. } = counter;
        vocabulary.each_word(term, |word| {
            let count = &mut counts[word as usize];
            if *count == 0 {
                found[word as usize / 64] |= 1 << (word % 64);
                *distinct += 1;
            }
            *count = count.saturating_add(1);
        });
    }
    lines
}

/// Index of a language in [`Language::ALL`].
pub(crate) fn language_number(language: Language) -> usize {
    Language::ALL.iter().position(|&known| known == language).unwrap_or_default()
}

/// Inverse of [`language_number`]; `Language::default()` if the number is unknown.
pub(crate) fn language_from_number(number: u64) -> Language {
    usize::try_from(number)
        .ok()
        .and_then(|number| Language::ALL.get(number))
        .copied()
        .unwrap_or_default()
}

/// Fingerprint of the analysis of a sample text. If it differs from the one in the index, queries
/// would not match indexed terms, and the index must be rebuilt.
pub(crate) fn fingerprint() -> u64 {
    const SAMPLE: &str = "Running runners ran; the happiest cities' naïve CAFÉS, Häuser Straße \
         größere, chansons élevées jouaient, canciones rápidamente, 東京都の天気 ソフトウェア \
         北京大学 한국어를 бегущие книгами 3.14 C++ e-mail don't O'Neill İstanbul ﬁle ½ Ⅷ";
    let mut terms = String::new();
    for &language in Language::ALL {
        let mut analyser = Analyser::new(language);
        let mut words = analyser.words(SAMPLE);
        terms.push_str(language.code());
        while let Some(word) = words.advance() {
            terms.push('\n');
            terms.push_str(word.term);
            terms.push('\t');
            terms.push_str(&word.position.to_string());
        }
    }
    Digest::from_bytes(terms.as_bytes()).0 as u64
}

/// One analyser per language, created on first use. They cache stems.
#[derive(Debug, Default)]
pub(crate) struct Analysers {
    by_number: Vec<Option<Analyser>>,
    /// Words to report while analysing.
    vocabulary: Option<Arc<Vocabulary>>,
}

impl Analysers {
    pub(crate) fn for_language(&mut self, language: Language) -> &mut Analyser {
        let number = language_number(language);
        if self.by_number.len() <= number {
            self.by_number.resize_with(number + 1, || None);
        }
        self.by_number[number].get_or_insert_with(|| match &self.vocabulary {
            Some(vocabulary) => Analyser::with_vocabulary(language, Arc::clone(vocabulary)),
            None => Analyser::new(language),
        })
    }
}

/// Tokenizer that splits lines into terms.
#[derive(Clone, Default)]
pub(crate) struct LineTokenizer;

impl Tokenizer for LineTokenizer {
    type TokenStream<'a> = LineTokens<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> LineTokens<'a> {
        LineTokens { lines: text.split('\n').enumerate(), token: Token::default() }
    }
}

/// Terms as tokens. Offsets are not set, because nothing uses them.
pub(crate) struct LineTokens<'a> {
    lines: std::iter::Enumerate<std::str::Split<'a, char>>,
    token: Token,
}

impl TokenStream for LineTokens<'_> {
    fn advance(&mut self) -> bool {
        for (position, term) in self.lines.by_ref() {
            if !term.is_empty() {
                self.token.text.clear();
                self.token.text.push_str(term);
                self.token.position = position;
                return true;
            }
        }
        false
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str, language: Language) -> Vec<(String, usize)> {
        let mut analyser = Analyser::new(language);
        let lines = term_lines(&mut analyser, text, None);
        let mut stream = LineTokenizer;
        let mut stream = stream.token_stream(&lines);
        let mut tokens = vec![];
        stream.process(&mut |token| tokens.push((token.text.clone(), token.position)));
        tokens
    }

    #[test]
    fn a_text_is_indexed_by_the_terms_and_positions_of_its_analysis() {
        let text = "Running through the cities, and the Häuser; 東京都の天気";
        for &language in Language::ALL {
            let mut analyser = Analyser::new(language);
            let mut words = analyser.words(text);
            let mut expected = vec![];
            while let Some(word) = words.advance() {
                expected.push((word.term.to_owned(), word.position));
            }
            assert_eq!(tokens(text, language), expected, "{language:?}");
        }
        assert_eq!(tokens("", Language::English), []);
    }

    #[test]
    fn a_word_without_end_takes_one_place_and_no_term_is_too_long() {
        let long = "a".repeat(1 << 20);
        let found = tokens(&format!("x {long} b"), Language::Other);
        assert!(found.iter().all(|(term, _)| term.len() <= MAX_TERM_BYTES));
        assert_eq!(found.last(), Some(&("b".to_owned(), 2)));
    }

    #[test]
    fn what_is_asked_for_is_counted_over_title_text_and_address() {
        let mut vocabulary = Vocabulary::default();
        for term in ["tide", "moon", "sun"] {
            vocabulary.add(&[term.to_owned()]);
        }
        let mut analysis = Analysis::with_vocabulary(Arc::new(vocabulary));
        let content = Content {
            title: "Moons".into(),
            text: "The moon, the tides and the MOON.".into(),
            language: "en".into(),
            ..Content::default()
        };
        let snapshot = Snapshot { content: Some(Arc::new(content)), ..empty_snapshot() };
        for _ in 0..2 {
            let terms = analysis.terms(&snapshot, "http://example.org/moon/");
            let profile = terms.profile.unwrap();
            assert_eq!(profile.counts(), [(0, 1), (1, 4)]);
            assert_eq!(profile.length, 8 + terms.address.lines().count() as u32);
        }
    }

    fn empty_snapshot() -> Snapshot {
        Snapshot::default()
    }
}
