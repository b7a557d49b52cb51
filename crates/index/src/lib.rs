//! Finds held pages by their text, exactly in step with the repository.
//!
//! An index lives in the folder `search` of a data folder. Its last commit names the position of the
//! log it reflects, so whoever opens it next knows which pages were visited since. [`IndexedStore`] keeps it
//! in step while a crawl runs, [`catch_up()`] does so afterwards, and a [`Searcher`] reads it beside
//! both.
mod analysis;
mod ask;
#[doc(hidden)]
pub mod bare;
mod best;
mod catch_up;
mod compare;
mod document;
mod error;
mod folder;
mod found;
mod impact;
mod index;
mod indexed;
mod known;
mod matching;
mod opened;
mod query;
mod ranks;
mod reflects;
mod schema;
mod searcher;
mod snippet;
mod wanted;

pub use ask::Ask;
pub use catch_up::{CaughtUp, catch_up};
pub use compare::{Agreement, compare};
pub use document::{Entry, is_digest_findable};
pub use error::IndexError;
pub use folder::discard;
pub use found::{Found, Hit, Piece};
pub use impact::impact;
pub use index::Index;
pub use indexed::{IndexedStore, Pace};
pub use searcher::Searcher;
