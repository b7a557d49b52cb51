//! The last visits of a page: when, what had changed, and the word counts.
//!
//! No snapshots are kept. A visit costs its time, its changes and the difference of word counts, so that
//! the counts of every visit can be reconstructed backwards from the last.
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crawl::Time;
use text::counts::{TermHash, WordCounts, each_word};

/// What had changed on a page since the visit before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    /// Anything, by the change detector of the crawl.
    pub any: bool,
    /// The distribution of its words, by a chi-squared test.
    pub significant: bool,
    /// It has a link that it did not have.
    pub new_link: bool,
}

/// Which change to predict (Radinsky and Bennett 2013, section 3.1; the second kind there, becoming
/// relevant to queries, is what the user-centric policies measure).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Target {
    /// A significant change of the words.
    #[default]
    Significant,
    /// Any change, by the change detector of the crawl.
    Any,
    /// A new link.
    NewLink,
}

impl Target {
    /// Every target, by the name used in settings.
    pub const ALL: [(&'static str, Self); 3] =
        [("significant", Self::Significant), ("any", Self::Any), ("new-link", Self::NewLink)];
}

impl Changes {
    /// Whether there was a change of this kind.
    pub fn includes(self, target: Target) -> bool {
        match target {
            Target::Significant => self.significant,
            Target::Any => self.any,
            Target::NewLink => self.new_link,
        }
    }
}

/// One visit of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisitRecord {
    /// When it was.
    pub at: Time,
    /// What had changed since the visit before.
    pub changes: Changes,
    /// The word counts. Visits with equal counts share them.
    pub words: Arc<WordCounts>,
}

/// The last visits of a page. The word counts of the latest visit are in [`PageFeatures`]; those of
/// earlier visits are reconstructed from them.
///
/// [`PageFeatures`]: super::PageFeatures
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window(Vec<StoredVisit>);

/// A visit, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct StoredVisit {
    at: Time,
    changes: Changes,
    /// What to add to the word counts of this visit to get those of the visit before.
    undo: Box<[(TermHash, i32)]>,
}

impl Window {
    /// The number of visits.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The approximate memory use.
    pub fn bytes(&self) -> usize {
        let undo = self.0.iter().map(|visit| size_of_val(&*visit.undo)).sum::<usize>();
        size_of_val(&*self.0) + undo
    }

    /// Adds a visit and drops the oldest beyond `most`. `before` and `now` are the word counts of the
    /// visit before, if there was one, and of this one.
    #[must_use]
    pub(super) fn with(
        mut self,
        at: Time,
        changes: Changes,
        before: Option<&WordCounts>,
        now: &WordCounts,
        most: usize,
    ) -> Self {
        let undo = match before {
            Some(before) if !self.0.is_empty() => difference(now, before),
            _ => Box::default(),
        };
        self.0.push(StoredVisit { at, changes, undo });
        let surplus = self.0.len().saturating_sub(most);
        self.0.drain(..surplus);
        if let Some(oldest) = self.0.first_mut() {
            oldest.undo = Box::default();
        }
        self
    }

    /// The visits, the oldest first; `words` are the counts of the latest.
    pub(super) fn visits(&self, words: &Arc<WordCounts>) -> Vec<VisitRecord> {
        let mut words = Arc::clone(words);
        let mut visits = Vec::with_capacity(self.0.len());
        for &StoredVisit { at, changes, ref undo } in self.0.iter().rev() {
            visits.push(VisitRecord { at, changes, words: Arc::clone(&words) });
            if !undo.is_empty() {
                words = Arc::new(add(&words, undo));
            }
        }
        visits.reverse();
        visits
    }
}

/// What to add to `from` to get `to`.
fn difference(from: &WordCounts, to: &WordCounts) -> Box<[(TermHash, i32)]> {
    let mut changed = vec![];
    each_word(from, to, |term, from, to| {
        if from != to {
            changed.push((term, i32::from(to) - i32::from(from)));
        }
    });
    changed.into()
}

