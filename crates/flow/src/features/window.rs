//! A page as its last visits found it: when, what had changed, and which words it had.
//!
//! No snapshot is kept for it. A visit costs its time and its changes, and where words came or went the
//! difference, so that the words of every visit can be told from those of the last one backwards.
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{TermHash, WordCounts};
use crate::Time;

/// What of a page had changed since the visit before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    /// Something that the crawl's detector takes for a change.
    pub any: bool,
    /// The distribution of its words, by a chi-squared test.
    pub significant: bool,
    /// It links to an address that it did not link to.
    pub new_link: bool,
}

/// Which change is asked about (Radinsky and Bennett 2013, section 3.1; the second kind there, becoming
/// relevant to queries, is what the user-centric policies measure).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Target {
    /// That of the words.
    #[default]
    Significant,
    /// Whatever the crawl's detector takes for one.
    Any,
    /// A link that was not there.
    NewLink,
}

impl Target {
    /// Every target, by the name used in settings.
    pub const ALL: [(&'static str, Self); 3] =
        [("significant", Self::Significant), ("any", Self::Any), ("new-link", Self::NewLink)];
}

impl Changes {
    /// Whether what is asked about had changed.
    pub fn of(self, target: Target) -> bool {
        match target {
            Target::Significant => self.significant,
            Target::Any => self.any,
            Target::NewLink => self.new_link,
        }
    }
}

/// What one visit found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// When.
    pub at: Time,
    /// What had changed since the visit before.
    pub changes: Changes,
    /// The words of the page. Looks that found the same ones share them.
    pub words: Arc<WordCounts>,
}

/// The last visits of a page. The words of the latest are not in it: they are kept with the page's other
/// facts, and all earlier ones are told from these.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window(Vec<Past>);

/// A visit, as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Past {
    at: Time,
    changes: Changes,
    /// What makes the words of the visit before out of this one's: how often each is to be added.
    undo: Box<[(TermHash, i32)]>,
}

impl Window {
    /// How many visits it has.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// About how much memory it takes.
    pub fn bytes(&self) -> usize {
        let undo = self.0.iter().map(|past| size_of_val(&*past.undo)).sum::<usize>();
        size_of_val(&*self.0) + undo
    }

    /// The same with one visit more, and at most `most` in all: `before` and `now` are the words of the
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
        self.0.push(Past { at, changes, undo });
        let surplus = self.0.len().saturating_sub(most);
        self.0.drain(..surplus);
        if let Some(oldest) = self.0.first_mut() {
            oldest.undo = Box::default();
        }
        self
    }

    /// Its visits, the oldest first, where `words` are those of the latest.
    pub(super) fn looks(&self, words: &Arc<WordCounts>) -> Vec<Look> {
        let mut words = Arc::clone(words);
        let mut looks = Vec::with_capacity(self.0.len());
        for past in self.0.iter().rev() {
            looks.push(Look { at: past.at, changes: past.changes, words: Arc::clone(&words) });
            if !past.undo.is_empty() {
                words = Arc::new(undone(&words, &past.undo));
            }
        }
        looks.reverse();
        looks
    }
}

/// What has to be added to `from` to get `to`.
fn difference(from: &WordCounts, to: &WordCounts) -> Box<[(TermHash, i32)]> {
    let mut changed = vec![];
    each_word(from, to, |term, from, to| {
        if from != to {
            changed.push((term, i32::from(to) - i32::from(from)));
        }
    });
    changed.into()
}

fn undone(words: &WordCounts, undo: &[(TermHash, i32)]) -> WordCounts {
    let mut counts = Vec::with_capacity(words.counts().len() + undo.len());
    let mut undo = undo.iter().copied().peekable();
    // Bytes from a disk may say anything; a count is never less than none.
    let add = |count: u16, more: i32| {
        u16::try_from(i32::from(count).saturating_add(more).max(0)).unwrap_or(u16::MAX)
    };
    for &(term, count) in words.counts() {
        while let Some((other, more)) = undo.next_if(|&(other, _)| other < term) {
            counts.push((other, add(0, more)));
        }
        let more = undo.next_if(|&(other, _)| other == term).map_or(0, |(_, more)| more);
        counts.push((term, add(count, more)));
    }
    counts.extend(undo.map(|(term, more)| (term, add(0, more))));
    counts.retain(|&(_, count)| count > 0);
    WordCounts::from_sorted(counts)
}

