//! Words of texts in any language: their places are in the text, and a query for one finds it.
#![no_main]
use crawl::Content;
use libfuzzer_sys::fuzz_target;
use text::words::{Analyser, Language, address_text, query_words};

fuzz_target!(|text: &str| {
    address_text(text);
    let content = Content { text: text.to_owned(), ..Content::default() };
    for language in [Language::detect(&content), language_of(text)] {
        let mut analyser = Analyser::new(language);
        let mut words = analyser.words(text);
        let (mut from, mut to, mut count) = (0, 0, 0);
        while let Some(word) = words.advance() {
            assert!(!word.term.is_empty() && word.from < word.to);
            assert!(word.from >= from && word.to >= to && word.position == count);
            (from, to, count) = (word.from, word.to, count + 1);
            // Asking for each of thousands would only be slow.
            if count < 100 {
                let asked = query_words(&text[word.from..word.to], &[language]);
                assert_eq!(asked, [[word.term]]);
            }
        }
    }
});

/// Any language: the first byte chooses.
fn language_of(text: &str) -> Language {
    let first = text.bytes().next().unwrap_or_default();
    Language::ALL[usize::from(first) % Language::ALL.len()]
}
