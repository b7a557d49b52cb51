//! Counts any difference in title or visible text as a full change. The simplest detector and the
//! default.
use crawl::{ChangeDetector, Instruments, Snapshot};

/// Compares the digests of title and text.
#[derive(Clone, Copy, Debug, Default)]
pub struct TextDigest;

impl ChangeDetector for TextDigest {
    fn name(&self) -> &'static str {
        "digest"
    }

    fn change(&self, old: &Snapshot, new: &Snapshot, _: &Instruments) -> f32 {
        if old.fingerprints.text == new.fingerprints.text { 0.0 } else { 1.0 }
    }

    fn identity(&self, snapshot: &Snapshot) -> Option<u128> {
        Some(snapshot.fingerprints.text.0)
    }
}
