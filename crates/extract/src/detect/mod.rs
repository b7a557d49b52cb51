//! Change detectors. Each measures in its own way how different two snapshots of a page are.
mod bytes;
mod chi_squared;
mod digest;
pub mod main_text;
mod shingles;
mod shingles_exact;
mod simhash;

pub use self::{
    bytes::Bytes, chi_squared::ChiSquared, digest::TextDigest, main_text::MainText,
    shingles::Shingles, shingles_exact::ShinglesExact, simhash::Simhash,
};
use crawl::{ChangeDetector, Snapshot};

/// Makes a detector.
pub type Make = fn() -> Box<dyn ChangeDetector>;

/// The default detector.
pub const DEFAULT: &str = "digest";

/// Every detector, by the name used in configuration and reports.
pub const ALL: &[(&str, Make)] = &[
    ("digest", || Box::new(TextDigest)),
    ("main-text", || Box::new(MainText)),
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

/// The change between two snapshots where a detector needs content and one has none.
///
/// A world must prevent this (see [`ChangeDetector::reads_content`]). As a fallback the text digests
/// distinguish *same* from *changed*, and the change is 1.
fn without_content(old: &Snapshot, new: &Snapshot) -> f32 {
    if old.fingerprints.text == new.fingerprints.text {
        return 0.0;
    }
    debug_assert!(false, "this detector needs snapshots with content");
    1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_detector_has_the_name_in_the_table() {
        for (name, make) in ALL {
            assert_eq!(make().name(), *name);
        }
    }

    #[test]
    fn an_unknown_name_finds_nothing() {
        assert!(by_name("digests").is_none());
    }
}
