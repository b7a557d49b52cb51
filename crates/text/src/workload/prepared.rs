//! Workloads with queries as numbered words.
use super::{Source, Workload};
use crate::{
    relevance::{Vocabulary, WordNo},
    words::{Language, query_words},
};

/// A workload whose queries are numbered words.
#[derive(Clone, Debug, Default)]
pub struct PreparedWorkload {
    /// Where the queries come from.
    pub source: Source,
    /// The queries, the most frequent first, ties by text.
    pub queries: Vec<PreparedQuery>,
    /// Their words.
    pub vocabulary: Vocabulary,
}

/// A query as numbered words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PreparedQuery {
    /// The text of the query.
    pub text: String,
    /// How often it is asked, in any unit; only ratios matter.
    pub frequency: f64,
    /// Its words, each once, in order of number; at least one.
    pub words: Vec<WordNo>,
}

impl Workload {
    /// The workload for a collection of pages in these languages. Queries without a word are dropped,
    /// because no page matches them.
    pub fn prepare(&self, languages: &[Language]) -> PreparedWorkload {
        let mut vocabulary = Vocabulary::default();
        let mut queries = vec![];
        for query in &self.queries {
            let forms = query_words(&query.text, languages);
            let mut words: Vec<WordNo> = forms.iter().map(|forms| vocabulary.add(forms)).collect();
            words.sort_unstable();
            words.dedup();
            if !words.is_empty() {
                let (text, frequency) = (query.text.clone(), query.frequency);
                queries.push(PreparedQuery { text, frequency, words });
            }
        }
        PreparedWorkload { source: self.source.clone(), queries, vocabulary }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepared(queries: &[(&str, f64)]) -> PreparedWorkload {
        let queries = queries.iter().map(|&(text, frequency)| (text.to_owned(), frequency));
        Workload::new(Source::Log, queries).prepare(&[Language::Other])
    }

    #[test]
    fn queries_share_the_numbers_of_their_words() {
        let workload = prepared(&[("moon phase", 3.0), ("phase", 2.0), ("new moon", 1.0)]);
        let words: Vec<&[WordNo]> =
            workload.queries.iter().map(|query| query.words.as_slice()).collect();
        assert_eq!(words, [&[0, 1][..], &[1], &[0, 2]]);
        assert_eq!(workload.vocabulary.len(), 3);
        assert_eq!(workload.vocabulary.forms(2), ["new"]);
        assert_eq!(workload.source, Source::Log);
    }

    #[test]
    fn a_repeated_word_counts_once() {
        let workload = prepared(&[("new york new york", 1.0)]);
        assert_eq!(workload.queries[0].words, [0, 1]);
    }

    #[test]
    fn queries_without_words_are_dropped() {
        let workload = prepared(&[("???", 9.0), ("moon", 1.0)]);
        assert_eq!(workload.queries.len(), 1);
        assert_eq!(workload.queries[0].text, "moon");
    }
}
