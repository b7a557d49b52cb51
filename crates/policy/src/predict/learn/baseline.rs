//! Baselines without features: how often the page changed, and whether it just did.
use instruments::features::VisitRecord;
use learn::svm::change_probability;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// How often a change happened between visits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Frequency {
    happened: u32,
    count: u32,
    days: f64,
}

impl Frequency {
    /// From gaps in days, each with whether there was a change.
    pub(super) fn from_gaps(seen: impl Iterator<Item = (f64, bool)>) -> Self {
        seen.fold(Self::default(), |so_far, (days, happened)| Self {
            happened: so_far.happened + u32::from(happened),
            count: so_far.count + 1,
            days: so_far.days + days,
        })
    }

    /// The share of gaps with a change; 0 without gaps.
    pub(super) fn share(self) -> f64 {
        if self.count == 0 { 0.0 } else { f64::from(self.happened) / f64::from(self.count) }
    }

    /// Whether more than half of the gaps have a change.
    pub(super) fn is_usual(self) -> bool {
        2 * self.happened > self.count
    }

    /// The probability of a change over a gap, with half an example of each outcome added: (k + 1/2) / (n + 1)
    /// over a gap of the mean length, and for other gaps as if every day were alike.
    pub(super) fn probability(self, gap_days: f64) -> f64 {
        let probability = (f64::from(self.happened) + 0.5) / (f64::from(self.count) + 1.0);
        let mean_days = if self.days > 0.0 { self.days / f64::from(self.count) } else { 1.0 };
        change_probability(-(-probability).ln_1p() / mean_days, gap_days)
    }
}

/// A number in [0, 1) for the outcome of a visit, seen from `now`. Two pages draw the same number only if
/// they have the same words.
pub(super) fn toss(seed: u64, last: &VisitRecord, now: crawl::Time) -> f64 {
    let mut bytes = Vec::with_capacity(16 + 6 * last.words.counts().len());
    bytes.extend(now.millis().to_le_bytes());
    bytes.extend(last.at.millis().to_le_bytes());
    for (term, count) in last.words.counts() {
        bytes.extend(term.to_le_bytes());
        bytes.extend(count.to_le_bytes());
    }
    // A double holds 53 bits of fraction.
    (xxh3_64_with_seed(&bytes, seed) >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crawl::Time;
    use instruments::features::Changes;
    use text::counts::WordCounts;

    use super::*;

    #[test]
    fn chances_are_smoothed_and_by_the_day() {
        let close = |found: f64, expected: f64| {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        };
        let daily = Frequency::from_gaps([(1.0, true), (1.0, false), (1.0, false)].into_iter());
        close(daily.probability(1.0), 1.5 / 4.0);
        close(daily.probability(2.0), 1.0 - (2.5_f64 / 4.0).powi(2));
        // The same seen every second day.
        let slower = Frequency::from_gaps([(2.0, true), (2.0, false), (2.0, false)].into_iter());
        close(slower.probability(2.0), 1.5 / 4.0);
        close(slower.probability(1.0), 1.0 - (2.5_f64 / 4.0).sqrt());
        close(Frequency::default().probability(1.0), 0.5);
    }

    #[test]
    fn half_is_not_usual() {
        let of = |seen: &[bool]| Frequency::from_gaps(seen.iter().map(|it| (1.0, *it)));
        assert!(!of(&[true, false]).is_usual() && of(&[true]).is_usual() && !of(&[]).is_usual());
        assert!((of(&[true, false, false, false]).share() - 0.25).abs() < 1e-12);
        assert!(of(&[]).share() < f64::MIN_POSITIVE);
    }

    #[test]
    fn tosses_are_even() {
        let toss = |term: u32| {
            let words = Arc::new(WordCounts::from_terms(vec![term]));
            let at = Time::from_millis(5);
            toss(1, &VisitRecord { at, changes: Changes::default(), words }, at)
        };
        let mean = (0..10_000).map(toss).sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.01, "{mean}");
        assert!(toss(3).to_bits() == toss(3).to_bits() && toss(3).to_bits() != toss(4).to_bits());
    }
}
