//! Text analysis: words, query workloads and relevance scores.
//!
//! The index, the scoring functions, the instruments and the lab all use it. This crate must not use
//! clocks, I/O, threads or hash order (see its `clippy.toml`).
pub mod chi_squared;
pub mod counts;
pub mod relevance;
pub mod words;
pub mod workload;
