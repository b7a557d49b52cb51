//! Full-text search over held pages, kept in step with the repository.
//!
//! The index is in the folder `search` of a data folder. Each commit records the log position that
//! it covers, so that [`catch_up()`] knows which pages changed since. [`IndexedStore`] keeps the
//! index up to date during a crawl. A [`Searcher`] reads it at the same time.
//!
//! Logs with `tracing`: `info` for rebuilds and catch-ups, `debug` for commits.
mod analysis;
#[doc(hidden)]
pub mod baseline;
mod catch_up;
mod collector;
mod commit_payload;
mod compare;
mod copies;
mod document;
mod error;
mod folder;
mod impact;
mod index;
mod indexed_store;
mod indexed_versions;
mod main_text;
mod open;
mod query;
mod query_terms;
mod ranks;
mod read_only;
mod request;
mod results;
mod schema;
mod searcher;
mod similar_words;
mod snippet;
mod stored_runs;
mod tantivy_query;

pub use catch_up::{CaughtUp, catch_up};
pub use compare::{Agreement, compare};
pub use document::{IndexDocument, is_digest_indexable};
pub use error::IndexError;
pub use impact::impact;
pub use index::Index;
pub use indexed_store::{CommitInterval, IndexedStore};
pub use request::{Filter, SearchRequest};
pub use results::{Fragment, Hit, SearchResults};
pub use searcher::Searcher;
