//! Labels: what counts as a change of a page from one day to the next.
use instruments::features::{Target, VisitRecord};

/// A shingle difference above this is a change (`docs/papers.md` A5.2-2).
pub(crate) const FAR: f32 = 0.1;

/// What counts as a change of a page from one day to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Label {
    /// The distribution of its words, by a chi-squared test: the paper's.
    Significant,
    /// Any difference of its text.
    Any,
    /// More than a tenth of its shingles.
    Far,
    /// A link to an address that it did not link to.
    NewLink,
}

impl Label {
    /// Every label, by the name used in reports.
    pub(crate) const ALL: [(&'static str, Self); 4] = [
        ("significant", Self::Significant),
        ("any", Self::Any),
        ("shingles", Self::Far),
        ("new link", Self::NewLink),
    ];

    /// The name used in reports.
    pub(crate) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, label)| *label == self).map_or("", |(name, _)| name)
    }

    /// The target of predictors; [`Days::visits`](super::Days::visits) puts the label in its place.
    pub(crate) fn target(self) -> Target {
        match self {
            Self::Significant => Target::Significant,
            Self::Any | Self::Far => Target::Any,
            Self::NewLink => Target::NewLink,
        }
    }
}

/// The label of every day, except the first.
pub(crate) fn labels(visits: &[VisitRecord], target: Target) -> Vec<bool> {
    visits.iter().skip(1).map(|visit| visit.changes.includes(target)).collect()
}

/// The share of steps from one label to the next at which it changes; 0 without steps.
pub(crate) fn share_of_turns(labels: &[bool]) -> f64 {
    let turns = labels.windows(2).filter(|two| two[0] != two[1]).count();
    turns as f64 / labels.len().saturating_sub(1).max(1) as f64
}

/// The share of labels that are changes; 0 if there are none.
pub(crate) fn changed(labels: &[bool]) -> f64 {
    labels.iter().filter(|label| **label).count() as f64 / labels.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_counted_by_steps() {
        // Turns at the second and the fourth of five steps.
        let labels = [false, false, true, true, false, false];
        assert!((share_of_turns(&labels) - 0.4).abs() < 1e-12);
        assert!((changed(&labels) - 2.0 / 6.0).abs() < 1e-12);
        assert!((share_of_turns(&[true, false, true]) - 1.0).abs() < 1e-12);
        assert!(share_of_turns(&[true]).abs() < 1e-12 && share_of_turns(&[]).abs() < 1e-12);
    }
}
