//! Importers: they make traces from other records of a site's past.
mod error;
pub mod git;
pub mod warc;

pub use error::ImportError;
