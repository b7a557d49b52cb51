//! Importers: they make traces from what others keep of a site's past.
mod error;
pub mod git;

pub use error::ImportError;
