//! Plain tantivy with the same schema, as the baseline of the benchmark. The analysis runs in a
//! tokenizer, where tantivy expects it.
//!
//! A tokenizer only sees the text, but stemming depends on the language of the page. So each text
//! starts with a private-use character that stands for its language.
use std::path::Path;

use crawl::Content;
use tantivy::directory::MmapDirectory;
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};
use tantivy::{IndexSettings, TantivyDocument};
use text::words::{Language, Words, address_text};

use crate::analysis::{self, Analysers, MAX_TERM_BYTES, Terms};
use crate::{IndexDocument, document, schema};

/// Private-use character of the first language.
const FIRST_TAG: u32 = 0xE000;

/// Creates an empty tantivy index in `folder` with our schema and analysis.
///
/// # Errors
/// If the folder cannot be used.
pub fn index(folder: &Path) -> tantivy::Result<tantivy::Index> {
    let directory = MmapDirectory::open(folder)?;
    let index = tantivy::Index::create(directory, schema::schema().0, IndexSettings::default())?;
    index.tokenizers().register(analysis::TOKENIZER, TaggedTokenizer::default());
    Ok(index)
}

/// The document to add for a page.
pub fn document(page: &IndexDocument<'_>) -> TantivyDocument {
    let empty = Content::default();
    let content = page.snapshot.content.as_deref().unwrap_or(&empty);
    let language = Language::detect(content);
    let terms = Terms {
        language,
        title: tagged(language, &content.title),
        text: tagged(language, &content.text),
        address: tagged(language, &address_text(page.address)),
        profile: None,
    };
    document::to_tantivy(page, &terms, &schema::schema().1)
}

/// `text` with its language tag in front.
fn tagged(language: Language, text: &str) -> String {
    format!("{}{text}", tag(language))
}

fn tag(language: Language) -> char {
    char::from_u32(FIRST_TAG + analysis::language_number(language) as u32).unwrap_or('\u{E000}')
}

/// Tokenizer that reads the language tag and splits the rest into words.
#[derive(Default)]
pub(crate) struct TaggedTokenizer {
    analysers: Analysers,
}

/// Each indexing thread has its own.
impl Clone for TaggedTokenizer {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Tokenizer for TaggedTokenizer {
    type TokenStream<'a> = TaggedTokens<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> TaggedTokens<'a> {
        let first = text.chars().next();
        let number = first.and_then(|first| u32::from(first).checked_sub(FIRST_TAG));
        let number = number.map(|number| number as usize).filter(|&at| at < Language::ALL.len());
        let (number, text) = match number {
            Some(number) => (number, &text[tag(Language::ALL[number]).len_utf8()..]),
            None => (0, text),
        };
        let analyser = self.analysers.for_language(Language::ALL[number]);
        TaggedTokens { words: analyser.words(text), token: Token::default() }
    }
}

pub(crate) struct TaggedTokens<'a> {
    words: Words<'a>,
    token: Token,
}

impl TokenStream for TaggedTokens<'_> {
    fn advance(&mut self) -> bool {
        while let Some(word) = self.words.advance() {
            if word.term.len() > MAX_TERM_BYTES {
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
