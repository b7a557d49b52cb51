//! How often a page changes, from its visits so far: the weightings of Tan and Mitra 2010.
//!
//! Equations 11 and 12 with the corrections of `docs/papers.md` A1.7: eq. 12 divides by the number of cycles
//! although its weights already sum to 1 (dropped; [`Form::Literal`] keeps it), and eq. 11 takes the
//! resulting probability for a rate ([`Score::Poisson`]; [`Score::Direct`] does not).
//!
//! n of eq. 12 is the number of download cycles, and the indicator of a cycle compares the repository after
//! it with the repository before: a page that was not downloaded did not change ([`Count::Cycles`]). Under
//! it, pages that are visited rarely look quieter than they are; [`Count::Visits`] leaves those cycles out.

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

/// What the n of a page's history counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    /// Cycles since the first visit, as in the papers: one without a visit found no change.
    Cycles,
    /// Visits.
    Visits,
}

/// The form of eq. 12.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A weighted mean.
    Plain,
    /// Divided by n once more, as printed.
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

impl Count {
    /// The values of the parameter `count`.
    pub(super) const WORDS: &'static [&'static str] = &["cycles", "visits"];

    pub(super) fn by_word(word: &str) -> Self {
        if word == "visits" { Self::Visits } else { Self::Cycles }
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

/// The history of one page as sums that give every weighting. Its places are the cycles since the first
/// visit, or the visits that compared something.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct VisitHistory {
    /// The cycle of the first visit.
    first: Option<u32>,
    /// The place of the last visit that compared something.
    last: u32,
    changes: u32,
    last_changed: bool,
    /// The sum of i over places i that found a change.
    arithmetic: f64,
    /// The sum of 2^(i-1) over places i that found a change, divided by 2^last.
    geometric: f64,
}

impl VisitHistory {
    /// Adds a visit in a cycle; `changed` is `None` if it compared nothing.
    pub(crate) fn add(&mut self, cycle: u32, changed: Option<bool>, count: Count) {
        self.first.get_or_insert(cycle);
        let Some(changed) = changed else { return };
        // Where a page is visited twice in a cycle, each visit has a place.
        let place = match count {
            Count::Cycles => self.cycles(cycle).max(self.last + 1),
            Count::Visits => self.last + 1,
        };
        let found = f64::from(u8::from(changed));
        self.changes += u32::from(changed);
        self.last_changed = changed;
        self.arithmetic += found * f64::from(place);
        self.geometric = self.geometric * halved(place - self.last) + found / 2.0;
        self.last = place;
    }

    /// Cycles from that of the first visit to this one, both counted.
    fn cycles(&self, cycle: u32) -> u32 {
        self.first.map_or(0, |first| cycle.saturating_sub(first) + 1)
    }

    /// The change frequency as of a cycle; 0 without visits.
    pub(crate) fn frequency(&self, cycle: u32, weights: Weights, form: Form, count: Count) -> f64 {
        if self.last == 0 {
            return 0.0;
        }
        let places = match count {
            Count::Cycles => self.cycles(cycle).max(self.last),
            Count::Visits => self.last,
        };
        let count = f64::from(places);
        let mean = match weights {
            Weights::NonAdaptive => f64::from(self.changes) / count,
            Weights::Shortsighted => f64::from(u8::from(self.last_changed && self.last == places)),
            Weights::Arithmetic => self.arithmetic / (count * (count + 1.0) / 2.0),
            // 2^-count is 0 long before the count matters.
            Weights::Geometric => {
                self.geometric * halved(places - self.last) / (1.0 - halved(places))
            }
        };
        match form {
            Form::Plain => mean,
            Form::Literal => mean / count,
        }
    }
}

/// 2^-times.
fn halved(times: u32) -> f64 {
    0.5_f64.powf(f64::from(times))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Weights; 4] =
        [Weights::NonAdaptive, Weights::Shortsighted, Weights::Arithmetic, Weights::Geometric];

    /// A page visited in every cycle: by cycles and by visits is then the same.
    fn frequencies(visits: &[bool], form: Form) -> [f64; 4] {
        let some: Vec<Option<bool>> = visits.iter().copied().map(Some).collect();
        let [by_cycles, by_visits] =
            [Count::Cycles, Count::Visits].map(|n| counted(&some, n, form));
        assert_near(by_cycles, by_visits);
        by_cycles
    }

    /// A page in cycles 1, 2 and so on; it was not visited where there is nothing.
    fn counted(cycles: &[Option<bool>], count: Count, form: Form) -> [f64; 4] {
        let mut seen = VisitHistory::default();
        // Before the first cycle, with its number.
        seen.add(1, None, count);
        for (cycle, changed) in (1..).zip(cycles) {
            if changed.is_some() {
                seen.add(cycle, *changed, count);
            }
        }
        ALL.map(|weights| seen.frequency(cycles.len() as u32, weights, form, count))
    }

    #[test]
    fn by_cycles_one_without_a_visit_found_no_change() {
        // Changed, not visited, not visited, changed, of four cycles: 2/4; the last; (1 + 4)/10;
        // (1 + 8)/15. Of two visits: 1, whatever the weights.
        let cycles = [Some(true), None, None, Some(true)];
        assert_near(counted(&cycles, Count::Cycles, Form::Plain), [0.5, 1.0, 0.5, 0.6]);
        assert_near(counted(&cycles, Count::Visits, Form::Plain), [1.0; 4]);
        // As printed it is divided by four cycles, or by two visits.
        assert_near(counted(&cycles, Count::Cycles, Form::Literal), [0.125, 0.25, 0.125, 0.15]);
        assert_near(counted(&cycles, Count::Visits, Form::Literal), [0.5; 4]);
    }

    #[test]
    fn by_cycles_what_was_found_fades_while_a_page_is_not_visited() {
        // Changed, then two cycles without a visit: 1/3; nothing in the last; 1/6; 1/7.
        let cycles = [Some(true), None, None];
        let third = 1.0 / 3.0;
        assert_near(
            counted(&cycles, Count::Cycles, Form::Plain),
            [third, 0.0, 1.0 / 6.0, 1.0 / 7.0],
        );
        assert_near(counted(&cycles, Count::Visits, Form::Plain), [1.0; 4]);
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