/// Adds a difference to word counts.
fn add(words: &WordCounts, difference: &[(TermHash, i32)]) -> WordCounts {
    let mut counts = Vec::with_capacity(words.counts().len() + difference.len());
    let mut difference = difference.iter().copied().peekable();
    // Stored bytes may be wrong, so counts are clamped.
    let sum = |count: u16, more: i32| {
        u16::try_from(i32::from(count).saturating_add(more).max(0)).unwrap_or(u16::MAX)
    };
    for &(term, count) in words.counts() {
        while let Some((other, more)) = difference.next_if(|&(other, _)| other < term) {
            counts.push((other, sum(0, more)));
        }
        let more = difference.next_if(|&(other, _)| other == term).map_or(0, |(_, more)| more);
        counts.push((term, sum(count, more)));
    }
    counts.extend(difference.map(|(term, more)| (term, sum(0, more))));
    counts.retain(|&(_, count)| count > 0);
    WordCounts::from_sorted(counts)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn day(day: i64) -> Time {
        Time::from_millis(day * 86_400_000)
    }

    /// The window after visits with these words, a day apart, and the last word counts.
    fn window(visits: &[Vec<TermHash>], most: usize) -> (Window, Arc<WordCounts>) {
        let mut window = Window::default();
        let mut before: Option<WordCounts> = None;
        for (number, terms) in visits.iter().enumerate() {
            let now = WordCounts::from_terms(terms.clone());
            let changes =
                Changes { any: before.as_ref().is_some_and(|it| *it != now), ..Changes::default() };
            window = window.with(day(number as i64), changes, before.as_ref(), &now, most);
            before = Some(now);
        }
        (window, Arc::new(before.unwrap_or_default()))
    }

    #[test]
    fn the_words_of_every_visit_are_reconstructed() {
        let visits = [vec![1, 2, 2], vec![1, 2, 2], vec![2, 3], vec![2, 3, 3, 4]];
        let (window, last) = window(&visits, 10);
        let records = window.visits(&last);
        let words: Vec<&[(TermHash, u16)]> =
            records.iter().map(|visit| visit.words.counts()).collect();
        assert_eq!(
            words,
            [
                &[(1, 1), (2, 2)][..],
                &[(1, 1), (2, 2)],
                &[(2, 1), (3, 1)],
                &[(2, 1), (3, 2), (4, 1)]
            ]
        );
        assert!(Arc::ptr_eq(&records[0].words, &records[1].words));
        let changed: Vec<bool> = records.iter().map(|visit| visit.changes.any).collect();
        assert_eq!(changed, [false, false, true, true]);
        assert_eq!(records[3].at, day(3));
    }

    #[test]
    fn an_unchanged_page_costs_no_words() {
        let (window, _) = window(&[vec![1; 9], vec![1; 9], vec![1; 9]], 10);
        assert!(window.0.iter().all(|visit| visit.undo.is_empty()));
    }

    #[test]
    fn only_the_last_visits_are_kept() {
        let (window, last) = window(&[vec![1], vec![2], vec![3]], 2);
        let records = window.visits(&last);
        assert_eq!(window.len(), 2);
        assert_eq!(records[0].words.counts(), [(2, 1)]);
        // It had changed since a visit that is no longer kept.
        assert!(records[0].changes.any);
        assert!(window.0[0].undo.is_empty());
    }

    proptest! {
        #[test]
        fn any_words_are_reconstructed(
            visits in prop::collection::vec(prop::collection::vec(0_u32..6, 0..12), 1..12),
            most in 1_usize..14,
        ) {
            let (window, last) = window(&visits, most);
            let expected: Vec<WordCounts> = visits.iter().cloned().map(WordCounts::from_terms).collect();
            let kept = &expected[expected.len().saturating_sub(most)..];
            let records = window.visits(&last);
            let found: Vec<WordCounts> = records.iter().map(|visit| (*visit.words).clone()).collect();
            prop_assert_eq!(found, kept);
        }

        #[test]
        fn invalid_differences_do_not_panic(
            words in prop::collection::vec(0_u32..6, 0..12),
            undo in prop::collection::vec((0_u32..8, any::<i32>()), 0..6),
        ) {
            let visit = StoredVisit { at: day(0), changes: Changes::default(), undo: undo.into() };
            let records = Window(vec![visit.clone(), visit]).visits(&Arc::new(WordCounts::from_terms(words)));
            prop_assert_eq!(records.len(), 2);
        }
    }
}
