//! Integration tests of policies, in one binary.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod contract;
mod discover;
mod edges;
