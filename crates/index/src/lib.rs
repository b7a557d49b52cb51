//! Finds held pages by their text, exactly in step with the repository.
//!
//! An index lives in the folder `search` of a data folder. Its last commit names the position of the
//! log it reflects, so whoever opens it next knows which pages were visited since. [`Indexed`] keeps it
//! in step while a crawl runs, [`bring_up`] does so afterwards, and a [`Searcher`] reads it beside both.
mod ask;
mod error;
mod found;
mod searcher;

pub use ask::Ask;
pub use error::IndexError;
pub use found::{Found, Hit, Piece};
pub use searcher::Searcher;
