//! Texts cut into the terms that the index holds, and counted for what people ask.
//!
//! One pass for both: the analysis of `text::words` is a good part of what indexing costs, so its terms are
//! written down, one on each line, and the engine's tokenizer only splits lines. A term that is left out
//! leaves an empty line, since words are also found by their distance.
use std::sync::Arc;

use crawl::Digest;
use crawl::{Content, Snapshot};
use tantivy::fieldnorm::FieldNormReader;
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};
use text::relevance::{Profile, Vocabulary, WordNo};
use text::words::{Analyser, Language, address_text};

use crate::document::cut;

/// The name by which the schema knows the tokenizer.
pub(crate) const NAME: &str = "sanderling";
/// A longer term is no word of a language, and tantivy refuses terms over 65,530 bytes.
pub(crate) const MOST_TERM_BYTES: usize = 256;
/// The text of a page is indexed up to here: a longer one is a list of data, not something to read.
const MOST_INDEXED_BYTES: usize = 2 << 20;

/// What a page is found by: the terms of its parts, one on each line.
#[derive(Debug)]
pub(crate) struct Terms {
    pub(crate) language: Language,
    pub(crate) title: String,
    pub(crate) text: String,
    pub(crate) address: String,
    /// The words of the vocabulary among them, where there is one.
    pub(crate) profile: Option<Profile>,
}

/// Cuts pages into terms. It remembers words, so one is used for many pages.
#[derive(Debug, Default)]
pub(crate) struct Analysis {
    analysers: Analysers,
    asked: Option<Asked>,
}

/// What people ask for, and how often the page at hand holds it.
#[derive(Debug)]
struct Asked {
    vocabulary: Arc<Vocabulary>,
    /// By word, how often it was found, as far as that can be counted in two bytes: these are looked
    /// at for every word of a text, and should stay near.
    counts: Vec<u16>,
    /// The words that were, a bit for each: so they come in order without being sorted, which would
    /// take longer than all else.
    found: Vec<u64>,
    /// How many.
    distinct: usize,
    /// How many words there were in all, asked for or not.
    length: u32,
}

impl Analysis {
    /// One that counts the words of a vocabulary.
    pub(crate) fn asking(vocabulary: Arc<Vocabulary>) -> Self {
        let (counts, found) = (vec![0; vocabulary.len()], vec![0; vocabulary.len().div_ceil(64)]);
        let analysers = Analysers { asked: Some(Arc::clone(&vocabulary)), ..Analysers::default() };
        Self { analysers, asked: Some(Asked { vocabulary, counts, found, distinct: 0, length: 0 }) }
    }

    /// The terms of a page.
    pub(crate) fn terms(&mut self, snapshot: &Snapshot, address: &str) -> Terms {
        let nothing = Content::default();
        let content = snapshot.content.as_deref().unwrap_or(&nothing);
        let language = Language::detect(content);
        let analyser = self.analysers.of(language);
        let mut lines = |text: &str| lines(analyser, text, self.asked.as_mut());
        Terms {
            language,
            title: lines(cut(&content.title, MOST_INDEXED_BYTES)),
            text: lines(cut(&content.text, MOST_INDEXED_BYTES)),
            address: lines(&address_text(address)),
            profile: self.asked.as_mut().map(Asked::profile),
        }
    }
}

impl Asked {
    /// What was counted; begins anew.
    fn profile(&mut self) -> Profile {
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
        Profile::sorted(rounded(std::mem::take(&mut self.length)), counted.into())
    }
}

/// The length of a page as the index keeps it and BM25 sees it, which is in one byte.
pub(crate) fn rounded(length: u32) -> u32 {
    FieldNormReader::id_to_fieldnorm(FieldNormReader::fieldnorm_to_id(length))
}

