//! Ranking features: the rank of a page in the results for the most popular words
//! (`docs/papers.md` A1.2, RF).
use super::PageFeatures;
use crawl::{PageNo, Pages};
use text::counts::{TermHash, term_hash};
use text::workload::PreparedWorkload;

/// The most words that any policy uses.
pub const MOST_KEYWORDS: usize = 50;
/// The number of results whose rank counts.
pub const RANKED: usize = 10;

/// A popular word of the workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keyword {
    /// Its terms.
    pub terms: Vec<TermHash>,
}

impl Keyword {
    /// The most popular words, at most [`MOST_KEYWORDS`], by the total frequency of the queries that
    /// contain them; ties in order of first occurrence.
    pub fn most_popular(workload: &PreparedWorkload) -> Vec<Self> {
        let mut frequencies = vec![0.0; workload.vocabulary.len()];
        for query in &workload.queries {
            for &word in &query.words {
                frequencies[word as usize] += query.frequency;
            }
        }
        let mut words: Vec<(f64, u32)> = frequencies.into_iter().zip(0..).collect();
        words.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        words.truncate(MOST_KEYWORDS);
        let keyword = |(_, word)| {
            let forms = workload.vocabulary.forms(word);
            Self { terms: forms.iter().map(|form| term_hash(form)).collect() }
        };
        words.into_iter().map(keyword).collect()
    }

    /// The score of a page for this word alone: sqrt(tf / length), the TF-IDF of our scoring function
    /// without the idf, which is the same for all pages. 0 where the page lacks the word.
    fn score(&self, features: &PageFeatures) -> f64 {
        if !features.form.is_for_people() {
            return 0.0;
        }
        let count: u32 = self.terms.iter().map(|&term| u32::from(features.words.count(term))).sum();
        (f64::from(count) / f64::from(features.counts.words.max(1))).sqrt()
    }

    /// The best pages for this word, the best first.
    pub(super) fn best<'f>(
        &self,
        pages: &Pages,
        features: impl Iterator<Item = (PageNo, &'f PageFeatures)>,
    ) -> Vec<PageNo> {
        let mut best: Vec<(f64, PageNo)> = features
            .map(|(page, features)| (self.score(features), page))
            .filter(|&(score, _)| score > 0.0)
            .collect();
        let better = |a: &(f64, PageNo), b: &(f64, PageNo)| {
            b.0.total_cmp(&a.0).then_with(|| pages.address_order(a.1, b.1))
        };
        if best.len() > RANKED {
            best.select_nth_unstable_by(RANKED, better);
            best.truncate(RANKED);
        }
        best.sort_unstable_by(better);
        best.into_iter().map(|(_, page)| page).collect()
    }
}

/// The ranking feature of the page at `rank`, counted from 1: (11 - rank) / 10 among the first ten,
/// then 0 (Tan and Mitra 2010, eq. 7).
pub fn ranking_feature(rank: usize) -> f32 {
    match rank {
        1..=RANKED => (RANKED + 1 - rank) as f32 / RANKED as f32,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crawl::{Counts, Time};
    use text::{
        counts::WordCounts,
        words::Language,
        workload::{Source, Workload},
    };

    #[test]
    fn the_first_counts_one_and_the_tenth_a_tenth() {
        let near = |rank, expected: f32| (ranking_feature(rank) - expected).abs() < 1e-6;
        assert!(near(1, 1.0) && near(2, 0.9) && near(10, 0.1) && near(11, 0.0) && near(500, 0.0));
    }

    #[test]
    fn popularity_is_the_total_frequency_of_queries() {
        let asked = [("moon phase", 3.0), ("tide", 4.0), ("moon tide", 2.0), ("sun", 1.0)];
        let asked = asked.map(|(query, frequency)| (query.to_owned(), frequency));
        let prepared = Workload::new(Source::Log, asked).prepare(&[Language::Other]);
        // tide 6, moon 5, phase 3, sun 1.
        let popular = Keyword::most_popular(&prepared);
        let terms: Vec<TermHash> =
            popular.iter().flat_map(|keyword| keyword.terms.clone()).collect();
        assert_eq!(terms, ["tide", "moon", "phase", "sun"].map(term_hash));
    }

    #[test]
    fn the_number_of_keywords_is_limited() {
        let asked = (0..200).map(|number| (format!("word{number}"), 1.0));
        let prepared = Workload::new(Source::Log, asked).prepare(&[Language::Other]);
        assert_eq!(Keyword::most_popular(&prepared).len(), MOST_KEYWORDS);
    }

    #[test]
    fn pages_rank_by_the_share_of_the_word() {
        let mut pages = Pages::default();
        let features: Vec<(PageNo, PageFeatures)> =
            [("c", 2, 100), ("b", 1, 10), ("a", 0, 10), ("d", 1, 10)]
                .into_iter()
                .map(|(address, count, words)| {
                    let page = pages.insert(address, Time::from_millis(0));
                    let counts = Counts { words, ..Counts::default() };
                    let words = Arc::new(WordCounts::from_terms(vec![9; count]));
                    (page, PageFeatures { counts, words, ..PageFeatures::default() })
                })
                .collect();
        let keyword = Keyword { terms: vec![9] };
        let best = keyword.best(&pages, features.iter().map(|(page, features)| (*page, features)));
        assert_eq!(best, [PageNo(1), PageNo(3), PageNo(0)]);
    }
}
