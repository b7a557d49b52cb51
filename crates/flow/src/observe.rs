//! Old snapshot and new answer, made into an outcome.
use crate::{Answer, ChangeDetector, Outcome, Snapshot};

/// So many answers in a row that a page is not there make it gone; one alone is too often a
/// server's mistake.
pub(crate) const MISSES_TO_BE_GONE: u8 = 2;

/// What `answer` says of a page of which `old` is held and which was found missing `misses` times
/// in a row before.
pub(crate) fn outcome(
    answer: &Answer,
    old: Option<&Snapshot>,
    misses: u8,
    detector: &dyn ChangeDetector,
) -> Outcome {
    match (answer, old) {
        (Answer::Content(_), None) => Outcome::First,
        (Answer::Content(new), Some(old)) => match detector.change(old, new) {
            change if change > 0.0 => Outcome::Changed(change),
            _ => Outcome::Same,
        },
        (Answer::NotModified, Some(_)) => Outcome::Same,
        (Answer::Missing, _) if misses.saturating_add(1) < MISSES_TO_BE_GONE => Outcome::Missing,
        (Answer::Missing | Answer::Gone, _) => Outcome::Gone,
        (Answer::Unreached, _) => Outcome::Unreached,
        (Answer::Failed(fault), _) if fault.kind.is_refusal() => Outcome::Refused,
        // "Not modified" of a page that is not held says nothing about it.
        (Answer::NotModified, None) | (Answer::Failed(_), _) => Outcome::Failed,
    }
}
