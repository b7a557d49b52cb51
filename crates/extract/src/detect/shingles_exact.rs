//! One minus the resemblance of the whole shingle sets: what [`Shingles`](super::Shingles) estimates.
//!
//! Exact up to collisions of 64-bit hashes. For two texts of a million words, with two million
//! shingles, the probability of a collision is about one in ten million (n^2 / 2^65).
use crate::read::fingerprints::{Shingles, each_feature};
use crawl::{ChangeDetector, Digest, Instruments, Snapshot};

/// Compares whole sets of shingles.
#[derive(Clone, Copy, Debug, Default)]
pub struct ShinglesExact;

impl ChangeDetector for ShinglesExact {
    fn name(&self) -> &'static str {
        "shingles-exact"
    }

    fn change(&self, old: &Snapshot, new: &Snapshot, _: &Instruments) -> f32 {
        let (Some(old_set), Some(new_set)) = (shingle_set(old), shingle_set(new)) else {
            return super::without_content(old, new);
        };
        let both = old_set.iter().filter(|shingle| new_set.binary_search(shingle).is_ok()).count();
        let all = old_set.len() + new_set.len() - both;
        // The sets may be so large that a small difference rounds to 0 in 32 bits.
        if both == all { 0.0 } else { ((all - both) as f32 / all as f32).max(f32::MIN_POSITIVE) }
    }

    fn reads_content(&self) -> bool {
        true
    }

    fn identity(&self, snapshot: &Snapshot) -> Option<u128> {
        let bytes: Vec<u8> =
            shingle_set(snapshot)?.iter().flat_map(|shingle| shingle.to_le_bytes()).collect();
        Some(Digest::from_bytes(&bytes).0)
    }
}

/// The hashes of a snapshot's shingles, ascending, each once.
fn shingle_set(snapshot: &Snapshot) -> Option<Vec<u64>> {
    let content = snapshot.content.as_deref()?;
    let mut shingles = Shingles::default();
    let mut set = Vec::new();
    each_feature(snapshot.form, snapshot.fingerprints.body, content, |word, _| {
        set.extend(shingles.next(word));
    });
    set.extend(shingles.rest());
    set.sort_unstable();
    set.dedup();
    Some(set)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::read;

    fn change(old: &str, new: &str) -> f32 {
        let read = |text: &str| read("http://a/", "text/plain", text.as_bytes());
        ShinglesExact.change(&read(old), &read(new), Instruments::NONE)
    }

    #[test]
    fn one_new_word_at_the_end_is_one_new_shingle() {
        // {abcd, bcde} and {abcd, bcde, cdef}: two of three in both.
        assert!((change("a b c d e", "a b c d e f") - 1.0 / 3.0).abs() < 1e-6);
    }

    #[test]
    fn repeated_shingles_count_once() {
        assert!(change("a a a a a", "a a a a a a a a") < f32::EPSILON);
    }

    #[test]
    fn texts_without_a_common_shingle_have_changed_fully() {
        assert!((change("a b c d", "d c b a") - 1.0).abs() < f32::EPSILON);
    }
}
