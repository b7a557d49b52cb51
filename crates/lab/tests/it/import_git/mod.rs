//! The git importer, on small made-up repositories.
mod errors;
mod rows;
pub(crate) mod site;
