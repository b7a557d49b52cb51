//! The scoring functions S of the papers.
use super::{Profile, WordNo};

/// What a page is scored by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scoring {
    /// The classic TF-IDF of Lucene (Pandey and Olston 2005).
    TfIdf,
    /// How many pages link to it (Pandey and Olston 2005).
    InLinks,
    /// Half TF-IDF, half `PageRank`, both in [0, 1] (Tan and Mitra 2010, eq. 14).
    Blend,
}

/// What is known of a collection of pages: how many there are, and how many hold each word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// How many pages there are.
    pub pages: u32,
    /// How many of them hold each word, by word.
    pub holding: Vec<u32>,
}

impl Statistics {
    /// Counts a collection.
    pub fn of<'p>(words: usize, profiles: impl Iterator<Item = &'p Profile>) -> Self {
        let mut statistics = Self { pages: 0, holding: vec![0; words] };
        for profile in profiles {
            statistics.pages += 1;
            for &(word, _) in profile.counts() {
                statistics.holding[word as usize] += 1;
            }
        }
        statistics
    }

    /// The weight of a word: 1 + ln(N / (df + 1)).
    pub fn inverse_frequency(&self, word: WordNo) -> f64 {
        let holding = f64::from(self.holding[word as usize]);
        1.0 + (f64::from(self.pages) / (holding + 1.0)).ln()
    }

    /// The TF-IDF of a page for a query: sum of sqrt(tf) idf² / sqrt(length) over its words, each
    /// word once. `None` where the page does not hold all of them.
    pub fn tf_idf(&self, profile: &Profile, words: &[WordNo]) -> Option<f64> {
        let mut sum = 0.0;
        for &word in words {
            let count = profile.count(word);
            if count == 0 {
                return None;
            }
            sum += f64::from(count).sqrt() * self.inverse_frequency(word).powi(2);
        }
        Some(sum / f64::from(profile.length).sqrt())
    }
}
