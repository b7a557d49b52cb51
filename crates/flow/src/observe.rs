//! Old snapshot and new answer, made into an outcome.
use crate::{Answer, ChangeDetector, Outcome, Snapshot};

/// What `answer` says of a page of which `old` is held.
pub(crate) fn outcome(
    answer: &Answer,
    old: Option<&Snapshot>,
    detector: &dyn ChangeDetector,
) -> Outcome {
    match (answer, old) {
        (Answer::Content(_), None) => Outcome::First,
        (Answer::Content(new), Some(old)) => match detector.change(old, new) {
            change if change > 0.0 => Outcome::Changed(change),
            _ => Outcome::Same,
        },
        (Answer::NotModified, Some(_)) => Outcome::Same,
        (Answer::Gone, _) => Outcome::Gone,
        // "Not modified" of a page that is not held says nothing about it.
        (Answer::NotModified, None) | (Answer::Failed(_), _) => Outcome::Failed,
    }
}
