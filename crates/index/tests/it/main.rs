//! The index: in step with the repository, search, and impact.
#![allow(clippy::unwrap_used, reason = "a helper of a test fails as the test does")]
#[path = "../../../store/tests/common/mod.rs"]
mod common;
mod impact;
mod in_step;
mod main_text;
mod search;
