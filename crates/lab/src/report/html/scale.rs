//! Scales of charts: ranges and ticks.
use crate::report::words;

/// The padding at each end, as a share of the range.
const AIR: f64 = 0.06;

/// A range whose lower end is below this share of its upper end begins at 0, so that lengths can be
/// compared.
const NEARLY_ZERO: f64 = 0.3;

/// A linear scale from values to one coordinate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    /// The values at both ends.
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// The coordinates at both ends.
    pub(crate) from: f64,
    pub(crate) to: f64,
}

impl Scale {
    pub(crate) fn at(&self, value: f64) -> f64 {
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// Ticks at round numbers, with their labels.
    pub(crate) fn ticks(&self, about: usize) -> Vec<(f64, String)> {
        let step = round_step((self.high - self.low) / about as f64);
        let decimals = (-step.log10().floor()).clamp(0.0, 9.0) as usize;
        let slack = step * 1e-6;
        let (first, last) = (
            ((self.low - slack) / step).ceil() as i64,
            ((self.high + slack) / step).floor() as i64,
        );
        (first..=last)
            .map(|number| {
                let value = number as f64 * step;
                // Avoids "-0".
                let value = if number == 0 { 0.0 } else { value };
                (value, format!("{value:.decimals$}").replace('-', "\u{2212}"))
            })
            .collect()
    }
}

/// The range of a vertical axis for `values` of a metric.
pub(crate) fn fitted(metric: usize, values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    if low > high {
        return (0.0, 1.0);
    }
    let from_zero = low >= 0.0 && low < NEARLY_ZERO * high;
    let air = ((high - low) * AIR).max(1e-3 * high.abs().max(0.1));
    let low = if from_zero { 0.0 } else { low - air };
    let high = high + air;
    if words::is_share(metric) { (low.max(0.0), high.min(1.0)) } else { (low, high) }
}

/// The range of a horizontal axis of differences, which includes zero.
pub(crate) fn around_zero(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values
        .filter(|value| value.is_finite())
        .fold((0.0_f64, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
    let air = ((high - low) * AIR).max(1e-4);
    (low - air, high + air)
}

/// The smallest of 1, 2 or 5 times a power of ten that is at least `step`.
fn round_step(step: f64) -> f64 {
    if !step.is_finite() || step <= 0.0 {
        return 1.0;
    }
    let power = 10_f64.powf(step.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= step * 0.999_999);
    factor.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64) -> Vec<String> {
        let scale = Scale { low, high, from: 0.0, to: 1.0 };
        scale.ticks(5).into_iter().map(|tick| tick.1).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(labels(0.0, 1.0), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(0.812, 0.853), ["0.82", "0.83", "0.84", "0.85"]);
        assert_eq!(labels(1.0, 57.0), ["20", "40"]);
        assert_eq!(labels(-0.02, 0.021), ["\u{2212}0.02", "\u{2212}0.01", "0.00", "0.01", "0.02"]);
    }

    #[test]
    fn a_constant_has_a_range() {
        let (low, high) = fitted(words::metric("freshness"), [0.5, 0.5].into_iter());
        assert!(low < 0.5 && 0.5 < high);
        let (low, high) = fitted(words::metric("freshness"), [1.0].into_iter());
        assert!(low < 1.0 && high <= 1.0);
    }
}
