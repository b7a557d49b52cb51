//! What unit tests of several policies share.
use crawl::{Policy, Span, Time};

use crate::PolicySpec;

pub(crate) const DAY: Span = Span::from_days(1);

/// The start of a day.
pub(crate) fn day(day: i64) -> Time {
    Time::from_millis(0) + DAY.times(day)
}

/// The policy of a text.
pub(crate) fn made(text: &str, seed: u64) -> Box<dyn Policy> {
    PolicySpec::parse(text).unwrap().make(seed)
}

pub(crate) fn assert_close(actual: f64, expected: f64, tolerance: f64) {
    assert!((actual - expected).abs() <= tolerance, "{actual} is not {expected}");
}
