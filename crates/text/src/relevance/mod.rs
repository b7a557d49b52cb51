//! Relevance of pages to queries, by the scoring functions of the papers.
//!
//! The scores are exact and need no index. A page is represented by a [`Profile`], its counts of the
//! words of the workload, and a query by the numbers of its words.
mod postings;
mod profile;
mod ranking;
mod scoring;

pub use self::{
    postings::Postings,
    profile::{Profile, Profiler, TermNo, Vocabulary, WordNo},
    ranking::{ViewProbabilities, rank, view_probability},
    scoring::{Candidate, Scoring, Statistics, bm25_part},
};
