//! Benchmark: splitting the texts of real pages into words, on one thread.
//!
//! `SANDERLING_BENCH_HTML=<folder of .html files> cargo bench -p extract --bench words`. Parsing is not
//! measured. It measures the words of the texts as English and unstemmed, and language detection. The
//! Japanese text repeats one sentence, since every pair of characters costs the same.
mod common;

use std::sync::Arc;

use crawl::Content;
use divan::{
    Bencher,
    counter::{BytesCount, ItemsCount},
};
use text::words::{Analyser, Language};

fn main() {
    common::run();
}

/// The contents of the pages.
fn contents() -> Vec<Arc<Content>> {
    let read = |page: &Vec<u8>| extract::read::read("https://example.org/a/b", "text/html", page);
    common::pages().iter().filter_map(|page| read(page).content).collect()
}

/// Measures splitting all texts into words with one analyser.
fn bench_words(bencher: Bencher<'_, '_>, language: Language, texts: &[&str]) {
    let bytes: usize = texts.iter().map(|text| text.len()).sum();
    let mut analyser = Analyser::new(language);
    bencher.counter(BytesCount::new(bytes)).bench_local(move || {
        for text in texts {
            let mut words = analyser.words(text);
            while let Some(word) = words.advance() {
                divan::black_box(word.term);
            }
        }
    });
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn english(bencher: Bencher<'_, '_>) {
    let contents = contents();
    let texts: Vec<&str> = contents.iter().map(|content| content.text.as_str()).collect();
    bench_words(bencher, Language::English, &texts);
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn unstemmed(bencher: Bencher<'_, '_>) {
    let contents = contents();
    let texts: Vec<&str> = contents.iter().map(|content| content.text.as_str()).collect();
    bench_words(bencher, Language::Other, &texts);
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn japanese(bencher: Bencher<'_, '_>) {
    let text = "日本語のページです。文字コードは宣言されています。".repeat(20_000);
    bench_words(bencher, Language::Other, &[&text]);
}

/// Measures language detection for all pages.
fn bench_languages(bencher: Bencher<'_, '_>, contents: &[Content]) {
    bencher.counter(ItemsCount::new(contents.len())).bench_local(|| {
        for content in contents {
            divan::black_box(Language::detect(content));
        }
    });
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn language_declared(bencher: Bencher<'_, '_>) {
    let contents: Vec<Content> = contents().iter().map(|content| (**content).clone()).collect();
    bench_languages(bencher, &contents);
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn language_not_declared(bencher: Bencher<'_, '_>) {
    let silent =
        |content: &Arc<Content>| Content { language: String::new(), ..(**content).clone() };
    let contents: Vec<Content> = contents().iter().map(silent).collect();
    bench_languages(bencher, &contents);
}
