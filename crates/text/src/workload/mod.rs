//! Query workloads: queries and their frequencies.
//!
//! A [`Workload`] contains queries as people write them. It comes from a file (`tsv`), from the log of
//! the search page (`decay`) or, without either, from the pages themselves ([`PseudoQueries`]).
//! [`Workload::prepare`] turns queries into numbered words, and [`PreparedWorkload::filtered`] drops
//! those that a collection of pages cannot answer well.
mod decay;
mod filter;
mod knee;
mod prepared;
pub mod pseudo;
mod tsv;

use std::{collections::BTreeMap, fmt};

pub use self::{
    decay::decay,
    filter::Filter,
    knee::knee,
    prepared::{PreparedQuery, PreparedWorkload},
    pseudo::PseudoQueries,
    tsv::{PSEUDO, WorkloadError},
};

/// Queries and their frequencies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Workload {
    /// The queries, the most frequent first, ties by text.
    pub queries: Vec<Query>,
    /// Where they come from.
    pub source: Source,
}

/// A query and its frequency.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    /// The text of the query.
    pub text: String,
    /// How often it is asked, in any unit; only ratios matter.
    pub frequency: f64,
}

/// Where a workload comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// A file of queries and counts, by name.
    File(String),
    /// The query log of the search page.
    Log,
    /// Generated from the titles, headings and links of the pages themselves.
    #[default]
    Pseudo,
}

impl Workload {
    /// A workload of these queries and frequencies. Queries that are equal when [`normalised`] are
    /// merged and their frequencies added. Empty queries and those with frequency 0 are dropped.
    pub fn new(source: Source, queries: impl IntoIterator<Item = (String, f64)>) -> Self {
        let mut frequencies: BTreeMap<String, f64> = BTreeMap::new();
        for (text, frequency) in queries {
            let text = normalised(&text);
            if !text.is_empty() && frequency > 0.0 {
                *frequencies.entry(text).or_default() += frequency;
            }
        }
        let query = |(text, frequency)| Query { text, frequency };
        let mut queries: Vec<Query> = frequencies.into_iter().map(query).collect();
        // The map gave them by text, and the sort is stable.
        queries.sort_by(|a, b| b.frequency.total_cmp(&a.frequency));
        Self { queries, source }
    }

    /// The distance to another workload: the total variation distance of the query frequencies, from 0
    /// for the same proportions to 1.
    pub fn distance(&self, other: &Self) -> f64 {
        let mut shares: BTreeMap<&str, f64> = BTreeMap::new();
        for (workload, sign) in [(self, 1.0), (other, -1.0)] {
            let all: f64 = workload.queries.iter().map(|query| query.frequency).sum();
            for query in &workload.queries {
                *shares.entry(&query.text).or_default() += sign * query.frequency / all;
            }
        }
        shares.values().map(|share| share.abs()).sum::<f64>() / 2.0
    }
}

/// The normalised form of a query: trimmed, white space folded, in lower case.
pub fn normalised(query: &str) -> String {
    let mut folded = String::with_capacity(query.len());
    for word in query.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    folded.to_lowercase()
}

impl Source {
    /// Whether the queries are generated, not asked by people.
    pub fn is_pseudo(&self) -> bool {
        matches!(self, Self::Pseudo)
    }
}

impl fmt::Display for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(name) => write!(formatter, "queries of {name}"),
            Self::Log => formatter.write_str("the search page's log"),
            Self::Pseudo => {
                formatter.write_str("pseudo-queries made from titles, headings and links")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_that_differ_in_case_and_white_space_are_one() {
        assert_eq!(normalised("  Map\u{a0}\tQUEST \n"), "map quest");
        let workload = Workload::new(
            Source::Log,
            [(" Map  quest".to_owned(), 2.0), ("map QUEST".to_owned(), 3.0)],
        );
        assert_eq!(workload.queries, [Query { text: "map quest".into(), frequency: 5.0 }]);
    }

    #[test]
    fn the_most_frequent_comes_first_and_ties_go_by_text() {
        let asked = [("b", 1.0), ("c", 2.0), ("a", 1.0)];
        let workload = Workload::new(Source::Log, asked.map(|(text, n)| (text.to_owned(), n)));
        let texts: Vec<&str> = workload.queries.iter().map(|query| query.text.as_str()).collect();
        assert_eq!(texts, ["c", "a", "b"]);
    }

    #[test]
    fn empty_queries_and_frequencies_of_zero_are_dropped() {
        let asked = [(" ", 1.0), ("none", 0.0), ("less", -1.0), ("nan", f64::NAN)];
        let workload = Workload::new(Source::Log, asked.map(|(text, n)| (text.to_owned(), n)));
        assert_eq!(workload.queries, []);
    }

    #[test]
    fn the_distance_is_the_total_variation_of_frequencies() {
        let workload = |asked: &[(&str, f64)]| {
            let asked = asked.iter().map(|&(text, frequency)| (text.to_owned(), frequency));
            Workload::new(Source::Log, asked)
        };
        let near = |one: &[(&str, f64)], other: &[(&str, f64)], expected: f64| {
            (workload(one).distance(&workload(other)) - expected).abs() < 1e-12
        };
        assert!(near(&[("a", 1.0), ("b", 3.0)], &[("a", 10.0), ("b", 30.0)], 0.0));
        assert!(near(&[("a", 1.0), ("b", 3.0)], &[("a", 3.0), ("c", 1.0)], 0.75));
        assert!(near(&[("a", 1.0)], &[("b", 1.0)], 1.0));
        assert!(near(&[], &[], 0.0) && near(&[("a", 2.0)], &[], 0.5));
    }

    #[test]
    fn only_generated_queries_are_pseudo() {
        let file = Source::File("trec.tsv".into());
        assert_eq!(file.to_string(), "queries of trec.tsv");
        assert!(!file.is_pseudo() && !Source::Log.is_pseudo() && Source::Pseudo.is_pseudo());
        assert!(Source::Pseudo.to_string().starts_with("pseudo-queries"));
    }
}
