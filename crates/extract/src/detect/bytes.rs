//! Counts any difference in the bytes as a full change, as a cache or an archive does.
use crawl::{ChangeDetector, Instruments, Snapshot};

/// Compares the digests of the bodies.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bytes;

impl ChangeDetector for Bytes {
    fn name(&self) -> &'static str {
        "bytes"
    }

    fn change(&self, old: &Snapshot, new: &Snapshot, _: &Instruments) -> f32 {
        if old.fingerprints.body == new.fingerprints.body { 0.0 } else { 1.0 }
    }

    fn identity(&self, snapshot: &Snapshot) -> Option<u128> {
        Some(snapshot.fingerprints.body.0)
    }
}
