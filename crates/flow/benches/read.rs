//! How fast pages are read, on real ones.
//!
//! `SANDERLING_BENCH_HTML=<folder of .html files> cargo bench -p flow`. Measures all of
//! [`flow::read::read`]: decoding, tokens, text, links, counts and marks, on one thread.
#![expect(clippy::disallowed_methods, reason = "a benchmark reads its pages from disk")]

use std::path::Path;

use divan::{Bencher, counter::BytesCount};

/// The variable that names the folder.
const FOLDER: &str = "SANDERLING_BENCH_HTML";

fn main() {
    if std::env::var_os(FOLDER).is_none() {
        println!("{FOLDER} is not set: there are no pages to read");
        return;
    }
    divan::main();
}

/// The `.html` files in the folder, in order of name.
fn pages() -> Vec<Vec<u8>> {
    let folder = std::env::var_os(FOLDER).expect("main has looked");
    let entries = std::fs::read_dir(&folder).expect("the folder can be listed");
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "html"));
    paths.sort();
    let read = |path: &Path| std::fs::read(path).expect("the page can be read");
    paths.iter().map(|path| read(path)).collect()
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn read_pages(bencher: Bencher<'_, '_>) {
    let pages = pages();
    let bytes: usize = pages.iter().map(Vec::len).sum();
    bencher.counter(BytesCount::new(bytes)).bench(|| {
        for page in &pages {
            divan::black_box(flow::read::read("https://example.org/a/b", "text/html", page));
        }
    });
}
