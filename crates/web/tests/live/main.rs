//! The live world against servers that misbehave in every way we could think of, on loopback only.
#![allow(clippy::unwrap_used, reason = "a helper of a test fails as the test does")]
mod answers;
mod bodies;
mod connections;
mod endings;
mod limits_on_robots;
mod politeness;
mod rests;
mod safety;
mod secure;
mod server;
mod wire;
mod worlds;
