//! The repository on disk: against the one in memory, through crashes, and as old versions wrote it.
#![allow(clippy::unwrap_used, reason = "a helper of a test fails as the test does")]
#[path = "../common/mod.rs"]
mod common;
mod crash;
mod deletion;
mod features;
mod kill;
mod old_versions;
mod opening;
mod records;
mod repository;
mod view;
