//! How often a page changes, from its visits so far: the weightings of Tan and Mitra 2010.
//!
//! Equations 11 and 12 with the corrections of `docs/papers.md` A1.7: eq. 12 divides by the number of cycles
//! although its weights already sum to 1 (dropped; [`Form::Literal`] keeps it), and eq. 11 takes the
//! resulting probability for a rate ([`Score::Poisson`]; [`Score::Direct`] does not). Cycles in which a page
//! was not visited are not counted.

/// The weights of a page's visits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weights {
    /// NAD: all the same.
    NonAdaptive,
    /// SAD: only the last.
    Shortsighted,
    /// AAD: the n-th n times as much as the first.
    Arithmetic,
    /// GAD: each twice as much as the one before.
    Geometric,
}

/// The form of eq. 12.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A weighted mean.
    Plain,
    /// Divided by the number of visits once more, as printed.
    Literal,
}

/// The score of a change frequency in the mean of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Score {
    /// 1 - exp(-frequency), eq. 11 as printed.
    Poisson,
    /// The frequency itself.
    Direct,
}

impl Weights {
    /// The values of the parameter `weights`.
    pub(crate) const WORDS: &'static [&'static str] = &["nad", "sad", "aad", "gad"];

    pub(crate) fn by_word(word: &str) -> Self {
        match word {
            "nad" => Self::NonAdaptive,
            "aad" => Self::Arithmetic,
            "gad" => Self::Geometric,
            _ => Self::Shortsighted,
        }
    }
}

impl Score {
    pub(crate) fn of(self, frequency: f64) -> f64 {
        match self {
            Self::Poisson => 1.0 - (-frequency).exp(),
            Self::Direct => frequency,
        }
    }
}

/// The visits of one page that compared something, as sums that give every weighting.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct VisitHistory {
    count: u32,
    changes: u32,
    last_changed: bool,
    /// The sum of i over visits i that found a change.
    arithmetic: f64,
    /// The sum of 2^(i-1) over visits i that found a change, divided by 2^count.
    geometric: f64,
}

impl VisitHistory {
    /// Adds the next visit.
    pub(crate) fn add(&mut self, changed: bool) {
        let found = f64::from(u8::from(changed));
        self.count += 1;
        self.changes += u32::from(changed);
        self.last_changed = changed;
        self.arithmetic += found * f64::from(self.count);
        self.geometric = f64::midpoint(self.geometric, found);
    }

    /// The change frequency; 0 without visits.
    pub(crate) fn frequency(&self, weights: Weights, form: Form) -> f64 {
        if self.count == 0 {
            return 0.0;
        }
        let count = f64::from(self.count);
        let mean = match weights {
            Weights::NonAdaptive => f64::from(self.changes) / count,
            Weights::Shortsighted => f64::from(u8::from(self.last_changed)),
            Weights::Arithmetic => self.arithmetic / (count * (count + 1.0) / 2.0),
            // 2^-count is 0 long before the count matters.
            Weights::Geometric => self.geometric / (1.0 - 0.5_f64.powf(count)),
        };
        match form {
            Form::Plain => mean,
            Form::Literal => mean / count,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Weights; 4] =
        [Weights::NonAdaptive, Weights::Shortsighted, Weights::Arithmetic, Weights::Geometric];

    fn frequencies(visits: &[bool], form: Form) -> [f64; 4] {
        let mut seen = VisitHistory::default();
        for &changed in visits {
            seen.add(changed);
        }
        ALL.map(|weights| seen.frequency(weights, form))
    }

    fn assert_near(found: [f64; 4], expected: [f64; 4]) {
        let near =
            found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-12);
        assert!(near, "{found:?} is not {expected:?}");
    }

    #[test]
    fn the_four_weightings_by_hand() {
        // Changed, same, changed: 2/3; the last; (1 + 3)/6; (1 + 4)/7.
        assert_near(
            frequencies(&[true, false, true], Form::Plain),
            [2.0 / 3.0, 1.0, 4.0 / 6.0, 5.0 / 7.0],
        );
        // Changed, changed, same, same: 2/4; 0; (1 + 2)/10; (1 + 2)/15.
        assert_near(frequencies(&[true, true, false, false], Form::Plain), [0.5, 0.0, 0.3, 0.2]);
    }

    #[test]
    fn after_one_visit_they_are_the_same() {
        assert_near(frequencies(&[true], Form::Plain), [1.0; 4]);
        assert_near(frequencies(&[false], Form::Plain), [0.0; 4]);
        assert_near(frequencies(&[], Form::Plain), [0.0; 4]);
    }

    #[test]
    fn as_printed_the_frequency_shrinks_with_history() {
        assert_near(frequencies(&[true; 4], Form::Plain), [1.0; 4]);
        assert_near(frequencies(&[true; 4], Form::Literal), [0.25; 4]);
    }

    #[test]
    fn as_printed_no_score_passes_one_less_one_over_e() {
        assert!((Score::Poisson.of(1.0) - 0.632_120_558_828_557_7).abs() < 1e-15);
        assert_eq!((Score::Direct.of(1.0), Score::Poisson.of(0.0)), (1.0, 0.0));
    }

    #[test]
    fn a_long_history_stays_a_share() {
        let frequencies = frequencies(&[true; 5_000], Form::Plain);
        assert!(frequencies.iter().all(|&share| (share - 1.0).abs() < 1e-9), "{frequencies:?}");
    }
}