/// The terms of a text, one on each line.
fn lines(analyser: &mut Analyser, text: &str, mut asked: Option<&mut Asked>) -> String {
    let mut lines = String::with_capacity(text.len() + text.len() / 8);
    let mut words = analyser.words(text);
    while let Some(word) = words.advance() {
        if word.position > 0 {
            lines.push('\n');
        }
        if word.term.len() > MOST_TERM_BYTES {
            continue;
        }
        lines.push_str(word.term);
        let Some(asked) = asked.as_deref_mut() else { continue };
        asked.length += 1;
        let Some(term) = word.query_term else { continue };
        let Asked { vocabulary, counts, found, distinct, .. } = asked;
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

/// The place of a language in [`Language::ALL`].
pub(crate) fn place(language: Language) -> usize {
    Language::ALL.iter().position(|&known| known == language).unwrap_or_default()
}

/// The language at a place; that of no language where there is none there.
pub(crate) fn language_at(place: u64) -> Language {
    usize::try_from(place)
        .ok()
        .and_then(|place| Language::ALL.get(place))
        .copied()
        .unwrap_or_default()
}

/// Changes when the analysis does, as far as a sample of words shows it: an index that was made by
/// another analysis would not be found by the terms of this one.
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

/// An analyser for each language; made when first needed. They remember words, so they are kept.
#[derive(Debug, Default)]
pub(crate) struct Analysers {
    by_place: Vec<Option<Analyser>>,
    /// What they tell of.
    asked: Option<Arc<Vocabulary>>,
}

impl Analysers {
    /// The one for texts in `language`.
    pub(crate) fn of(&mut self, language: Language) -> &mut Analyser {
        let place = place(language);
        if self.by_place.len() <= place {
            self.by_place.resize_with(place + 1, || None);
        }
        self.by_place[place].get_or_insert_with(|| match &self.asked {
            Some(asked) => Analyser::with_vocabulary(language, Arc::clone(asked)),
            None => Analyser::new(language),
        })
    }
}

/// Splits lines into terms.
#[derive(Clone, Default)]
pub(crate) struct Lines;

impl Tokenizer for Lines {
    type TokenStream<'a> = TermsOfLines<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> TermsOfLines<'a> {
        TermsOfLines { lines: text.split('\n').enumerate(), token: Token::default() }
    }
}

/// The terms of some lines as tokens. Where they were in the text is not kept, and not asked for.
pub(crate) struct TermsOfLines<'a> {
    lines: std::iter::Enumerate<std::str::Split<'a, char>>,
    token: Token,
}

impl TokenStream for TermsOfLines<'_> {
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
        let lines = lines(&mut analyser, text, None);
        let mut stream = Lines;
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
        assert!(found.iter().all(|(term, _)| term.len() <= MOST_TERM_BYTES));
        assert_eq!(found.last(), Some(&("b".to_owned(), 2)));
    }

    #[test]
    fn what_is_asked_for_is_counted_over_title_text_and_address() {
        let mut vocabulary = Vocabulary::default();
        for term in ["tide", "moon", "sun"] {
            vocabulary.add(&[term.to_owned()]);
        }
        let mut analysis = Analysis::asking(Arc::new(vocabulary));
        let content = Content {
            title: "Moons".into(),
            text: "The moon, the tides and the MOON.".into(),
            language: "en".into(),
            ..Content::default()
        };
        let snapshot = Snapshot { content: Some(Arc::new(content)), ..document_free() };
        for _ in 0..2 {
            let terms = analysis.terms(&snapshot, "http://example.org/moon/");
            let profile = terms.profile.unwrap();
            assert_eq!(profile.counts(), [(0, 1), (1, 4)]);
            assert_eq!(profile.length, 8 + terms.address.lines().count() as u32);
        }
    }

    fn document_free() -> Snapshot {
        Snapshot {
            form: crawl::Form::Html,
            fingerprints: crawl::Fingerprints::default(),
            counts: crawl::Counts::default(),
            links: Arc::default(),
            directives: crawl::Directives::default(),
            content: None,
        }
    }
}
