//! The share of bits in which the simhashes differ (Charikar, STOC 2002).
//!
//! It estimates the angle between the word-count vectors. So it ignores the order of words, and small
//! edits of long texts often change none of the 64 bits.
use crawl::{ChangeDetector, Instruments, Snapshot};

/// Compares 64-bit similarity fingerprints.
#[derive(Clone, Copy, Debug, Default)]
pub struct Simhash;

impl ChangeDetector for Simhash {
    fn name(&self) -> &'static str {
        "simhash"
    }

    fn change(&self, old: &Snapshot, new: &Snapshot, _: &Instruments) -> f32 {
        (old.fingerprints.simhash ^ new.fingerprints.simhash).count_ones() as f32 / u64::BITS as f32
    }

    fn identity(&self, snapshot: &Snapshot) -> Option<u128> {
        Some(u128::from(snapshot.fingerprints.simhash))
    }
}
