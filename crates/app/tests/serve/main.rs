//! The search page as a browser, a program and a flood meet it: the binary on loopback, asked over
//! plain sockets.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod answers;
mod api;
#[path = "../common/mod.rs"]
mod common;
mod described;
mod limits;
mod log;
mod served;