/// Goes through the words of two pages: each with how often either has it.
pub(crate) fn each_word(
    one: &WordCounts,
    other: &WordCounts,
    mut each: impl FnMut(TermHash, u16, u16),
) {
    let (mut ones, mut others) = (one.counts().iter().peekable(), other.counts().iter().peekable());
    loop {
        let term = match (ones.peek(), others.peek()) {
            (Some((one, _)), Some((other, _))) => *one.min(other),
            (Some((term, _)), None) | (None, Some((term, _))) => *term,
            (None, None) => return,
        };
        let take = |words: &mut std::iter::Peekable<std::slice::Iter<'_, (TermHash, u16)>>| {
            words.next_if(|(found, _)| *found == term).map_or(0, |(_, count)| *count)
        };
        let counts = (take(&mut ones), take(&mut others));
        each(term, counts.0, counts.1);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn day(day: i64) -> Time {
        Time::from_millis(day * 86_400_000)
    }

    /// The window after visits that found these words, a day apart, and the last words.
    fn window(visits: &[Vec<TermHash>], most: usize) -> (Window, Arc<WordCounts>) {
        let mut window = Window::default();
        let mut before: Option<WordCounts> = None;
        for (number, terms) in visits.iter().enumerate() {
            let now = WordCounts::of(terms.clone());
            let changes =
                Changes { any: before.as_ref().is_some_and(|it| *it != now), ..Changes::default() };
            window = window.with(day(number as i64), changes, before.as_ref(), &now, most);
            before = Some(now);
        }
        (window, Arc::new(before.unwrap_or_default()))
    }

    #[test]
    fn the_words_of_every_visit_are_told_from_the_last() {
        let visits = [vec![1, 2, 2], vec![1, 2, 2], vec![2, 3], vec![2, 3, 3, 4]];
        let (window, last) = window(&visits, 10);
        let looks = window.looks(&last);
        let words: Vec<&[(TermHash, u16)]> = looks.iter().map(|look| look.words.counts()).collect();
        assert_eq!(
            words,
            [
                &[(1, 1), (2, 2)][..],
                &[(1, 1), (2, 2)],
                &[(2, 1), (3, 1)],
                &[(2, 1), (3, 2), (4, 1)]
            ]
        );
        assert!(Arc::ptr_eq(&looks[0].words, &looks[1].words));
        let changed: Vec<bool> = looks.iter().map(|look| look.changes.any).collect();
        assert_eq!(changed, [false, false, true, true]);
        assert_eq!(looks[3].at, day(3));
    }

    #[test]
    fn a_visit_that_found_the_same_costs_no_words() {
        let (window, _) = window(&[vec![1; 9], vec![1; 9], vec![1; 9]], 10);
        assert!(window.0.iter().all(|past| past.undo.is_empty()));
    }

    #[test]
    fn only_the_last_visits_are_kept() {
        let (window, last) = window(&[vec![1], vec![2], vec![3]], 2);
        let looks = window.looks(&last);
        assert_eq!(window.len(), 2);
        assert_eq!(looks[0].words.counts(), [(2, 1)]);
        // It says that it had changed since a visit that is no longer kept.
        assert!(looks[0].changes.any);
        assert!(window.0[0].undo.is_empty());
    }

    proptest! {
        #[test]
        fn whatever_visits_find_is_told_again(
            visits in prop::collection::vec(prop::collection::vec(0_u32..6, 0..12), 1..12),
            most in 1_usize..14,
        ) {
            let (window, last) = window(&visits, most);
            let expected: Vec<WordCounts> = visits.iter().cloned().map(WordCounts::of).collect();
            let kept = &expected[expected.len().saturating_sub(most)..];
            let looks = window.looks(&last);
            let found: Vec<WordCounts> = looks.iter().map(|look| (*look.words).clone()).collect();
            prop_assert_eq!(found, kept);
        }

        #[test]
        fn bytes_that_say_nonsense_do_no_harm(
            words in prop::collection::vec(0_u32..6, 0..12),
            undo in prop::collection::vec((0_u32..8, any::<i32>()), 0..6),
        ) {
            let past = Past { at: day(0), changes: Changes::default(), undo: undo.into() };
            let looks = Window(vec![past.clone(), past]).looks(&Arc::new(WordCounts::of(words)));
            prop_assert_eq!(looks.len(), 2);
        }
    }
}
