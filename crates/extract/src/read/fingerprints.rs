//! Fingerprints of a snapshot, by which detectors compare without texts.
//!
//! - `simhash`: Charikar, "Similarity estimation techniques from rounding algorithms", STOC 2002. The
//!   features are words, weighted by how often they occur.
//! - `sketch`: Broder, "On the resemblance and containment of documents", 1997: `MIN_s` of the set of
//!   w-shingles, with w = 4 words and s = 128. Departure: shingles are hashed to 32 bits by combining
//!   the hashes of their words, not by Rabin fingerprints.
//!
//! Title and text are one sequence of words, the title first. A form without text counts as one word,
//! its bytes, so that every detector still sees a change of the bytes.
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::words::each_word;
use crawl::{Content, Digest, Fingerprints, Form};

/// Words per shingle.
pub(crate) const SHINGLE_WORDS: usize = 4;

/// Hashes per sketch.
pub(crate) const SKETCH_SIZE: usize = 128;

/// The number of candidates that are collected before a sketch is sorted.
const SKETCH_BUFFER: usize = 8 * SKETCH_SIZE;

/// The fingerprints of a body with this `content`, and the number of words in its text.
pub(crate) fn fingerprints(form: Form, body: &[u8], content: &Content) -> (Fingerprints, u32) {
    let body = Digest::from_bytes(body);
    let mut text = TextPrints::default();
    each_feature(form, body, content, |word, in_text| text.add(word, in_text));
    let digest = if form == Form::Other { body } else { text_digest(content) };
    text.finish(body, digest)
}

/// The fingerprints of a text without a title that comes in pieces, which are separated by spaces.
pub(crate) struct PiecePrints {
    prints: TextPrints,
    hasher: Xxh3,
    /// The length of the text so far.
    pub(crate) bytes: usize,
}

impl Default for PiecePrints {
    fn default() -> Self {
        let mut hasher = Xxh3::new();
        // After the title, as in `text_digest`.
        hasher.update(b"\n");
        Self { prints: TextPrints::default(), hasher, bytes: 0 }
    }
}

impl PiecePrints {
    pub(crate) fn push(&mut self, piece: &str) {
        if self.bytes > 0 {
            self.hasher.update(b" ");
            self.bytes += 1;
        }
        self.hasher.update(piece.as_bytes());
        self.bytes += piece.len();
        each_word(piece, |word| self.prints.add(xxh3_64(word.as_bytes()), true));
    }

    /// The fingerprints, and the number of words.
    pub(crate) fn finish(self, body: Digest) -> (Fingerprints, u32) {
        self.prints.finish(body, Digest(self.hasher.digest128()))
    }
}

/// The fingerprints of the words of a text.
#[derive(Default)]
struct TextPrints {
    similar: Simhash,
    shingles: Shingles,
    sketch: Sketch,
    words: u32,
}

impl TextPrints {
    fn add(&mut self, word: u64, in_text: bool) {
        self.words += u32::from(in_text);
        self.similar.add(word);
        self.sketch.extend(self.shingles.next(word));
    }

    fn finish(mut self, body: Digest, text: Digest) -> (Fingerprints, u32) {
        self.sketch.extend(self.shingles.rest());
        let (simhash, sketch) = (self.similar.finish(), self.sketch.finish().into());
        (Fingerprints { body, text, simhash, sketch }, self.words)
    }
}

/// Calls `each` with the hash of every word of title and text, and whether the word is in the text.
pub(crate) fn each_feature(
    form: Form,
    body: Digest,
    content: &Content,
    mut each: impl FnMut(u64, bool),
) {
    if form == Form::Other {
        each(body.0 as u64, false);
        return;
    }
    each_word(&content.title, |word| each(xxh3_64(word.as_bytes()), false));
    each_word(&content.text, |word| each(xxh3_64(word.as_bytes()), true));
}

fn text_digest(content: &Content) -> Digest {
    let mut hasher = Xxh3::new();
    hasher.update(content.title.as_bytes());
    // Folded text contains no line break, so this separates the two.
    hasher.update(b"\n");
    hasher.update(content.text.as_bytes());
    Digest(hasher.digest128())
}

/// Combines the hashes of words into hashes of shingles.
#[derive(Default)]
pub(crate) struct Shingles {
    last: [u64; SHINGLE_WORDS],
    words: usize,
}

impl Shingles {
    /// The shingle that ends with this word, once there are enough words.
    pub(crate) fn next(&mut self, word: u64) -> Option<u64> {
        self.last.rotate_left(1);
        self.last[SHINGLE_WORDS - 1] = word;
        self.words += 1;
        (self.words >= SHINGLE_WORDS).then(|| joined(&self.last))
    }

    /// The whole text as a shingle, where it has fewer words than a shingle.
    pub(crate) fn rest(&self) -> Option<u64> {
        let short = 1..SHINGLE_WORDS;
        short.contains(&self.words).then(|| joined(&self.last[SHINGLE_WORDS - self.words..]))
    }
}

