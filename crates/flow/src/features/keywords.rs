//! Ranking features: where a page stands among the results for what is asked most
//! (`docs/papers.md` A1.2, RF).
use super::{Facts, TermHash, term_hash};
use crate::{PageNo, Pages, workload::PreparedWorkload};

/// As many words as any policy looks at.
pub const MOST_KEYWORDS: usize = 50;
/// How many results have a rank that counts.
pub const RANKED: usize = 10;

/// A word that people ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keyword {
    /// The terms that it is found by.
    pub terms: Vec<TermHash>,
}

impl Keyword {
    /// The words that are asked for most, no more than any policy looks at: each by the frequencies of
    /// the queries that hold it, equally frequent ones in the order in which they are first asked for.
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

    /// What a page is worth for this word alone: sqrt(tf / length), the TF-IDF of our scoring
    /// function without the idf, which is the same for all pages. 0 where the page lacks the word.
    fn score(&self, facts: &Facts) -> f64 {
        if !facts.form.is_for_people() {
            return 0.0;
        }
        let count: u32 = self.terms.iter().map(|&term| u32::from(facts.words.count(term))).sum();
        (f64::from(count) / f64::from(facts.counts.words.max(1))).sqrt()
    }

    /// The pages that rank first for this word, the best first.
    pub(super) fn best<'f>(
        &self,
        pages: &Pages,
        facts: impl Iterator<Item = (PageNo, &'f Facts)>,
    ) -> Vec<PageNo> {
        let mut best: Vec<(f64, PageNo)> = facts
            .map(|(page, facts)| (self.score(facts), page))
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
    use crate::{
        Counts, Time,
        features::WordCounts,
        words::Language,
        workload::{Source, Workload},
    };

    #[test]
    fn the_first_counts_one_and_the_tenth_a_tenth() {
        let near = |rank, expected: f32| (ranking_feature(rank) - expected).abs() < 1e-6;
        assert!(near(1, 1.0) && near(2, 0.9) && near(10, 0.1) && near(11, 0.0) && near(500, 0.0));
    }

    #[test]
    fn popular_words_are_those_of_frequent_queries_together() {
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
    fn no_more_words_than_any_policy_looks_at() {
        let asked = (0..200).map(|number| (format!("word{number}"), 1.0));
        let prepared = Workload::new(Source::Log, asked).prepare(&[Language::Other]);
        assert_eq!(Keyword::most_popular(&prepared).len(), MOST_KEYWORDS);
    }

    #[test]
    fn pages_rank_by_how_much_of_them_is_the_word() {
        let mut pages = Pages::default();
        let facts: Vec<(PageNo, Facts)> = [("c", 2, 100), ("b", 1, 10), ("a", 0, 10), ("d", 1, 10)]
            .into_iter()
            .map(|(address, count, words)| {
                let page = pages.admit(address, Time::from_millis(0));
                let counts = Counts { words, ..Counts::default() };
                let words = Arc::new(WordCounts::of(vec![9; count]));
                (page, Facts { counts, words, ..Facts::default() })
            })
            .collect();
        let keyword = Keyword { terms: vec![9] };
        let best = keyword.best(&pages, facts.iter().map(|(page, facts)| (*page, facts)));
        assert_eq!(best, [PageNo(1), PageNo(3), PageNo(0)]);
    }
}
