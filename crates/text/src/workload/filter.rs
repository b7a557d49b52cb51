//! Selects the queries of a general workload that a collection of pages can answer (Pandey and Olston
//! 2005).
use super::{PreparedWorkload, knee::knee};
use crate::relevance::{Postings, Profile, Statistics, Vocabulary, WordNo};

/// How many queries passed each step of the filter, for reports.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Filter {
    /// The number of queries before filtering.
    pub queries: usize,
    /// Those with at least one result.
    pub answered: usize,
    /// Those at the knee or above.
    pub above_knee: usize,
    /// Those that were kept.
    pub kept: usize,
    /// The sum of TF-IDF that a query needs: the value at the knee, or the lowest value.
    pub threshold: f64,
}

impl PreparedWorkload {
    /// The relevance of each query to a collection: the sum of TF-IDF over the pages that contain all
    /// its words.
    pub fn relevance<'p>(
        &self,
        profiles: impl IntoIterator<Item = &'p Profile>,
        statistics: &Statistics,
    ) -> Vec<f64> {
        let profiles: Vec<&Profile> = profiles.into_iter().collect();
        let postings = Postings::from_profiles(self.vocabulary.len(), &profiles);
        let words = 0..self.vocabulary.len() as WordNo;
        let weights: Vec<f64> = words.map(|word| statistics.weight(word)).collect();
        let sum = |words: &[WordNo]| {
            let mut sum = 0.0;
            postings.each_match(words, |page, counts| {
                // The steps of `Statistics::tf_idf` in the same order, so the result has the same bits.
                let weighed = words
                    .iter()
                    .zip(counts)
                    .map(|(&word, &count)| f64::from(count).sqrt() * weights[word as usize]);
                sum += weighed.sum::<f64>() / f64::from(profiles[page].length).sqrt();
            });
            sum
        };
        self.queries.iter().map(|query| sum(&query.words)).collect()
    }

    /// Drops queries without results, then those whose `relevance` (by query) is below the
    /// [knee](super::knee()) of the rest, then all but the `limit` most frequent, ties by text.
    /// Pseudo-queries come from the collection itself, so all of them with results are relevant and
    /// there is no knee.
    ///
    /// # Panics
    /// If `relevance` does not have one number per query.
    #[must_use]
    pub fn filtered(self, relevance: &[f64], limit: usize) -> (Self, Filter) {
        assert_eq!(relevance.len(), self.queries.len(), "one number per query");
        let is_answered = |sum: f64| sum > 0.0 && sum.is_finite();
        let mut sums: Vec<f64> =
            relevance.iter().copied().filter(|&sum| is_answered(sum)).collect();
        sums.sort_unstable_by(|a, b| b.total_cmp(a));
        let at_knee = if self.source.is_pseudo() { None } else { knee(&sums) };
        let threshold = at_knee.or(sums.last().copied()).unwrap_or(0.0);
        let mut filter = Filter {
            queries: relevance.len(),
            answered: sums.len(),
            threshold,
            ..Filter::default()
        };

        let with_sums = self.queries.into_iter().zip(relevance);
        let relevant = with_sums.filter(|&(_, &sum)| is_answered(sum) && sum >= threshold);
        let mut queries: Vec<_> = relevant.map(|(query, _)| query).collect();
        filter.above_knee = queries.len();
        queries
            .sort_by(|a, b| b.frequency.total_cmp(&a.frequency).then_with(|| a.text.cmp(&b.text)));
        queries.truncate(limit);
        filter.kept = queries.len();

        let mut vocabulary = Vocabulary::default();
        for query in &mut queries {
            for word in &mut query.words {
                *word = vocabulary.add(self.vocabulary.forms(*word));
            }
            query.words.sort_unstable();
        }
        (Self { source: self.source, queries, vocabulary }, filter)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        words::Language,
        workload::{Source, Workload},
    };

    fn workload(queries: &[(&str, f64)]) -> PreparedWorkload {
        let queries = queries.iter().map(|&(text, frequency)| (text.to_owned(), frequency));
        Workload::new(Source::Log, queries).prepare(&[Language::Other])
    }

    fn texts(workload: &PreparedWorkload) -> Vec<&str> {
        workload.queries.iter().map(|query| query.text.as_str()).collect()
    }

    #[test]
    fn relevance_sums_over_the_pages_that_contain_every_word() {
        let workload = workload(&[("moon phase", 3.0), ("phase", 2.0), ("sun", 1.0)]);
        let profiles = [
            Profile::new(4, vec![(0, 1), (1, 4)]),
            Profile::new(9, vec![(1, 1)]),
            Profile::new(16, vec![]),
        ];
        let statistics = Statistics::from_profiles(3, profiles.iter());
        // Three pages, of which one has "moon" and two have "phase".
        let (moon, phase) = (1.0 + (3.0_f64 / 2.0).ln(), 1.0 + (3.0_f64 / 3.0).ln());
        let both = 0.5 * (moon * moon + 2.0 * phase * phase);
        let one = 2.0 * phase * phase / 2.0 + phase * phase / 3.0;
        let sums = workload.relevance(&profiles, &statistics);
        let near =
            sums.iter().zip([both, one, 0.0]).all(|(sum, by_hand)| (sum - by_hand).abs() < 1e-12);
        assert!(near, "{sums:?} {both} {one}");
    }

    #[test]
    fn queries_below_the_knee_are_dropped_then_the_rarest() {
        let names = ["a0", "a1", "a2", "a3", "b0", "b1", "b2", "b3", "none"];
        let queries: Vec<(&str, f64)> =
            names.into_iter().zip([1.0, 3.0, 1.0, 2.0, 9.0, 9.0, 9.0, 9.0, 9.0]).collect();
        let workload = workload(&queries);
        // The four that begin with "a" fall steeply, the others hardly.
        let sum = |text: &str| match names.iter().position(|&name| name == text).unwrap() {
            8 => 0.0,
            steep @ 0..4 => (8.0 - 2.0 * steep as f64).exp(),
            flat => (2.0 - 0.1 * (flat - 3) as f64).exp(),
        };
        let sums: Vec<f64> = workload.queries.iter().map(|query| sum(&query.text)).collect();
        let (all, filter) = workload.clone().filtered(&sums, 100);
        assert_eq!(texts(&all), ["a1", "a3", "a0", "a2"]);
        let threshold = 2.0_f64.exp();
        let expected = Filter { queries: 9, answered: 8, above_knee: 4, kept: 4, threshold };
        assert_eq!(filter, expected);
        let (three, filter) = workload.filtered(&sums, 3);
        assert_eq!(texts(&three), ["a1", "a3", "a0"]);
        assert_eq!(filter, Filter { kept: 3, ..expected });
    }

    #[test]
    fn pseudo_queries_are_not_cut_at_a_knee() {
        let mut workload = workload(&[("a", 1.0), ("b", 1.0), ("c", 1.0), ("d", 1.0), ("e", 1.0)]);
        let sums = [100.0, 10.0, 1.1, 1.0, 0.0];
        assert_eq!(workload.clone().filtered(&sums, 9).1.above_knee, 3);
        workload.source = Source::Pseudo;
        let (_, filter) = workload.filtered(&sums, 9);
        let expected = Filter { queries: 5, answered: 4, above_knee: 4, kept: 4, threshold: 1.0 };
        assert_eq!(filter, expected);
    }

    #[test]
    fn the_words_of_dropped_queries_are_dropped() {
        let workload = workload(&[("moon phase", 3.0), ("sun", 2.0), ("phase sun", 1.0)]);
        let (left, _) = workload.filtered(&[0.0, 5.0, 5.0], 100);
        assert_eq!(texts(&left), ["sun", "phase sun"]);
        assert_eq!(left.vocabulary.len(), 2);
        let words = |query: usize| -> Vec<&str> {
            let words = left.queries[query].words.iter();
            words.map(|&word| left.vocabulary.forms(word)[0].as_str()).collect()
        };
        assert_eq!(words(0), ["sun"]);
        assert_eq!(words(1), ["sun", "phase"]);
        assert_eq!(left.vocabulary.term("moon"), None);
        assert_eq!(left.source, Source::Log);
    }

    #[test]
    fn few_or_equal_sums_are_all_kept() {
        for sums in [&[][..], &[1.0], &[9.0, 1.0], &[2.0, 2.0, 2.0, 2.0]] {
            let queries: Vec<(&str, f64)> = ["a", "b", "c", "d"].map(|text| (text, 1.0)).into();
            let (left, filter) = workload(&queries[..sums.len()]).filtered(sums, 100);
            assert_eq!(left.queries.len(), sums.len());
            assert_eq!((filter.above_knee, filter.kept), (sums.len(), sums.len()));
        }
    }

    #[test]
    fn a_collection_that_answers_nothing_leaves_nothing() {
        let (left, filter) = workload(&[("a", 1.0), ("b", 1.0)]).filtered(&[0.0, f64::NAN], 9);
        assert!(left.queries.is_empty() && left.vocabulary.is_empty());
        assert_eq!(filter, Filter { queries: 2, ..Filter::default() });
    }

    proptest! {
        #[test]
        fn relevance_is_the_sum_of_tf_idf_over_every_page(
            pages in prop::collection::vec(prop::collection::btree_map(0..5_u32, 1..9_u32, 0..5), 0..40),
        ) {
            let workload = workload(&[("a", 5.0), ("b c", 4.0), ("d e a", 3.0), ("e b", 2.0)]);
            let profiles: Vec<Profile> = pages
                .into_iter()
                .map(|counts| Profile::new(50, counts.into_iter().collect()))
                .collect();
            let statistics = Statistics::from_profiles(workload.vocabulary.len(), profiles.iter());
            let by_page: Vec<f64> = workload
                .queries
                .iter()
                .map(|query| {
                    let scores = profiles.iter().filter_map(|page| statistics.tf_idf(page, &query.words));
                    scores.fold(0.0, |sum, score| sum + score)
                })
                .collect();
            prop_assert_eq!(workload.relevance(&profiles, &statistics), by_page);
        }
    }
}
