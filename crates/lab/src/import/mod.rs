//! Importers: they make traces from other records of a site's past.
mod captured;
pub mod cdx;
mod error;
pub mod git;
mod names;
pub mod warc;

pub use error::ImportError;
