//! The instants at which cycles happen.
use crawl::{Span, Time};

use crate::history::Window;

/// Cycle k happens at `start + k * cycle`, for k = 1 to `cycles`; cycle 0 is the start itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// The start of the history's window.
    pub start: Time,
    /// The time from one cycle to the next.
    pub cycle: Span,
    /// How many cycles there are.
    pub cycles: usize,
}

impl Grid {
    /// All cycles that end within `window`.
    pub fn within(window: Window, cycle: Span) -> Self {
        let cycles = (window.length().millis() / cycle.millis()).max(0) as usize;
        Self { start: window.start, cycle, cycles }
    }

    /// The instant of cycle `number`.
    pub fn instant(&self, number: usize) -> Time {
        self.start + self.cycle.times(number as i64)
    }

    /// The cycle whose instant is `at`, or the last one before it.
    pub fn number(&self, at: Time) -> usize {
        ((at - self.start).millis() / self.cycle.millis()).max(0) as usize
    }
}
