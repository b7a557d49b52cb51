//! Points in time and spans, in whole milliseconds, so that a replay is exact.
use std::ops::{Add, Sub};

use serde::{Deserialize, Serialize};

const MILLIS_PER_DAY: f64 = 86_400_000.0;

/// A point in time: milliseconds since 1970-01-01, UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Time(i64);

/// The time between two points in time, in milliseconds.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Span(i64);

impl Time {
    /// "Never", inside columns. It is before every other time.
    pub(crate) const NEVER: Self = Self(i64::MIN);

    /// The time `millis` milliseconds after 1970-01-01, UTC.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// One millisecond earlier.
    #[must_use]
    pub const fn before(self) -> Self {
        Self(self.0.saturating_sub(1))
    }

    /// Milliseconds since 1970-01-01, UTC.
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// `None` for "never".
    pub(crate) fn known(self) -> Option<Self> {
        (self != Self::NEVER).then_some(self)
    }
}

impl Span {
    /// A span of `millis` milliseconds.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// A span of `days` days of 24 hours.
    pub const fn from_days(days: i64) -> Self {
        Self(days * 86_400_000)
    }

    /// Its length in milliseconds.
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Its length in days of 24 hours.
    pub fn days(self) -> f64 {
        self.0 as f64 / MILLIS_PER_DAY
    }

    /// `count` times this span.
    #[must_use]
    pub const fn times(self, count: i64) -> Self {
        Self(self.0 * count)
    }
}

impl Sub for Time {
    type Output = Span;

    fn sub(self, earlier: Self) -> Span {
        Span(self.0 - earlier.0)
    }
}

impl Add<Span> for Time {
    type Output = Self;

    fn add(self, span: Span) -> Self {
        Self(self.0 + span.0)
    }
}
