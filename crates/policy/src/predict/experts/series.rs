//! The words of a page that vary within a window, as counts by day.
//!
//! Most words of most pages are constant: a page is its current words plus the words that vary. Equal series
//! are stored once for all pages and words: most are one step, and few are different.
use std::collections::BTreeMap;

use crawl::{Span, Time};
use instruments::features::VisitRecord;
use rayon::prelude::*;
use text::counts::{TermHash, WordCounts};

use super::vocabulary::Vocabulary;

/// Pages processed at once: their series take some megabytes before equal ones are merged.
const PAGES_AT_ONCE: usize = 512;

/// All distinct series.
pub(super) struct Catalogue {
    days: usize,
    values: Vec<u16>,
}

impl Catalogue {
    /// How many series there are.
    pub(super) fn len(&self) -> usize {
        self.values.len() / self.days
    }

    /// One series.
    pub(super) fn series(&self, number: u32) -> &[u16] {
        &self.values[number as usize * self.days..][..self.days]
    }
}

/// For each page the words of the vocabulary that vary in the window of `days` days that ends `now`, in order
/// of number, with the number of the series in the catalogue. `form` normalises each series.
pub(super) fn catalogue(
    histories: &[&[VisitRecord]],
    now: Time,
    days: usize,
    vocabulary: &Vocabulary,
    form: impl Fn(&mut [u16]) + Sync,
) -> (Vec<Vec<(u32, u32)>>, Catalogue) {
    let unrolled = |visits: &&[VisitRecord]| {
        let (mut words, mut values) = (vec![], vec![]);
        each_varying(visits, now, days, |term, series| {
            if let Some(number) = vocabulary.number(term) {
                words.push(number);
                values.extend_from_slice(series);
                let start = values.len() - days;
                form(&mut values[start..]);
            }
        });
        (words, values)
    };
    let mut numbers: BTreeMap<Box<[u16]>, u32> = BTreeMap::new();
    let mut rows = Vec::with_capacity(histories.len());
    for histories in histories.chunks(PAGES_AT_ONCE) {
        let pages: Vec<(Vec<u32>, Vec<u16>)> = histories.par_iter().map(unrolled).collect();
        for (words, values) in pages {
            let series = values.chunks_exact(days).map(|series| {
                numbers.get(series).copied().unwrap_or_else(|| {
                    let number = numbers.len() as u32;
                    numbers.insert(series.into(), number);
                    number
                })
            });
            rows.push(words.into_iter().zip(series).collect());
        }
    }
    let mut values = vec![0; numbers.len() * days];
    for (series, number) in numbers {
        values[number as usize * days..][..days].copy_from_slice(&series);
    }
    (rows, Catalogue { days, values })
}

/// Calls `each` with every word whose count varies over the window, in order of hash: its count at the last
/// visit at or before the end of each day, and 0 before the first visit.
pub(super) fn each_varying(
    visits: &[VisitRecord],
    now: Time,
    days: usize,
    mut each: impl FnMut(TermHash, &[u16]),
) {
    let stretches = stretches(visits, now, days);
    if stretches.len() < 2 {
        return;
    }
    let mut counts: Vec<(TermHash, usize, u16)> = vec![];
    for (number, (_, words)) in stretches.iter().enumerate() {
        counts.extend(words.counts().iter().map(|&(term, count)| (term, number, count)));
    }
    counts.sort_unstable();
    let mut series = vec![0; days];
    for counts in counts.chunk_by(|a, b| a.0 == b.0) {
        if counts.len() == stretches.len() && counts.iter().all(|count| count.2 == counts[0].2) {
            continue;
        }
        series.fill(0);
        for &(_, stretch, count) in counts {
            let end = stretches.get(stretch + 1).map_or(days, |next| next.0);
            series[stretches[stretch].0..end].fill(count);
        }
        each(counts[0].0, &series);
    }
}

/// The words of a page by day: from which day of the window it had which, no two in a row the same.
fn stretches(visits: &[VisitRecord], now: Time, days: usize) -> Vec<(usize, &WordCounts)> {
    static NOTHING: std::sync::LazyLock<WordCounts> = std::sync::LazyLock::new(WordCounts::default);
    let day = Span::from_days(1).millis();
    let first_day = |at: Time| {
        let age = usize::try_from((now - at).millis() / day).unwrap_or(0);
        days.saturating_sub(age + 1)
    };
    let mut found: Vec<(usize, &WordCounts)> = vec![(0, &NOTHING)];
    for visit in visits {
        let start = first_day(visit.at);
        // The last visit of a day counts, and the last one before the window.
        found.pop_if(|last| last.0 == start);
        found.push((start, &visit.words));
    }
    found.dedup_by(|next, last| std::ptr::eq(next.1, last.1) || next.1 == last.1);
    found
}

/// Normalises a series for correlation: the least value is 0, and steps have no common divisor.
pub(super) fn reduce(series: &mut [u16]) {
    let least = series.iter().copied().min().unwrap_or(0);
    let mut divisor = 0;
    for value in series.iter_mut() {
        *value -= least;
        divisor = greatest_common_divisor(*value, divisor);
    }
    if divisor > 1 {
        for value in series {
            *value /= divisor;
        }
    }
}

fn greatest_common_divisor(mut one: u16, mut other: u16) -> u16 {
    while other > 0 {
        (one, other) = (other, one % other);
    }
    one
}
