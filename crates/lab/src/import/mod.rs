//! Importers: they make traces from what others keep of a site's past.
mod error;
pub mod git;
pub mod warc;

pub use error::ImportError;
