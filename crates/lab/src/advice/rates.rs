//! How often a page changes by itself: one of ten classes of rates.
//!
//! A visit tells only whether a page changed since the one before, so a rate r makes a wait t without a change
//! e^(-rt) likely, and one with a change 1 - e^(-rt).

/// The number of classes.
pub(super) const CLASSES: usize = 10;

/// A number for each class.
pub(super) type ByClass = [f64; CLASSES];

/// Changes per day: never, once in eight years, and about three times as often from class to class.
pub(super) const RATES: ByClass = [
    0.0,
    1.0 / 3_000.0,
    1.0 / 1_000.0,
    1.0 / 300.0,
    1.0 / 100.0,
    1.0 / 30.0,
    1.0 / 10.0,
    1.0 / 3.0,
    1.0,
    3.0,
];

/// The shares of the classes before any evidence. Most pages change rarely: of 150 million pages two thirds
/// did not change in eleven weeks (Fetterly et al. 2003). Fast ones exist everywhere.
pub(super) const FIRST_SHARES: ByClass =
    [0.15, 0.07, 0.12, 0.16, 0.18, 0.14, 0.08, 0.05, 0.03, 0.02];

/// Nothing is less likely than this: a page that never changes may do so once.
const LEAST: f64 = 1e-5;

/// The logarithm of how likely each class makes a wait of so many days that ended in a change, or not.
pub(super) fn likelihoods(days: f64, changed: bool) -> ByClass {
    RATES.map(|rate| {
        let log = if changed { (-(-rate * days).exp_m1()).ln() } else { -rate * days };
        log.max(LEAST.ln())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_speaks_for_fast_classes_and_a_long_wait_without_one_for_slow_ones() {
        let (changed, same) = (likelihoods(7.0, true), likelihoods(100.0, false));
        assert!(changed.windows(2).all(|two| two[0] <= two[1]), "{changed:?}");
        assert!(same.windows(2).all(|two| two[0] >= two[1]), "{same:?}");
        assert!((same[4] + 1.0).abs() < 1e-9 && same[0] == 0.0);
        assert!((FIRST_SHARES.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }
}
