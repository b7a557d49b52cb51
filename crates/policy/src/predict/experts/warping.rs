//! Dynamic time warping: the distance of two series when days may be shifted.
//!
//! Radinsky and Bennett 2013, figure 5, which overwrites the borders of the matrix: here they are infinite
//! (Sakoe and Chiba 1978). Costs are differences of counts, so all distances are whole numbers.
use std::ops::Range;

/// The counts of a word by day.
#[derive(Clone, Copy, Debug)]
pub(super) enum Course<'a> {
    Constant(u16),
    Varying(&'a [u16]),
}

/// Unreachable. Real costs are lower: a path has fewer than 2^40 days.
const NEVER: u64 = u64::MAX / 2;

/// The cost of the best path that pairs all days of two series of the same length, in order, with shifts of at
/// most `band` days; `None` if it is above `most`, which often shows early.
pub(super) fn warped(one: &[u16], other: &[u16], band: usize, most: u64) -> Option<u64> {
    let days = one.len();
    let mut above = vec![NEVER; days + 1];
    let mut row = vec![NEVER; days + 1];
    above[0] = 0;
    for (day, &value) in one.iter().enumerate() {
        let near = within(band, day, days);
        // The cell before the band: the value of an earlier row is invalid.
        row[near.start] = NEVER;
        let (mut left, mut least) = (NEVER, NEVER);
        for place in near {
            let cost = u64::from(value.abs_diff(other[place]));
            left = cost + left.min(above[place]).min(above[place + 1]);
            row[place + 1] = left;
            least = least.min(left);
        }
        if least > most {
            return None;
        }
        std::mem::swap(&mut above, &mut row);
    }
    (above[days] <= most).then_some(above[days])
}

/// The days at most `band` days away from a day.
fn within(band: usize, day: usize, days: usize) -> Range<usize> {
    day.saturating_sub(band)..days.min(day.saturating_add(band).saturating_add(1))
}

/// The least and greatest value within `band` days of each day.
pub(super) fn envelope(series: &[u16], band: usize) -> Vec<(u16, u16)> {
    let around = |day: usize| {
        let near = &series[within(band, day, series.len())];
        let least = near.iter().copied().min().unwrap_or(0);
        (least, near.iter().copied().max().unwrap_or(0))
    };
    (0..series.len()).map(around).collect()
}

/// A lower bound on the cost of warping to a series with this envelope (Keogh and Ratanamahatana 2005): each
/// day is paired with one near it.
pub(super) fn least_cost(envelope: &[(u16, u16)], other: &[u16]) -> u64 {
    let outside = |(&(least, most), &value): (&(u16, u16), &u16)| {
        u64::from(value.saturating_sub(most).max(least.saturating_sub(value)))
    };
    envelope.iter().zip(other).map(outside).sum()
}

/// The cost if one of the two is constant: no shift makes a day cheaper, so it is the difference by day. `None`
/// if both vary.
pub(super) fn plain_cost(one: Course<'_>, other: Course<'_>, days: usize) -> Option<u64> {
    match (one, other) {
        (Course::Constant(one), Course::Constant(other)) => {
            Some(u64::from(one.abs_diff(other)) * days as u64)
        }
        (Course::Constant(value), Course::Varying(series))
        | (Course::Varying(series), Course::Constant(value)) => {
            Some(series.iter().map(|&count| u64::from(count.abs_diff(value))).sum())
        }
        (Course::Varying(_), Course::Varying(_)) => None,
    }
}

/// The cost of warping one course to another.
pub(super) fn cost(one: Course<'_>, other: Course<'_>, days: usize, band: usize) -> u64 {
    if let (Course::Varying(one), Course::Varying(other)) = (one, other) {
        return warped(one, other, band, NEVER).unwrap_or(NEVER);
    }
    plain_cost(one, other, days).unwrap_or(NEVER)
}

/// The weight of an expert at a distance.
pub(super) fn weight(distance: f64) -> f64 {
    1.0 / (1.0 + distance)
}
