//! The repository on disk: compared with the one in memory, after crashes, and in old versions.
#![allow(clippy::unwrap_used, reason = "a helper of a test fails as the test does")]
mod boilerplate;
#[path = "../common/mod.rs"]
mod common;
mod crash;
mod damage;
mod deletion;
mod features;
mod kill;
mod limits;
mod old_versions;
mod opening;
mod records;
mod repository;
mod view;
