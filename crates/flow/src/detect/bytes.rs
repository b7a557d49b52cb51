//! Any difference in the bytes is a whole change: what a cache or an archive would say.
use crate::{ChangeDetector, Snapshot};

/// Compares the digests of the bodies.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bytes;

impl ChangeDetector for Bytes {
    fn name(&self) -> &'static str {
        "bytes"
    }

    fn change(&self, old: &Snapshot, new: &Snapshot) -> f32 {
        if old.marks.body == new.marks.body { 0.0 } else { 1.0 }
    }

    fn identity(&self, snapshot: &Snapshot) -> Option<u128> {
        Some(snapshot.marks.body.0)
    }
}
