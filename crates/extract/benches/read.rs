//! Benchmark: parsing real pages.
//!
//! `SANDERLING_BENCH_HTML=<folder of .html files> cargo bench -p extract`. Measures all of
//! [`extract::read::read`]: decoding, tokens, text, links, counts and fingerprints, on one thread.
mod common;

use divan::{Bencher, counter::BytesCount};

use common::pages;

fn main() {
    common::run();
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn read_pages(bencher: Bencher<'_, '_>) {
    let pages = pages();
    let bytes: usize = pages.iter().map(Vec::len).sum();
    bencher.counter(BytesCount::new(bytes)).bench(|| {
        for page in &pages {
            divan::black_box(extract::read::read("https://example.org/a/b", "text/html", page));
        }
    });
}
