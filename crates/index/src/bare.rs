//! The engine without us, for the benchmark that compares both: the same schema, and the analysis where
//! tantivy wants it, in a tokenizer.
//!
//! Words are stemmed by the language of their page, but a tokenizer is told nothing but the text. So each
//! text begins with a private-use character that stands for its language.
use std::path::Path;

use crawl::Content;
use tantivy::directory::MmapDirectory;
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};
use tantivy::{IndexSettings, TantivyDocument};
use text::words::{Language, Words, address_text};

use crate::analysis::{self, Analysers, MOST_TERM_BYTES, Terms};
use crate::{Entry, document, schema};

/// The private-use character of the first language.
const FIRST_MARK: u32 = 0xE000;

/// An empty index of tantivy in `folder`, with the schema and the analysis of ours.
///
/// # Errors
/// When the folder cannot be used.
pub fn index(folder: &Path) -> tantivy::Result<tantivy::Index> {
    let directory = MmapDirectory::open(folder)?;
    let index = tantivy::Index::create(directory, schema::schema().0, IndexSettings::default())?;
    index.tokenizers().register(analysis::NAME, Marked::default());
    Ok(index)
}

/// What is added of a page.
pub fn document(entry: &Entry<'_>) -> TantivyDocument {
    let nothing = Content::default();
    let content = entry.snapshot.content.as_deref().unwrap_or(&nothing);
    let language = Language::detect(content);
    let terms = Terms {
        language,
        title: marked(language, &content.title),
        text: marked(language, &content.text),
        address: marked(language, &address_text(entry.address)),
        profile: None,
    };
    document::document(entry, &terms, &schema::schema().1)
}

/// `text` with its language in front.
fn marked(language: Language, text: &str) -> String {
    format!("{}{text}", mark(language))
}

fn mark(language: Language) -> char {
    char::from_u32(FIRST_MARK + analysis::place(language) as u32).unwrap_or('\u{E000}')
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