/// Combines a few hashes: a polynomial, so that order counts, then the finaliser of `MurmurHash3`.
fn joined(words: &[u64]) -> u64 {
    let sum = words.iter().fold(words.len() as u64, |sum, word| {
        sum.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(*word)
    });
    let sum = (sum ^ (sum >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let sum = (sum ^ (sum >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    sum ^ (sum >> 33)
}

/// Keeps the smallest distinct hashes.
#[derive(Default)]
struct Sketch {
    hashes: Vec<u32>,
    /// Hashes above this are not among the smallest.
    bound: Option<u32>,
}

impl Sketch {
    fn extend(&mut self, shingle: Option<u64>) {
        let Some(hash) = shingle.map(|shingle| (shingle >> 32) as u32) else { return };
        if self.bound.is_none_or(|bound| hash < bound) {
            self.hashes.push(hash);
            if self.hashes.len() == SKETCH_BUFFER {
                self.shrink();
            }
        }
    }

    fn shrink(&mut self) {
        self.hashes.sort_unstable();
        self.hashes.dedup();
        if self.hashes.len() >= SKETCH_SIZE {
            self.hashes.truncate(SKETCH_SIZE);
            self.bound = self.hashes.last().copied();
        }
    }

    fn finish(mut self) -> Vec<u32> {
        self.shrink();
        self.hashes
    }
}

/// Counts, for each of 64 bits, how many word hashes have it set.
///
/// Eight counters of eight bits share a machine word. Before they overflow they are added to wide
/// ones. This makes simhashes cheap enough to compute for every page.
struct Simhash {
    narrow: [u64; 8],
    wide: [u32; 64],
    added: u32,
}

impl Default for Simhash {
    fn default() -> Self {
        Self { narrow: [0; 8], wide: [0; 64], added: 0 }
    }
}

/// `SPREAD[byte]` has bit `i` of `byte` in its byte `i`.
static SPREAD: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            table[byte] |= ((byte as u64 >> bit) & 1) << (8 * bit);
            bit += 1;
        }
        byte += 1;
    }
    table
};

impl Simhash {
    fn add(&mut self, word: u64) {
        for (counters, byte) in self.narrow.iter_mut().zip(word.to_le_bytes()) {
            *counters += SPREAD[usize::from(byte)];
        }
        self.added += 1;
        if self.added.is_multiple_of(255) {
            self.widen();
        }
    }

    fn widen(&mut self) {
        for (wide, narrow) in self.wide.chunks_exact_mut(8).zip(&mut self.narrow) {
            for (wide, narrow) in wide.iter_mut().zip(narrow.to_le_bytes()) {
                *wide += u32::from(narrow);
            }
            *narrow = 0;
        }
    }

    /// A bit is set where it is set in more than half of the words.
    fn finish(mut self) -> u64 {
        self.widen();
        let half = self.added / 2;
        self.wide
            .iter()
            .enumerate()
            .fold(0, |bits, (bit, &set)| bits | u64::from(set > half) << bit)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn fingerprints_of(title: &str, text: &str) -> Fingerprints {
        let content =
            Content { title: title.to_owned(), text: text.to_owned(), ..Content::default() };
        fingerprints(Form::Html, b"", &content).0
    }

    fn long_text() -> String {
        let words: Vec<String> = (0..3_000).map(|word| format!("w{}", word % 1_700)).collect();
        words.join(" ")
    }

    fn word_hashes(text: &str) -> Vec<u64> {
        text.split_whitespace().map(|word| xxh3_64(word.as_bytes())).collect()
    }

    #[test]
    fn a_sketch_is_the_smallest_shingle_hashes() {
        let text = long_text();
        let set: BTreeSet<u32> =
            word_hashes(&text).windows(4).map(|words| (joined(words) >> 32) as u32).collect();
        let smallest: Vec<u32> = set.into_iter().take(SKETCH_SIZE).collect();
        assert_eq!(fingerprints_of("", &text).sketch.to_vec(), smallest);
    }

    #[test]
    fn a_simhash_is_the_majority_of_each_bit() {
        let text = long_text();
        let hashes = word_hashes(&text);
        let majority = (0..64).fold(0_u64, |bits, bit| {
            let sum: i64 =
                hashes.iter().map(|hash| if hash >> bit & 1 == 1 { 1 } else { -1 }).sum();
            bits | u64::from(sum > 0) << bit
        });
        assert_eq!(fingerprints_of("", &text).simhash, majority);
    }

    #[test]
    fn a_short_text_is_one_shingle() {
        assert_eq!(fingerprints_of("", "one two").sketch.len(), 1);
        assert_ne!(fingerprints_of("", "one two").sketch, fingerprints_of("", "two one").sketch);
    }

    #[test]
    fn an_empty_text_has_an_empty_sketch() {
        assert!(fingerprints_of("", "").sketch.is_empty());
    }

    #[test]
    fn title_and_text_are_distinguished() {
        assert_ne!(fingerprints_of("a", "b c").text, fingerprints_of("a b", "c").text);
    }

    #[test]
    fn bytes_without_text_are_one_feature() {
        let of = |body: &[u8]| fingerprints(Form::Other, body, &Content::default()).0;
        assert_eq!(of(b"x").text, of(b"x").body);
        assert_ne!(of(b"x").sketch, of(b"y").sketch);
        assert_ne!(of(b"x").simhash, of(b"y").simhash);
    }
}
