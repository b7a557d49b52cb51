//! Which queries each reading answers, and its TF-IDF for them.
//!
//! A page answers a query if it has all of its words (`docs/papers.md` A3.3). The statistics of the
//! web are frozen, so the TF-IDF of a reading for a query never changes. It is computed once for
//! all runs and cycles.
use rayon::prelude::*;
use text::relevance::{Profile, Statistics, WordNo};

/// For every reading, the queries it answers with its TF-IDF for each, by query number.
#[derive(Debug, Default)]
pub(super) struct Matches {
    /// The offsets of each reading's answers, plus one at the end.
    begins: Vec<usize>,
    queries: Vec<u32>,
    scores: Vec<f64>,
}

impl Matches {
    /// Matches readings, by their profiles, with queries, by their words. A reading without a
    /// profile answers nothing.
    pub(super) fn new(
        profiles: &[Option<Profile>],
        statistics: &Statistics,
        queries: &[&[WordNo]],
    ) -> Self {
        // A query is only tested at readings that have its rarest word.
        let mut by_rarest: Vec<Vec<u32>> = vec![vec![]; statistics.document_frequencies.len()];
        for (query, words) in (0_u32..).zip(queries) {
            let rarest = words
                .iter()
                .min_by_key(|&&word| (statistics.document_frequencies[word as usize], word));
            if let Some(&rarest) = rarest {
                by_rarest[rarest as usize].push(query);
            }
        }
        let answered: Vec<Vec<(u32, f64)>> = profiles
            .par_iter()
            .map(|profile| {
                let Some(profile) = profile else { return vec![] };
                let words = profile.counts().iter();
                let candidates = words.flat_map(|&(word, _)| &by_rarest[word as usize]);
                let scored = candidates.filter_map(|&query| {
                    let score = statistics.tf_idf(profile, queries[query as usize])?;
                    Some((query, score))
                });
                let mut answered: Vec<(u32, f64)> = scored.collect();
                answered.sort_unstable_by_key(|&(query, _)| query);
                answered
            })
            .collect();
        let all = answered.iter().map(Vec::len).sum();
        let mut matches = Self {
            begins: Vec::with_capacity(answered.len() + 1),
            queries: Vec::with_capacity(all),
            scores: Vec::with_capacity(all),
        };
        for answered in &answered {
            matches.begins.push(matches.queries.len());
            matches.queries.extend(answered.iter().map(|&(query, _)| query));
            matches.scores.extend(answered.iter().map(|&(_, score)| score));
        }
        matches.begins.push(matches.queries.len());
        matches
    }

    /// The queries that a reading answers, with its TF-IDF for each.
    pub(super) fn of_reading(&self, reading: u32) -> impl Iterator<Item = (u32, f64)> {
        let rows = self.rows(reading);
        self.queries[rows.clone()].iter().copied().zip(self.scores[rows].iter().copied())
    }

    /// The TF-IDF of a reading for a query; 0 if it does not answer it. It is above 0 for a match,
    /// since a word occurs at least once in it and on at most all pages.
    pub(super) fn score(&self, reading: u32, query: u32) -> f64 {
        let rows = self.rows(reading);
        let found = self.queries[rows.clone()].binary_search(&query);
        found.map_or(0.0, |row| self.scores[rows][row])
    }

    fn rows(&self, reading: u32) -> std::ops::Range<usize> {
        self.begins[reading as usize]..self.begins[reading as usize + 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reading_answers_the_queries_of_which_it_holds_every_word() {
        let profiles = [
            Some(Profile::new(4, vec![(0, 1), (1, 4)])),
            None,
            Some(Profile::new(9, vec![(1, 1), (2, 1)])),
        ];
        let statistics = Statistics::from_profiles(3, profiles.iter().flatten());
        let queries: [&[WordNo]; 4] = [&[1], &[0, 1], &[0, 2], &[]];
        let matches = Matches::new(&profiles, &statistics, &queries);
        let answered =
            |reading| matches.of_reading(reading).map(|(query, _)| query).collect::<Vec<_>>();
        assert_eq!([answered(0), answered(1), answered(2)], [vec![0, 1], vec![], vec![0]]);
        // Word 1 is in both of the two pages, word 0 in one: idf 1 + ln(2/3) and 1 + ln(2/2).
        let common = (1.0 + (2.0_f64 / 3.0).ln()).powi(2);
        assert!((matches.score(0, 0) - 2.0 * common / 2.0).abs() < 1e-12);
        assert!((matches.score(0, 1) - (common + 0.5)).abs() < 1e-12);
        assert!((matches.score(2, 0) - common / 3.0).abs() < 1e-12);
        assert!(matches.score(2, 1).abs() < f64::MIN_POSITIVE);
    }
}
