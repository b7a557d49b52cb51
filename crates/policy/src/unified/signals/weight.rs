//! What claims and silence add to the log odds of a change, learned from visits.
use super::{
    super::slots::{Part, Slots},
    CLASSES, SOURCES, is_wave,
};

/// What a claim of each source adds to the log odds of a change before anything is known, and what a wave
/// adds. A notice is sent on purpose. Sitemaps and feeds are made by programs and must earn their weight.
const FIRST: [f64; SOURCES] = [0.0, 0.0, 2.0, 0.0];
const FIRST_WAVE: [f64; SOURCES] = [0.0, 0.0, 0.5, 0.0];
/// Weights are within these bounds.
const BOUND: f64 = 8.0;
/// The variance of a weight is about this, divided by the visits that moved it.
const VARIANCE: f64 = 4.0;
/// The visits that a first guess of one half counts for in the share of claims that are right.
const PRECISION_WEIGHT: f64 = 4.0;

/// What a slot with a claim, or one without, adds to the log odds of a change.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Weight {
    pub(super) odds: f64,
    visits: f64,
    /// The slots of these visits, and those in which there was a change, about.
    slots: f64,
    changes: f64,
}

impl Weight {
    fn new(class: usize) -> Self {
        let first = if is_wave(class) { FIRST_WAVE } else { FIRST };
        Self { odds: first[class / 2], ..Self::default() }
    }

    /// The same, without visits of its own.
    pub(super) fn inherited(self) -> Self {
        Self { odds: self.odds, ..Self::default() }
    }

    /// One step of gradient descent on the log loss of the predicted change.
    pub(super) fn learn(&mut self, found: Lesson, (first, fall, least): (f64, f64, f64)) {
        let step = (first / (1.0 + fall * self.visits)).max(least);
        self.odds = (self.odds + step * found.gradient).clamp(-BOUND, BOUND);
        self.visits += 1.0;
        self.slots += found.slots;
        self.changes += found.changes;
    }

    /// How much more another weight is than this, as far as visits make that certain.
    pub(super) fn lift(self, other: Self) -> f64 {
        let lift = (other.odds - self.odds).max(0.0);
        let variance = VARIANCE / (self.visits + VARIANCE) + VARIANCE / (other.visits + VARIANCE);
        lift * lift * lift / (lift * lift + variance)
    }

    /// The share of claims that are right.
    pub(super) fn precision(self) -> f64 {
        (self.changes + 0.5 * PRECISION_WEIGHT) / (self.slots + PRECISION_WEIGHT)
    }
}

/// What a visit tells about the weight of some slots.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lesson {
    gradient: f64,
    slots: f64,
    changes: f64,
}

impl Lesson {
    pub(super) fn new(slots: &Slots, part: Part, stale: f64, changed: bool) -> Self {
        let right = if changed { part.count * slots.chance(part) / stale.max(1e-9) } else { 0.0 };
        let gradient = slots.gradient(part, stale, changed);
        Self { gradient, slots: part.count, changes: right.min(part.count) }
    }
}

/// The weight of each class of claims.
#[derive(Clone, Debug)]
pub(super) struct Weights(pub(super) [Weight; CLASSES]);

impl Default for Weights {
    fn default() -> Self {
        Self(std::array::from_fn(Weight::new))
    }
}
