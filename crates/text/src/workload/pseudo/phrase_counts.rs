//! Counts on how many pages each phrase occurs, in bounded memory.
use std::collections::BTreeMap;

use crawl::Digest;

/// Bits of a digest that decide which phrases are dropped first.
const BITS: u32 = 8;

/// Counts phrases, with a limit on their number.
///
/// When it is full, it drops phrases until it is half full: first half of those on one page, then half
/// of the rest of them, and so on; then those on two pages. The phrase's digest decides which half, so
/// the rest is a fair sample and not the latest phrases. Dropped phrases that occur again start at 1.
#[derive(Clone, Debug)]
pub(super) struct PhraseCounts {
    pages: BTreeMap<String, u32>,
    most: usize,
}

impl PhraseCounts {
    pub(super) fn new(most: usize) -> Self {
        Self { pages: BTreeMap::new(), most }
    }

    /// Counts the phrases of one page, each once.
    pub(super) fn count(&mut self, phrases: impl IntoIterator<Item = String>) {
        for phrase in phrases {
            *self.pages.entry(phrase).or_default() += 1;
        }
        if self.pages.len() > self.most {
            self.shrink();
        }
    }

    fn shrink(&mut self) {
        // Terminates: once all phrases may be dropped, the bits leave one phrase in 256.
        let mut passes = 0;
        while self.pages.len() > self.most.div_ceil(2) {
            let (fewest, bit) = (passes / BITS + 1, passes % BITS);
            self.pages.retain(|phrase, on| {
                *on > fewest || (Digest::from_bytes(phrase.as_bytes()).0 >> bit) & 1 == 0
            });
            passes += 1;
        }
    }

    /// The phrases, and the number of pages of each.
    pub(super) fn into_phrases(self) -> impl Iterator<Item = (String, u32)> {
        self.pages.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(phrases: PhraseCounts) -> BTreeMap<String, u32> {
        phrases.into_phrases().collect()
    }

    #[test]
    fn phrases_are_counted_once_per_page() {
        let mut phrases = PhraseCounts::new(10);
        phrases.count(["moon", "sun"].map(str::to_owned));
        phrases.count(["moon"].map(str::to_owned));
        assert_eq!(counted(phrases), [("moon".into(), 2), ("sun".into(), 1)].into());
    }

    #[test]
    fn when_full_rare_phrases_are_dropped_and_frequent_ones_stay() {
        let mut phrases = PhraseCounts::new(1_000);
        for number in 0..10_000 {
            phrases.count(["moon".to_owned(), format!("phrase {number}")]);
        }
        let left = counted(phrases);
        assert!((500..=1_000).contains(&left.len()), "{}", left.len());
        assert_eq!(left["moon"], 10_000);
        let early = (0..5_000).filter(|number| left.contains_key(&format!("phrase {number}")));
        assert!(early.count() > 20);
    }

    #[test]
    fn the_limit_holds_even_where_all_phrases_are_frequent() {
        let mut phrases = PhraseCounts::new(100);
        for _ in 0..50 {
            phrases.count((0..2_000).map(|number| format!("phrase {number}")));
            assert!(phrases.pages.len() <= 100, "{}", phrases.pages.len());
        }
        assert!(!phrases.pages.is_empty());
    }
}
