//! The analysis of `flow::words` as a tokenizer of tantivy, so that everything that searches agrees
//! on what a word is.
//!
//! Words are stemmed by the language of their page, but tantivy has one tokenizer for a field,
//! and tells it nothing but the text. So each text that is indexed begins with a character that
//! stands for its language: the private-use character `U+E000` plus the language's place in
//! [`Language::ALL`]. [`marked`] puts it there, always, and the tokenizer takes it off again, so a page
//! whose own text begins with such a character cannot pass for another language.
use flow::Digest;
use flow::words::{Analyser, Language, Words};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// The name by which the schema knows the tokenizer.
pub(crate) const NAME: &str = "sanderling";

/// The private-use character of the first language.
const FIRST_MARK: u32 = 0xE000;

/// A longer term is no word of a language, and tantivy refuses terms over 65,530 bytes.
pub(crate) const MOST_TERM_BYTES: usize = 256;

/// `text` as it is indexed: with its language in front.
pub(crate) fn marked(language: Language, text: &str) -> String {
    let mut marked = String::with_capacity(text.len() + 3);
    marked.push(mark(language));
    marked.push_str(text);
    marked
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
    Digest::of(terms.as_bytes()).0 as u64
}

fn mark(language: Language) -> char {
    char::from_u32(FIRST_MARK + place(language) as u32).unwrap_or('\u{E000}')
}

/// An analyser for each language; made when first needed. They remember words, so they are kept.
#[derive(Debug, Default)]
pub(crate) struct Analysers {
    by_place: Vec<Option<Analyser>>,
}

impl Analysers {
    /// The one for texts in `language`.
    pub(crate) fn of(&mut self, language: Language) -> &mut Analyser {
        let place = place(language);
        if self.by_place.len() <= place {
            self.by_place.resize_with(place + 1, || None);
        }
        self.by_place[place].get_or_insert_with(|| Analyser::new(language))
    }
}

/// Reads the mark off a text, and cuts the rest into words.
#[derive(Default)]
pub(crate) struct Marked {
    analysers: Analysers,
}

/// Each thread that indexes has its own.
impl Clone for Marked {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Tokenizer for Marked {
    type TokenStream<'a> = MarkedWords<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> MarkedWords<'a> {
        let first = text.chars().next();
        let place = first.and_then(|first| u32::from(first).checked_sub(FIRST_MARK));
        let place = place.map(|place| place as usize).filter(|&at| at < Language::ALL.len());
        let (place, text) = match place {
            Some(place) => (place, &text[mark(Language::ALL[place]).len_utf8()..]),
            None => (0, text),
        };
        let analyser = self.analysers.of(Language::ALL[place]);
        MarkedWords { words: analyser.words(text), token: Token::default() }
    }
}

/// The words of a text as tokens.
pub(crate) struct MarkedWords<'a> {
    words: Words<'a>,
    token: Token,
}

impl TokenStream for MarkedWords<'_> {
    fn advance(&mut self) -> bool {
        while let Some(word) = self.words.advance() {
            if word.term.len() > MOST_TERM_BYTES {
                continue;
            }
            self.token.text.clear();
            self.token.text.push_str(word.term);
            self.token.position = word.position;
            self.token.offset_from = word.from;
            self.token.offset_to = word.to;
            return true;
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

    fn tokens(text: &str) -> Vec<(String, usize)> {
        let mut tokenizer = Marked::default();
        let mut stream = tokenizer.token_stream(text);
        let mut tokens = vec![];
        stream.process(&mut |token| tokens.push((token.text.clone(), token.position)));
        tokens
    }

    #[test]
    fn a_marked_text_is_cut_as_the_analyser_of_its_language_does() {
        let text = "Running through the cities, and the Häuser";
        for &language in Language::ALL {
            let mut analyser = Analyser::new(language);
            let mut words = analyser.words(text);
            let mut expected = vec![];
            while let Some(word) = words.advance() {
                expected.push((word.term.to_owned(), word.position));
            }
            assert_eq!(tokens(&marked(language, text)), expected, "{language:?}");
        }
    }

    #[test]
    fn a_text_that_begins_with_a_mark_of_its_own_does_not_change_its_language() {
        let own = marked(Language::ALL[1], "running");
        let mut analyser = Analyser::new(Language::Other);
        let mut words = analyser.words(&own);
        let mut expected = vec![];
        while let Some(word) = words.advance() {
            expected.push((word.term.to_owned(), word.position));
        }
        assert_eq!(tokens(&marked(Language::Other, &own)), expected);
    }

    #[test]
    fn a_term_without_end_is_left_out() {
        let long = "a".repeat(1 << 20);
        assert_eq!(tokens(&marked(Language::Other, &format!("{long} b"))).last().unwrap().0, "b");
    }
}
