//! One minus the resemblance of the shingle sets, estimated from sketches.
//!
//! Broder, "On the resemblance and containment of documents", 1997, Theorem 1: of the s smallest
//! elements of the union of two sketches, the share that is in both estimates the resemblance
//! |A ∩ B| / |A ∪ B| without bias. The sketch of a short text contains its whole set. In a long text
//! a difference can fall between the sampled shingles and stay undetected.
use std::cmp::Ordering;

use crate::read::fingerprints::SKETCH_SIZE;
use crawl::{ChangeDetector, Digest, Instruments, Snapshot};

/// Compares sketches of 128 shingles.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shingles;

impl ChangeDetector for Shingles {
    fn name(&self) -> &'static str {
        "shingles"
    }

    fn change(&self, old: &Snapshot, new: &Snapshot, _: &Instruments) -> f32 {
        1.0 - resemblance(&old.fingerprints.sketch, &new.fingerprints.sketch)
    }

    fn identity(&self, snapshot: &Snapshot) -> Option<u128> {
        let bytes: Vec<u8> =
            snapshot.fingerprints.sketch.iter().flat_map(|hash| hash.to_le_bytes()).collect();
        Some(Digest::from_bytes(&bytes).0)
    }
}

/// The share of the union's smallest elements that are in both sketches; 1 exactly when the sketches
/// are equal.
fn resemblance(mut old: &[u32], mut new: &[u32]) -> f32 {
    let (mut both, mut all) = (0_u16, 0_u16);
    while usize::from(all) < SKETCH_SIZE {
        let order = match (old.first(), new.first()) {
            (Some(a), Some(b)) => a.cmp(b),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => break,
        };
        all += 1;
        both += u16::from(order.is_eq());
        old = &old[usize::from(order.is_le())..];
        new = &new[usize::from(order.is_ge())..];
    }
    if all == 0 { 1.0 } else { f32::from(both) / f32::from(all) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_sets_are_compared_whole() {
        assert!((resemblance(&[1, 2, 3], &[2, 3, 4, 5]) - 0.4).abs() < 1e-6);
    }

    #[test]
    fn nothing_resembles_nothing() {
        assert!((resemblance(&[], &[]) - 1.0).abs() < f32::EPSILON);
        assert!(resemblance(&[], &[7]) < f32::EPSILON);
    }

    #[test]
    fn only_the_smallest_of_the_union_count() {
        let old: Vec<u32> = (0..128).collect();
        let new: Vec<u32> = (64..192).collect();
        // The union's smallest are 0..128, of which 64..128 are in both.
        assert!((resemblance(&old, &new) - 0.5).abs() < 1e-6);
    }

    #[test]
    fn a_difference_in_the_last_place_is_seen() {
        let old: Vec<u32> = (0..128).collect();
        let mut new = old.clone();
        new[127] = 500;
        assert!(resemblance(&old, &new) < 1.0);
    }
}
