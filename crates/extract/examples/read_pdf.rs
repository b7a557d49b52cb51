//! Reads PDF files, and damaged copies of them, and says how long that takes.
//!
//! `cargo run --release -p extract --example read_pdf -- COPIES FILES...`
//! `cargo run --release -p extract --example read_pdf -- text FILE`
//!
//! Each file is read as the crawler reads it. Then `COPIES` copies of it are read in which some bytes, or
//! a piece, are others: no copy may end the program, and the slowest is shown. With `text`, the text of one
//! file is printed (`bench/pdf.py` compares it with that of another reader).
#![expect(
    clippy::disallowed_methods,
    reason = "a measurement needs a clock and files; the crate itself uses neither"
)]
use std::time::{Duration, Instant};

use extract::read::read;

const ADDRESS: &str = "http://a.example/x.pdf";

/// A number that depends on the one before.
fn next(state: &mut u64) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as usize
}

/// A copy with other bytes in it, or a piece elsewhere or missing.
fn damaged(file: &[u8], state: &mut u64) -> Vec<u8> {
    let mut copy = file.to_vec();
    match next(state) % 3 {
        0 => {
            for _ in 0..=(next(state) % 64) {
                let place = next(state) % copy.len();
                copy[place] = next(state) as u8;
            }
        }
        1 => copy.truncate(next(state) % copy.len()),
        _ => {
            let (from, to) = (next(state) % copy.len(), next(state) % copy.len());
            let piece = copy[from..(from + 1_000).min(copy.len())].to_vec();
            copy.splice(to..to, piece);
        }
    }
    copy
}

fn timed(file: &[u8]) -> (Duration, u32) {
    let begun = Instant::now();
    let words = read(ADDRESS, "application/pdf", file).counts.words;
    (begun.elapsed(), words)
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let first = arguments.next().unwrap_or_default();
    if first == "text" {
        let file = arguments.next().and_then(|path| std::fs::read(path).ok()).unwrap_or_default();
        let content = read(ADDRESS, "application/pdf", &file).content;
        println!("{}", content.map_or(String::new(), |content| content.text.clone()));
        return;
    }
    let copies: usize = first.parse().unwrap_or(0);
    println!("| file | bytes | words | ms | slowest damaged copy, ms | copies with text |");
    println!("|---|---|---|---|---|---|");
    let mut state = 1;
    for path in arguments {
        let Ok(file) = std::fs::read(&path) else {
            println!("{path}: cannot be read");
            continue;
        };
        let (took, words) = timed(&file);
        let (mut slowest, mut readable) = (Duration::ZERO, 0);
        for _ in 0..copies {
            let (took, words) = timed(&damaged(&file, &mut state));
            slowest = slowest.max(took);
            readable += usize::from(words > 0);
        }
        let name = path.rsplit('/').next().unwrap_or(&path);
        let (bytes, took, slowest) = (file.len(), took.as_millis(), slowest.as_millis());
        println!("| {name} | {bytes} | {words} | {took} | {slowest} | {readable} of {copies} |");
    }
}
