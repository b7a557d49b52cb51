//! How fast texts become words, on real pages, on one thread.
//!
//! `SANDERLING_BENCH_HTML=<folder of .html files> cargo bench -p flow --bench words`. Pages are read
//! before; measured are the words of their texts as English and unstemmed, and telling what language
//! each is in. The Japanese text is made up of one sentence, since every pair of characters costs the
//! same.
#![expect(clippy::disallowed_methods, reason = "a benchmark reads its pages from disk")]

use std::{path::Path, sync::Arc};

use divan::{
    Bencher,
    counter::{BytesCount, ItemsCount},
};
use flow::{
    Content,
    words::{Analyser, Language},
};

/// The variable that names the folder.
const FOLDER: &str = "SANDERLING_BENCH_HTML";

fn main() {
    if std::env::var_os(FOLDER).is_none() {
        println!("{FOLDER} is not set: there are no pages to read");
        return;
    }
    divan::main();
}

/// The contents of the `.html` files in the folder, in order of name.
fn contents() -> Vec<Arc<Content>> {
    let folder = std::env::var_os(FOLDER).expect("main has looked");
    let entries = std::fs::read_dir(&folder).expect("the folder can be listed");
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "html"));
    paths.sort();
    let content = |path: &Path| {
        let page = std::fs::read(path).expect("the page can be read");
        flow::read::read("https://example.org/a/b", "text/html", &page).content
    };
    paths.iter().filter_map(|path| content(path)).collect()
}

/// Measures how long the words of all texts take, with one analyser.
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

/// Measures how long it takes to tell the languages of all pages.
fn bench_languages(bencher: Bencher<'_, '_>, contents: &[Content]) {
    bencher.counter(ItemsCount::new(contents.len())).bench_local(|| {
        for content in contents {
            divan::black_box(Language::of(content));
        }
    });
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn language_said(bencher: Bencher<'_, '_>) {
    let contents: Vec<Content> = contents().iter().map(|content| (**content).clone()).collect();
    bench_languages(bencher, &contents);
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn language_not_said(bencher: Bencher<'_, '_>) {
    let silent =
        |content: &Arc<Content>| Content { language: String::new(), ..(**content).clone() };
    let contents: Vec<Content> = contents().iter().map(silent).collect();
    bench_languages(bencher, &contents);
}
