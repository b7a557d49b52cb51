//! Reproducible random numbers: a hash of the seed, a name and a number.
use crawl::Time;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::moments::{DAY, hour, whole_second};

/// The activity in each hour of the day as a share of the maximum: people write by day.
const HOURS: [f64; 24] = [
    0.10, 0.07, 0.05, 0.05, 0.07, 0.15, 0.35, 0.60, 0.85, 1.00, 1.00, 0.95, 0.90, 0.95, 1.00, 0.95,
    0.90, 0.85, 0.80, 0.75, 0.65, 0.50, 0.35, 0.20,
];

/// The mean of [`HOURS`].
const MEAN_HOUR: f64 = 0.585;

/// A named source of random numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// The source with this name.
    pub(crate) fn new(seed: u64, name: &str) -> Self {
        Self(xxh3_64_with_seed(name.as_bytes(), seed))
    }

    /// The sub-source with this name.
    pub(crate) fn of(self, name: &str) -> Self {
        Self::new(self.0, name)
    }

    /// The sub-source with this number.
    pub(crate) fn at(self, number: u64) -> Self {
        Self(xxh3_64_with_seed(&number.to_le_bytes(), self.0))
    }

    /// A generator that draws from it.
    pub(crate) fn draws(self) -> Draws {
        Draws { random: self, next: 0 }
    }

    /// Its bits.
    pub(crate) fn bits(self) -> u64 {
        self.0
    }
}

/// Draws from one [`Random`], in order.
#[derive(Clone, Debug)]
pub(crate) struct Draws {
    random: Random,
    next: u64,
}

impl Draws {
    fn bits(&mut self) -> u64 {
        self.next += 1;
        self.random.at(self.next).0
    }

    /// A number from 0 up to but not including 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A whole number below `count`; 0 where `count` is 0.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        ((u128::from(self.bits()) * count as u128) >> 64) as usize
    }

    /// A whole number from `low` to `high`.
    pub(crate) fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// One of `choices`, which are not empty.
    pub(crate) fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }

    /// Whether something of this probability happens.
    pub(crate) fn happens(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// At least 1, from the Pareto distribution with this shape.
    pub(crate) fn heavy(&mut self, shape: f64) -> f64 {
        (1.0 - self.unit()).powf(-1.0 / shape)
    }

    /// Milliseconds from the exponential distribution with this mean.
    pub(crate) fn gap(&mut self, mean: f64) -> i64 {
        (-(1.0 - self.unit()).ln() * mean) as i64
    }

    /// Instants in whole seconds after `from` and before `until`, `per_day` on average,
    /// more by day than by night.
    pub(crate) fn instants(&mut self, per_day: f64, from: Time, until: Time) -> Vec<Time> {
        let mut found = Vec::new();
        if per_day <= 0.0 {
            return found;
        }
        let mean = DAY as f64 * MEAN_HOUR / per_day;
        let mut at = from.millis();
        loop {
            at = at.saturating_add(self.gap(mean)).saturating_add(1);
            if at >= until.millis() {
                return found;
            }
            let instant = whole_second(Time::from_millis(at));
            let fresh = instant > from && found.last().is_none_or(|last| *last < instant);
            if self.happens(HOURS[hour(instant)]) && fresh {
                found.push(instant);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_the_hours_is_right() {
        let mean = HOURS.iter().sum::<f64>() / 24.0;
        assert!((mean - MEAN_HOUR).abs() < 0.01, "{mean}");
    }

    #[test]
    fn instants_come_at_the_given_rate() {
        let (from, until) = (Time::from_millis(0), Time::from_millis(1_000 * DAY));
        let count = Random::new(1, "x").draws().instants(3.0, from, until).len();
        assert!((2_800..3_200).contains(&count), "{count}");
    }

    #[test]
    fn sub_sources_differ() {
        let random = Random::new(1, "x");
        assert_ne!(random.of("a").bits(), random.of("b").bits());
    }
}
