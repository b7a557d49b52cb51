//! How well a page answers a query, by the scoring functions of the papers.
//!
//! These are exact and need no index: a page is known by a [`Profile`], how often it holds each word
//! of the workload, and a query by the numbers of its words.
mod holders;
mod profile;
mod ranking;
mod scoring;

pub use self::{
    holders::Holders,
    profile::{Profile, Profiler, TermNo, Vocabulary, WordNo},
    ranking::{ViewChances, rank, view_chance},
    scoring::{Candidate, Scoring, Statistics, bm25_part},
};
