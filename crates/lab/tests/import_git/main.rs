//! The git importer, on small made-up repositories.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails as the test does")]

mod errors;
mod rows;
mod site;
