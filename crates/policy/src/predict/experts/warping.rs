//! Experts by warping: pages on which the same words come and go alike, but not on the same days.
//!
//! Dynamic time warping (Radinsky and Bennett 2013, figure 5, which overwrites the borders of the matrix:
//! here they are infinite, Sakoe and Chiba 1978). The paper says neither how series are scaled nor how a
//! distance becomes the weight of a vote. Here each series runs from 0 to 1, so that a word that is there or
//! not costs one for each day that does not fit, and two words at distance d are alike by 1 / (1 + d). Distances
//! of raw counts, summed over all words before they are turned into a weight, make every expert so light beside
//! the page itself that its vote never counts.
use std::ops::Range;

use super::{courses::Likeness, series::Catalogue};

/// What 1 is in whole numbers: distances are exact.
const UNIT: u16 = 1_000;
/// Unreachable. Real costs are lower: a path has fewer than 2^40 days.
const NEVER: u64 = u64::MAX / 2;

/// Warping by at most some days.
pub(super) struct Warper {
    pub band: usize,
}

impl Likeness for Warper {
    fn normalise(series: &mut [u16]) {
        scale(series);
    }

    fn of(&self, shapes: &Catalogue, page: u32, expert: u32) -> (f64, u8) {
        (likeness(shapes.series(page), shapes.series(expert), self.band), 0)
    }
}

/// How alike two scaled series are.
pub(super) fn likeness(one: &[u16], other: &[u16], band: usize) -> f64 {
    1.0 / (1.0 + warped(one, other, band) as f64 / f64::from(UNIT))
}

/// Scales a series: its least value becomes 0, its greatest one.
pub(super) fn scale(series: &mut [u16]) {
    let least = series.iter().copied().min().unwrap_or(0);
    let most = series.iter().copied().max().unwrap_or(0) - least;
    for value in series {
        let above = u32::from(*value - least) * u32::from(UNIT);
        *value = above.checked_div(u32::from(most)).unwrap_or(0) as u16;
    }
}

/// The cost of the best path that pairs all days of two series of the same length, in order, with shifts of at
/// most `band` days.
pub(super) fn warped(one: &[u16], other: &[u16], band: usize) -> u64 {
    let days = one.len();
    let mut above = vec![NEVER; days + 1];
    let mut row = vec![NEVER; days + 1];
    above[0] = 0;
    for (day, &value) in one.iter().enumerate() {
        let near = within(band, day, days);
        // The cell before the band: the value of an earlier row is invalid.
        row[near.start] = NEVER;
        let mut left = NEVER;
        for place in near {
            let cost = u64::from(value.abs_diff(other[place]));
            left = cost + left.min(above[place]).min(above[place + 1]);
            row[place + 1] = left;
        }
        std::mem::swap(&mut above, &mut row);
    }
    above[days]
}

/// The days at most `band` days away from a day.
fn within(band: usize, day: usize, days: usize) -> Range<usize> {
    day.saturating_sub(band)..days.min(day.saturating_add(band).saturating_add(1))
}
