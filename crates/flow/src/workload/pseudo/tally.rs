//! On how many pages each phrase stands, in bounded memory.
use std::collections::BTreeMap;

use crate::Digest;

/// Bits of a digest that decide which phrases are forgotten first.
const BITS: u32 = 8;

/// Counts phrases, of which it keeps at most so many.
///
/// When it is full, it forgets phrases until it is half empty: of those on one page, one half after
/// the other, then of those on two, and so on. Which half is a matter of the phrase's digest, so what
/// is left is a fair sample and not what came last. Phrases that come again after they were forgotten
/// are counted anew.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    pages: BTreeMap<String, u32>,
    most: usize,
}

impl Tally {
    pub(super) fn new(most: usize) -> Self {
        Self { pages: BTreeMap::new(), most }
    }

    /// Counts the phrases of one page, each given once.
    pub(super) fn count(&mut self, phrases: impl IntoIterator<Item = String>) {
        for phrase in phrases {
            *self.pages.entry(phrase).or_default() += 1;
        }
        if self.pages.len() > self.most {
            self.forget();
        }
    }

    fn forget(&mut self) {
        // Ends: once everything may go, the bits leave one phrase in 256.
        let mut passes = 0;
        while self.pages.len() > self.most.div_ceil(2) {
            let (fewest, bit) = (passes / BITS + 1, passes % BITS);
            self.pages.retain(|phrase, on| {
                *on > fewest || (Digest::of(phrase.as_bytes()).0 >> bit) & 1 == 0
            });
            passes += 1;
        }
    }

    /// The phrases, and on how many pages each stands.
    pub(super) fn into_phrases(self) -> impl Iterator<Item = (String, u32)> {
        self.pages.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(tally: Tally) -> BTreeMap<String, u32> {
        tally.into_phrases().collect()
    }

    #[test]
    fn phrases_are_counted_once_a_page() {
        let mut tally = Tally::new(10);
        tally.count(["moon", "sun"].map(str::to_owned));
        tally.count(["moon"].map(str::to_owned));
        assert_eq!(counted(tally), [("moon".into(), 2), ("sun".into(), 1)].into());
    }

    #[test]
    fn when_it_is_full_rare_phrases_are_forgotten_and_frequent_ones_stay() {
        let mut tally = Tally::new(1_000);
        for number in 0..10_000 {
            tally.count(["moon".to_owned(), format!("phrase {number}")]);
        }
        let left = counted(tally);
        assert!((500..=1_000).contains(&left.len()), "{}", left.len());
        assert_eq!(left["moon"], 10_000);
        let early = (0..5_000).filter(|number| left.contains_key(&format!("phrase {number}")));
        assert!(early.count() > 20);
    }

    #[test]
    fn it_never_holds_more_than_it_may_even_where_all_are_frequent() {
        let mut tally = Tally::new(100);
        for _ in 0..50 {
            tally.count((0..2_000).map(|number| format!("phrase {number}")));
            assert!(tally.pages.len() <= 100, "{}", tally.pages.len());
        }
        assert!(!tally.pages.is_empty());
    }
}
