//! Change detectors: how different two snapshots of one page are, each by its own measure.
mod bytes;
mod chi_squared;
mod digest;
mod shingles;
mod shingles_exact;
mod simhash;

pub(crate) use self::chi_squared::differ;
pub use self::{
    bytes::Bytes, chi_squared::ChiSquared, digest::TextDigest, shingles::Shingles,
    shingles_exact::ShinglesExact, simhash::Simhash,
};
use crate::{ChangeDetector, Snapshot};

/// Makes a detector.
pub type Make = fn() -> Box<dyn ChangeDetector>;

/// Every detector, by the name used in configuration and reports.
pub const ALL: &[(&str, Make)] = &[
    ("digest", || Box::new(TextDigest)),
    ("bytes", || Box::new(Bytes)),
    ("simhash", || Box::new(Simhash)),
    ("shingles", || Box::new(Shingles)),
    ("shingles-exact", || Box::new(ShinglesExact)),
    ("chi-squared", || Box::new(ChiSquared)),
];

/// The detector of that name, if there is one.
pub fn by_name(name: &str) -> Option<Box<dyn ChangeDetector>> {
    ALL.iter().find(|(known, _)| *known == name).map(|(_, make)| make())
}

/// The change between two snapshots of which one has no content, to a detector that needs it.
///
/// A world must not let it come to this (see [`ChangeDetector::reads_content`]). Where it does, the
/// texts' digests still tell *same* from *changed*, and a change that cannot be measured is whole.
fn without_content(old: &Snapshot, new: &Snapshot) -> f32 {
    if old.marks.text == new.marks.text {
        return 0.0;
    }
    debug_assert!(false, "a detector that reads content was given a snapshot without it");
    1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_detector_goes_by_its_own_name() {
        for (name, make) in ALL {
            assert_eq!(make().name(), *name);
        }
    }

    #[test]
    fn a_name_nobody_has_finds_nothing() {
        assert!(by_name("digests").is_none());
    }
}
