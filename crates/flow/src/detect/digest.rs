//! Any difference in title or visible text is a whole change. The plainest detector, and the default.
use crate::{ChangeDetector, Snapshot};

/// Compares the digests of title and text.
#[derive(Clone, Copy, Debug, Default)]
pub struct TextDigest;

impl ChangeDetector for TextDigest {
    fn name(&self) -> &'static str {
        "digest"
    }

    fn change(&self, old: &Snapshot, new: &Snapshot) -> f32 {
        if old.marks.text == new.marks.text { 0.0 } else { 1.0 }
    }

    fn identity(&self, snapshot: &Snapshot) -> Option<u128> {
        Some(snapshot.marks.text.0)
    }
}
