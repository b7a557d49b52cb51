//! The loop against scripted worlds, and in a simulation.
#![allow(clippy::unwrap_used, reason = "a helper of a test fails as the test does")]
mod allowance;
mod cycles;
mod dead_links;
mod live;
mod simulation;
